package change

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// option is one change that can be asked for.
type option struct {
	word  string // its name among several options
	title string // of the dialog
	entry *entry // what has to be typed before it can be planned; nil if nothing
	plan  func(ctx context.Context, typed string) (*plan.Plan, error)
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
	verb, done string // "Machine", "released"
	says       string // a sentence with %s for how many
}

func (w wording) several() bool { return w.thing != "" }

// proposal is what was planned.
type proposal struct {
	plan  *plan.Plan    // as shown: the only one of the batch, or one that stands for all
	batch *change.Batch // as applied
}

// unsure returns an error if a plan rests on a guess.
func (p proposal) unsure() error {
	if p.batch == nil {
		return nil
	}
	for _, one := range p.batch.Plans {
		if err := one.Live.Unsure; err != nil {
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
		return proposal{p, &change.Batch{Plans: []*plan.Plan{p}}}, nil
	}
	b, err := o.batch(ctx)
	if err != nil {
		return proposal{}, err
	}
	if len(b.Plans) > 1 {
		refuseTyped(b)
	}
	if len(b.Plans) == 0 {
		refused := &plan.Refusal{}
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

// refuseTyped moves plans that need typing regardless of a guard to the refused ones.
func refuseTyped(b *change.Batch) {
	b.Plans = slices.DeleteFunc(b.Plans, func(p *plan.Plan) bool {
		if !p.Live.MustType {
			return false
		}
		why := plan.Reason{
			Code: plan.ByHand,
			Text: fmt.Sprintf("the %s \"%s\" has to be typed: release it by itself", p.Constraint, p.Value),
		}
		b.Refused = append(b.Refused, change.NotMade(p, &plan.Refusal{Reasons: []plan.Reason{why}}))
		return true
	})
	b.SetPrice()
}

// listed is how many changes of a batch the form names one by one.
const listed = 5

// batchPlan shows a batch as one plan, which is never applied itself.
func batchPlan(b *change.Batch, text wording) *plan.Plan {
	first, n := b.Plans[0], len(b.Plans)
	things := phrase.Count(n, text.thing)
	p := &plan.Plan{
		Kind: first.Kind, Table: first.Table,
		Wording: plan.Wording{
			Title: text.verb + " " + things, Button: text.verb + " " + things, Sentence: fmt.Sprintf(text.says, things),
		},
	}
	say := func(label plan.Label, text string) {
		p.Lines = append(p.Lines, plan.Line{Label: label, Text: text})
	}
	for i, one := range b.Plans {
		if one.Typed != "" {
			p.Typed = things
		}
		p.Steps = append(p.Steps, one.Steps...)
		if i < listed {
			say(one.Lines[0].Label, listedLine(one))
		}
	}
	if n > listed {
		say("", fmt.Sprintf("and %d more", n-listed))
	}
	for _, r := range b.Refused {
		for _, reason := range r.Reasons {
			say("not", words.Reason(reason))
		}
	}
	if b.Typed != "" {
		p.Typed = b.Typed
		say("careful", "these are a large part of all locks: type how many they are")
	}
	say(plan.LabelOnlyIf, "each is as it was seen")
	if n := marksFirst(b.Plans); n > 0 {
		of := "each"
		if n < len(b.Plans) {
			of = phrase.Count(n, "lock")
		}
		say(plan.LabelFirst, "puts a marker on "+of+", waits, and looks at every item once for all of them")
	}
	say(plan.LabelPrice, b.Price.String())
	say(plan.LabelUndo, "each by itself, in the journal")
	return p
}

// listedWidth is how many cells a line has where the terminal is 80 columns wide.
const listedWidth = 50

// leastBrief is how many characters of a lock's attributes are shown at least.
const leastBrief = 24

// listedLine describes one change of a batch. A lock that is deleted is followed by its age
// and its attributes, as far as there is room for them.
func listedLine(p *plan.Plan) string {
	text := p.Lines[0].Text
	lock := p.Releases()
	if lock == nil {
		return text
	}
	brief := []rune(lock.Brief(p.At))
	if room := max(listedWidth-kit.ValueWidth(text)-len(": "), leastBrief); len(brief) > room {
		brief = append(brief[:room-1], '…')
	}
	if len(brief) == 0 {
		return text
	}
	return text + ": " + string(brief)
}

// marksFirst counts the plans that mark a lock before they delete it.
func marksFirst(plans []*plan.Plan) int {
	n := 0
	for _, p := range plans {
		if len(p.Steps) > 1 {
			n++
		}
	}
	return n
}
