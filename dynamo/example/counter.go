package example

import (
	"cmp"
	"fmt"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/guess/counters"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
)

type (
	counted     = counters.Explanation
	countedLine = line[counted]
)

var counterLines = []countedLine{
	{
		setting: "attribute", of: func(x counted) string { return x.Counter.Attribute },
		question: "Which attribute of the counter holds the number?",
	},
	{
		setting: "pk", of: func(x counted) string { return x.Counter.PK },
		question: "Which parts of the counter's partition key vary?",
	},
	{
		setting: "sk", of: func(x counted) string { return x.Counter.SK },
		question: "Which parts of the counter's sort key vary?",
	},
}

var idLines = []countedLine{
	{
		setting: "attribute", of: func(x counted) string { return x.Counter.IDs[0].Attribute },
		question: "Which attribute of the item has the number? Empty: the key has the number.",
	},
	{
		setting: "pk", of: func(x counted) string { return x.Counter.IDs[0].PK },
		question: "Which part of the item's partition key is the number?",
	},
	{
		setting: "sk", of: func(x counted) string { return x.Counter.IDs[0].SK },
		question: "Which part of the item's sort key is the number?",
	},
}

// counters derives the counters of the lesson. If two pairs belong to one counter, only the explanations of both pairs
// remain.
func (d *deriving) counters() error {
	var groups [][]counted
	for _, n := range d.Numbers {
		if err := d.checkNumber(n); err != nil {
			return err
		}
		all := counters.Explain(d.own, d.others,
			counters.Pair{Counter: n.Counter, ID: n.ID, IDTable: cmp.Or(n.IDTable, d.own.Name)})
		if len(all) == 0 {
			return d.uncounted(n)
		}
		groups = join(groups, all)
	}
	for n, all := range groups {
		section := fmt.Sprintf("counter[%d]", n)
		c := &chooser[counted]{
			deriving: d, rules: all, undecided: counted.Undecided,
			candidate: func(x counted, text string) Candidate { return Candidate{text, x.Last + x.Next, x.Counters} },
		}
		c.lines(section, counterLines)
		c.lines(section+".ids[0]", idLines)
		one := d.counter(section, c.rules[0])
		_, answered := d.answer(section, "semantics")
		d.config.Counters = append(d.config.Counters, one)
		d.evidence = append(d.evidence, evidenceOf(c.rules[0], one.Semantics, answered))
	}
	d.nameCounters()
	return nil
}

// join adds the explanations of a number to the first group that shares some of them. The group keeps only the common
// ones. Without such a group, join starts a new group.
func join(groups [][]counted, all []counted) [][]counted {
	for n, g := range groups {
		both := slices.DeleteFunc(slices.Clone(g), func(x counted) bool {
			return !slices.ContainsFunc(all, func(y counted) bool {
				a, b := x.Counter, y.Counter
				return a.PK == b.PK && a.SK == b.SK && a.Attribute == b.Attribute && slices.Equal(a.IDs, b.IDs)
			})
		})
		if len(both) > 0 {
			groups[n] = both
			return groups
		}
	}
	return append(groups, all)
}

// counter returns the config of the counter x. A person chooses the meaning of the counter's number, unless the
// counter's name shows the meaning.
func (d *deriving) counter(section string, x counted) config.Counter {
	c := x.Counter
	var candidates []Candidate
	if !x.Named {
		candidates = []Candidate{
			{string(layout.Last), x.Last, x.Counters},
			{string(layout.Next), x.Next, x.Counters},
			{Text: string(layout.Tally)},
		}
	}
	c.Semantics = d.choose(Choice{
		Section: section, Setting: "semantics", Chosen: c.Semantics, Candidates: candidates,
		Question: "Is the number the last one used, the next one, or a count of items?",
	})
	if c.Semantics == string(layout.Tally) {
		c.IDs, c.Max = nil, ""
	}
	return c
}

// evidenceOf describes the evidence for a counter, and the reason for the meaning of its number.
func evidenceOf(x counted, semantics string, answered bool) string {
	why, held := "because the sample supports neither last nor next", 0
	switch semantics {
	case string(layout.Last):
		held = x.Last
	case string(layout.Next):
		held = x.Next
	}
	switch {
	case answered:
		why = "as you said"
	case x.Named:
		why = "as its name says"
	case held > 0:
		why = fmt.Sprintf("like %s of %s with ids in the sample", phrase.Number(held), phrase.Count(x.Counters, "counter"))
	}
	return fmt.Sprintf("the counter holds %s, and the item has %s; %s, %s", phrase.Group(x.Number), phrase.Group(x.ID), semantics, why)
}

// nameCounters gives each counter its own name, if there are several.
func (d *deriving) nameCounters() {
	if len(d.config.Counters) < 2 {
		return
	}
	names := map[string]bool{}
	for n := range d.config.Counters {
		c := &d.config.Counters[n]
		c.Name = c.Attribute
		for at := 2; names[c.Name]; at++ {
			c.Name = fmt.Sprintf("%s-%d", c.Attribute, at)
		}
		names[c.Name] = true
	}
}

// checkNumber refuses a pair of items that cannot be a counter and an item with its number. It checks only the keys of
// both items, and that the counter has a whole number.
func (d *deriving) checkNumber(n Number) error {
	counter, err := d.twoKeys(two{"counter", n.Counter}, two{"item with the number", n.ID}, n.IDTable)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(n.Counter.Names(), func(name string) bool {
		_, whole := attr.Integer(n.Counter[name].Text)
		return !d.own.Schema.IsKey(name) && n.Counter[name].Kind == attr.N && whole
	}) {
		const why = "cannot be a counter: no attribute is a whole number"
		return refuseItem("the chosen item "+why, counter.String()+" "+why, "choose another item")
	}
	return nil
}

// uncounted refuses an item that no counter explains.
func (d *deriving) uncounted(n Number) error {
	of, _ := d.sample(n.IDTable)
	id, _ := of.Schema.KeyOf(n.ID)
	counter, _ := d.own.Schema.KeyOf(n.Counter)
	const why = "it has no number between 0 and the counter's number"
	return refuseItem("this item cannot have a number from the counter: "+why,
		fmt.Sprintf("%s cannot have a number from the counter %s: %s", id, counter, why),
		"choose another item or another counter")
}
