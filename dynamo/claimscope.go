package dynamo

import (
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// askAnyScope asks about a value whose lock's key needs more than the value: who holds it in
// whatever scope. That answers for each of its locks, too, once it is known.
func (s *ClaimScan) askAnyScope(rel *Relation) {
	at := s.targets.add(target{con: rel.Constraint, value: rel.Value, anyScope: true})
	s.anyScope = append(s.anyScope, at)
	s.search(at)
	s.shapes.fill(s)
}

// inAnyScope is the target that a relation's value is, or differs from in spelling alone.
func (s *ClaimScan) inAnyScope(rel *Relation) *target {
	var alike *target
	for _, at := range s.anyScope {
		g := &s.targets.all[at]
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

// callsAnywhere takes in a claim of an account on a value that is asked about in every
// scope. One that can have no lock counts, too: what its scope is cannot be read.
func (r *ClaimReader) callsAnywhere(claim layout.Claim) {
	for _, at := range r.s.anyScope {
		if g := &r.s.targets.all[at]; g.con.SamePlace(r.s.t.Name, claim.Constraint) && g.spells(claim) {
			r.hits = append(r.hits, hit{target: g, attribute: claim.Constraint.Attribute})
		}
	}
}

// callers are the accounts seen that call for a lock which was not known when the scan began.
func (s *ClaimScan) callers(lock Lock) (accounts []attr.Key) {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, at := range s.anyScope {
		for _, k := range s.targets.all[at].seen().spellings {
			if one := k.claimant(s.t); samePlace(one.Lock, lock) {
				accounts = append(accounts, one.Account)
			}
		}
	}
	return accounts
}
