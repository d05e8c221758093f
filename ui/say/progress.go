package say

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"tallylock/dynamo/change"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
)

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
		return "Reading", " every item again: more values look broken than expected"
	case progress.Comparing:
		return "Comparing", " to find duplicates"
	case progress.FindingKeys:
		return "Finding long keys", ""
	case progress.Waiting:
		return "Waiting", " so that sign-ups in progress become visible"
	case progress.LookingAgain:
		return "Looking again", " at every account, for " +
			Plural(s.Candidates, "value that looks broken", "values that look broken")
	case progress.RePolling:
		return "Watching the remaining locks", ""
	case progress.Confirming:
		return "Confirming", " each lock with its accounts"
	case progress.ReadingCounters:
		return "Reading counters", ""
	}
	return "", ""
}

// CheckLine describes the progress of a check in one line of at most width columns. If the line is too long, it leaves
// out details, but never the stage, the key that stops the check, or the last field.
func CheckLine(s progress.State, now time.Time, width int) string {
	line := ""
	for spared := spareNothing; spared <= spareWholeBar; spared++ {
		if line = checkLine(s, now, spared); utf8.RuneCountInString(line) <= width {
			break
		}
	}
	return line
}

// spare is a detail that a line leaves out. The line then also leaves out the details with smaller values.
type spare int

const (
	spareNothing spare = iota
	spareRate
	spareReasons
	spareUnits
	spareItems
	spareThrottled
	spareBar // the bar is shorter
	spareTime
	spareWholeBar
)

func checkLine(s progress.State, now time.Time, spared spare) string {
	doing, _ := CheckStage(s)
	if !s.Until.IsZero() {
		doing += " " + Lasts(max(0, s.Until.Sub(now)))
	}
	parts := []string{Percent(min(s.Share, 0.99))}
	switch {
	case spared < spareBar:
		parts[0] = bar(s.Share, 12) + " " + parts[0]
	case spared < spareWholeBar:
		parts[0] = bar(s.Share, 6) + " " + parts[0]
	}
	out := Outage(s, now)
	if s.Left > 0 && !out && spared < spareTime {
		parts = append(parts, "about "+Roughly(s.Left)+" left")
	}
	if parts = append(parts, doing); out {
		parts = append(parts, "no answer for "+Roughly(now.Sub(s.Silent)))
	}
	if parts = append(parts, "ctrl+c stops"); out && spared < spareBar {
		parts = append(parts, "asking again")
	}
	if s.Expected > 0 && spared < spareItems {
		parts = append(parts, fmt.Sprintf("%s of about %s", phrase.Number(s.Items), phrase.Number(s.Expected)))
	}
	if s.Throttled > 0 && spared < spareThrottled {
		throttled := fmt.Sprintf("throttled %s×", phrase.Number(s.Throttled))
		if spared < spareReasons {
			throttled += " " + strings.Join(slices.Sorted(maps.Keys(s.Reasons)), " ")
		}
		parts = append(parts, strings.TrimSpace(throttled))
	}
	if spared < spareUnits {
		parts = append(parts, ReadUnits(s.Units))
	}
	if s.Rate > 0 && spared < spareRate {
		parts = append(parts, Rate(s.Rate))
	}
	if n := s.Found(); n > 0 {
		parts = append(parts, phrase.Count(n, "finding"))
	} else if s.Candidates > 0 {
		parts = append(parts, phrase.Count(s.Candidates, "value")+" followed up")
	}
	return strings.Join(parts, " · ")
}

// Throttled says how often requests were throttled or sent again.
func Throttled(s progress.State) string {
	var said []string
	if s.Throttled > 0 {
		why := ""
		if reasons := slices.Sorted(maps.Keys(s.Reasons)); len(reasons) > 0 {
			why = " (" + strings.Join(reasons, ", ") + ")"
		}
		said = append(said, "throttled "+times(s.Throttled)+why)
	}
	if s.Repeated > 0 {
		said = append(said, "asked again "+times(s.Repeated))
	}
	return strings.Join(said, " · ")
}

// times writes how often something happened: "once".
func times(n int64) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return phrase.Number(n) + " times"
}

// Outage reports whether the check has waited for an answer for a long time.
func Outage(s progress.State, now time.Time) bool {
	return !s.Silent.IsZero() && Long(now.Sub(s.Silent))
}

// Suspected says that a check has found no account for a lock so far.
func Suspected(s progress.Suspect) string {
	return fmt.Sprintf("No account holds the %s %s so far, but its lock exists.", s.Constraint, phrase.Quote(s.Value))
}

// SuspectLater says when a suspect becomes a finding.
const SuspectLater = "the check reads the accounts again: if none has the value, it confirms the finding"

// Spared says how much earlier the check ends if all locks match.
func Spared(s progress.State) string { return Roughly(s.More) + " less if nothing is broken" }

// bar draws the share of a check that is done, in width columns. It is never full, since the share is an estimate.
func bar(share float64, width int) string {
	full := min(width-1, int(float64(width)*share))
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}

// WhyAgain says why a step of a change is sent again.
func WhyAgain(p change.Progress) string {
	switch p.Before {
	case client.Throttled:
		return "throttled by DynamoDB"
	case client.Conflict:
		return "other programs write the same items"
	}
	return "no answer yet"
}

// Progress describes the progress of a change in one line. The key to cancel it is within the first
// 80 columns, since the terminal may cut off the rest.
func Progress(p change.Progress) string {
	const cancel = " · ctrl+c cancels"
	if p.Attempt > 1 {
		return strings.TrimSuffix(Sentence(fmt.Sprintf("%s: sent %d times, applied at most once", WhyAgain(p), p.Attempt)), ".")
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
		return "Removing the mark" + of(p) + " · ctrl+c again leaves it to tallylock journal --resolve"
	}
	return "Writing"
}

// StageProgress describes the progress of a stage of a change beside a bar. share is the part that is done; below 0 if
// it is unknown.
func StageProgress(p change.Progress) (share float64, said []kit.Span) {
	if share = -1; p.Total > 0 {
		share = min(float64(p.Done)/float64(p.Total), 1)
	}
	add := func(k kit.Style, format string, args ...any) { said = append(said, k.Of(fmt.Sprintf(format, args...))) }
	switch {
	case p.Stage == change.StageEach:
		add(kit.Muted, "  %s of %s", phrase.Number(p.Done), phrase.Number(p.Total))
		if p.Attempt > 1 {
			add(kit.Warn, ", sent %d times", p.Attempt)
		}
		return max(share, 0), said
	case p.Stage == change.StageWait && p.Total > 0:
		add(kit.Muted, "  %.1f of %g s", float64(p.Done)/1000, float64(p.Total)/1000)
		return share, said
	case p.Stage == change.StageLook:
		add(kit.Muted, "  %s read, %s RU", phrase.Count(p.Done, "item"), Units(p.ReadUnits))
		if p.Throttled > 0 {
			add(kit.Warn, ", throttled")
		}
		return max(share, 0), said
	case p.AllLocks > 1:
		add(kit.Muted, "  %d of %d locks", p.Locks, p.AllLocks)
		return float64(p.Locks) / float64(p.AllLocks), said
	case p.Attempt > 1:
		add(kit.Warn, "  sent %d times", p.Attempt)
	}
	return -1, said
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
