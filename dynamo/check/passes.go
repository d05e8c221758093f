package check

import (
	"context"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/scan"
)

// first is the first pass. It answers what is left over, or, where that is more
// than memory holds, how much.
func (c *checker) first(ctx context.Context) (map[uint64]*suspect, *load, error) {
	var items int64
	for _, from := range c.sources {
		items += c.itemsOf(from)
	}
	z := sizesFor(c.o.Memory, items)
	for {
		p := c.comparing(z, share{})
		p.first = true
		c.summary.Items = 0
		units, begun := c.units(), time.Now().Add(-c.o.Gate.Held())
		if c.seen = nil; c.wantsTwins() {
			c.seen = newIDSet(items, c.o.Memory)
		}
		if err := c.scan(ctx, p, reading, false); err != nil {
			return nil, nil, err
		}
		c.count, c.mintings = p.count, p.mintings
		c.firstUnits, c.firstTook = c.units()-units, time.Since(begun)-c.o.Gate.Held()
		if p.join == nil {
			return nil, nil, nil
		}
		left, tooMany := c.leftOver(p, z)
		switch {
		case tooMany == nil:
			return left, nil, nil
		case c.optionalOwners():
		case z.cells < z.most && tooMany.keys <= capacity(z.most):
			z.cells, z.copies = z.most, 1
		default:
			return nil, tooMany, nil
		}
	}
}

// leftOver is what a pass leaves over, or how much that is.
func (c *checker) leftOver(p *pass, z sizes) (map[uint64]*suspect, *load) {
	sum := p.join.sum()
	tooMany := sum.load()
	left, whole := sum.decode()
	expiring, more, told := c.expiring(p, z.suspects)
	tooMany.keys, tooMany.sure = tooMany.keys+more.keys, tooMany.sure && more.sure
	if !whole || !told || len(left)+len(expiring) > z.suspects {
		return nil, &tooMany
	}
	suspects := c.suspectsOf(left, nil)
	for place, s := range c.suspectsOf(expiring, nil) {
		if have := suspects[place]; have != nil {
			have.expiry = true
			continue
		}
		s.expiry, s.count = true, 0
		suspects[place] = s
	}
	return suspects, nil
}

// optionalOwners leaves out the owners of constraints whose locks do not all name
// one: each lock that names nobody would be left over.
func (c *checker) optionalOwners() (changed bool) {
	for n, of := range c.count.of {
		if r := c.rules[n]; r.first.owned && of.owned < of.locks {
			c.unowned(r)
			changed = true
		}
	}
	return changed
}

// comparing begins a pass that is to tell what is left over, and what of that which
// is not will expire.
func (c *checker) comparing(z sizes, of share) *pass {
	p := c.pass(z, of)
	if p.join != nil && c.expires() {
		p.expiry = newJoin(c.secret, z.cells, z.copies)
	}
	return p
}

// pass begins a pass over a share of the keys.
func (c *checker) pass(z sizes, of share) *pass {
	p := &pass{c: c, share: of, mintings: mintings{}, room: newRoom(c.o.Memory)}
	if c.ofLocks() && len(c.rules) > 0 {
		p.join = newJoin(c.secret, z.cells, z.copies)
	}
	p.count.of = make([]constraintCounts, len(c.rules))
	return p
}

// scan reads all tables, or their exports, to their end, once.
func (c *checker) scan(ctx context.Context, p *pass, what string, consistent bool) error {
	for n, from := range c.sources {
		var visitors []*visitor
		o := scan.Options{
			Attributes: from.names, Whole: p.whole, Consistent: consistent, Segments: c.o.Segments, MaxReadUnits: c.o.MaxReadUnits, Progress: new(scan.Progress),
		}
		if o.Fill(c.t.DescriptionOf(from.name)); o.MaxReadUnits > 0 {
			o.MaxReadUnits = max(o.MaxReadUnits-p.beside, o.MaxReadUnits/watchShare)
		}
		if err := c.witness.Wait(ctx); err != nil {
			return c.t.Connection().Explain("waiting for the read units that may be used", err)
		}
		c.enter(stage{what: what, table: from.name, scan: o.Progress, expected: c.itemsOf(from), after: c.unitsOf(c.sources[n+1:], consistent)})
		visitor := func() scan.Visitor {
			v := p.visitor(from)
			visitors = append(visitors, v)
			return v
		}
		var totals scan.Totals
		var err error
		if from.export != nil && !p.now {
			totals, err = from.export.Scan(ctx, o, visitor)
		} else {
			totals, err = scan.Table(ctx, c.t.Connection().Client, c.t.DescriptionOf(from.name), o, visitor)
		}
		c.leave()
		if p.first {
			c.summary.Items += totals.Items
		}
		if err != nil {
			return err
		}
		for _, v := range visitors {
			v.finish()
		}
	}
	return nil
}

// itemsOf is about how many items a table, or its export, has.
func (c *checker) itemsOf(from *source) int64 {
	if e := from.export; e != nil && e.Items > 0 {
		return e.Items
	}
	return c.t.DescriptionOf(from.name).Items
}

// schemaOf is the key schema of one of the tables. It is asked very often.
func (c *checker) schemaOf(table string) attr.Schema {
	for _, from := range c.sources {
		if from.name == table {
			return from.schema
		}
	}
	return attr.Schema{}
}
