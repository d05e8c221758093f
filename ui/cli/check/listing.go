package check

import (
	"slices"

	"tallylock/dynamo/check/finding"
)

// mostListed limits the findings that the text output lists.
const mostListed = 200

// listing keeps the findings that the text output lists, and sums up the others.
type listing struct {
	kept   map[finding.Kind][]finding.Finding // the first mostListed of each kind
	all    int
	asking []finding.Finding // one finding for each open question
	rests  []string          // the changes that confirmed findings do not exclude
}

// add adds a finding.
func (l *listing) add(f finding.Finding) {
	f.Relation = nil // a Relation keeps whole items in memory
	if l.all++; l.kept == nil {
		l.kept = map[finding.Kind][]finding.Finding{}
	}
	if len(l.kept[f.Kind]) < mostListed {
		l.kept[f.Kind] = append(l.kept[f.Kind], f)
	}
	if f.Question != nil && !slices.ContainsFunc(l.asking, func(one finding.Finding) bool {
		return *one.Question == *f.Question && one.Constraint == f.Constraint
	}) {
		l.asking = append(l.asking, f)
	}
	if _, not := f.SplitEvidence(); not != "" && f.Confirmed && !slices.Contains(l.rests, not) {
		l.rests = append(l.rests, not)
	}
}

// listed returns the findings to list. Each kind gets an equal share of mostListed. A kind with fewer findings leaves
// the rest of its share to the others.
func (l *listing) listed() map[finding.Kind][]finding.Finding {
	kinds := slices.DeleteFunc(finding.Kinds(), func(k finding.Kind) bool { return len(l.kept[k]) == 0 })
	slices.SortStableFunc(kinds, func(a, b finding.Kind) int { return len(l.kept[a]) - len(l.kept[b]) })
	room, shown := mostListed, map[finding.Kind][]finding.Finding{}
	for n, kind := range kinds {
		fits := min(len(l.kept[kind]), room/(len(kinds)-n))
		shown[kind] = l.kept[kind][:fits]
		room -= fits
	}
	return shown
}
