package dynamo

import (
	"context"
	"strconv"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/infer"
	"tallylock/dynamo/layout"
)

// recognisedIn is the layout that the samples of a table and of its locks' tables show. It reads
// nothing.
func recognisedIn(ctx context.Context, t *Table, samples map[string]*sampler) (*layout.Layout, error) {
	var others []layout.Sample
	for name, s := range samples {
		if name != t.Name {
			others = append(others, asSample(s.d, s))
		}
	}
	accounts, err := infer.Accounts(ctx, asSample(t.Description, t.Sample.own), others, nil)
	if err != nil || len(accounts) == 0 {
		return &layout.Layout{}, err
	}
	return layout.Config{Name: t.Name, Accounts: accounts}.Build()
}

// better is a hint at a line of a described constraint: as the samples are recognised, its values
// have two locks more at least. It has no Line if there is none.
func (p *prober) better(a *layout.Account, c *layout.Constraint, locked int) (best layout.Alternative) {
	t := p.t
	seen, err := p.recognised()
	if err != nil {
		return best // only a hint
	}
	for _, kind := range seen.Accounts {
		items := p.strangersOf(kind, a)
		for _, con := range kind.Constraints {
			if con.Attribute != c.Attribute && con.PK.String() != c.PK.String() || con.LockTable(t.Name) != c.LockTable(t.Name) {
				continue
			}
			h, ok := p.hits(kind, con, p.some(items, c.LockTable(t.Name)))
			if n := len(h.locks); ok && n >= locked+layout.EnoughBetter && n > best.Fits {
				best = otherLine(a, kind, c, con)
				best.Fits, best.Of = n, h.values
			}
		}
	}
	return best
}

// strangersOf lists the sampled items that are accounts of a recognised kind, and no accounts of
// another kind than a in the layout.
func (p *prober) strangersOf(kind, a *layout.Account) (items []attr.Item) {
	for _, item := range p.t.Sample.own.items {
		if of := p.t.Layout.KindOf(p.t.Schema, item); of == nil || of == a {
			if _, ok := kind.Matches(p.t.Schema, item); ok {
				items = append(items, item)
			}
		}
	}
	return items
}

// otherLine says in which lines a recognised constraint differs from the described one.
func otherLine(a, kind *layout.Account, c, con *layout.Constraint) (other layout.Alternative) {
	var lines []string
	differ := func(from layout.Origin, setting, is, seen string) {
		if is == seen {
			return
		}
		if len(lines) == 0 {
			other.At = from.Of(setting)
		}
		lines = append(lines, setting+" = "+seen)
	}
	quoted := func(t layout.Template) string { return strconv.Quote(t.String()) }
	differ(a.Origin, "pk", quoted(a.PK), quoted(kind.PK))
	differ(a.Origin, "sk", quoted(a.SK), quoted(kind.SK))
	if kind.Is.Attribute != "" {
		differ(a.Origin, "is", a.Is.Attribute+": "+a.Is.Value, kind.Is.Attribute+": "+kind.Is.Value)
	}
	differ(c.Origin, "attribute", strconv.Quote(c.Attribute), strconv.Quote(con.Attribute))
	differ(c.Origin, "pk", quoted(c.PK), quoted(con.PK))
	differ(c.Origin, "sk", quoted(c.SK), quoted(con.SK))
	differ(c.Origin, "normalise", steps(c), steps(con))
	other.Line = strings.Join(lines, " with ")
	return other
}

func steps(c *layout.Constraint) string {
	var names []string
	for _, step := range c.Normalise {
		names = append(names, strconv.Quote(string(step)))
	}
	return "[" + strings.Join(names, ", ") + "]"
}
