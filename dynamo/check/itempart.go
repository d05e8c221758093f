package check

import (
	"slices"
	"strconv"
	"strings"

	"tallylock/dynamo/layout"
)

// part is what a check judges of an item that SQL has judged the rest of. A nil part is
// all of it.
type part struct {
	rules []int // constraints, by the layout's order
	ids   bool
	mark  bool // of a lock
	// unlocked are rules without locks, by the layout's order.
	unlocked []int
	// derived are keys that are made of others, by the order of those.
	derived []int
}

// idsBeside says of an item that its ids are not judged, and that SQL judges others of the
// same counter.
const idsBeside = "ids-beside"

// partOf reads what a row says is not judged; nil where that is all.
func partOf(said string) *part {
	p := &part{}
	for _, word := range strings.Fields(said) {
		switch n, err := strconv.Atoi(word); {
		case word == "*":
			return nil
		case word == "ids", word == idsBeside:
			p.ids = true
		case word == "mark":
			p.mark = true
		case word[0] == 'u':
			p.unlocked = appendNumber(p.unlocked, word[1:])
		case word[0] == 'd':
			p.derived = appendNumber(p.derived, word[1:])
		case err == nil:
			p.rules = append(p.rules, n)
		}
	}
	return p
}

func (p *part) has(of *rule) bool { return p == nil || slices.Contains(p.rules, of.at) }

func (p *part) hasUnlocked(r *run, con *layout.Constraint) bool {
	if p == nil {
		return true
	}
	n := 0
	for _, a := range r.t.Layout.Accounts {
		for _, one := range a.Unlocked {
			if one == con {
				return slices.Contains(p.unlocked, n)
			}
			n++
		}
	}
	return false
}

func appendNumber(all []int, word string) []int {
	if n, err := strconv.Atoi(word); err == nil {
		all = append(all, n)
	}
	return all
}

func (p *part) hasDerived(c *driftCheck, d *layout.Derived) bool {
	return p == nil || slices.Contains(p.derived, slices.Index(c.all(), d))
}

func (p *part) hasIDs() bool { return p == nil || p.ids }
