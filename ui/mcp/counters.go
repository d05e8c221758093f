package mcp

import (
	"context"
	"math"
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout"
	"tallylock/ui/record"
)

func (s *server) countersTool() tool {
	return tool{
		name: "counters", title: "List the counters of a table", params: s.placeParams(), run: s.runCounters,
		about: "Lists the counters of a table with their faults, such as a number that is behind the ids in use. " +
			"Compares counters with ids until the budget is used.",
		data: func() (map[string]any, error) {
			defs := map[string]any{}
			of, err := partOf("counters", defs)
			return object([]string{"counters", "more", "complete"}, map[string]any{
				"counters": of, "more": map[string]any{"type": "integer"}, "complete": map[string]any{"type": "boolean"},
			}, defs), err
		},
	}
}

func (s *server) runCounters(ctx context.Context, c *call) (any, error) {
	var at place
	if err := decode(c.tool.name, c.tool.params, c.arguments, &at); err != nil {
		return nil, err
	}
	t, err := s.openTable(ctx, c, at)
	if err != nil {
		return nil, err
	}
	if t.Layout.Empty() {
		return nil, t.NoLayout(c.op)
	}
	most, before := t.Connection().AutoReadUnits(), c.at.units()
	family := slices.ContainsFunc(t.Layout.Counters, func(l *layout.Counter) bool { return !l.Fixed(t.Schema) })
	if family && most < client.PageUnits {
		return nil, &failure{
			Op: c.op, Why: "reading the counters may cost " + units(client.PageUnits) + ", but one answer can use at most " +
				units(math.Floor(most)),
			Do: "ask a person to raise auto_read_units",
		}
	}
	all, complete, err := counter.Read(ctx, t)
	if err != nil {
		return nil, err
	}
	counter.LookUpIDs(ctx, all, max(0, most-(c.at.units()-before)))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	all = counter.SumShards(all)
	shown := all[:min(len(all), mostCounters)]
	out := []record.Counter{}
	for _, one := range shown {
		if s.mask != nil {
			out = append(out, s.mask.counterRecord(t, one))
			continue
		}
		out = append(out, record.CounterOf(one, false))
	}
	return map[string]any{"counters": out, "more": len(all) - len(shown), "complete": complete}, nil
}

// counterRecord masks a counter. It hides the counter's number, and leaves out how many numbers are left.
func (m *mask) counterRecord(t *dynamo.Table, c counter.Counter) record.Counter {
	out := record.Counter{
		Name: m.counter(t, c.Layout, c.Name), Table: t.Name, Key: m.key("counter-item", c.Key),
		Attribute: m.attribute(c.Attribute, c.Layout.State), Semantics: string(c.Semantics), Step: hidden,
		IDsChecked: c.IDsChecked, Shards: c.Shards, Findings: []string{}, LayoutState: c.Layout.State,
	}
	if c.Layout.State == layout.Described {
		out.Step = c.Step
	}
	if c.Exists {
		number := hidden
		out.Value = &number
	}
	for _, f := range c.Faults {
		out.Findings = append(out.Findings, string(f))
	}
	return out
}
