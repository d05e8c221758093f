package words

import (
	"maps"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
)

// Command is the tallylock command about a value, by the connection that its table was opened
// with: it releases the lock where that is what mends it, else it asks who holds the value.
// Where no command can say the value, why tells.
func Command(t *dynamo.Table, r *dynamo.Relation) (line, why string) {
	text, readable := r.Constraint.Text(r.Value)
	switch {
	case released(r) && !readable:
		key, err := attr.Line(r.Lock.Key, "")
		if err != nil {
			return "", err.Error()
		}
		return t.Command([]string{"release", "--write", "--key", strings.TrimSpace(string(key))}, r.Constraint.Name), ""
	case released(r):
		return t.Command(slices.Concat([]string{"release", "--write"}, scopeOf(r)), r.Constraint.Name, text), ""
	case readable:
		return t.Command(slices.Concat([]string{"find"}, scopeOf(r)), text), ""
	case r.Account != nil:
		return t.Command([]string{"find"}, r.Account.Key.Hash.Value.Display()), ""
	}
	return "", "the lock keeps a digest, from which its value cannot be read"
}

// released reports whether releasing its lock mends a relation.
func released(r *dynamo.Relation) bool {
	switch r.Verdict {
	case dynamo.Orphaned, dynamo.Stale, dynamo.Malformed:
		return r.Lock.Exists && r.Limited() == "" && !r.Misfit
	}
	return false
}

// scopeOf is what a lock's key needs besides the value, as flags.
func scopeOf(r *dynamo.Relation) []string {
	var args []string
	scope := r.Scope()
	for _, name := range slices.Sorted(maps.Keys(scope)) {
		args = append(args, "--scope", name+"="+scope[name])
	}
	return args
}
