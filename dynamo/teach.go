package dynamo

import (
	"context"
	"fmt"
	"slices"

	"tallylock/dynamo/example"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// Taught is a table under the layout of a lesson. The layout is a guess until a person accepts it: Accept and
// AcceptCounter take the constraints and counters of Table. LinesOf has the evidence of each line.
type Taught struct {
	Table *Table
	// Result has the layout of the lesson alone, and the lines that a person has to choose.
	*example.Result
}

// Teach derives a layout from a lesson, and opens the table under this layout. If the lesson has no pairs, the
// layout keeps the accounts of t. If the lesson has no numbers, the layout keeps the counters of t. Teach reads
// locks of other accounts by their keys, and samples the other tables of the lesson, within the limit for opening a
// table. It returns an *example.Refusal if the examples do not make a layout.
func Teach(ctx context.Context, t *Table, lesson example.Lesson) (*Taught, error) {
	rec := &recogniser{Opening: t.again(t.conn.sampleUnits()), kept: fitUnits}
	var others []guess.Sample
	for _, name := range lesson.Tables() {
		if name == t.Name {
			continue
		}
		d, err := t.conn.Describe(ctx, name)
		if err != nil {
			return nil, err
		}
		s, err := readSample(ctx, rec.r, d, rec.left()*samplePart)
		if err != nil {
			return nil, err
		}
		others = append(others, asSample(d, s))
	}
	own := rec.own()
	result, err := lesson.Derive(ctx, own, others, rec.probe)
	if err != nil {
		return nil, err
	}
	c, err := beside(t.Layout, own, result.Config, lesson)
	if err != nil {
		return nil, err
	}
	as, err := OpenAs(ctx, t, c)
	if err != nil {
		return nil, err
	}
	if len(lesson.Numbers) == 0 {
		keepEvidence(as.Layout, t.Layout)
	}
	for n, c := range as.Layout.Counters[:len(result.Evidence)] { // Evidence is empty if the lesson has no numbers
		c.Evidence, c.Guess = result.Evidence[n], slices.ContainsFunc(result.Open(), func(open example.Choice) bool {
			return open.Section == fmt.Sprintf("counter[%d]", n) && open.Setting == "semantics"
		})
	}
	return &Taught{as, result}, nil
}

// keepEvidence gives the counters of l the evidence that the same counters have in from.
func keepEvidence(l, from *layout.Layout) {
	for _, c := range l.Counters {
		for _, had := range from.Counters {
			if c.PK.String() == had.PK.String() && c.SK.String() == had.SK.String() && c.Attribute == had.Attribute {
				c.Evidence, c.Guess = had.Evidence, had.Guess
			}
		}
	}
}

// beside returns the layout of a lesson, with the derived keys that the sample shows. If the lesson has no accounts
// or no counters, the result has those of the layout l.
func beside(l *layout.Layout, own guess.Sample, taught config.Layout, lesson example.Lesson) (config.Layout, error) {
	before := config.Of(l)
	if len(lesson.Pairs) == 0 {
		taught.Accounts = before.Accounts
	}
	if len(lesson.Numbers) == 0 {
		taught.Counters = before.Counters
	}
	built, err := taught.Build()
	if err != nil {
		return taught, err
	}
	guess.Derive(own, built)
	return config.Of(built, taught.Tables...), nil
}
