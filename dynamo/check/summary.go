package check

import (
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// Summary is what a check read and found. Its JSON is a contract, too.
type Summary struct {
	Table   string `json:"table"`
	TableID string `json:"table_id,omitempty"`
	Layout  string `json:"layout"`
	// LayoutState says who answers for the layout: its weakest constraint or counter.
	LayoutState layout.State `json:"layout_state"`
	// Items, Accounts and Locks are how many the first pass read. They are not exact while an
	// application writes.
	Items    int64 `json:"items"`
	Accounts int64 `json:"accounts"`
	Locks    int64 `json:"locks"`
	// Findings counts the findings of each kind; Known is how many the baseline has already.
	Findings map[Kind]int `json:"findings"`
	Known    int          `json:"known,omitempty"`
	// Complete: the whole table was read, and everything left over was followed up but for
	// what kept changing (Unsettled). Confirmed: every finding is confirmed, which
	// none is by a guess.
	Complete  bool    `json:"complete"`
	Confirmed bool    `json:"confirmed"`
	ReadUnits float64 `json:"read_units"`
	Seconds   float64 `json:"seconds"` // without the time in which the gate was shut
	// Why says why the check is not complete.
	Why string `json:"why,omitempty"`
	// Assumptions are what the confirmed findings rest on besides what was read for each.
	Assumptions []string `json:"assumptions,omitempty"`
	// Checked lists the constraints and counters that were checked, NotChecked everything else
	// that could have been, with the reason.
	Checked    []Checked    `json:"checked"`
	NotChecked []NotChecked `json:"not_checked"`
	// Unsettled is how many values were not judged because they changed during the check.
	// What stays broken is found by the next one.
	Unsettled int `json:"unsettled,omitempty"`
	// Reserved is how many locks have no account and may still get one: they are no findings.
	Reserved int `json:"reserved,omitempty"`
	// Marks are locks that still have the mark of a release; they are harmless.
	Marks []Mark `json:"marks,omitempty"`
	// MoreMarks is how many are not listed.
	MoreMarks int `json:"more_marks,omitempty"`
	// Notes say what was not looked for and why, and what else people should know.
	Notes []string `json:"notes,omitempty"`
	// Counters are those that were read, with the highest id in use.
	Counters []CounterState `json:"counters,omitempty"`
	// MoreCounters is how many were read and are not listed.
	MoreCounters int `json:"more_counters,omitempty"`
	// Throttled is how many requests were throttled and sent again.
	Throttled int64 `json:"throttled,omitempty"`
}

// Mark is a lock on which a release left its mark.
type Mark struct {
	Constraint string    `json:"constraint"`
	Value      string    `json:"value"`
	Lock       attr.Item `json:"lock"`
}

// CounterState is a counter and the highest id in use, nil if there is none or the layout
// does not say where ids are.
type CounterState struct {
	Counter   string  `json:"counter"`
	Value     *string `json:"value"`
	HighestID *string `json:"highest_id"`
}

// Found returns the number of findings.
func (s Summary) Found() int {
	n := 0
	for _, count := range s.Findings {
		n += count
	}
	return n
}

// Unjudged says what is known of the Unsettled values, and what to do; empty if there are
// none.
func (s Summary) Unjudged() string {
	switch s.Unsettled {
	case 0:
		return ""
	case 1:
		return "1 value changed while it was looked at, and was not judged. Check again: what is broken stays as it is, and is found then."
	}
	return phrase.Count(s.Unsettled, "value") + " changed while they were looked at, and were not judged. Check again: what is broken stays as it is, and is found then."
}
