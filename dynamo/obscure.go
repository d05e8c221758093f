package dynamo

import (
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// obscure reports whether an account's value of the relation's constraint cannot
// be read as the layout has it, and may be the one that the lock keeps.
func obscure(kind *layout.Account, item attr.Item, rel *Relation, claims []layout.Claim) bool {
	for _, con := range kind.Constraints {
		if con != rel.Constraint {
			continue
		}
		hashed := layout.Hashes(con.Normalise)
		for _, text := range layout.Unread(item.At(con.Attribute)) {
			if hashed || layout.Normalise(con.Normalise, text) == rel.Value || layout.Fold(text) == layout.Fold(rel.Value) {
				return true
			}
		}
	}
	for _, claim := range claims {
		if claim.Constraint == rel.Constraint && claim.Err != nil && (claim.Value == rel.Value || claim.Raw == rel.Value) {
			return true
		}
	}
	return false
}
