package finding

import (
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// Summary sums up the readings and the findings of a check. Its JSON is a contract, too.
type Summary struct {
	Table   string `json:"table"`
	TableID string `json:"table_id,omitempty"`
	Layout  string `json:"layout"`
	// LayoutState says who answers for the layout. It is the state of the weakest constraint or
	// counter.
	LayoutState layout.State `json:"layout_state"`
	// Items, Accounts and Locks count the items that the first pass read. They are not exact while
	// an application writes.
	Items    int64 `json:"items"`
	Accounts int64 `json:"accounts"`
	Locks    int64 `json:"locks"`
	// Findings counts the new findings of each kind. Known counts the findings that the baseline
	// has already.
	Findings map[Kind]int `json:"findings"`
	Known    int          `json:"known,omitempty"`
	// Complete is set if the check read the whole table and followed up all keys that were left
	// over, except values that kept changing (Unsettled). Confirmed is set if every finding is
	// confirmed. A guess confirms no finding.
	Complete  bool    `json:"complete"`
	Confirmed bool    `json:"confirmed"`
	ReadUnits float64 `json:"read_units"`
	Seconds   float64 `json:"seconds"` // without the time in which the gate was shut
	// Why says why the check is incomplete.
	Why string `json:"why,omitempty"`
	// Assumptions are sentences about the conditions that the confirmed findings rest on, besides
	// the readings for each finding.
	Assumptions []string `json:"assumptions,omitempty"`
	// Checked lists the constraints, counters and keys that were checked. NotChecked lists the
	// others, with the reasons.
	Checked    []Checked    `json:"checked"`
	NotChecked []NotChecked `json:"not_checked"`
	// Unsettled counts the values that were not judged because they changed during the check.
	// If one of them stays broken, the next check finds it.
	Unsettled int `json:"unsettled,omitempty"`
	// Reserved counts the locks without an account that may still get one: they are no findings.
	Reserved int `json:"reserved,omitempty"`
	// Marks are locks that still have the mark of a release; they are harmless.
	Marks []Mark `json:"marks,omitempty"`
	// MoreMarks counts the locks with a mark that Marks does not list.
	MoreMarks int `json:"more_marks,omitempty"`
	// Notes are texts that people should know besides the findings, such as the limits of the
	// check and their reasons.
	Notes []string `json:"notes,omitempty"`
	// Counters lists the counters that were read, with the highest ids in use.
	Counters []CounterState `json:"counters,omitempty"`
	// MoreCounters counts the counters that were read and are not listed.
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

// CounterState is a counter with its value and the highest id in use. HighestID is nil if no id
// is known, for example because the layout does not say where the ids are.
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

// Unjudged says in sentences how many values are Unsettled, and what to do. It is empty if there
// are none.
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
	// Constraint, Counter or Key is the name; the other two are empty.
	Constraint string `json:"constraint,omitempty"`
	Counter    string `json:"counter,omitempty"`
	Key        string `json:"key,omitempty"`
	// State says who answers for the constraint, counter or key. A guess confirms nothing.
	State layout.State `json:"state"`
	// Locks counts the locks that were compared, and Accounts the values of accounts. Locks is
	// nil if no locks keep the values.
	Locks    *int64 `json:"locks,omitempty"`
	Accounts *int64 `json:"accounts,omitempty"`
	// IDs are the attributes or keys with the ids that a counter was compared with.
	IDs []string `json:"ids,omitempty"`
}

// Unchecked is the kind of things that a NotChecked names.
type Unchecked string

// The kinds of things that may be left unchecked.
const (
	UncheckedConstraints Unchecked = "constraints"
	UncheckedCounters    Unchecked = "counters"
	UncheckedTables      Unchecked = "tables"   // that may keep locks or ids of this one
	UncheckedItems       Unchecked = "items"    // of one shape each
	UncheckedFindings    Unchecked = "findings" // kinds that were asked for
)

// NotChecked names things of one kind that were not checked for one reason.
type NotChecked struct {
	What Unchecked `json:"what"`
	// Names are the names of the first ones. More counts the others.
	Names []string `json:"names"`
	More  int      `json:"more,omitempty"`
	Why   string   `json:"why"`
	// Required is set if a person has described these things or asked for them, so that the check
	// lacks them.
	Required bool `json:"required"`
}

// mostNamed is how many names a NotChecked has at most.
const mostNamed = 10

// Count returns the number of unchecked things, named or not.
func (n NotChecked) Count() int { return len(n.Names) + n.More }

// Outcome is the result of a check as a whole.
type Outcome int

// The outcomes. Outcome returns the first one that holds.
const (
	Incomplete Outcome = iota // some of the table was not read, or not followed up
	Found                     // something is wrong
	Guess                     // nothing was found by a layout that is only guessed
	Partly                    // nothing was found, and something described or asked for was not checked
	Nothing                   // nothing is wrong
)

// Outcome returns the result of the check. It ignores findings that the baseline has already.
func (s Summary) Outcome() Outcome {
	switch {
	case !s.Complete:
		return Incomplete
	case s.Found() > 0:
		return Found
	}
	return s.Reach()
}

// Reach returns how far the check went, whatever it has found: Guess, Partly or Nothing.
func (s Summary) Reach() Outcome {
	// Nobody can accept a derived key: in an accepted layout, derived keys stay guessed.
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

// AddNotChecked adds names of things that were not checked. Things of one kind with the same reason
// share an entry.
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

// Said returns a clause with the names of the unchecked things and the reason.
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
