package undescribed

import (
	"slices"
	"sync"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/holders"
	"tallylock/dynamo/layout"
)

// Answers holds places that the config's answers name, and of which no item was read yet. The answer about such
// a place may be misspelt. Answers is safe for concurrent use.
type Answers struct {
	mu     sync.Mutex
	places []layout.Place
}

// AnswersOf returns the places of all answers of the config, or nil if there are none. It leaves out
// answers to questions, since a question is asked only about existing items.
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

// Take removes the places that cover an item of a table. It ignores the attribute, since the first pass of a
// check does not read it.
func (u *Answers) Take(table string, key attr.Key) {
	item := layout.Place{Table: table, Items: holders.Shape(key, func(string) bool { return false })}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.places = slices.DeleteFunc(u.places, func(p layout.Place) bool {
		item.Attribute = p.Attribute
		return p.Covers(item)
	})
}

// Left returns the places of which no item was read. It leaves out tables that the check does not read.
func (u *Answers) Left(t *dynamo.Table) (left []layout.Place) {
	if u == nil {
		return nil
	}
	unread := func(p layout.Place) bool { return t.SchemaOf(p.Table).HashName == "" }
	return slices.DeleteFunc(slices.Clone(u.places), unread)
}
