package dynamo

import (
	"context"
	"fmt"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/spelling"
)

// An account may hold an e-mail as it was typed beside the form of it that its lock keeps:
// without dots, without a +tag. How the one is made of the other is not known, so that a
// value which has no lock as it stands is not free where an account holds it so.

// anotherForm is the lock that an account calls for by another form of a target's value,
// which it holds under an attribute that no lock keeps.
func (g *target) anotherForm(
	t *Table, kind *layout.Account, claims []layout.Claim, at attr.Value, attribute string,
) (layout.Claim, bool) {
	if slices.ContainsFunc(kind.Constraints, func(c *layout.Constraint) bool {
		return attribute == c.Attribute || below(attribute, c.Attribute)
	}) {
		return layout.Claim{}, false
	}
	for _, claim := range claims {
		if claim.Err != nil || !claim.Constraint.SamePlace(t.Name, g.con) {
			continue
		}
		if slices.ContainsFunc(layout.Texts(at), func(text string) bool { return spelling.MayBeOneValue(text, claim.Raw) }) {
			return claim, true
		}
	}
	return layout.Claim{}, false
}

// findForms finds the targets of which an account holds another form where locks are made
// of what it holds.
func (r *ClaimReader) findForms(path, text string) {
	if r.s.targets.forms.Empty() || len(text) > longestValue ||
		!slices.ContainsFunc(r.kind.Constraints, func(c *layout.Constraint) bool {
			return path == c.Attribute || below(path, c.Attribute)
		}) {
		return
	}
	r.form = layout.AppendForm(r.form[:0], text)
	r.s.targets.forms.Find(r.form, func(at int32) {
		if g := &r.s.targets.all[at]; protects(r.s.t, r.kind, g.con, path) {
			r.hit(hit{g, path, true})
		}
	})
}

// spells reports whether a claim's value is the target's but for its spelling or its form.
func (g *target) spells(claim layout.Claim) bool { return g.respells(claim) || g.forms(claim.Raw) }

// respells reports whether a claim's value is the target's but for its spelling.
func (g *target) respells(claim layout.Claim) bool {
	raw, folded := layout.Fold(claim.Raw), g.con.Spelling(g.value)
	return raw == folded || raw == layout.Fold(g.value) || claim.Constraint.Spelling(claim.Value) == folded
}

func (r *ClaimReader) hit(h hit) {
	if !slices.Contains(r.hits, h) {
		r.hits = append(r.hits, h)
	}
}

// forms reports whether a text may be another form of the target's value.
func (g *target) forms(text string) bool {
	return layout.SameForm(layout.FormOf(g.con, g.value), string(layout.AppendForm(nil, text)))
}

// ownersForm is why the account that the lock names may hold the value in another form:
// what it holds has no lock as the layout makes it, and what the lock keeps cannot be read.
// Where it can, and is no form of what the account holds, the account was changed without
// its locks, as applications do.
func (c Claims) ownersForm(ctx context.Context, r *client.Reader, judged []attr.Key) (string, error) {
	if c.owner == nil || slices.ContainsFunc(judged, c.owner.Key.Equal) {
		return "", nil
	}
	t := c.s.t
	kind, a := t.Match.account(c.owner.Item)
	if a == nil {
		return "", nil
	}
	for _, claim := range kind.Claims(t.Name, t.SchemaOf, a.Item) {
		if claim.Err != nil || !claim.Constraint.SamePlace(t.Name, c.rel.Constraint) {
			continue
		}
		table := claim.Constraint.LockTable(t.Name)
		found, err := r.Get(ctx, table, []attr.Key{claim.Key}, true)
		if err != nil {
			return "", err
		}
		if len(found) == 0 && Conceals(c.rel, claim.Raw) {
			why := "%s, which it names, holds %q and has no other lock: this one may keep it in another form"
			return fmt.Sprintf(why, a.Key, claim.Raw), nil
		}
	}
	return "", nil
}

// Conceals reports whether a lock that names an account may keep a value of it that reads
// otherwise: it cannot be read itself, as a digest cannot.
func Conceals(rel *Relation, held string) bool {
	return layout.Unreadable(rel.Value) && (rel.Constraint.Encodes() || !layout.Unreadable(held))
}

// keptOtherwise is a lock that may keep a value which has none of its own: one of another form
// of it, or one that names the account and cannot be read. The scan was asked who calls for it,
// and nobody does. It is nil where there is none.
func (c Claims) keptOtherwise(ctx context.Context, r *client.Reader) (*Relation, error) {
	forms, named := c.otherForms()
	byTable := map[string][]attr.Key{}
	for _, g := range slices.Concat(forms, named) {
		table := g.con.LockTable(c.s.t.Name)
		byTable[table] = append(byTable[table], g.key(c.s.t))
	}
	found, err := r.GetTables(ctx, byTable, true)
	if err != nil {
		return nil, err
	}
	for n, g := range slices.Concat(forms, named) {
		table, key := g.con.LockTable(c.s.t.Name), g.key(c.s.t)
		lock := lockOf(g.con, table, key, found[table][key.ID()])
		if lock.Exists && (n < len(forms) || c.s.t.Match.names(g.con, lock, &c.rel.Claimants[0])) {
			return &Relation{Constraint: g.con, Value: g.value, Lock: lock}, nil
		}
	}
	return nil, nil
}

// otherForms are the targets that nobody calls for and that may keep the value: those of other
// forms of it, and those whose locks name its account and cannot be read.
func (c Claims) otherForms() (forms, named []*target) {
	s, spelling := c.s, c.rel.Constraint.Spelling(c.rel.Value)
	may := func(at int32) (*target, bool) {
		g := &s.targets.all[at]
		return g, !g.anyScope && len(g.seen().claimants) == 0 && g.con.SamePlace(s.t.Name, c.rel.Constraint) &&
			g.con.Spelling(g.value) != spelling
	}
	s.targets.forms.Find([]byte(layout.FormOf(c.rel.Constraint, c.rel.Value)), func(at int32) {
		if g, ok := may(at); ok {
			forms = append(forms, g)
		}
	})
	for _, a := range c.rel.Claimants[:min(len(c.rel.Claimants), 1)] {
		for at := range s.targets.naming.each(s.targets.textHash(a.Key.ID())) {
			if g, ok := may(at); ok && Conceals(&Relation{Constraint: g.con, Value: g.value}, c.rel.Value) {
				named = append(named, g)
			}
		}
	}
	return forms, named
}

// takeForms adds the locks of other forms of the query as candidates, which accounts were
// met to call for that hold the query itself elsewhere.
func (w *accountSweep) takeForms() {
	for _, c := range slices.Clone(w.candidates) {
		g := w.claimScan.Of(c.rel).of
		if g == nil || c.rel.err != nil || c.variant || w.inUse(c) {
			continue
		}
		for _, h := range g.seen().sightings {
			if h.form.Constraint != nil && w.variants < mostVariants && w.addClaimed(h.form, true) {
				w.candidates[len(w.candidates)-1].hints = []attr.Key{h.Key}
				w.variants++
			}
		}
	}
}

// otherwise takes in an account that holds the value where the layout has it, and calls
// for another lock: of another spelling, or in another scope.
func (g *target) otherwise(t *Table, a Account, claims []layout.Claim) {
	m, found := g.meet(), false
	for _, claim := range claims {
		if !claim.Constraint.SamePlace(t.Name, g.con) || !g.spells(claim) || claim.Err != nil {
			continue
		}
		found = true
		lock := Lock{Table: claim.Constraint.LockTable(t.Name), Key: claim.Key}
		exact := claim.Raw == g.value && claim.Value != claim.Raw && g.con.FoldKey(lock.Key) == g.con.FoldKey(g.key(t))
		switch {
		case slices.ContainsFunc(m.spellings, func(k spelt) bool {
			return samePlace(k.claimant(t).Lock, lock) && (!g.anyScope || k.account(t).Equal(a.Key)) && (k.exact || !exact)
		}):
		case len(m.spellings) < mostSpellings:
			m.spellings = append(m.spellings, speltOf(claim, a.Key, exact))
		case g.anyScope:
			m.doubts(func() string {
				return fmt.Sprintf("accounts hold it in more than %d scopes and spellings", mostSpellings)
			})
		case g.con.FoldKey(lock.Key) == g.con.FoldKey(g.key(t)):
			m.doubts(func() string { return fmt.Sprintf("accounts hold it in more than %d other spellings", mostSpellings) })
		case !g.respells(claim):
			m.doubts(func() string {
				return fmt.Sprintf("accounts hold more than %d values of which it may be another form, and whether each has a lock of its own is not looked up: who knows what the application makes of them can tell", mostSpellings)
			})
		}
	}
	if !found {
		m.doubts(func() string { return fmt.Sprintf("%s cannot be read as an account, and may hold it", a.Key) })
	}
}
