package findings

import (
	"slices"
	"strings"

	"tallylock/dynamo/check"
)

// row is a finding on the screen.
type row struct {
	f     check.Finding
	order int    // of its kind
	sort  string // its place in the kind
	find  string // what the filter looks through, in lower case
	// mended is what became of a change that was to mend it; nil for none.
	mended *outcome
}

func newRow(f check.Finding) *row {
	r := &row{f: f, order: slices.Index(check.Kinds(), f.Kind)}
	said := []string{f.Constraint, f.Value, f.Counter, f.Number()}
	r.sort = strings.Join(said, "\x00")
	said = append(said, f.Owner)
	keys := slices.Clone(f.Accounts)
	for _, p := range f.Items {
		keys = append(keys, p.Key)
	}
	for _, key := range keys {
		for _, name := range key.Names() {
			said = append(said, key[name].Display())
		}
	}
	r.find = strings.ToLower(strings.Join(said, "\x00"))
	return r
}

// group is the findings of one kind that the filter leaves.
type group struct {
	kind  check.Kind
	rows  []*row
	total int // with those that it leaves out
	sure  int // of rows
	done  int // of rows, nothing to mend any more
}

// done reports whether there is nothing to mend any more.
func (x *row) done() bool { return x.mended != nil && x.mended.done }
