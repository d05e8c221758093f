package adopt_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/internal/fixture"
)

// After a complete check without problems, the rule holds from the end of the check. Otherwise the problem tells which
// phase to repeat.
func TestVerify(t *testing.T) {
	t.Parallel()
	begun := time.Now().Add(-time.Hour).UTC()
	state := &adopt.State{Writers: &adopt.Writers{Since: begun, Judged: 20, Times: adopt.Times{Created: "createdAt"}}}
	signedUp := func(id, email string, at time.Time) sdk.Item {
		account := fixture.Account(id, email, id)
		account["createdAt"] = sdk.S(at.Format(time.RFC3339))
		return account
	}
	old, young := begun.Add(-time.Hour), begun.Add(time.Minute)
	for name, tc := range map[string]struct {
		more []sdk.Item
		want adopt.Phase
	}{
		"sound":          {nil, ""},
		"missing":        {[]sdk.Item{signedUp("m", "m@x.io", old)}, adopt.PhaseBackfill},
		"missing, young": {[]sdk.Item{signedUp("m", "m@x.io", young)}, adopt.PhaseWriters},
		"duplicate":      {[]sdk.Item{signedUp("m", "p1@x.io", old)}, adopt.PhaseSurvey},
		"two without":    {[]sdk.Item{signedUp("m", "m@x.io", old), signedUp("n", "m@x.io", old)}, ""},
		"foreign":        {[]sdk.Item{signedUp("m", "m@x.io", old), owned("m@x.io", "1")}, adopt.PhaseSurvey},
		"no owner":       {[]sdk.Item{signedUp("m", "m@x.io", old), unowned("m@x.io")}, adopt.PhaseSurvey},
		"owner is a number": {[]sdk.Item{signedUp("m", "m@x.io", old), func() sdk.Item {
			lock := owned("m@x.io", "m")
			lock["owner"] = sdk.N("7")
			return lock
		}()}, adopt.PhaseSurvey},
		"unfit": {[]sdk.Item{signedUp("m", strings.Repeat("x", 2100), old)}, adopt.PhaseSurvey},
	} {
		f := fixture.New(t)
		var items []sdk.Item
		for n := range 30 {
			email := fmt.Sprintf("p%d@x.io", n)
			items = append(items, signedUp(fmt.Sprint(n), email, old), owned(email, fmt.Sprint(n)))
		}
		r := open(t, f.Describe("people", rule(), append(items, tc.more...)...))
		before := time.Now()
		findings := 0
		v, err := adopt.Verify(t.Context(), r, state, setting.Options{}, func(finding.Finding) { findings++ }, nil)
		switch {
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case name == "two without": // the check may report a missing lock or a duplicate value
			if v.Since != nil || v.Missing+v.Duplicates == 0 {
				t.Errorf("%s: %+v", name, v)
			}
		case v.Repeat != tc.want || (v.Since != nil) != (tc.want == ""):
			t.Errorf("%s: %+v", name, v)
		case v.Since != nil && v.Since.Before(before.Truncate(time.Millisecond)):
			t.Errorf("%s: it holds since %s, before the check began", name, v.Since)
		}
	}
}

// Survey and Verify agree on the values that cannot have a lock. Verify names their accounts. Then people have to
// repair the values: a backfill does not help.
func TestVerifyNamesValuesWithoutLock(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]types.AttributeValue{
		"map":         &types.AttributeValueMemberM{Value: sdk.Item{"home": sdk.S("ada@x.io")}},
		"boolean":     &types.AttributeValueMemberBOOL{Value: true},
		"nested list": &types.AttributeValueMemberL{Value: []types.AttributeValue{sdk.S("a@x.io"), &types.AttributeValueMemberL{Value: []types.AttributeValue{sdk.S("b@x.io")}}}},
		"empty":       sdk.S(""),
		"blank":       sdk.S("  "),
		"undefined":   sdk.S("undefined"),
		"too long":    sdk.S(strings.Repeat("x", 2100)),
	} {
		account := fixture.Account("m", "", "m")
		account["email"] = value
		r := open(t, fixture.New(t).Describe("people", rule(), fixture.Account("1", "p1@x.io", "1"), owned("p1@x.io", "1"), owned("a@x.io", "m"), account))
		surveyed, err := adopt.Survey(t.Context(), r, setting.Options{}, nil, nil)
		if err != nil || surveyed.Unfit != 1 {
			t.Errorf("%s: the survey says %+v, %v", name, surveyed, err)
		}
		findings := 0
		v, err := adopt.Verify(t.Context(), r, &adopt.State{}, setting.Options{}, func(finding.Finding) { findings++ }, nil)
		if err != nil || v.Since != nil || v.Repeat != adopt.PhaseSurvey || v.Unfit != 1 || v.Missing != 0 || findings != 0 ||
			len(v.UnfitValues) != 1 || v.UnfitValues[0].Accounts[0].Key["PK"].Text != "ACCT#m" {
			t.Errorf("%s: verify says %+v with %d findings, %v", name, v, findings, err)
		}
	}
}

// Only the times that a person confirmed make an account newer than the verified writers. With another date, the
// account is only perhaps newer, and the phase to repeat stays the same.
func TestVerifyJudgesTheAgeByConfirmedTimes(t *testing.T) {
	t.Parallel()
	begun := time.Now().Add(-time.Hour).UTC()
	young, old := begun.Add(time.Minute).Format(time.RFC3339), begun.Add(-time.Minute).Format(time.RFC3339)
	for _, tc := range []struct {
		times             adopt.Times
		made, joined      string
		want              adopt.Phase
		newer, maybeNewer int64
	}{
		{adopt.Times{Created: "made"}, young, old, adopt.PhaseWriters, 1, 0},
		{adopt.Times{Created: "made"}, old, young, adopt.PhaseBackfill, 0, 0},
		{adopt.Times{Created: "made"}, "?", young, adopt.PhaseBackfill, 0, 1},
		{adopt.Times{}, young, young, adopt.PhaseBackfill, 0, 1},
		{adopt.Times{}, old, old, adopt.PhaseBackfill, 0, 0},
	} {
		account := fixture.Account("m", "m@x.io", "m")
		account["made"], account["joinedAt"] = sdk.S(tc.made), sdk.S(tc.joined)
		r := open(t, fixture.New(t).Describe("people", rule(), fixture.Account("1", "p1@x.io", "1"), owned("p1@x.io", "1"), account))
		state := &adopt.State{Writers: &adopt.Writers{Since: begun, Times: tc.times}}
		v, err := adopt.Verify(t.Context(), r, state, setting.Options{}, nil, nil)
		if err != nil || v.Repeat != tc.want || v.Newer != tc.newer || v.MaybeNewer != tc.maybeNewer {
			t.Errorf("%+v: %+v, %v", tc, v, err)
		}
	}
}

// A new account with its own lock is no sign of an old writer, though an older account holds the value, too.
func TestVerifyOfATakenValue(t *testing.T) {
	t.Parallel()
	begun := time.Now().Add(-time.Hour).UTC()
	old, young := fixture.Account("old", "m@x.io", "m"), fixture.Account("new", "m@x.io", "n")
	old["made"], young["made"] = sdk.S(begun.Add(-time.Minute).Format(time.RFC3339)), sdk.S(begun.Add(time.Minute).Format(time.RFC3339))
	r := open(t, fixture.New(t).Describe("people", rule(), old, young, owned("m@x.io", "new")))
	state := &adopt.State{Writers: &adopt.Writers{Since: begun, Times: adopt.Times{Created: "made"}}}
	v, err := adopt.Verify(t.Context(), r, state, setting.Options{}, nil, nil)
	if err != nil || v.Repeat != adopt.PhaseSurvey || v.Duplicates != 1 || v.Newer != 0 {
		t.Errorf("%+v, %v", v, err)
	}
}

// unowned is a lock that names no account.
func unowned(email string) sdk.Item {
	lock := owned(email, "m")
	delete(lock, "owner")
	return lock
}
