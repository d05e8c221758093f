package record

import (
	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// Counter is the JSON of a counter. Its names are a contract.
type Counter struct {
	Name string `json:"name"`
	// Connection is whose counter it is, where those of several connections are listed.
	Connection string   `json:"connection,omitempty"`
	Table      string   `json:"table"`
	Key        attr.Key `json:"key"`
	Attribute  string   `json:"attribute"`
	Value      *string  `json:"value"` // null where there is none
	Semantics  string   `json:"semantics"`
	Next       *string  `json:"next"`
	Step       string   `json:"step"`
	HighestID  *string  `json:"highest_id"`
	// IDsChecked: the ids in use were looked for. Where they were not, no findings do
	// not mean that the counter is in order.
	IDsChecked bool `json:"ids_checked"`
	// Shards is of how many items the value is the sum; their keys are like this one.
	Shards int `json:"shards,omitempty"`
	// Guess is why the semantics are taken for what they are, where that is a guess.
	Guess string `json:"guess,omitempty"`
	// Room is how many numbers are left, where the counter has a highest one.
	Room     string   `json:"room,omitempty"`
	Findings []string `json:"findings"`
	// LayoutState says who answers for the counter.
	LayoutState layout.State `json:"layout_state"`
}

// CounterOf is a counter's JSON; named: with the name of its connection.
func CounterOf(c dynamo.Counter, named bool) Counter {
	out := Counter{
		Name: c.Name, Table: c.Table, Key: c.Key, Attribute: c.Attribute, Value: attr.NullIfEmpty(c.Value),
		Semantics: string(c.Semantics), Next: attr.NullIfEmpty(c.Next), Step: c.Step,
		HighestID:  attr.NullIfEmpty(c.HighestID),
		IDsChecked: c.IDsChecked, Shards: c.Shards, Room: Room(c), Findings: []string{}, LayoutState: c.Layout.State,
	}
	if named {
		out.Connection = c.Open().Connection().Name()
	}
	if c.Layout.Guess {
		out.Guess = c.Layout.Evidence
	}
	for _, f := range c.Faults {
		out.Findings = append(out.Findings, string(f))
	}
	return out
}

// Counters are counters as `counters --output jsonl` prints them; named: each with the name of
// its connection.
func Counters(all []dynamo.Counter, named bool) List {
	heads := []string{
		"name",
		"table",
		"key",
		"attribute",
		"value",
		"semantics",
		"next",
		"step",
		"highest_id",
		"ids_checked",
		"room",
		"findings",
		"layout_state",
	}
	if named {
		heads = append([]string{"connection"}, heads...)
	}
	return List{
		Heads: heads,
		Rows:  rowsOf(all, func(c dynamo.Counter) Counter { return CounterOf(c, named) }),
	}
}

// Room is how many numbers a counter has left; empty where it has no highest one.
func Room(c dynamo.Counter) string {
	room, ok := c.Layout.Room(c.Value)
	if !ok {
		return ""
	}
	return room.String()
}
