package check

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/state"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
)

// maxMarks is the largest number of leftover release marks that the summary lists.
const maxMarks = 1000

// marks are the locks with a leftover release mark. listed has maxMarks of them at most, by schema.LockID. more counts
// the others.
type marks struct {
	listed map[string]marked
	more   int64
}

// marked is a lock with a mark, and its table.
type marked struct {
	table string
	finding.Mark
}

// see records a lock with a mark. If sign is −1, the lock is the old image of a change, and see removes its mark. If
// the new image has a mark, too, the next call records this mark.
func (m *marks) see(sign int32, table string, role layout.Role, key attr.Key) {
	id := schema.LockID(table, key)
	switch _, known := m.listed[id]; {
	case sign < 0 && known:
		delete(m.listed, id)
	case sign < 0:
		m.more--
	case len(m.listed) >= maxMarks:
		m.more++
	default:
		m.list(strings.Clone(id), marked{table, finding.Mark{
			Constraint: role.Constraint.Name, Value: strings.Clone(role.Value), Lock: key.Clone().Item(),
		}})
	}
}

func (m *marks) list(id string, one marked) {
	if m.listed == nil {
		m.listed = map[string]marked{}
	}
	m.listed[id] = one
}

// tell puts the marks into the summary.
func (m *marks) tell(s *finding.Summary) {
	for _, one := range m.sorted() {
		s.Marks = append(s.Marks, one.Mark)
	}
	s.MoreMarks = int(m.more)
}

func (m *marks) sorted() []marked {
	return slices.SortedFunc(maps.Values(m.listed), func(a, b marked) int {
		return cmp.Or(cmp.Compare(a.Constraint, b.Constraint), cmp.Compare(a.Value, b.Value))
	})
}

// keep puts the marks into a state.
func (m *marks) keep(s *state.State) {
	for _, one := range m.sorted() {
		s.Marks = append(s.Marks, state.Mark{
			Table: one.table, Constraint: one.Constraint, Value: state.Text(one.Value), Lock: one.Lock,
		})
	}
	s.MoreMarks = m.more
}

// marksOf returns the marks of a state.
func (r *run) marksOf(s *state.State) (m marks) {
	m.more = s.MoreMarks
	for _, one := range s.Marks {
		from := r.source(one.Table)
		key, _ := from.Schema.KeyOf(one.Lock)
		m.list(schema.LockID(from.Name, key), marked{from.Name, finding.Mark{
			Constraint: one.Constraint, Value: string(one.Value), Lock: one.Lock,
		}})
	}
	return m
}
