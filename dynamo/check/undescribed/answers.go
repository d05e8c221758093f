package undescribed

import (
	"slices"
	"sync"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/holders"
	"tallylock/dynamo/layout"
)

// Answers holds the places from the config's answers, without the places of items that were read. If a check finds no
// item of such a place, the answer may be misspelt. Answers is safe for concurrent use.
type Answers struct {
	mu     sync.Mutex
	places []layout.Place
}

// AnswersOf returns the places of all answers in the config, or nil if there are none. It leaves out places
// that a person was asked about, since the program asks only about existing items.
func AnswersOf(t *dynamo.Table) *Answers {
	u := &Answers{}
	for _, c := range t.Layout.Constraints() {
		hold, not, _ := c.Answers.All()
		for _, h := range hold {
			u.places = append(u.places, h.Place)
		}
		u.places = append(u.places, not...)
	}
	for _, said := range t.Answers.Said() {
		u.places = slices.DeleteFunc(u.places, func(p layout.Place) bool { return said.Place != nil && *said.Place == p })
	}
	if len(u.places) == 0 {
		return nil
	}
	return u
}

// Take removes the places to which an item of a table belongs. It ignores the places' attributes, since the
// first pass of a check does not read attributes.
func (u *Answers) Take(table string, key attr.Key) {
	item := layout.Place{Table: table, Items: holders.Shape(key, func(string) bool { return false })}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.places = slices.DeleteFunc(u.places, func(p layout.Place) bool {
		item.Attribute = p.Attribute
		return p.Covers(item)
	})
}

// Left returns the remaining places: the check has read no item of them. It leaves out places in tables that the check
// does not read.
func (u *Answers) Left(t *dynamo.Table) (left []layout.Place) {
	if u == nil {
		return nil
	}
	unread := func(p layout.Place) bool { return t.SchemaOf(p.Table).HashName == "" }
	return slices.DeleteFunc(slices.Clone(u.places), unread)
}
