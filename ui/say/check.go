package say

import (
	"fmt"
	"strings"
	"time"

	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// CheckOutcome describes the result of a check without new findings in a sentence. good is true if the check proves
// that nothing is wrong, besides the findings in the baseline.
func CheckOutcome(s finding.Summary) (said string, good bool) {
	switch of := s.Outcome(); {
	case of == finding.Incomplete:
		return "Found nothing so far.", false
	case of == finding.Guess && s.Known > 0:
		return "Found nothing new, by a guessed layout: the baseline lists " + phrase.Count(s.Known, "finding") + ".", false
	case of == finding.Guess:
		return "Found nothing, by a guessed layout.", false
	case of == finding.Partly:
		return "Found nothing, but did not check everything.", false
	case s.Known > 0:
		return "Nothing new: the baseline lists the " + phrase.Count(s.Known, "finding") + ".", true
	case s.Unsettled > 0:
		return "Found nothing, but could not judge everything.", false
	}
	return "Nothing is wrong.", true
}

// AccountsAndLocks says how many accounts and locks a check has read.
func AccountsAndLocks(s finding.Summary) string {
	return phrase.Count(s.Accounts, "account") + ", " + phrase.Count(s.Locks, "lock")
}

// Took writes how long a check took.
func Took(s finding.Summary) string { return Lasts(time.Duration(s.Seconds * float64(time.Second))) }

// CheckUnsure says how far an ended check proves its result: "? Checked in part". It is empty if the check proves the
// result for the whole table.
func CheckUnsure(s finding.Summary) string {
	switch reach := s.Reach(); {
	case !s.Complete:
		return "! Incomplete"
	case s.Unsettled > 0:
		return "? Checked, except for " + phrase.Count(s.Unsettled, "value")
	case reach == finding.Guess:
		return "? Checked by a guessed layout"
	case reach == finding.Partly:
		return "? Checked in part"
	}
	return ""
}

// CheckDone is CheckUnsure for a line of a command: "complete but for 3 values".
func CheckDone(s finding.Summary) string {
	switch {
	case !s.Complete:
		return "incomplete"
	case s.Unsettled > 0:
		return "complete, except for " + phrase.Count(s.Unsettled, "value")
	}
	return "complete"
}

// CheckStopped says how far a check was when a person stopped it. read is the number of items read, and of is the
// table's number of items.
func CheckStopped(s progress.State, read, of int64) string {
	switch {
	case s.Stage == progress.LookingAgain && s.Expected > 0:
		return "The check was stopped when the second reading was at " + Percent(Part(s.Items, s.Expected)) +
			". Unconfirmed findings stay unconfirmed."
	case s.Stage > progress.ReadingMore:
		return "The check was stopped. Unconfirmed findings stay unconfirmed."
	case of > read:
		return "Stopped after " + phrase.Number(read) + " of about " + phrase.Count(of, "item") + "."
	}
	return "Stopped after " + phrase.Count(read, "item") + "."
}

// CheckRead says what a check without findings has read, what it covered, and what that proves.
func CheckRead(s finding.Summary, ended time.Time) []string {
	read := "Read " + phrase.Count(s.Items, "item") + " by " + phrase.Clock(ended)
	if s.Locks == 0 {
		read += "; this table has no locks."
	} else {
		read += ": " + AccountsAndLocks(s) + "."
	}
	if s.Unsettled > 0 {
		return []string{read}
	}
	lines := append([]string{read}, Checked(s)...)
	if _, good := CheckOutcome(s); good && s.Locks > 0 {
		belongs := "Each lock belongs to the account that uses its value"
		if s.Reserved > 0 {
			belongs += ", or is reserved"
		}
		lines = append(lines, belongs+", and each value has its lock.")
	}
	return lines
}

// Unlisted says that a command lists only some findings, and how to get all of them.
func Unlisted(listed, all int) string {
	return fmt.Sprintf("Listed %s of %s. To get all of them, run the same command with --output jsonl.",
		phrase.Number(listed), phrase.Count(all, "finding"))
}

// Checked lists what the check covered, one sentence for each constraint or key, and one for all
// counters.
func Checked(s finding.Summary) (lines []string) {
	var counters []string
	for _, c := range s.Checked {
		guessed := ""
		if !c.State.Sure() {
			guessed = ", guessed"
		}
		switch {
		case c.Counter != "" && len(c.IDs) == 0:
			counters = append(counters, c.Counter+guessed)
		case c.Counter != "":
			counters = append(counters, c.Counter+" with "+strings.Join(c.IDs, ", ")+guessed)
		case c.Key != "":
			lines = append(lines, "Checked the key "+c.Key+": "+phrase.Count(*c.Accounts, "item")+guessed+".")
		case c.Locks == nil:
			lines = append(lines, "Checked "+c.Constraint+": "+phrase.Count(*c.Accounts, "value")+guessed+".")
		default:
			lines = append(lines, "Checked "+c.Constraint+": "+phrase.Count(*c.Locks, "lock")+", "+
				phrase.Count(*c.Accounts, "value")+guessed+".")
		}
	}
	if n := len(counters); n > mostCounters {
		counters = append(counters[:mostCounters:mostCounters], phrase.Number(n-mostCounters)+" more")
	}
	if len(counters) > 0 {
		lines = append(lines, "Checked counters: "+strings.Join(counters, "; ")+".")
	}
	return lines
}

// mostCounters limits the counters that Checked names.
const mostCounters = 10

// Notes lists the notes of a check, one sentence each.
func Notes(s finding.Summary) (lines []string) {
	if unjudged := s.Unjudged(); unjudged != "" {
		lines = append(lines, unjudged)
	}
	if n := len(s.Marks) + s.MoreMarks; n > 0 {
		lines = append(lines, Plural(n, "lock has", "locks have")+" the mark of an unfinished release. "+
			"The mark is harmless, and a new release replaces it.")
	}
	for _, note := range s.Notes {
		lines = append(lines, Sentence(note))
	}
	return lines
}

// NotChecked lists what the check did not cover, one sentence each.
func NotChecked(s finding.Summary) (lines []string) {
	for _, n := range s.NotChecked {
		lines = append(lines, "Not checked: "+n.Said()+".")
	}
	return lines
}

// CheckFound describes the result of a check in one or two sentences, with or without findings.
func CheckFound(s finding.Summary) string {
	said, _ := CheckOutcome(s)
	if n := s.Found(); n > 0 {
		said = phrase.Count(n, "finding")
		if !s.Confirmed {
			said += ", not all of them confirmed"
		}
		said += "."
	}
	if !s.Complete {
		said += " The check is incomplete."
	}
	return said
}

// CheckSurely says in one or two sentences how certain a check is. confirmed counts the confirmed findings.
func CheckSurely(o setting.Options, s finding.Summary, confirmed int) string {
	said := "The whole table was read."
	switch {
	case !s.Complete:
		said = "The check is incomplete: there may be more."
	case o.Export != nil:
		said = "The whole export was read."
	case o.Candidates != nil:
		said = "All candidates were checked; newer values were not."
	}
	switch n := s.Found(); {
	case n == 0:
	case confirmed == 0 && s.LayoutState == layout.Guessed:
		said += " The layout is guessed, and a guess confirms nothing."
	case confirmed == n:
		said += " All findings are confirmed: each was read again, and none is a temporary state of the application."
	default:
		said += fmt.Sprintf(
			" Confirmed: %s of %s. The others may be a temporary state of the application, such as a sign-up in progress.",
			phrase.Number(confirmed), phrase.Count(n, "finding"),
		)
	}
	return said
}

// ConfirmedBy says how a check confirmed its findings.
func ConfirmedBy(o setting.Options) string {
	switch o.Confirm {
	case setting.ConfirmNone:
		return "nothing: the findings come from one reading"
	case setting.ConfirmReads:
		return "reading each lock together with its accounts"
	}
	return "reading each lock together with its accounts, after a second look at all accounts"
}
