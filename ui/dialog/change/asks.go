package change

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/ui/dialog/question"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// AskValue asks for a new value of an account. If there are several values, it asks which one to
// change.
func AskValue(s *session.Session, t *dynamo.Table, values ...*verdict.Relation) tea.Cmd {
	var options []option
	for _, r := range values {
		has := fmt.Sprintf("%s has the %s \"%s\".", r.Account.Key.Hash.Value.Display(), r.Constraint.Name, r.Value)
		options = append(options, option{
			word: r.Constraint.Name, title: "Change a value",
			entry: &entry{
				label:       "to",
				placeholder: "the new " + r.Constraint.Name,
				input:       kit.NewField(""),
				whole:       true,
				about:       has,
				lacks: func(text string) string {
					switch text {
					case "":
						return has + " Type another."
					case r.Value:
						return fmt.Sprintf("This is already its %s.", r.Constraint.Name)
					}
					return ""
				},
			},
			plan: func(ctx context.Context, to string) (*plan.Plan, error) { return planner.ChangeValue(ctx, t, r, to) },
		})
	}
	again := func(t *dynamo.Table) tea.Cmd { return AskValue(s, t, on(t, values)...) }
	return whenSure(s, unsure(t, values...), again, func() tea.Cmd {
		newAsk(s, s.Connection(), accountID(t, values[0].Account.Key), options...)
		return nil
	})
}

// askOne asks for one change without a field. of identifies its subject within the connection.
func askOne(
	s *session.Session, c session.Connection, of, title string, planned func(context.Context) (*plan.Plan, error),
) tea.Cmd {
	plan := func(ctx context.Context, _ string) (*plan.Plan, error) { return planned(ctx) }
	return newAsk(s, c, of, option{title: title, plan: plan}).replan()
}

// AskDelete asks whether to delete an account with all its locks.
func AskDelete(s *session.Session, t *dynamo.Table, r *verdict.Relation) tea.Cmd {
	key := r.Account.Key
	again := func(t *dynamo.Table) tea.Cmd { return AskDelete(s, t, r.On(t.Layout)) }
	return whenSure(s, unsureAccount(t, r), again, func() tea.Cmd {
		return askOne(s, s.Connection(), accountID(t, key), "Delete an account",
			func(ctx context.Context) (*plan.Plan, error) { return planner.DeleteAccount(ctx, t, key) })
	})
}

// accountID identifies an account within a connection.
func accountID(t *dynamo.Table, key attr.Key) string { return t.Name + "\x00" + key.ID() }

// AskBump asks how to change a counter: bump it, reserve numbers, raise it or lower it. A counter
// that does not exist can only be created. moving says that the application is using the counter
// now.
func AskBump(s *session.Session, c counter.Counter, moving bool) tea.Cmd {
	again := func(t *dynamo.Table) tea.Cmd { return AskBump(s, c.On(t), moving) }
	return whenSure(s, unsureCounter(c), again, func() tea.Cmd { return askBump(s, c, moving) })
}

func askBump(s *session.Session, c counter.Counter, moving bool) tea.Cmd {
	number := func(planned func(context.Context, counter.Counter, *big.Int) (*plan.Plan, error)) planning {
		return func(ctx context.Context, typed string) (*plan.Plan, error) {
			n, _ := say.WholeNumber(typed)
			return planned(ctx, c, n)
		}
	}
	const empty = "Type a number."
	to := func(placeholder string) *entry {
		return &entry{label: "to", placeholder: placeholder, input: kit.NewField(""), lacks: atLeast(0, empty)}
	}
	by := func() *entry {
		return &entry{
			label: "by", placeholder: "how many", remark: "numbers", input: kit.NewField("1"), lacks: atLeast(1, empty),
		}
	}
	if !c.Exists {
		begin := to("after the highest id in use, or a number above it")
		begin.whole, begin.lacks = true, atLeast(0, "")
		return newAsk(s, s.ConnectionTo(c.Open().Connection()), counterID(c),
			option{title: "Create a counter", entry: begin, plan: number(planner.Create)}).replan()
	}
	above, below := to("a number above "+phrase.Group(c.Value)), to("a number below "+phrase.Group(c.Value))
	options := []option{
		{word: "bump", title: "Bump a counter", entry: by(), plan: number(planner.Bump)},
		{word: "reserve", title: "Reserve numbers", entry: by(), plan: number(planner.Reserve)},
		{word: "raise to", title: "Raise a counter", entry: above, plan: number(planner.Raise)},
		{word: "lower to", title: "Lower a counter", entry: below, plan: number(planner.Lower)},
	}
	if c.Semantics == layout.Tally {
		options = slices.Delete(options, 1, 2) // a tally hands out no numbers
	}
	d := newAsk(s, s.ConnectionTo(c.Open().Connection()), counterID(c), options...)
	d.moving = moving
	return d.replan()
}

// counterID identifies a counter within a connection.
func counterID(c counter.Counter) string { return c.Table + "\x00" + c.Name + "\x00" + c.Attribute }

// AskMendCounter asks whether to mend a counter. moving says that the application is using the
// counter now.
func AskMendCounter(s *session.Session, c counter.Counter, moving bool) tea.Cmd {
	again := func(t *dynamo.Table) tea.Cmd { return AskMendCounter(s, c.On(t), moving) }
	return whenSure(s, unsureCounter(c), again, func() tea.Cmd { return askMendCounter(s, c, moving) })
}

func askMendCounter(s *session.Session, c counter.Counter, moving bool) tea.Cmd {
	planned := func(ctx context.Context, to *big.Int) (*plan.Plan, error) {
		return mend.RepairCounter(ctx, c, to)
	}
	switch kind, _ := mend.CounterKind(c); kind {
	case plan.KindCreate:
		return askBump(s, c, moving)
	case plan.KindRaise:
		return askOne(s, s.ConnectionTo(c.Open().Connection()), counterID(c), "Raise a counter",
			func(ctx context.Context) (*plan.Plan, error) { return planned(ctx, nil) })
	}
	return newAsk(s, s.ConnectionTo(c.Open().Connection()), counterID(c), convertOption(c.Value, planned)).replan()
}

// numberFor returns the placeholder of the field for a counter's new number, given the text that
// the counter holds.
func numberFor(holds string) string {
	if _, ok := attr.Ceiling(holds); ok { // without typed text, this number is planned
		return "another number"
	}
	digits := holds[len(strings.TrimRight(holds, "0123456789")):]
	if n := strings.TrimLeft(digits, "0"); n != "" && len(n) <= 38 { // DynamoDB keeps 38 digits
		return "for example " + n
	}
	return "the new number"
}

// convertOption turns the text that a counter holds into a number: the number that its digits
// imply, or a typed one.
func convertOption(holds string, planned func(ctx context.Context, to *big.Int) (*plan.Plan, error)) option {
	return option{
		title: "Turn it into a number",
		entry: &entry{
			label:       "to",
			placeholder: numberFor(holds),
			input:       kit.NewField(""),
			whole:       true,
			lacks:       atLeast(0, ""),
		},
		plan: func(ctx context.Context, typed string) (*plan.Plan, error) {
			to, _ := say.WholeNumber(typed)
			return planned(ctx, to)
		},
	}
}

// AskFindings asks once whether to mend findings. Each finding is read again first.
func AskFindings(s *session.Session, m Findings) tea.Cmd {
	again := func(t *dynamo.Table) tea.Cmd {
		m.Table = t
		return AskFindings(s, m)
	}
	return whenSure(s, dynamo.UnacceptedOf(mend.UnsureFindings(m.Table, m.All...)), again, func() tea.Cmd {
		o := findingOption(s, m)
		if len(m.All) > 1 {
			o = batchOption(s, m)
		}
		return newAsk(s, s.Connection(), findingsID(m.All), o).replan()
	})
}

// Findings are findings of a table, to be mended.
type Findings struct {
	Table *dynamo.Table
	All   []finding.Finding
	// After receives the receipt of each finding, by the index of the finding.
	After func(n int, r change.Receipt)
}

// findingsID identifies findings within a connection.
func findingsID(all []finding.Finding) string {
	var out strings.Builder
	for _, f := range all {
		out.WriteString(f.Same() + "\x01")
	}
	return out.String()
}

// changerOf returns the changer that plans repairs, also for a read-only connection.
func changerOf(s *session.Session) *change.Changer {
	if c := s.Connection().Changer; c != nil {
		return c
	}
	return &change.Changer{}
}

// findingOption returns the option that mends one finding.
func findingOption(s *session.Session, m Findings) option {
	c, f := changerOf(s), m.All[0]
	o := option{
		title: "Mend",
		plan:  func(ctx context.Context, _ string) (*plan.Plan, error) { return c.PlanMend(ctx, m.Table, f, nil) },
	}
	switch f.Kind {
	case finding.CounterNotNumber:
		o = convertOption(
			f.Seen.Text,
			func(ctx context.Context, to *big.Int) (*plan.Plan, error) { return c.PlanMend(ctx, m.Table, f, to) },
		)
	case finding.MalformedLock: // a malformed lock is released, never mended
		o = option{title: "Release a lock", plan: func(ctx context.Context, _ string) (*plan.Plan, error) {
			return planner.ReleaseAt(ctx, m.Table, f.Constraint, f.Lock, false)
		}}
	}
	o.after = func(receipts []change.Receipt, _ error) { m.After(0, receipts[0]) }
	return o
}

// batchOption returns the option that mends several findings.
func batchOption(s *session.Session, m Findings) option {
	c := changerOf(s)
	var numbers map[*finding.Finding]int // maps the finding in a plan's request to the finding's index
	return option{
		title: "Mend " + phrase.Count(len(m.All), "finding"),
		wording: wording{
			"finding",
			"Mend",
			"mended",
			"Mends %s. Each was read again just now, and is mended only if it still is so.",
		},
		batch: func(ctx context.Context) (*change.Batch, error) {
			mends, err := c.PlanMends(ctx, m.Table, m.All...)
			if err != nil {
				return nil, err
			}
			var batch *change.Batch
			batch, numbers = batchOf(mends)
			return batch, nil
		},
		after: func(receipts []change.Receipt, _ error) {
			for _, r := range receipts {
				m.After(numbers[r.Plan.Live.Request.Finding], r)
			}
		},
	}
}

// batchOf makes a batch of the planned and the refused repairs. It also maps the finding in each
// plan's request to the finding's index. The plan itself cannot be the key of that map, because a
// receipt may have a new plan, with another mark.
func batchOf(mends []mend.Mend) (*change.Batch, map[*finding.Finding]int) {
	b, numbers := &change.Batch{}, map[*finding.Finding]int{}
	for n, m := range mends {
		p := m.Plan
		if p != nil {
			b.Plans = append(b.Plans, p)
		} else {
			f := m.Finding
			p = &plan.Plan{Table: f.Table, Constraint: f.Constraint, Value: f.Value, Counter: f.Counter}
			if f.Counter == "" && f.Constraint == "" {
				p.Constraint, p.Value = "id", f.Number()
			}
			p.Live.Request.Finding = &f
			b.Refused = append(b.Refused, change.NotMade(p, &plan.Refusal{Reasons: m.Refused}))
		}
		numbers[p.Live.Request.Finding] = n
	}
	b.SetPrice()
	return b, numbers
}

// AskRelease asks whether to release a lock.
func AskRelease(s *session.Session, t *dynamo.Table, r *verdict.Relation) tea.Cmd {
	again := func(t *dynamo.Table) tea.Cmd { return AskRelease(s, t, r.On(t.Layout)) }
	return whenSure(s, unsure(t, r), again, func() tea.Cmd { return askRelease(s, t, r) })
}

func askRelease(s *session.Session, t *dynamo.Table, r *verdict.Relation) tea.Cmd {
	return askOne(s, s.Connection(), r.Subject(), "Release a lock", func(ctx context.Context) (*plan.Plan, error) {
		return planner.Release(ctx, t, r, true) // the dialog requires typing the value then
	})
}

// AskReleases asks whether to release all marked locks. All these releases share one reading of the
// items.
func AskReleases(s *session.Session) tea.Cmd {
	rels := s.Marks.All()
	again := func(t *dynamo.Table) tea.Cmd {
		for _, r := range rels {
			if !s.Marks.Has(r) {
				s.Marks.Toggle(r.On(t.Layout))
			}
		}
		return AskReleases(s)
	}
	return whenSure(s, unsure(s.Table, rels...), again, func() tea.Cmd { return askReleases(s, rels) })
}

func askReleases(s *session.Session, rels []*verdict.Relation) tea.Cmd {
	t, c := s.Table, s.Connection()
	if len(rels) == 1 {
		s.Marks.Clear()
		return askRelease(s, t, rels[0])
	}
	return newAsk(s, c, strings.Join(s.Marks.Order, "\x01"), option{
		title: "Release " + phrase.Count(len(rels), "lock"),
		wording: wording{
			"lock",
			"Release",
			"released",
			"Frees the values of %s. Anybody can sign up with them afterwards. No account is changed.",
		},
		batch: func(ctx context.Context) (*change.Batch, error) { return change.PlanReleases(ctx, t, rels...) },
		after: func(receipts []change.Receipt, err error) {
			if err == nil {
				unmark(s, rels, receipts)
			}
		},
	}).replan()
}

// unmark unmarks the locks that a batch has handled. Locks stay marked if the batch was stopped
// before them, to be tried again.
func unmark(s *session.Session, rels []*verdict.Relation, receipts []change.Receipt) {
	type lock struct{ table, constraint, value string }
	stopped := map[lock]bool{}
	for _, r := range receipts {
		if say.Stopped(r) {
			stopped[lock{r.Plan.Table, r.Plan.Constraint, r.Plan.Value}] = true
		}
	}
	for _, r := range rels {
		if s.Marks.Has(r) && !stopped[lock{r.Lock.Table, r.Constraint.Name, r.Value}] {
			s.Marks.Toggle(r)
		}
	}
}

// AskMend asks whether to mend a relation.
func AskMend(s *session.Session, t *dynamo.Table, r *verdict.Relation) tea.Cmd {
	if q := t.Answers.AskOf(r); q != nil { // a question about the items comes first
		return s.Reading(0, func() tea.Cmd { return question.Ask(s, q) })
	}
	again := func(t *dynamo.Table) tea.Cmd { return AskMend(s, t, r.On(t.Layout)) }
	return whenSure(s, unsure(t, r), again, func() tea.Cmd {
		return askOne(s, s.Connection(), r.Subject()+"\x00"+r.Value, "Mend",
			func(ctx context.Context) (*plan.Plan, error) { return mend.Repair(ctx, t, r) })
	})
}

// AskUndo asks whether to undo a change.
func AskUndo(s *session.Session, r *journal.Record) tea.Cmd {
	c := *s.ConnectionOf(r)
	return s.Reading(0, func() tea.Cmd {
		return askOne(s, c, r.Receipt, "Undo a change",
			func(ctx context.Context) (*plan.Plan, error) { return planner.Undo(ctx, c.Connection, r) })
	})
}

// AskUndoLast asks whether to undo the last change.
func AskUndoLast(s *session.Session) tea.Cmd {
	c, id := s.Last.Connection, s.Last.Made.ID
	planned := func(ctx context.Context) (*plan.Plan, error) {
		r, err := c.Changer.Journal.Record(id)
		if err == nil && r == nil {
			err = &client.Error{
				Kind: client.Failed,
				Op:   "undoing " + id,
				Why:  "it is no longer in the journal",
				Do:   "nothing was sent",
			}
		}
		if err != nil {
			return nil, err
		}
		return planner.Undo(ctx, c.Connection, r)
	}
	return s.Reading(0, func() tea.Cmd { return askOne(s, c, id, "Undo the last change", planned) })
}
