package dynamo

import (
	"tallylock/dynamo/attr"
)

// Strangers are items that the layout takes neither for accounts nor for locks, and
// that hold values of a constraint: orders that repeat the buyer's e-mail, or accounts
// of a kind that the layout was not told of. What a lock protects of the first is held
// by an account beside them; of the second, by nobody else.

// mostShapes is how many shapes of strangers are told apart; the others are as one.
const mostShapes = 16

// shapeOf is what the keys of items of one kind have in common.
func shapeOf(k attr.Key) string {
	of := func(v attr.Value) string { return prefixOf(attr.Key{Hash: attr.Attribute{Value: v}}) }
	return of(k.Hash.Value) + " / " + of(k.Range.Value)
}

// strange takes in a stranger that holds the suspect's value.
func (s *suspect) strange(key attr.Key) {
	if s.strangers == nil {
		s.strangers = map[string]attr.Key{}
	}
	shape := shapeOf(key)
	if _, known := s.strangers[shape]; !known && len(s.strangers) < mostShapes {
		s.strangers[shape] = key
	}
}

// stranger takes in what locks a stranger would call for, if it were an account.
func (c *Census) stranger(key attr.Key, item attr.Item) {
	if c.t.Layout.Configured {
		return
	}
	for _, kind := range c.t.Layout.Accounts {
		for _, con := range kind.Constraints {
			j := c.joins[con]
			if j == nil || j.counted {
				continue
			}
			for _, claim := range kind.AppendClaimsOf(nil, con, c.t.Name, c.t.SchemaOf, item) {
				if claim.Err == nil {
					j.stranger(shapeOf(key), lockID(con.LockTable(c.t.Name), claim.Key))
				}
			}
		}
	}
}

func (j *join) stranger(shape, lock string) {
	side := j.others[shape]
	if side == nil {
		if len(j.others) >= mostShapes {
			return
		}
		side = map[uint64]bool{}
		j.others[shape] = side
	}
	j.add(side, lock)
}

// strangers counts, of the locks kept, those that strangers of a shape alone would
// call for, and those that an account calls for as well.
func (j *join) strangers(shape string) (alone, shared int) {
	for h := range j.others[shape] {
		switch {
		case j.calls[h]:
			shared++
		case j.locks[h]:
			alone++
		}
	}
	return alone, shared
}
