package model

import "fmt"

// Counter is the model of a check of a counter (docs/truth.md §5). The application mints ids from the counter. The
// check reads the items first, and the counter last.
type Counter struct {
	Mints int // the number of ids that the application mints
	// Gapless is set if the counter and the item are written in one transaction. Otherwise the item is written later.
	Gapless bool
	// Spread makes the items of a transaction visible at different times.
	Spread bool
	// If CounterFirst is set, the check reads the counter before the items. If Strong is set, it leaves out the
	// transaction that confirms a finding. If Lower is set, the tool may set the counter to the highest id in use.
	CounterFirst, Strong, Lower bool
}

// The properties of counters.
const (
	// BehindIsTrue says that if a check reports a counter as behind, it really is behind.
	BehindIsTrue Property = "a counter that is behind has an id above it"
	// NoIDTwice says that no id is handed out twice.
	NoIDTwice Property = "no id is handed out twice"
)

// The steps of the model of a counter.
const (
	Mint        Kind = "mint"
	WriteItem   Kind = "write the item"
	ShowCounter Kind = "the counter is visible"
	ShowItem    Kind = "the item is visible"
	ReadIDs     Kind = "read the ids"
	ReadCounter Kind = "read the counter"
	SetCounter  Kind = "lower the counter"
)

// CounterState is a state of the model of a counter. Ids are 1, 2, …; sets of ids are bits.
type CounterState struct {
	Minted  int   // the number of ids that were minted
	Value   int   // the value of the counter
	Shown   int   // the value that a strong read shows
	Flying  uint8 // the ids that were minted, but whose items are not written
	Items   uint8 // the written items
	Visible uint8 // the items that a strong read shows
	IDs     int   // the highest id that the check has read, plus 1; 0 if it has read none
	Last    int   // the counter as the check has read it, plus 1
	Over    bool
}

// Begin returns the first state.
func (c *Counter) Begin() []CounterState { return []CounterState{{}} }

// Key returns a text that is the same for equal states only.
func (c *Counter) Key(s CounterState) string { return fmt.Sprint(s) }

// Steps returns the steps of a state.
func (c *Counter) Steps(s CounterState) (all []Step) {
	all = []Step{{Kind: Mint}, {Kind: ShowCounter}, {Kind: ReadIDs}, {Kind: ReadCounter}, {Kind: SetCounter}}
	for id := range c.Mints {
		all = append(all, Step{Kind: WriteItem, Number: id}, Step{Kind: ShowItem, Number: id})
	}
	return all
}

// Do returns the state after a step.
func (c *Counter) Do(s CounterState, step Step) (CounterState, Property, error) {
	bit := uint8(1) << step.Number
	switch {
	case step.Kind == Mint && s.Minted < c.Mints:
		return c.mint(s)
	case step.Kind == WriteItem && s.Flying&bit != 0:
		s.Flying &^= bit
		s.Items |= bit
		s.Visible |= bit
	case step.Kind == ShowItem && s.Items&^s.Visible&bit != 0:
		s.Visible |= bit
	case step.Kind == ShowCounter && s.Shown != s.Value:
		s.Shown = s.Value
	case step.Kind == ReadIDs && s.IDs == 0 && (s.Last > 0) == c.CounterFirst:
		s.IDs = highest(s.Visible) + 1
		return c.judge(s)
	case step.Kind == ReadCounter && s.Last == 0 && (s.IDs > 0) != c.CounterFirst:
		s.Last = s.Shown + 1
		return c.judge(s)
	case step.Kind == SetCounter && c.Lower && s.Value > highest(s.Visible):
		s.Value = highest(s.Visible)
		s.Shown = s.Value
	default:
		return s, "", errNotNow
	}
	return s, "", nil
}

// mint hands out the next id.
func (c *Counter) mint(s CounterState) (CounterState, Property, error) {
	s.Minted++
	s.Value++
	bit := uint8(1) << (s.Value - 1)
	twice := (s.Flying|s.Items)&bit != 0
	if !c.Spread {
		s.Shown = s.Value
	}
	if c.Gapless {
		s.Items |= bit
		if !c.Spread {
			s.Visible |= bit
		}
	} else {
		s.Flying |= bit
		s.Shown = s.Value
	}
	if twice {
		return s, NoIDTwice, nil
	}
	return s, "", nil
}

// judge ends the check after it has read both the ids and the counter. If a gapless counter looks behind, judge reads
// the counter and the highest item once more, in one transaction, unless c.Strong is set.
func (c *Counter) judge(s CounterState) (CounterState, Property, error) {
	if s.IDs == 0 || s.Last == 0 || s.Over {
		return s, "", nil
	}
	s.Over = true
	behind := s.Last < s.IDs
	if behind && c.Gapless && !c.Strong {
		behind = s.Value < s.IDs-1
	}
	if behind && s.Value >= s.IDs-1 {
		return s, BehindIsTrue, nil
	}
	return s, "", nil
}

// highest returns the highest id of a set; 0 if the set is empty.
func highest(ids uint8) (n int) {
	for ; ids != 0; ids >>= 1 {
		n++
	}
	return n
}
