package finding_test

import (
	"testing"
	"time"

	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// The kind of a finding follows from the judged relation alone.
func TestKindOfAJudgement(t *testing.T) {
	other := &verdict.Relation{}
	lock, account := schema.Lock{Exists: true}, []schema.Account{{}}
	until := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	for want, all := range map[finding.Kind][]verdict.Relation{
		finding.OrphanedLock: {
			{Lock: lock, Judgement: verdict.Judgement{Verdict: verdict.Orphaned}},
			{Lock: lock, Judgement: verdict.Judgement{Verdict: verdict.Unknown, Why: "its owner is odd"}},
			{Lock: lock, Judgement: verdict.Judgement{Verdict: verdict.Unknown, Pending: true}},
		},
		finding.StaleLock:       {{Lock: lock, Judgement: verdict.Judgement{Verdict: verdict.Stale}}},
		finding.MalformedLock:   {{Lock: lock, Judgement: verdict.Judgement{Verdict: verdict.Malformed}}},
		finding.ForeignLock:     {{Lock: lock, Claimants: account, Judgement: verdict.Judgement{Verdict: verdict.Foreign}}},
		finding.DuplicateValue:  {{Claimants: account, Judgement: verdict.Judgement{Verdict: verdict.Duplicate}}},
		finding.MissingLock:     {{Claimants: account, Judgement: verdict.Judgement{Verdict: verdict.Missing, Provisional: true}}},
		finding.ExpiringAccount: {{Lock: lock, Claimants: account, Judgement: verdict.Judgement{Verdict: verdict.Held, ExpiresAlone: true}}},
		finding.UnnormalisedLock: {
			{Claimants: account, Variant: other, Judgement: verdict.Judgement{Verdict: verdict.Missing}},
			{Lock: lock, Variant: other, Judgement: verdict.Judgement{Verdict: verdict.Orphaned}},
		},
		"": {
			{},
			{Lock: lock, Claimants: account, Judgement: verdict.Judgement{Verdict: verdict.Held}},
			{Judgement: verdict.Judgement{Verdict: verdict.Free}},
			{Claimants: account, Judgement: verdict.Judgement{Verdict: verdict.InUse}},
			{Judgement: verdict.Judgement{Verdict: verdict.Unknown}},
			{Lock: lock, Judgement: verdict.Judgement{Verdict: verdict.Unknown, Changed: true}},
			{Lock: lock, Judgement: verdict.Judgement{Verdict: verdict.Unknown, Misfit: true}},
			{Lock: lock, Judgement: verdict.Judgement{Verdict: verdict.Unknown, Unjudged: true}},
			{Lock: lock, Judgement: verdict.Judgement{Verdict: verdict.Reserved, Pending: true, Until: until}},
		},
	} {
		for _, r := range all {
			if got := finding.KindOf(&r); got != want {
				t.Errorf("%+v is %q, want %q", r.Judgement, got, want)
			}
		}
	}
}
