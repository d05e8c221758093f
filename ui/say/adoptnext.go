package say

import (
	"time"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/change"
)

// PhaseFlags returns the flags of the command that begins or repeats a phase of an adoption. If the writers were judged
// and only more accounts or a confirmation are lacking, the flags judge the writers again in the same way.
func PhaseFlags(s *adopt.State, phase adopt.Phase, constraint string) []string {
	switch phase {
	case adopt.PhaseSurvey:
		return []string{"--survey"}
	case adopt.PhaseBackfill:
		return []string{"--backfill", "--write"}
	case adopt.PhaseVerify:
		return []string{"--verify"}
	case adopt.PhaseWriters:
		if again := judgeAgain(s.Writers, constraint); again != nil {
			return again
		}
		return []string{"--writers"}
	}
	return nil
}

// judgeAgain returns the flags that judge the writers again, since the same time. It returns nil if nobody has judged
// the writers, if an old writer is still in use, or if the writers are verified.
func judgeAgain(w *adopt.Writers, constraint string) []string {
	if w == nil || w.Without > 0 {
		return nil
	}
	flags := WritersFlags(w, w.Since.UTC().Format(time.RFC3339Nano))
	switch {
	case w.TooFew():
		return flags
	case len(w.NotVerified) > 0 && !w.Confirmed:
		return append(flags, "--confirm", constraint)
	}
	return nil
}

// WritersFlags returns the flags that judge the writers since a time. was is the earlier judgement, which has the times
// that a person chose; it may be nil.
func WritersFlags(was *adopt.Writers, since string) []string {
	flags := []string{"--verify-writers", "--since", since}
	if was == nil {
		return flags
	}
	epoch := ""
	if !was.Times.Epoch.IsZero() {
		epoch = was.Times.Epoch.UTC().Format(time.RFC3339Nano)
	}
	for _, one := range [][2]string{
		{"--created-at", was.Times.Created},
		{"--updated-at", was.Times.Updated},
		{"--id-time", string(was.Times.ID)},
		{"--id-epoch", epoch},
		{"--index", was.Index},
		{"--partition", was.Partition},
	} {
		if one[1] != "" {
			flags = append(flags, one[0], one[1])
		}
	}
	return flags
}

// AfterOldWriter says what to do while an old writer is in use: change it first. was is the last judgement. The
// function command writes a command of this adoption.
func AfterOldWriter(was *adopt.Writers, command func(flags ...string) string) string {
	return "change the old writer (" + command("--writers") + " prints the transactions), then run the next command, where TIME is the time of the last change to a writer: " +
		command(WritersFlags(was, "TIME")...)
}

// beforeBackfill says how to verify the writers. w is the last judgement, or nil.
func beforeBackfill(w *adopt.Writers, constraint string, command func(flags ...string) string) string {
	again := judgeAgain(w, constraint)
	switch {
	case again != nil && w.TooFew():
		return "wait for more sign-ups or changes, then run: " + command(again...)
	case again != nil:
		return "make sure that every writer of these operations uses the transactions, then confirm: " + command(again...)
	case w != nil:
		return AfterOldWriter(w, command)
	}
	return "change the writers (" + command("--writers") + " prints the transactions), then run the next command, where TIME is the time of the last change to a writer: " +
		command(WritersFlags(nil, "TIME")...)
}

// SurveyRepairs says what people have to repair after a survey, and what happens until then.
func SurveyRepairs(s *adopt.Surveyed) []string {
	lines := repairs(s.Duplicates, s.ForeignLocks, s.Unfit)
	if len(lines) == 0 {
		return nil
	}
	return append(lines, "Until then these values get no lock, and Verify does not pass. After the repair, run the survey again.")
}

// BackfillRepairs says how the values that a backfill has left out get their locks.
func BackfillRepairs(r change.BackfillResult) (lines []string) {
	if r.Found[change.BackfillChanged]+r.Found[change.BackfillBusy] > 0 {
		lines = append(lines, "Run the backfill again for the skipped values.")
	}
	people := repairs(r.Found[change.BackfillDuplicate], 0, r.Found[change.BackfillInvalid])
	if len(people) == 0 {
		return lines
	}
	return append(append(lines, people...), "After the repair, run the survey again.")
}

// repairs says who has to repair each kind of problems.
func repairs(duplicates, foreign, unfit int64) (lines []string) {
	if duplicates > 0 {
		lines = append(lines, "If several accounts hold a value, decide which account keeps it, and give the others another value.")
	}
	if foreign > 0 {
		lines = append(lines, "If a lock does not name the account that holds its value, decide who gets the value, and correct the lock or the account.")
	}
	if unfit > 0 {
		lines = append(lines, "Correct the values that cannot have a lock, or remove them from their accounts.")
	}
	return lines
}
