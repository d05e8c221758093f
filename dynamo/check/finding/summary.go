package finding

import (
	"fmt"
	"slices"
	"strings"

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

// Checked is a constraint, a counter or a key made of attributes that was checked.
type Checked struct {
	// Constraint is its name.
	Constraint string `json:"constraint,omitempty"`
	Counter    string `json:"counter,omitempty"`
	Key        string `json:"key,omitempty"`
	// State says who answers for it. A guess confirms nothing.
	State layout.State `json:"state"`
	// Locks and Accounts are how many locks and values of accounts were compared. Locks is nil
	// if no locks keep the values.
	Locks    *int64 `json:"locks,omitempty"`
	Accounts *int64 `json:"accounts,omitempty"`
	// IDs says where the ids are that a counter was compared with.
	IDs []string `json:"ids,omitempty"`
}

// Unchecked is what a NotChecked names.
type Unchecked string

// What may not have been checked.
const (
	UncheckedConstraints Unchecked = "constraints"
	UncheckedCounters    Unchecked = "counters"
	UncheckedTables      Unchecked = "tables"   // that may keep locks or ids of this one
	UncheckedItems       Unchecked = "items"    // of one shape each
	UncheckedFindings    Unchecked = "findings" // kinds that were asked for
)

// NotChecked is something that was not checked, with the reason.
type NotChecked struct {
	What Unchecked `json:"what"`
	// Names are the first of them, and More is how many are not named.
	Names []string `json:"names"`
	More  int      `json:"more,omitempty"`
	Why   string   `json:"why"`
	// Required: a person has described it or asked for it, so it is missing from the check.
	Required bool `json:"required"`
}

// mostNamed is how many names a NotChecked has.
const mostNamed = 10

// Count returns how many there are, named or not.
func (n NotChecked) Count() int { return len(n.Names) + n.More }

// Outcome is the result of a check as a whole.
type Outcome int

// The outcomes, the first that holds.
const (
	Incomplete Outcome = iota // some of the table was not read, or not followed up
	Found                     // something is wrong
	Guess                     // nothing was found by a layout that is only guessed
	Partly                    // nothing was found, and something described or asked for was not checked
	Nothing                   // nothing is wrong
)

// Outcome returns what the check amounts to. It leaves out what the baseline has already.
func (s Summary) Outcome() Outcome {
	switch {
	case !s.Complete:
		return Incomplete
	case s.Found() > 0:
		return Found
	}
	return s.Reach()
}

// Reach returns Guess, Partly or Nothing: how far the check went, whatever it has found.
func (s Summary) Reach() Outcome {
	// Nobody can accept a derived key: those beside what was accepted stay guessed.
	sure := func(c Checked) bool { return c.State.Sure() }
	guessed := func(c Checked) bool { return !c.State.Sure() && c.Key == "" }
	switch {
	case !s.LayoutState.Sure() && !slices.ContainsFunc(s.Checked, sure), slices.ContainsFunc(s.Checked, guessed):
		return Guess
	case slices.ContainsFunc(s.NotChecked, func(n NotChecked) bool { return n.Required }):
		return Partly
	}
	return Nothing
}

// AddNotChecked adds something that was not checked. Those with the same reason are one entry.
func (s *Summary) AddNotChecked(what Unchecked, why string, required bool, names ...string) {
	at := slices.IndexFunc(s.NotChecked, func(n NotChecked) bool {
		return n.What == what && n.Why == why && n.Required == required
	})
	if at < 0 {
		s.NotChecked = append(s.NotChecked, NotChecked{What: what, Why: why, Required: required, Names: []string{}})
		at = len(s.NotChecked) - 1
	}
	n := &s.NotChecked[at]
	for _, name := range names {
		if len(n.Names) < mostNamed {
			n.Names = append(n.Names, name)
		} else {
			n.More++
		}
	}
}

// Said says in a sentence what was not checked, and why.
func (n NotChecked) Said() string {
	what := string(n.What)
	if n.Count() == 1 {
		what = strings.TrimSuffix(what, "s")
	}
	names := strings.Join(n.Names, ", ")
	if n.More > 0 {
		names += fmt.Sprintf(" and %s more", phrase.Number(n.More))
	}
	if names == "" {
		return fmt.Sprintf("%s: %s", what, n.Why)
	}
	return fmt.Sprintf("%s %s: %s", what, names, n.Why)
}
