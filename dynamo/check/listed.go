package check

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/scan"
)

// listing is a pass over the candidates' file in place of the tables, with a visitor for
// each of these.
type listing struct {
	*run
	visitors []*visitor
}

// list reads the candidates' file.
func (l *listing) list(ctx context.Context, p *pass, what Stage) error {
	r := l.run
	r.enter(stage{Stage: what, table: r.t.Name})
	defer r.leave()
	search := p.search
	p.search = nil // nobody looks for what else holds the values
	defer func() { p.search = search }()
	for _, from := range r.sources {
		l.visitors = append(l.visitors, p.visitor(from))
	}
	err := r.o.Candidates.each(func(row candidateRow) error {
		switch {
		case row.Unjudged != "":
			for _, v := range l.visitors {
				if v.from.name == row.Of {
					v.part = partOf(row.Unjudged)
					v.ids.beside = slices.Contains(strings.Fields(row.Unjudged), idsBeside)
					v.Visit(rowOf(row.Item, v.from.names))
				}
			}
		case row.Series != nil:
			l.id(row)
		case row.Derived != nil:
			l.drift(row)
		case row.Unlocked:
			l.value(row)
		case row.Kind != "" && !row.Again:
			l.key(row)
		}
		return ctx.Err()
	})
	if err != nil {
		return r.o.Candidates.refuse(err)
	}
	for _, v := range l.visitors {
		v.finish()
	}
	if p.first {
		l.counts(p)
	}
	return nil
}

// rowOf is an item as a scan would give it.
func rowOf(item attr.Item, names []string) scan.Row {
	row := make(scan.Row, len(names))
	for n, name := range names {
		row[n] = item[name]
	}
	return row
}

// marked takes in a lock that a release has marked.
func (v *visitor) marked(role layout.Role) {
	if v.part.mark {
		v.p.mark(role, v.now())
	}
}

// counts adds what SQL has counted of what it judged.
func (l *listing) counts(p *pass) {
	r := l.run
	for _, row := range r.o.Candidates.counts {
		switch row.Counted {
		case "derived":
			if of := r.drift.rules[r.drift.at(row.Derived)]; of != nil {
				of.compared.Add(row.Compared)
				of.drifted.Add(row.Drifted)
			}
		case "items":
			r.summary.Items += row.Count
			p.count.accounts += row.Accounted
			p.count.expiring += row.Expiring
			p.count.keyless += row.Strange
		case "impossible":
			p.count.impossible += row.Count
			for _, account := range row.Accounts {
				key, _ := r.sources[0].schema.KeyOf(account)
				p.count.example = shortened(key.String()) + ": " + shortened(fmt.Sprintf("%s %q: %s", row.Constraint, row.Value, layout.ErrValue))
			}
		case "constraint":
			for _, of := range r.rules.all {
				if of.Name == row.Constraint {
					tally := &p.count.of[of.at]
					tally.locks += row.Locks
					tally.owned += row.Owned
					tally.calls += row.Calls
					tally.folds += row.Odd
					p.count.locks += row.Locks
				}
			}
		}
	}
}

// listed asks of candidates that SQL has found whether all accounts have to be looked at:
// only where nobody is known to call for a lock that is there, or where somebody else may
// hold a value that SQL did not judge. Otherwise lock and accounts are read together, and
// the table is not read.
func (f *followUp) listed(ctx context.Context) (rests bool, err error) {
	if f.o.Candidates == nil || f.o.Confirm == ConfirmNone {
		return true, nil
	}
	if rests = f.run.values.open || f.run.ids.open; rests && f.o.Confirm == ConfirmReads {
		f.lacks("who else holds values or ids that SQL has not judged only a look at all accounts tells: --confirm full")
	}
	if len(f.candidates) == 0 {
		return rests, nil
	}
	rests = rests || f.rivalled() && f.o.Confirm == ConfirmFull
	p := f.pass(fewestCells, false)
	p.candidates = f.candidates
	if err := f.scan(ctx, p, FindingKeys, false); err != nil {
		return false, err
	}
	open := 0
	for _, c := range f.candidates {
		c.mu.Lock()
		switch here := !c.absent; {
		case here && c.count < 0 && len(c.holders) == 0:
			rests = true
		case here && c.count > 0 && !c.listed && !c.filed: // SQL has seen its lock with an account
			rests, open = true, open+1
		}
		c.holders, c.more = nil, 0
		c.mu.Unlock()
	}
	if open > 0 && f.o.Confirm == ConfirmReads {
		f.lacks("%d values may be held by accounts that only a look at all of them tells: --confirm full", open)
	}
	return rests, nil
}

// rivalled reports whether items that are neither locks nor accounts may hold what the
// layout's accounts hold, and may be the accounts: only a look at all of them compares
// that. Where there are none, nothing has to be compared.
func (r *run) rivalled() bool {
	at := r.t.Name
	items := r.o.Candidates.itemsOf(at)
	others := items.Count
	for _, row := range r.o.Candidates.counts {
		for _, of := range r.rules.all {
			if row.Counted == "constraint" && row.Constraint == of.Name && of.locks.name == at {
				others -= row.Locks
			}
		}
	}
	if len(r.t.Layout.Accounts) == 1 {
		others -= items.Accounted // accounts of one kind may be the copies of another's
	}
	return others > 0
}
