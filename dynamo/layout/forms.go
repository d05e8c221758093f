package layout

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"sync"
)

// Forms is an index by the forms of values (AppendForm): it finds those that may be of one
// value with a given form, as SameForm says. The values of a table may all begin alike, so it
// searches the forms in their order. Add all first; then Find is safe for concurrent use.
type Forms struct {
	all []formEntry
	// beginnings are the first bytes of all forms: most texts have another.
	beginnings map[string]bool
	sort       sync.Once
}

type formEntry struct {
	form string
	id   int32
}

// Add adds a form with an id to find it by. An empty form is like no other, and not added.
func (x *Forms) Add(form string, id int32) {
	if form == "" {
		return
	}
	if x.beginnings == nil {
		x.beginnings = map[string]bool{}
	}
	x.beginnings[form[:min(len(form), cutForm)]] = true
	x.sort = sync.Once{}
	x.all = append(x.all, formEntry{form, id})
}

// Empty reports whether nothing was added.
func (x *Forms) Empty() bool { return len(x.all) == 0 }

// Find calls yield with the id of each form that may be of one value with this one.
func (x *Forms) Find(form []byte, yield func(id int32)) {
	if !x.beginnings[string(form[:min(len(form), cutForm)])] {
		return
	}
	x.sort.Do(func() {
		slices.SortFunc(x.all, func(a, b formEntry) int {
			return cmp.Or(strings.Compare(a.form, b.form), cmp.Compare(a.id, b.id))
		})
	})
	from := sort.Search(len(x.all), func(at int) bool { return x.all[at].form >= string(form) })
	for _, one := range x.all[from:] {
		if !SameForm(one.form, string(form)) {
			break
		}
		yield(one.id)
	}
	for n := from; n > 0; {
		before := x.all[n-1]
		shared := commonPrefix(before.form, form)
		switch {
		case shared < cutForm:
			return
		case shared == len(before.form):
			yield(before.id)
			n--
		default: // any other beginning of the form is no longer than what both share
			n = sort.Search(n, func(at int) bool { return x.all[at].form > string(form[:shared]) })
		}
	}
}

func commonPrefix(a string, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
