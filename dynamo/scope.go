package dynamo

import (
	"maps"
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

// ScopeFlags are the flags by which commands take the scope.
func (r *Relation) ScopeFlags() []string {
	var flags []string
	scope := r.Scope()
	for _, name := range slices.Sorted(maps.Keys(scope)) {
		if scope[name] != "" {
			flags = append(flags, "--scope", name+"="+scope[name])
		}
	}
	return flags
}

// checkScope refuses a scope that names what no lock's key is made of.
func checkScope(t *Table, op string, scope map[string]string) error {
	var known []string
	for _, c := range t.Layout.Constraints() {
		known = append(known, c.Scope()...)
	}
	for _, c := range t.Layout.Unlocked() {
		known = append(known, c.Within...)
	}
	return onlyKnown(op, scope, known, "no lock of "+t.Name+" is kept by", "the value alone makes the keys")
}

// onlyKnown refuses a scope that names anything but what is known. none begins the
// sentence that says so, alone says what makes the keys where nothing is known.
func onlyKnown(op string, scope map[string]string, known []string, none, alone string) error {
	slices.Sort(known)
	known = slices.Compact(known)
	for name := range scope {
		if slices.Contains(known, name) {
			continue
		}
		do := "use one of: " + strings.Join(known, ", ")
		if len(known) == 0 {
			do = "leave --scope out: " + alone
		}
		return &client.Error{Kind: client.Usage, Op: op, Why: none + " a {" + name + "}", Do: do}
	}
	return nil
}
