package dynamo

import (
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// Texts are the values of a constraint as other accounts of the sample hold them.
func (s *Sample) Texts(c *layout.Constraint, but attr.Key) []string {
	if s.own == nil {
		return nil
	}
	var texts []string
	for _, item := range s.own.items {
		kind := s.t.Layout.KindOf(s.t.Schema, item)
		if key, ok := s.t.Schema.KeyOf(item); !ok || kind == nil || key.Equal(but) {
			continue
		}
		for _, of := range kind.Constraints {
			if of == c {
				texts = append(texts, layout.Texts(item.At(c.Attribute))...)
			}
		}
	}
	return texts
}
