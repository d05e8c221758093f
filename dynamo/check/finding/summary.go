package finding

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// Summary describes the readings and the results of a check. Its JSON is a contract: names may be added, but
// never changed.
type Summary struct {
	Table   string `json:"table"`
	TableID string `json:"table_id,omitempty"`
	Layout  string `json:"layout"`
	// LayoutState says whether the layout is guessed, accepted or described. It is the weakest state of all constraints
	// and counters.
	LayoutState layout.State `json:"layout_state"`
	// AsOf is the time of the items that were compared: the beginning of the check, or the time of the export. It is
	// zero if the time of the export is unknown.
	AsOf time.Time `json:"as_of,omitzero"`
	// Items, Accounts and Locks count the items of the first reading. They are not exact if the
	// application writes at the same time.
	Items    int64 `json:"items"`
	Accounts int64 `json:"accounts"`
	Locks    int64 `json:"locks"`
	// Findings counts the new findings of each kind. Known counts the findings that the baseline
	// already has.
	Findings map[Kind]int `json:"findings"`
	Known    int          `json:"known,omitempty"`
	// Gone counts the findings of the state that the increments have settled. Only a check of increments has it.
	Gone int `json:"gone,omitempty"`
	// Complete: the check read the whole table and followed up all mismatches, except the values in Unsettled.
	// Confirmed: every finding is confirmed. The findings of a guessed layout are never confirmed.
	Complete  bool    `json:"complete"`
	Confirmed bool    `json:"confirmed"`
	ReadUnits float64 `json:"read_units"`
	Seconds   float64 `json:"seconds"` // the time of the check without its pauses
	// Why has the reasons why the check is incomplete.
	Why string `json:"why,omitempty"`
	// Assumptions are sentences about the application and the layout. The confirmed findings are true only if all
	// assumptions are true.
	Assumptions []string `json:"assumptions,omitempty"`
	// Checked lists the constraints, counters and keys that were checked. NotChecked lists the
	// rest, with reasons.
	Checked    []Checked    `json:"checked"`
	NotChecked []NotChecked `json:"not_checked"`
	// Unsettled counts the values that changed during the check and were not judged. If such a value stays broken, the
	// next check finds the problem.
	Unsettled int `json:"unsettled,omitempty"`
	// Reserved counts the locks whose accounts may still be written. These locks are not findings.
	Reserved int `json:"reserved,omitempty"`
	// Marks lists locks that still have a release mark. The mark is harmless.
	Marks []Mark `json:"marks,omitempty"`
	// MoreMarks counts the marked locks that Marks leaves out.
	MoreMarks int `json:"more_marks,omitempty"`
	// Notes are further texts for people, such as the limits of the check and their reasons.
	Notes []string `json:"notes,omitempty"`
	// Counters lists the counters that were read, with the highest ids in use.
	Counters []CounterState `json:"counters,omitempty"`
	// MoreCounters counts the counters that Counters leaves out.
	MoreCounters int `json:"more_counters,omitempty"`
	// Throttled counts the requests that DynamoDB throttled and the check sent again.
	Throttled int64 `json:"throttled,omitempty"`
}

// Mark is a lock that still has a release mark.
type Mark struct {
	Constraint string    `json:"constraint"`
	Value      string    `json:"value"`
	Lock       attr.Item `json:"lock"`
}

// CounterState is a counter with its number and the highest id in use. HighestID is nil if no id is known, for
// example because the layout describes no place of ids.
type CounterState struct {
	Counter   string  `json:"counter"`
	Value     *string `json:"value"`
	HighestID *string `json:"highest_id"`
}

// Found returns the number of new findings.
func (s Summary) Found() int {
	n := 0
	for _, count := range s.Findings {
		n += count
	}
	return n
}

// Unjudged returns a sentence with the number of values in Unsettled, and the remedy. It is empty if there are none.
func (s Summary) Unjudged() string {
	switch s.Unsettled {
	case 0:
		return ""
	case 1:
		return "1 value changed during the check, and was not judged. Check again: a broken value stays broken, and the next check finds it."
	}
	return phrase.Count(s.Unsettled, "value") + " changed during the check, and were not judged. Check again: broken values stay broken, and the next check finds them."
}

// Checked is a constraint, a counter or a derived key that was checked.
type Checked struct {
	// Exactly one of these three names is set.
	Constraint string `json:"constraint,omitempty"`
	Counter    string `json:"counter,omitempty"`
	Key        string `json:"key,omitempty"`
	// State says whether the constraint, counter or key is guessed, or a person has confirmed it.
	State layout.State `json:"state"`
	// Locks counts the locks that were compared. It is nil if the constraint has no locks. Accounts counts the
	// accounts' values, or the items with the derived key.
	Locks    *int64 `json:"locks,omitempty"`
	Accounts *int64 `json:"accounts,omitempty"`
	// Impossible counts the accounts' values for which no lock can be made.
	Impossible int64 `json:"impossible,omitempty"`
	// IDs lists the attributes and keys whose ids were compared with the counter.
	IDs []string `json:"ids,omitempty"`
}

// Unchecked is a kind of things that were not checked.
type Unchecked string

// The kinds of things that a check may leave out.
const (
	UncheckedConstraints Unchecked = "constraints"
	UncheckedCounters    Unchecked = "counters"
	UncheckedTables      Unchecked = "tables"   // other tables, which may keep locks or ids
	UncheckedItems       Unchecked = "items"    // undescribed items, by the shapes of their keys
	UncheckedValues      Unchecked = "values"   // values of constraints: the constraint, and the quoted value
	UncheckedFindings    Unchecked = "findings" // kinds of findings
)

// NotChecked names things of one kind that were not checked for the same reason.
type NotChecked struct {
	What Unchecked `json:"what"`
	// Names has the first names. More counts the rest.
	Names []string `json:"names"`
	More  int      `json:"more,omitempty"`
	Why   string   `json:"why"`
	// Required: a person has described these things or asked for them. So the check cannot say that nothing is wrong.
	Required bool `json:"required"`
}

// mostNamed is the greatest number of Names.
const mostNamed = 10

// Count returns the number of things that were not checked, with or without a name.
func (n NotChecked) Count() int { return len(n.Names) + n.More }

// Outcome is the overall result of a check.
type Outcome int

// The outcomes. If several are true, the first one counts.
const (
	Incomplete Outcome = iota // a part of the table was not read or not followed up
	Found                     // there are findings
	Guess                     // no findings, but the layout is only guessed
	Partly                    // no findings, but something that a person described or asked for was not checked
	Nothing                   // no findings, and nothing is left to check
)

// Outcome returns the result of the check. Findings in the baseline do not count.
func (s Summary) Outcome() Outcome {
	switch {
	case !s.Complete:
		return Incomplete
	case s.Found() > 0:
		return Found
	}
	return s.Reach()
}

// Reach returns the outcome that the check would have without findings: Guess, Partly or Nothing.
func (s Summary) Reach() Outcome {
	// People can accept constraints and counters, but not derived keys. So a guessed key does not
	// make the whole check a guess.
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

// AddNotChecked adds names of things that were not checked. If the summary has things of the same kind and reason, it
// merges the names with those.
func (s *Summary) AddNotChecked(what Unchecked, why string, required bool, names ...string) {
	if len(names) == 0 {
		return
	}
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

// Said returns a clause with the names and the reason.
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
