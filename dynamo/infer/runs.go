package infer

// mostBoundaries bounds the boundaries of one key that are tried, and mostPlaces the keys
// in which one text is found: what stands in more of them is a word, and no value.
const (
	mostBoundaries = 14
	mostPlaces     = 48
)

// runs is where texts stand in the keys of a sample, from one boundary of its parts to
// another.
type runs map[string][]*entry

func runsOf(tables []*table) runs {
	all := runs{}
	for _, t := range tables {
		for _, e := range t.entries {
			all.add(e)
		}
	}
	return all
}

func (r runs) add(e *entry) {
	r.addText(e, e.hash)
	if e.sort != e.hash {
		r.addText(e, e.sort)
	}
}

func (r runs) addText(e *entry, text string) {
	if text == "" {
		return
	}
	starts, ends := boundaries(text)
	for _, start := range starts {
		for _, end := range ends {
			if start >= end {
				continue
			}
			run := text[start:end]
			if at := r[run]; len(at) < mostPlaces && (len(at) == 0 || at[len(at)-1] != e) {
				r[run] = append(at, e)
			}
		}
	}
}

// boundaries are where the parts of a key begin and end: at its ends, and beside all that
// is neither letter nor digit.
func boundaries(text string) (starts, ends []int) {
	starts = []int{0}
	for n := range len(text) {
		if alphanumeric(text[n]) {
			continue
		}
		if n > 0 {
			ends = append(ends, n)
		}
		if n+1 < len(text) {
			starts = append(starts, n+1)
		}
	}
	if len(starts) > mostBoundaries {
		starts = starts[:mostBoundaries]
	}
	if len(ends) > mostBoundaries {
		ends = ends[len(ends)-mostBoundaries:]
	}
	return starts, append(ends, len(text))
}

// findRun finds where a text stands in a key, from boundary to boundary, the last time.
func findRun(key, text string) int {
	if text == "" {
		return -1
	}
	for start := len(key) - len(text); start >= 0; start-- {
		if key[start:start+len(text)] != text {
			continue
		}
		end := start + len(text)
		left := start == 0 || !alphanumeric(key[start-1])
		right := end == len(key) || !alphanumeric(key[end])
		if left && right {
			return start
		}
	}
	return -1
}
