package words

import (
	"strings"

	"tallylock/dynamo/check"
	"tallylock/dynamo/phrase"
)

// CheckOutcome says in a sentence what a check amounts to that has listed no findings. It is good
// if nothing is wrong, or nothing new.
func CheckOutcome(s check.Summary) (said string, good bool) {
	switch of := s.Outcome(); {
	case of == check.Incomplete:
		return "Nothing was found so far.", false
	case of == check.Guess && s.Known > 0:
		return "Found nothing new, by a guessed layout: the baseline lists " + phrase.Count(s.Known, "finding") + ".", false
	case of == check.Guess:
		return "Found nothing, by a guessed layout.", false
	case of == check.Partly:
		return "Found nothing, but not everything was checked.", false
	case s.Known > 0:
		return "Nothing new: the baseline lists the " + phrase.Count(s.Known, "finding") + ".", true
	case s.Unsettled > 0:
		return "Nothing was found, but not everything could be judged.", false
	}
	return "Nothing is wrong.", true
}

// Checked lists the constraints and counters that a check has checked, a sentence each.
func Checked(s check.Summary) (lines []string) {
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

// NotChecked lists what a check has not checked, a sentence each.
func NotChecked(s check.Summary) (lines []string) {
	for _, n := range s.NotChecked {
		lines = append(lines, "Not checked: "+n.Said()+".")
	}
	return lines
}
