package change

import (
	"context"
	"fmt"
	"math/big"

	"tallylock/dynamo/change"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// option is one change that can be asked for.
type option struct {
	word  string // its name among several options
	title string // of the dialog
	entry *entry // what has to be typed before it can be planned; nil if nothing
	plan  func(ctx context.Context, typed string) (*change.Plan, error)
	// batch plans several changes, instead of plan.
	batch   func(ctx context.Context) (*change.Batch, error)
	wording wording // of a batch
	// after receives the receipts: first those of the plans, then of what was refused. err is
	// why nothing was planned.
	after func(receipts []change.Receipt, err error)
}

// id distinguishes the option from others about the same subject.
func (o option) id() string { return o.title + "\x00" + o.word }

// entry is the field of an option.
type entry struct {
	label, placeholder, remark string
	input                      kit.Field
	about                      string // a sentence that stands there while something is typed; may be empty
	// lacks says what a text still lacks; empty if it can be planned.
	lacks func(text string) string
	// whole: it is planned when the field is left, not at each key.
	whole bool
}

// wording is how a batch is described; empty for a single change.
type wording struct {
	thing      string // what each change is about: "lock"
	verb, done string // "Release", "released"
	says       string // a sentence with %s for how many
}

func (w wording) several() bool { return w.thing != "" }

// proposal is what was planned.
type proposal struct {
	plan  *change.Plan  // as shown: the only one of the batch, or one that stands for all
	batch *change.Batch // as applied
}

// unsure returns an error if a plan rests on a guess.
func (p proposal) unsure() error {
	if p.batch == nil {
		return nil
	}
	for _, one := range p.batch.Plans {
		if err := one.Unsure(); err != nil {
			return err
		}
	}
	return nil
}

// propose plans what an option asks for. If a batch is refused as a whole it returns the
// batch, too.
func (o option) propose(ctx context.Context, typed string) (proposal, error) {
	if !o.wording.several() {
		p, err := o.plan(ctx, typed)
		if err != nil {
			return proposal{}, err
		}
		return proposal{p, &change.Batch{Plans: []*change.Plan{p}}}, nil
	}
	b, err := o.batch(ctx)
	if err != nil {
		return proposal{}, err
	}
	if len(b.Plans) > 1 {
		refuseTyped(b)
	}
	if len(b.Plans) == 0 {
		refused := &change.Refusal{}
		for _, r := range b.Refused {
			refused.Reasons = append(refused.Reasons, r.Reasons...)
		}
		return proposal{batch: b}, refused
	}
	return proposal{batchPlan(b, o.wording), b}, nil
}

// orNone allows a field to be empty.
func orNone(lacks func(string) string) func(string) string {
	return func(text string) string {
		if text == "" {
			return ""
		}
		return lacks(text)
	}
}

// atLeast requires a whole number.
func atLeast(least int64) func(string) string {
	return func(text string) string {
		n, ok := words.WholeNumber(text)
		switch {
		case ok && n.Cmp(big.NewInt(least)) >= 0:
			return ""
		case text == "":
			return "Type a number."
		}
		return fmt.Sprintf("A whole number of at least %d is needed.", least)
	}
}
