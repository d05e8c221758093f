package embedded

import (
	"maps"
	"slices"
	"strings"
)

const maxSubstitutionName = 255

// substitutions are the #names and :values of a request. They are shared by
// its expressions, which between them must use each one.
type substitutions struct {
	names      map[string]string
	values     map[string]value
	usedNames  map[string]bool
	usedValues map[string]bool
}

func newSubstitutions(names map[string]string, values map[string]value) (*substitutions, error) {
	if names != nil && len(names) == 0 {
		return nil, invalid("ExpressionAttributeNames must not be empty")
	}
	if values != nil && len(values) == 0 {
		return nil, invalid("ExpressionAttributeValues must not be empty")
	}
	for _, key := range sortedKeys(names) {
		if !isPlaceholder(key, '#') {
			return nil, invalid("ExpressionAttributeNames contains invalid key: Syntax error; key: %q", key)
		}
		if names[key] == "" {
			return nil, invalid("ExpressionAttributeNames contains invalid value: The name of %s is empty", key)
		}
	}
	for _, key := range sortedKeys(values) {
		if !isPlaceholder(key, ':') {
			return nil, invalid("ExpressionAttributeValues contains invalid key: Syntax error; key: %q", key)
		}
		if values[key].kind == kindNone { // a JSON null
			return nil, invalid("ExpressionAttributeValues contains invalid value: Supplied AttributeValue is empty; key: %s",
				key)
		}
	}
	return &substitutions{names, values, map[string]bool{}, map[string]bool{}}, nil
}

func isPlaceholder(s string, mark byte) bool {
	return len(s) > 1 && len(s) <= maxSubstitutionName && s[0] == mark && wordAt(s, 1) == s
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// allUsed refuses substitutions that no expression asked for.
func (s *substitutions) allUsed() error {
	if unused := missingFrom(s.usedNames, s.names); unused != "" {
		return invalid("Value provided in ExpressionAttributeNames unused in expressions: keys: {%s}", unused)
	}
	if unused := missingFrom(s.usedValues, s.values); unused != "" {
		return invalid("Value provided in ExpressionAttributeValues unused in expressions: keys: {%s}", unused)
	}
	return nil
}

func missingFrom[V any](used map[string]bool, given map[string]V) string {
	if len(used) == len(given) {
		return ""
	}
	unused := slices.DeleteFunc(sortedKeys(given), func(key string) bool { return used[key] })
	return strings.Join(unused, ", ")
}
