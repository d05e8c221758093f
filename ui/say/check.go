package say

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/change"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/phrase"
)

// CheckCost describes the cost of a check: "about 20 read units: …".
func CheckCost(c progress.Cost) string {
	return fmt.Sprintf("about %s: %s to read it once, %s to look again where something does not fit",
		ReadUnits(RoundUnits(c.Units())), Units(RoundUnits(c.First)), Units(RoundUnits(c.Again)))
}

// BeforeCheck says in a sentence what a check will cost. export: the check reads an export, and
// only a sample of the table.
func BeforeCheck(table string, c progress.Cost, export bool) string {
	if c.Uncounted {
		return fmt.Sprintf(
			"Checking %s: what it costs is not known, since the endpoint does not say how large the table is (DynamoDB counts every six hours).",
			table,
		)
	}
	said := fmt.Sprintf("Checking %s: about %s; %s", table, phrase.Count(c.Items, "item"), CheckCost(c))
	switch {
	case export && c.Units() == 0:
		said = fmt.Sprintf("Checking %s by an export: no read units", table)
	case export:
		said = fmt.Sprintf(
			"Checking %s by an export: about %s, %s to try its layout and %s to look again where something does not fit",
			table, ReadUnits(RoundUnits(c.Units())), Units(RoundUnits(c.First)), Units(RoundUnits(c.Again)),
		)
	}
	if c.Time > 0 && c.Units() > 0 {
		said += fmt.Sprintf("; about %s at %s a second", Lasts(max(c.Time, time.Second)), ReadUnits(RoundUnits(c.Pace)))
	}
	said += "."
	switch {
	case c.Each > 0:
		said += fmt.Sprintf(
			" Each broken value costs about %s more. Very many can cost more.",
			Units(c.Each),
		)
	case c.Beyond != "":
		said += " Not counted: " + c.Beyond + "."
	}
	return said
}

// CheckStage describes the stage of a check: doing is one or two words, and about is the rest.
func CheckStage(s progress.State) (doing, about string) {
	switch s.Stage {
	case progress.Beginning:
		return "Beginning", ""
	case progress.Preparing:
		return "Preparing", ""
	case progress.Reading:
		return "Reading", " every item once"
	case progress.ReadingMore:
		return "Reading", " every item once more: more does not fit than was expected"
	case progress.FindingKeys:
		return "Finding long keys", ""
	case progress.Waiting:
		return "Waiting", " so that sign-ups in progress become visible"
	case progress.LookingAgain:
		fits := "do"
		if s.Candidates == 1 {
			fits = "does"
		}
		return "Looking again", " at every account, for " + phrase.Count(s.Candidates, "value") + " that " + fits + " not fit"
	case progress.RePolling:
		return "Watching what is left", ""
	case progress.Confirming:
		return "Confirming", " each lock with its accounts"
	case progress.ReadingCounters:
		return "Reading counters", ""
	}
	return "", ""
}

// CheckLine describes the progress of a check in one line. The key to stop it is within the first
// 80 columns, since the terminal may cut off the rest.
func CheckLine(s progress.State, now time.Time) string {
	doing, _ := CheckStage(s)
	if !s.Until.IsZero() {
		doing += " " + Lasts(max(0, s.Until.Sub(now)))
	}
	parts := []string{bar(s.Share) + " " + Percent(min(s.Share, 0.99))}
	out := Outage(s, now)
	if s.Left > 0 && !out {
		parts = append(parts, "about "+Roughly(s.Left)+" left")
	}
	if parts = append(parts, doing); out {
		parts = append(parts, "no answer for "+Roughly(now.Sub(s.Silent)))
	}
	if parts = append(parts, "ctrl+c stops"); out {
		parts = append(parts, "asking again")
	}
	if s.Expected > 0 {
		parts = append(parts, fmt.Sprintf("%s of about %s", phrase.Number(s.Items), phrase.Number(s.Expected)))
	}
	if s.Throttled > 0 {
		parts = append(parts,
			fmt.Sprintf("throttled %d× %s", s.Throttled, strings.Join(slices.Sorted(maps.Keys(s.Reasons)), " ")))
	}
	parts = append(parts, ReadUnits(s.Units))
	if s.Rate > 0 {
		parts = append(parts, Rate(s.Rate))
	}
	if n := s.Found(); n > 0 {
		parts = append(parts, phrase.Count(n, "finding"))
	} else if s.Candidates > 0 {
		parts = append(parts, phrase.Count(s.Candidates, "value")+" followed up")
	}
	return strings.Join(parts, " · ")
}

// Outage reports whether the check has waited for an answer for a long time.
func Outage(s progress.State, now time.Time) bool {
	return !s.Silent.IsZero() && Long(now.Sub(s.Silent))
}

// Spared says how much earlier the check ends if all locks match.
func Spared(s progress.State) string { return Roughly(s.More) + " less if everything fits" }

// bar draws the share of a check that is done. It is never full, since the share is an estimate.
func bar(share float64) string {
	const width = 12
	full := min(width-1, int(width*share))
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}

// CheckOutcome describes the result of a check without new findings in a sentence. good: nothing is
// wrong, or nothing that the baseline does not list.
func CheckOutcome(s finding.Summary) (said string, good bool) {
	switch of := s.Outcome(); {
	case of == finding.Incomplete:
		return "Nothing was found so far.", false
	case of == finding.Guess && s.Known > 0:
		return "Found nothing new, by a guessed layout: the baseline lists " + phrase.Count(s.Known, "finding") + ".", false
	case of == finding.Guess:
		return "Found nothing, by a guessed layout.", false
	case of == finding.Partly:
		return "Found nothing, but not everything was checked.", false
	case s.Known > 0:
		return "Nothing new: the baseline lists the " + phrase.Count(s.Known, "finding") + ".", true
	case s.Unsettled > 0:
		return "Nothing was found, but not everything could be judged.", false
	}
	return "Nothing is wrong.", true
}

// CheckUnsure says how far a check that has ended proves its result: "? Checked in part". It is empty if the check proves
// it for the whole table.
func CheckUnsure(s finding.Summary) string {
	switch reach := s.Reach(); {
	case !s.Complete:
		return "! Incomplete"
	case s.Unsettled > 0:
		return "? Checked but for " + phrase.Count(s.Unsettled, "value")
	case reach == finding.Guess:
		return "? Checked by a guessed layout"
	case reach == finding.Partly:
		return "? Checked in part"
	}
	return ""
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

// mostCounters is how many counters Checked names.
const mostCounters = 10

// Notes lists the notes of a check, one sentence each.
func Notes(s finding.Summary) (lines []string) {
	if unjudged := s.Unjudged(); unjudged != "" {
		lines = append(lines, unjudged)
	}
	if n := len(s.Marks) + s.MoreMarks; n > 0 {
		lines = append(lines, "On "+phrase.Count(n, "lock")+" there is the marker of a release that was not finished. "+
			"It is harmless, and a new release takes it over.")
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

// Progress describes the progress of a change in one line. The key to cancel it is within the first
// 80 columns, since the terminal may cut off the rest.
func Progress(p change.Progress) string {
	const cancel = " · ctrl+c cancels"
	if p.Attempt > 1 {
		return fmt.Sprintf("No answer yet: sent %d times, counted once", p.Attempt)
	}
	switch p.Stage {
	case change.StageMark:
		return "Marking the lock" + of(p) + cancel
	case change.StageWait:
		return fmt.Sprintf("Marked; waiting %.1f of %.1f s for sign-ups in progress%s",
			float64(p.Done)/1000, float64(p.Total)/1000, cancel)
	case change.StageLook:
		text := fmt.Sprintf("Looking at every account: %s read%s%s · %s", phrase.Number(p.Done), share(p.Done, p.Total),
			cancel, ReadUnits(p.ReadUnits))
		if p.Throttled > 0 {
			text += fmt.Sprintf(", throttled %d×", p.Throttled)
		}
		return text
	case change.StageDelete:
		return "Deleting the lock, if it is still marked" + of(p)
	case change.StageUnmark:
		return "Removing the marker" + of(p) + " · ctrl+c again leaves it to tallylock journal --resolve"
	}
	return "Writing"
}

// of returns ", 2 of 5" if the change has several locks.
func of(p change.Progress) string {
	if p.AllLocks < 2 {
		return ""
	}
	return fmt.Sprintf(", %d of %d", p.Locks+1, p.AllLocks)
}

// share returns the percentage that is done. It is never 100, since the total is an estimate.
func share(done, total int64) string {
	if total <= 0 {
		return ""
	}
	return fmt.Sprintf(", about %d %%", min(99, 100*done/total))
}
