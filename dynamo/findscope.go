package dynamo

import (
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
)

// Scope gives what the lock's key is made of besides the value, by the names of
// the layout's templates; nil where it needs nothing else.
func (r *Relation) Scope() map[string]string {
	k := r.Lock.Key
	_, scope, _ := r.Constraint.ParseLock(attr.Schema{HashName: k.Hash.Name, RangeName: k.Range.Name}, k)
	return scope
}

// checkScope refuses a scope that names what no lock's key is made of.
func checkScope(t *Table, op string, scope map[string]string) error {
	var known []string
	for _, c := range t.Layout.Constraints() {
		known = append(known, c.Scope()...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for name := range scope {
		if slices.Contains(known, name) {
			continue
		}
		why := "no lock of " + t.Name + " is kept by a {" + name + "}"
		if len(known) == 0 {
			return &client.Error{Kind: client.Usage, Op: op, Why: why, Do: "leave --scope out: the value alone makes the keys"}
		}
		return &client.Error{Kind: client.Usage, Op: op, Why: why, Do: "use one of: " + strings.Join(known, ", ")}
	}
	return nil
}
