package dynamo

import (
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// searchAnyScope searches for a value whose lock key needs more than the value, in every scope.
func (s *ClaimScan) searchAnyScope(rel *Relation) {
	at := s.add(target{con: rel.Constraint, value: rel.Value, anyScope: true}, rel.Typed)
	s.anyScope = append(s.anyScope, at)
}

// inAnyScope returns the target of a relation's value, or of one that differs in spelling alone.
func (s *ClaimScan) inAnyScope(rel *Relation) *target {
	var alike *target
	for _, at := range s.anyScope {
		g := &s.targets[at]
		switch c := g.con; {
		case !c.SamePlace(s.t.Name, rel.Constraint):
		case g.value == rel.Value && c == rel.Constraint:
			return g
		case alike == nil && c.Spelling(rel.Value) == c.Spelling(g.value):
			alike = g
		}
	}
	return alike
}

// spells reports whether a claim's value is the target's but for its spelling.
func (g *target) spells(claim layout.Claim) bool {
	raw, folded := layout.Fold(claim.Raw), g.con.Spelling(g.value)
	return raw == folded || raw == layout.Fold(g.value) || claim.Constraint.Spelling(claim.Value) == folded
}

// claimsInAnyScope takes in a claim on a value that is searched for in every scope, and a value
// whose scope cannot be read.
func (r *ClaimReader) claimsInAnyScope(claim layout.Claim) {
	for _, at := range r.s.anyScope {
		if g := &r.s.targets[at]; g.con.SamePlace(r.s.t.Name, claim.Constraint) && g.spells(claim) {
			r.hits = append(r.hits, hit{at, claim.Constraint.Attribute})
		}
	}
}

// called adds the locks that an account claims by a value of any scope, and reports whether it
// claims one.
func (g *target) called(t *Table, claims []layout.Claim, account attr.Key, place layout.Place) bool {
	found := false
	for _, claim := range claims {
		if claim.Err != nil || !claim.Constraint.SamePlace(t.Name, g.con) || !g.spells(claim) {
			continue
		}
		found = true
		k := callerOf(claim, account, place)
		if m := g.meet(); len(m.callers) < mostCallers && !slices.Contains(m.callers, k) {
			m.callers = append(m.callers, k)
		}
	}
	return found
}

// callers are the accounts that claim a lock of any scope.
func (s *ClaimScan) callers(lock Lock) (accounts []attr.Key) {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, at := range s.anyScope {
		for _, k := range s.targets[at].seen().callers {
			if samePlace(k.lock(s.t), lock) {
				accounts = append(accounts, k.account(s.t))
			}
		}
	}
	return accounts
}

// anyScopeDoubt says why it is unknown whether a value without a lock in any scope is free;
// empty if it is known.
func (c Claims) anyScopeDoubt() string {
	if c.of == nil {
		return "it was not looked for in every scope"
	}
	con, scope := c.of.con, map[string]string{}
	for _, name := range con.Scope() {
		scope[name] = "1"
	}
	if _, err := con.LockKey(c.s.t.SchemaOf(con.LockTable(c.s.t.Name)), c.of.value, scope); err != nil {
		return "a lock of it may read as one of another value: " + err.Error()
	}
	return ""
}
