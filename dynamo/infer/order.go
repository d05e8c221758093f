package infer

import (
	"cmp"
	"slices"
	"strings"
)

// order puts the rule first that explains its locks best: whose items the locks name, and that
// hits most.
func order(all []*rule) {
	likely := map[*rule]int{}
	for _, r := range all {
		likely[r] = r.direction()
	}
	slices.SortStableFunc(all, func(a, b *rule) int {
		return cmp.Or(
			cmp.Compare(boolean(b.owned > 0), boolean(a.owned > 0)),
			cmp.Compare(likely[b], likely[a]),
			cmp.Compare(boolean(called(b)), boolean(called(a))),
			cmp.Compare(b.hits(), a.hits()),
			cmp.Compare(boolean(a.kind.is != nil), boolean(b.kind.is != nil)),
			cmp.Compare(a.values-a.hits(), b.values-b.hits()),
			cmp.Compare(len(a.config.Normalise), len(b.config.Normalise)),
			cmp.Compare(len(a.path), len(b.path)), strings.Compare(a.path, b.path),
			strings.Compare(a.kind.pk+a.kind.sk, b.kind.pk+b.kind.sk),
		)
	})
}

// called reports whether a part of the locks' keys is the name of the attribute, and hardly a
// value is without its lock: _unique#User#uniqueEmail#{v} speaks for uniqueEmail, even if
// email has more values.
func called(r *rule) bool {
	return r.values-r.hits() <= max(1, r.values/missingShare) &&
		slices.ContainsFunc(strings.FieldsFunc(r.config.PK+"#"+r.config.SK, isKeySeparator),
			func(part string) bool { return strings.EqualFold(part, r.path) })
}

func isKeySeparator(c rune) bool { return strings.ContainsRune(separators, c) }

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}
