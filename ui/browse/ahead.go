package browse

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/ui/kit"
	"tallylock/ui/relation"
	"tallylock/ui/task"
)

// unasked is how far a pass has gone on by itself.
type unasked struct {
	small   bool    // the table is read to its end
	asked   float64 // the read units when rows were last ahead of the cursor, or when somebody had it read on
	paused  bool    // what was read since took what may be taken
	refused bool    // judging the rows that are near would take too much
	spent   bool    // so would judging the others
	again   bool    // the second look was asked for
}

// ReadAhead goes on with the reading, where it should go on by itself: it judges what is
// not held on the screen or near it, reads a small table to its end and of others the next
// page when the cursor comes near the end of what was read, as long as pages bring rows
// within AutoReadUnits, and judges the rest. l is the screen that lists the table; nil
// where another is looked at. covered: one stands on top. moved: somebody moved its cursor,
// and at its end asks for more. A list that letters have made short asks for nothing.
func (r *Reading) ReadAhead(l Lister, covered, moved bool) tea.Cmd {
	b := r.pass
	if b == nil || r.Table == nil || !b.read || b.stopped || b.err != nil {
		return nil
	}
	if r.Table.Connection().SessionSpent() {
		return r.atLimit(l, moved)
	}
	for _, k := range []task.Kind{task.Paging, task.Confirming} {
		if _, busy := r.Tasks.Since(k); busy {
			return nil
		}
	}
	var list kit.List
	var rows kit.Source
	if l != nil {
		list, rows = l.List()
	}
	toEnd := nearEnd(list, rows, r.Size.Height) && (l == nil || !l.Narrowed())
	if !toEnd || moved && list.Cursor >= rows.Len()-1 {
		b.asked = b.view.Units
	}
	var near map[string]bool
	if !covered && b.counts.Open > 0 {
		near = unjudgedNear(list, rows, r.Size.Height)
	}
	switch {
	case len(near) > 0 && !b.refused:
		return r.judge(near)
	case b.browser.Owes(), b.browser.ReadOn() && !growing(r):
		return r.readPage()
	case !b.view.Complete && toEnd:
		if b.paused = b.view.Units-b.asked > r.Table.Connection().AutoReadUnits(); b.paused {
			return nil // page after page brought hardly a row: no more is paid for unasked
		}
		return r.readPage()
	case b.counts.Open > len(near) && !b.spent && !growing(r):
		return r.judge(nil)
	case b.view.Complete && b.small && !b.again && len(b.view.Provisional()) > 0:
		return r.confirm()
	}
	return nil
}

// atLimit asks whether to read the next page for somebody who moves the cursor beyond the last row.
// Nothing else is read once the session has reached its limit.
func (r *Reading) atLimit(l Lister, moved bool) tea.Cmd {
	b := r.pass
	b.paused = !b.view.Complete
	if l == nil || !moved || !b.paused || l.Narrowed() {
		return nil
	}
	if list, rows := l.List(); list.Cursor < rows.Len()-1 {
		return nil
	}
	return r.readOn()
}

// growing reports whether a larger sample is being read, by which the table may be read
// anew: what nobody looks at waits for that, so that it is not paid for twice.
func growing(r *Reading) bool {
	_, comparing := r.Tasks.Since(task.Comparing)
	return comparing && r.Table.Sample.Unsure()
}

// nearEnd reports whether the cursor comes near the end of what was read.
func nearEnd(list kit.List, rows kit.Source, height int) bool {
	if rows == nil {
		return false
	}
	last := list.Cursor
	if list.Lost {
		last = max(last, list.At) // as far as it was read before
	}
	return last+3*height >= rows.Len()
}

// unjudgedNear are the rows on the screen, or not far from it, that are still to be read
// together with their locks, by what they are of.
func unjudgedNear(list kit.List, rows kit.Source, height int) map[string]bool {
	lines, ok := rows.(relation.Lines)
	if !ok {
		return nil
	}
	near := map[string]bool{}
	for n := list.Cursor - height; n <= list.Cursor+height; n++ {
		if r := lines.Relation(n); r != nil && r.Unjudged && !r.Constraint.Lockless() {
			near[r.Subject()] = true
		}
	}
	return near
}

// judge reads a few rows together with their locks: those that are near, then others.
func (r *Reading) judge(near map[string]bool) tea.Cmd {
	b := r.pass
	paged := r.lists.paging(b.small)
	return b.step(r.Tasks, task.Paging, func(ctx context.Context) (page, error) {
		v, judged, err := b.browser.JudgeTogether(ctx, func(rel *dynamo.Relation) bool { return near[rel.Subject()] })
		if err != nil {
			return page{}, err
		}
		p := paged(v)
		p.judged = judged
		return p, nil
	}, func(p page, err error) tea.Cmd {
		if err == nil && p.judged == 0 {
			b.refused, b.spent = b.refused || len(near) > 0, b.spent || len(near) == 0
		}
		return r.done(b, p, err)
	})
}
