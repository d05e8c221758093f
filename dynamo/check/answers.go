package check

import (
	"slices"
	"sync"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/holders"
	"tallylock/dynamo/layout"
)

// unmet are the places about which the config answers and of which the check has seen no item
// yet: such an answer may be misspelt. It is safe for concurrent use.
type unmet struct {
	mu     sync.Mutex
	places []layout.Place
}

// unmetAnswers returns the places of all answers of the config, nil if there are none. What people have answered to a
// question had items then.
func unmetAnswers(t *dynamo.Table) *unmet {
	u := &unmet{}
	for _, c := range t.Layout.Constraints() {
		hold, not, _ := c.Answers.All()
		for _, h := range hold {
			u.places = append(u.places, h.Place)
		}
		u.places = append(u.places, not...)
	}
	for _, said := range t.Said() {
		u.places = slices.DeleteFunc(u.places, func(p layout.Place) bool { return said.Place != nil && *said.Place == p })
	}
	if len(u.places) == 0 {
		return nil
	}
	return u
}

// meet takes away the places that an item of a table is of. The attribute does not count: the
// first pass does not read it.
func (u *unmet) meet(table string, key attr.Key) {
	item := layout.Place{Table: table, Items: holders.Shape(key, func(string) bool { return false })}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.places = slices.DeleteFunc(u.places, func(p layout.Place) bool {
		item.Attribute = p.Attribute
		return p.Covers(item)
	})
}

// noteUnmet notes the answers of the config about items of which the table has none.
func (r *run) noteUnmet() {
	if r.unmet == nil {
		return
	}
	for _, p := range r.unmet.places {
		if r.t.SchemaOf(p.Table).HashName != "" { // it was read
			r.report.note("the config answers about %s items of %s, and there are none: is the answer misspelt?", p.Items, p.Table)
		}
	}
}
