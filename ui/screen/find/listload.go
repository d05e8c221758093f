package find

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/ui/task"
)

// begin reads all values. A person has seen the price, so it may be above the limit.
func (s *List) begin() tea.Cmd {
	agreed := s.price() > s.Connection().AutoReadUnits()
	return s.ask(s.all(), s.price(), find.SeveralOptions{Agreed: agreed})
}

// ask reads some rows, for about this many units.
func (s *List) ask(rows []int, units float64, o find.SeveralOptions) tea.Cmd {
	return s.Reading(units, func() tea.Cmd { return s.find(rows, o) })
}

func (s *List) find(rows []int, o find.SeveralOptions) tea.Cmd {
	s.begun, s.err, s.units, s.now = true, nil, s.units+s.now.Units, find.Progress{}
	t, values := s.Table, s.values(rows)
	if o.MaxUnits = s.MaxUnits(); o.MaxUnits > 0 {
		o.Agreed = false // with a limit, the price of the reads by key is only an estimate
	}
	take := func(now find.Progress) {
		s.now = now
		for n, a := range now.Answers {
			if r := s.rows[rows[n]]; a != nil && r.answer != a {
				r.take(a)
			}
		}
	}
	return task.Stream(s.Tasks, task.FindingSeveral,
		func(ctx context.Context, report func(find.Progress)) (find.Progress, error) {
			return find.Several(ctx, t, values, o, report)
		}, func(now find.Progress) {
			if s.busy() { // a report may arrive after the result
				take(now)
			}
		}, func(now find.Progress, err error) tea.Cmd {
			take(now)
			switch {
			case err == nil:
			case client.KindOf(err) == client.Cancelled:
				return s.Say("Stopped. The values read so far stay.")
			default:
				s.err = err
				if len(s.unread()) < len(s.rows) {
					return s.Fail(err)
				}
			}
			return nil
		})
}

// again asks again from the beginning. A price above the limit is shown first.
func (s *List) again() tea.Cmd {
	if s.price() <= s.Connection().AutoReadUnits() {
		return s.begin()
	}
	s.begun, s.err = false, nil
	for _, r := range s.rows {
		r.take(nil)
	}
	return nil
}

// Refresh implements screen.Refresher. After a change, it reads only the rows that the change is about.
func (s *List) Refresh() tea.Cmd {
	rows := slices.Clone(s.changing)
	for n, r := range s.rows {
		if r.gets(s.Last.Made.Plan) && !slices.Contains(rows, n) {
			rows = append(rows, n)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	for _, n := range rows { // the reading may stop at the limit: no row keeps its verdict from before the change
		s.rows[n].take(nil)
	}
	return s.ask(rows, s.byKey(rows), find.SeveralOptions{})
}

// touch remembers the rows that a change may be about: the marked rows, and the selected row with all rows of its lock
// and its account.
func (s *List) touch() {
	at := s.selected()
	s.changing = s.where(func(r *asked) bool {
		return r == at || r.rel != nil && (s.Marks.Has(r.rel) || at.rel != nil && r.sharesWith(at))
	})
}

// rest reads the rows that are not read, or else reads the whole table for the unknown ones.
func (s *List) rest() tea.Cmd {
	if unread := s.unread(); len(unread) > 0 {
		return s.ask(unread, s.byKey(unread), find.SeveralOptions{Agreed: true})
	}
	return s.ask(s.unknown(), s.restPrice(), find.SeveralOptions{Scan: true, Agreed: true})
}

// restPrice returns the estimated price of rest.
func (s *List) restPrice() float64 {
	if unread := s.unread(); len(unread) > 0 {
		return s.byKey(unread)
	}
	unknown := s.unknown()
	if len(unknown) == 0 {
		return 0
	}
	return s.byKey(unknown) + s.sweep
}

// openOne opens the answer for the selected value alone. When the answer arrives, the row shows it, too.
func (s *List) openOne() tea.Cmd {
	r := s.selected()
	var account *attr.Key
	if r.rel != nil && r.rel.Account != nil {
		account = &r.rel.Account.Key
	}
	on := s.one(account, func(a *find.Answer) {
		if a == nil || a.Typed == r.value {
			r.take(a)
		}
	})
	return tea.Batch(s.Send(on), on.For(r.value))
}
