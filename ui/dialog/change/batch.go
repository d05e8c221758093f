package change

import (
	"fmt"
	"slices"

	"tallylock/dynamo/change"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
)

// refuseTyped moves plans that need typing regardless of a guard to the refused ones.
func refuseTyped(b *change.Batch) {
	b.Plans = slices.DeleteFunc(b.Plans, func(p *change.Plan) bool {
		if !p.MustType() {
			return false
		}
		why := change.Reason{
			Code: change.ByHand,
			Text: fmt.Sprintf("the %s \"%s\" has to be typed: release it by itself", p.Constraint, p.Value),
		}
		b.Refused = append(b.Refused, change.Receipt{Plan: p, Outcome: change.Refused, Reasons: []change.Reason{why}})
		return true
	})
	b.SetPrice()
}

// listed is how many changes of a batch the form names one by one.
const listed = 5

// batchPlan shows a batch as one plan, which is never applied itself.
func batchPlan(b *change.Batch, text wording) *change.Plan {
	first, n := b.Plans[0], len(b.Plans)
	things := phrase.Count(n, text.thing)
	p := &change.Plan{
		Kind: first.Kind, Table: first.Table,
		Wording: change.Wording{
			Title: text.verb + " " + things, Button: text.verb + " " + things, Sentence: fmt.Sprintf(text.says, things),
		},
	}
	say := func(label change.Label, text string) {
		p.Lines = append(p.Lines, change.Line{Label: label, Text: text})
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
			say("not", reason.Text)
		}
	}
	if b.Typed != "" {
		p.Typed = b.Typed
		say("careful", "these are a large part of all locks: type how many they are")
	}
	say(change.LabelOnlyIf, "each is as it was seen")
	if n := marksFirst(b.Plans); n > 0 {
		of := "each"
		if n < len(b.Plans) {
			of = phrase.Count(n, "lock")
		}
		say(change.LabelFirst, "puts a marker on "+of+", waits, and looks at every item once for all of them")
	}
	say(change.LabelPrice, b.Price.String())
	say(change.LabelUndo, "each by itself, in the journal")
	return p
}

// listedWidth is how many cells a line has where the terminal is 80 columns wide.
const listedWidth = 50

// leastBrief is how many characters of a lock's attributes are shown at least.
const leastBrief = 24

// listedLine describes one change of a batch. A lock that is deleted is followed by its age
// and its attributes, as far as there is room for them.
func listedLine(p *change.Plan) string {
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
func marksFirst(plans []*change.Plan) int {
	n := 0
	for _, p := range plans {
		if len(p.Steps) > 1 {
			n++
		}
	}
	return n
}
