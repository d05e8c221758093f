package say_test

import (
	"strings"
	"testing"
	"time"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/change"
	"tallylock/dynamo/idtime"
	"tallylock/ui/say"
)

// An index shows no account outside its partition. The sentences name the partition.
func TestJudgementNamesThePartition(t *testing.T) {
	t.Parallel()
	j := &adopt.Judgement{Made: 20, Index: "by-time", Partition: "user", NotVerified: []adopt.Operation{adopt.SignUp, adopt.Change}}
	said := strings.Join(say.Judgement(j, "email"), "\n")
	for _, want := range []string{
		"Not verified: sign-ups and changes of the value. Another writer may have made or changed accounts in partitions that were not read.",
		`Only the accounts in the partition "user" of the index by-time were read.`,
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%s\nlacks: %s", said, want)
		}
	}
	state := &adopt.State{Writers: j.Event(true)}
	if said := say.AdoptPhase(state, adopt.PhaseWriters, time.Now()); !strings.Contains(said, `in the partition "user" of the index by-time`) {
		t.Errorf("the state says: %s", said)
	}
}

// A suggested command has every time that a person chose.
func TestWritersFlagsAreWhole(t *testing.T) {
	t.Parallel()
	begun := time.Date(2026, 11, 27, 8, 0, 0, 5e8, time.UTC)
	w := &adopt.Writers{
		Since: begun, Judged: 20, Made: 20, Index: "by-time", Partition: "user", NotVerified: []adopt.Operation{adopt.Change},
		Times: adopt.Times{Created: "made", Updated: "changed", ID: idtime.Snowflake, Epoch: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)},
	}
	chosen := "--created-at made --updated-at changed --id-time snowflake --id-epoch 2020-01-01T00:00:00Z --index by-time --partition user"
	flags := func(w *adopt.Writers) string {
		return strings.Join(say.PhaseFlags(&adopt.State{Writers: w}, adopt.PhaseWriters, "email"), " ")
	}
	if said := flags(w); said != "--verify-writers --since 2026-11-27T08:00:00.5Z "+chosen+" --confirm email" {
		t.Errorf("without a confirmation: %s", said)
	}
	w.Made = 19
	if said := flags(w); said != "--verify-writers --since 2026-11-27T08:00:00.5Z "+chosen {
		t.Errorf("with too few accounts: %s", said)
	}
	w.Without = 1
	if said := flags(w); said != "--writers" {
		t.Errorf("with an old writer: %s", said)
	}
	said := say.AfterOldWriter(w, func(flags ...string) string { return strings.Join(flags, " ") })
	if !strings.HasPrefix(said, "change the old writer (--writers prints") || !strings.HasSuffix(said, ": --verify-writers --since TIME "+chosen) {
		t.Errorf("after an old writer: %s", said)
	}
}

// After a backfill, skipped values need another run. People repair the other values, and then run the survey again.
func TestBackfillRepairs(t *testing.T) {
	t.Parallel()
	const again, people, survey = "Run the backfill again", "decide which account keeps it", "run the survey again"
	for kind, want := range map[change.BackfillKind][]string{
		change.BackfillChanged: {again}, change.BackfillBusy: {again},
		change.BackfillDuplicate: {people, survey}, change.BackfillInvalid: {"Correct the values", survey},
	} {
		lines := say.BackfillRepairs(change.BackfillResult{Found: map[change.BackfillKind]int64{kind: 1}})
		if len(lines) != len(want) {
			t.Errorf("%s: %q", kind, lines)
			continue
		}
		for n, line := range lines {
			if !strings.Contains(line, want[n]) {
				t.Errorf("%s: %q lacks %q", kind, line, want[n])
			}
		}
	}
}
