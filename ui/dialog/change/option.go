package change

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// option is one change that can be asked for.
type option struct {
	word  string // its label if there are several options
	title string // the title of the dialog
	entry *entry // the field that must be filled before planning; nil for none
	plan  planning
	// batch plans several changes. It is used instead of plan.
	batch   func(ctx context.Context) (*change.Batch, error)
	wording wording // the words for a batch
	queued  *queued // the entry of the queue whose plan this is; nil for none
	// run makes the change after the dialog has closed. It is nil if the dialog applies the plan.
	run func() tea.Cmd
	// room is the number of rows that such a plan usually takes.
	room int
	// after receives the receipts of the applied plans, then those of the refused changes. err says
	// why nothing was planned.
	after func(receipts []change.Receipt, err error)
}

// planning plans a change. typed is the text in the option's field.
type planning func(ctx context.Context, typed string) (*plan.Plan, error)

// The rows that plans usually take.
const (
	usualRoom  = 9
	markedRoom = 11 // a release by mark
	valueRoom  = 13 // a value, its locks and its conditions
	numberRoom = 7  // a counter's number
)

// id distinguishes the option from other options for the same subject.
func (o option) id() string { return o.title + "\x00" + o.word }

// entry is the field of an option.
type entry struct {
	label, placeholder, remark string
	input                      kit.Field
	about                      string // a sentence in place of the plan while a person types; may be empty
	// lacks says what is missing in a text; empty if it can be planned.
	lacks func(text string) string
	// whole delays planning until a person leaves the field. Without it, each key plans again.
	whole bool
}

// wording describes a batch; empty for a single change.
type wording struct {
	thing      string // the name of one subject: "lock"
	verb, done string // "Release", "released"
	says       string // a sentence; %s is the number of subjects
	// names has the words for each undone change, by its receipt; nil if the batch undoes nothing.
	names map[string]string
}

func (w wording) several() bool { return w.thing != "" }

// proposal is a plan, ready to be shown and applied.
type proposal struct {
	plan  *plan.Plan    // the plan to show: the only plan of batch, or one that summarises all
	batch *change.Batch // the plans to apply
}

// propose plans the option. A plan that relies on a guess is an error. If all changes of a batch are refused, propose
// returns both the batch and the error.
func (o option) propose(ctx context.Context, typed string) (proposal, error) {
	if !o.wording.several() {
		p, err := o.plan(ctx, typed)
		if err == nil {
			err = p.Live.Unsure
		}
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
		refuseTyped(b, strings.ToLower(o.wording.verb))
	}
	if len(b.Plans) == 0 {
		refused := &plan.Refusal{}
		for _, r := range b.Refused {
			refused.Reasons = append(refused.Reasons, r.Reasons...)
			if r.Err != nil {
				refused.Reasons = append(refused.Reasons, plan.ReasonOf(plan.NotUndone, r.Err))
			}
		}
		return proposal{batch: b}, refused
	}
	for _, one := range b.Plans {
		if err := one.Live.Unsure; err != nil {
			return proposal{}, err
		}
	}
	return proposal{batchPlan(b, o.wording), b}, nil
}

// atLeast checks a text: it must be a whole number, and not below least. empty is the message for an empty text.
func atLeast(least int64, empty string) func(string) string {
	return func(text string) string {
		n, ok := say.WholeNumber(text)
		switch {
		case ok && n.Cmp(big.NewInt(least)) >= 0:
			return ""
		case text == "":
			return empty
		}
		return fmt.Sprintf("A whole number of at least %d is needed.", least)
	}
}

// refuseTyped refuses a plan of a batch if its value must always be typed, even without a guard. verb is the change:
// "release".
func refuseTyped(b *change.Batch, verb string) {
	b.Plans = slices.DeleteFunc(b.Plans, func(p *plan.Plan) bool {
		if !p.Live.MustType {
			return false
		}
		why := plan.Reason{
			Code: plan.ByHand,
			Text: fmt.Sprintf("the %s \"%s\" must be typed: %s it separately", subjectKind(p), p.Subject(), verb),
		}
		b.Refused = append(b.Refused, change.NotMade(p, &plan.Refusal{Reasons: []plan.Reason{why}}))
		return true
	})
	b.SetPrice()
}

// subjectKind returns the kind of a plan's subject: "username", "counter" or "account".
func subjectKind(p *plan.Plan) string {
	switch {
	case p.Counter != "":
		return "counter"
	case p.Constraint == "":
		return "account"
	}
	return p.Constraint
}

// listed is the greatest number of changes of a batch that the form lists.
const listed = 5

// batchRoom is the number of rows that the plan of a batch usually takes.
func batchRoom(n int) int { return usualRoom + min(n, listed) }

// batchPlan returns one plan that shows a whole batch. That plan is never applied.
func batchPlan(b *change.Batch, text wording) *plan.Plan {
	first, n := b.Plans[0], len(b.Plans)
	things := phrase.Count(n, text.thing)
	p := &plan.Plan{
		Kind: first.Kind, Table: first.Table,
		Wording: plan.Wording{
			Title: text.verb + " " + things, Button: text.verb + " " + things, Sentence: fmt.Sprintf(text.says, things),
		},
	}
	add := func(label plan.Label, text string) {
		p.Lines = append(p.Lines, plan.Line{Label: label, Text: text})
	}
	marked := marksFirst(b.Plans)
	if marked > 0 {
		of, look := "each lock", "tallylock reads every item later, once for all locks"
		if marked < n {
			of = phrase.Count(marked, "lock")
		}
		if text.names != nil {
			look = "tallylock reads every item later, once for each lock" // the undos of several locks share no reading
		}
		add(plan.LabelMark, of+" (attribute "+schema.MarkAttribute+")")
		add(plan.LabelLook, look)
	}
	for i, one := range b.Plans {
		if one.Typed != "" {
			p.Typed = things
		}
		p.Steps = append(p.Steps, one.Steps...)
		if i < listed {
			if name := text.names[one.Undoes]; name != "" {
				add("undoes", fmt.Sprintf("%s: %s %s", name, one.Lead().Label, one.Lead().Text))
				continue
			}
			add(one.Lead().Label, listedLine(one))
		}
	}
	if n > listed {
		add("", fmt.Sprintf("and %d more", n-listed))
	}
	addUnread(add, b.Plans)
	addRefused(add, b.Refused, text.names)
	if b.Typed != "" {
		p.Typed = b.Typed
		add("careful", "these are a large part of all locks: type their number")
	}
	switch marked {
	case 0:
		add(plan.LabelOnlyIf, "each item is as you saw it")
	case n:
		add(plan.LabelOnlyIf, "each item is as you saw it, and no item holds the lock's value")
	default:
		add(plan.LabelOnlyIf, "each item is as you saw it, and no item holds the value of a marked lock")
	}
	add(plan.LabelPrice, b.Price.String())
	add(plan.LabelUndo, "in the journal")
	return p
}

// addUnread says how many changes of a batch were planned without a reading of every account.
func addUnread(add func(plan.Label, string), plans []*plan.Plan) {
	unread := 0
	for _, p := range plans {
		if slices.ContainsFunc(p.Lines, func(l plan.Line) bool { return l.Label == plan.LabelNotKnown }) {
			unread++
		}
	}
	if unread > 0 {
		add(plan.LabelNotKnown, fmt.Sprintf("whether an account holds the value, for %d of %d changes: the whole table was not read",
			unread, len(plans)))
	}
}

// addRefused adds the changes of a batch that cannot be made, with the reasons. names has the names of undone changes.
func addRefused(add func(plan.Label, string), refused []change.Receipt, names map[string]string) {
	for _, r := range refused {
		name := ""
		if n := names[r.Plan.Undoes]; n != "" {
			name = n + ": "
		}
		for _, reason := range r.Reasons {
			add("not", name+say.Reason(reason))
		}
		if r.Err != nil {
			add("not", name+say.Explain(r.Err).Why)
		}
	}
}

// listedWidth is the number of cells in a line on a terminal of 80 columns.
const listedWidth = 50

// leastBrief is the smallest number of characters to show of a lock's attributes.
const leastBrief = 24

// listedLine describes one change of a batch. For a deleted lock it adds the lock's age and
// attributes, shortened to the line.
func listedLine(p *plan.Plan) string {
	text := p.Lead().Text
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
