package change

import (
	"context"
	"fmt"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// examineStep determines whether a change of one step was applied, from the current state of its items.
func (s *Resolution) examineStep(ctx context.Context, was *journal.Step) error {
	var err error
	if s.step, s.sent, err = s.stepOf(was.Name); err != nil {
		return err
	}
	done, undone, err := s.readStep(ctx)
	if err != nil {
		return err
	}
	s.judge(was, done, undone)
	return nil
}

// readStep reads the items of the step in one transaction. done is set if all items are as the step leaves them.
// undone is set if all items are as they were before the step.
func (s *Resolution) readStep(ctx context.Context) (done, undone bool, err error) {
	var at []client.Address
	for _, w := range s.step.Writes {
		at = append(at, client.Address{Table: w.Table, Key: w.Key})
	}
	items, _, err := s.conn.Reader().Together(ctx, at)
	if err != nil {
		return false, false, err
	}
	done, undone = true, true
	for n, w := range s.step.Writes {
		fact := Fact{w.Key.String(), "only checked, not written"}
		if w.Verb != client.Check {
			before, _ := s.Entry.Plan.Image(w.Table, w.Key)
			after, still := plan.CompareItem(w, before, items[n])
			if digest := s.Entry.Plan.DigestOf(w); digest != "" {
				still = items[n] != nil && plan.ItemDigest(items[n]) == digest
			}
			done, undone = done && after, undone && still
			fact.Text = itemWords(w, items[n], after, still)
		}
		fact.Text += " (" + string(w.Verb) + ")"
		s.Facts = append(s.Facts, fact)
	}
	return done, undone, nil
}

// itemWords describes an item in comparison with its states before and after an action.
func itemWords(w client.Write, now attr.Item, done, undone bool) string {
	is := ""
	switch {
	case done && undone:
		is = "as before the change (the change leaves this item the same)"
	case done:
		is = "as after the change"
	case undone:
		is = "as before the change"
	}
	have := writtenWords(w, now)
	switch {
	case now == nil:
		have = "missing"
	case have == "" && is == "":
		have = "neither as before the change nor as after the change"
	}
	if have != "" && is != "" {
		have += ", "
	}
	return have + is
}

// writtenWords describes the current values of the attributes that an action sets; empty if it sets none.
func writtenWords(w client.Write, now attr.Item) string {
	var have []string
	for _, t := range w.Set {
		text := "gone"
		if v := plan.ValueAt(now, t.Path); v.Exists() {
			text = v.Display()
		}
		have = append(have, t.Attribute()+" is "+text)
	}
	return strings.Join(have, ", ")
}

// judge sets the outcome, or the choices, from the comparison by readStep.
func (s *Resolution) judge(was *journal.Step, done, undone bool) {
	p, now := s.Entry.Plan, s.clock.wall
	arrives, dated := s.arrives(was)
	switch {
	case done && !p.Kind.IsShared():
		s.conclude(journal.Applied, "The table has the result of the change: the change was made, or somebody else made the same change.")
		return
	case undone && dated && now.After(arrives):
		s.conclude(journal.Refused, "The table is as before the change: the change never arrived, or was refused.")
		return
	case done:
		s.Words = fmt.Sprintf(
			"The counter %s has the new number, but your application may have set this number itself.",
			p.Counter,
		)
	case undone && now.After(arrives):
		s.Words = "The table is as before the change." + untoldTime
	case undone:
		s.Words, s.Later = "The table is as before the change, but the change may still arrive.", arrives
	default:
		s.Words = "The table is neither as before the change nor as after the change: somebody else has written since then."
	}
	switch {
	case now.Before(s.sent.until) && was.First.Sub(now) < skew && !s.Entry.NoTokens && !p.NoImage:
		s.Until = s.sent.until
		s.Choices = []Choice{{
			Do: SendAgain, Title: "Send it again", Sends: true,
			Words: fmt.Sprintf(
				"Sends the same request with the same token. Until %s the change can happen only once. If the request never arrived, the change happens now.",
				phrase.Clock(s.Until),
			),
		}}
	case s.Later.IsZero():
		s.Choices = []Choice{giveUp}
	}
}

// giveUp is the choice for a change whose outcome can no longer be determined.
var giveUp = Choice{
	Do: GiveUp, Title: "Close it as unknown", Safe: true,
	Words: "Writes the current items into the journal, with an unknown outcome. The change is then closed, and never sent again.",
}

// conclude sets the outcome that the read items prove, and offers to close the change with it.
func (s *Resolution) conclude(o journal.Outcome, words string) {
	s.Outcome, s.Words = o, words
	s.Choices = append(
		[]Choice{
			{Do: Close, Title: "Close it as " + string(o), Words: "Writes this outcome into the journal. Nothing is sent.", Safe: true},
		},
		s.Choices...)
}
