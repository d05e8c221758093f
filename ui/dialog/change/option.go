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
	word  string // what it is called where there are several to choose from
	title string // of the dialog
	entry *entry // what has to be typed before it can be planned; nil for nothing
	plan  func(ctx context.Context, typed string) (*change.Plan, error)
	// batch plans several changes that are made as one, in place of plan.
	batch func(ctx context.Context) (*change.Batch, error)
	of    wording // how a batch is spoken of
	// after is told what became of it: first of the plans, then of what was refused. err is
	// why nothing was planned.
	after func(receipts []change.Receipt, err error)
}

// asks tells the option from others that are about the same.
func (o option) asks() string { return o.title + "\x00" + o.word }

// entry is the field of an option.
type entry struct {
	label, placeholder, remark string
	input                      kit.Field
	// lacks says what a text still lacks; empty where it can be planned.
	lacks func(text string) string
	// whole: it is planned when the field is left, and not at each key.
	whole bool
}

// wording is how people speak of several changes that are asked for as one; empty for one.
type wording struct {
	thing      string // what each is of: "lock"
	verb, done string // "Release", "released"
	says       string // a sentence, of so many of them
}

func (w wording) several() bool { return w.thing != "" }

// proposal is what was planned.
type proposal struct {
	plan  *change.Plan  // as it is shown: the only one of the batch, or what stands for all
	batch *change.Batch // as it is made
}

// propose plans what an option asks for. Of a batch that was refused as a whole it answers the
// batch, too.
func (o option) propose(ctx context.Context, typed string) (proposal, error) {
	if !o.of.several() {
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
		oneByOne(b)
	}
	if len(b.Plans) == 0 {
		refused := &change.Refusal{}
		for _, r := range b.Refused {
			refused.Reasons = append(refused.Reasons, r.Reasons...)
		}
		return proposal{batch: b}, refused
	}
	return proposal{together(b, o.of), b}, nil
}

// orNone lets a field be empty.
func orNone(lacks func(string) string) func(string) string {
	return func(text string) string {
		if text == "" {
			return ""
		}
		return lacks(text)
	}
}

// atLeast asks a field for a whole number.
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
