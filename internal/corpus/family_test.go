package corpus_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// family is a way to keep accounts and locks. Its tables hold forty people with their
// locks, and three things are wrong: person 3's account is gone and the locks stayed,
// person 5's first lock is gone, and person 7 moved to other values while the locks of
// the old ones stayed.
type family struct {
	name string
	// tables are written "name PK SK:N +GSI1PK/GSI1SK +email": the keys, and the keys of
	// indexes. The first is the accounts' own, which is the one that is opened.
	tables []string
	ids    ids
	// mixed: people typed capitals, and accounts keep them. chain is what is made of a
	// value before it is locked ("trim|lower").
	mixed bool
	chain string
	// fewMixed: only every 13th person typed them.
	fewMixed bool
	// padded: some people's e-mails end with a space.
	padded bool
	// more is wrong: persons 14 and 15 hold one value, the locks of 16 name 17, and there is
	// one on "undefined".
	more bool
	// perTenant: some values are held once in each of two tenants.
	perTenant bool
	count     int // of people; 40
	// people are the kinds of accounts, taken in turn.
	people []spec
	locks  []lock
	others []other
}

// lock is the item that keeps a value.
type lock struct {
	of string // what people have: email
	in int    // the table
	// owned: it names its account, by whatever.
	owned bool
	only  int // of the n-th kind of people alone, from 1
	but   int // of all kinds but the n-th, from 1
	from  int // of people from the n-th on; the others' are missing
	item  spec
	// asked is what people ask for instead: the same in another form. Person 12 is asked for.
	asked string
}

// other is an item that is neither, of each of some people who have no part in what is
// wrong. It may repeat values.
type other struct {
	each  int // of every n-th person; 0: of none
	times int // this many of each, which differ in {k}; 1
	// strangers: this many are of people who have no account.
	strangers int
	in        int
	item      spec
}

// entry is a lock, or the place where one should be, and what is true of it.
type entry struct {
	of       string // what it keeps of people
	value    string // as people know it
	lower    string // the same as people might type it, where the application folds it
	scope    string
	verdicts []string // those that are right; the first is the best
	account  string   // the key of the account that holds the value
}

// probe is a question and the entry that answers it; nil: the value is free.
type probe struct {
	query, of, scope string
	entry            *entry
}

// world is a family's tables and what is true of them.
type world struct {
	tables []tableJSON
	// entries are by table and key.
	entries map[string]*entry
	probes  []probe
	// attributes are where accounts hold what people have.
	attributes map[string][]string
	scoped     bool // locks keep values of one tenant each
}

type (
	jsonItem  = map[string]any
	tableJSON struct {
		create map[string]any
		items  []jsonItem
		keys   []string
	}
)

// Verdicts by the names of findings, where there is one.
const (
	held     = "held"
	orphaned = "orphaned-lock"
	stale    = "stale-lock"
	missing  = "missing-lock"
	free     = "free"

	duplicate = "duplicate-value"
	foreign   = "foreign-lock"
	malformed = "malformed-lock"
)

// build makes the tables.
func (f family) build() *world {
	w := &world{entries: map[string]*entry{}, attributes: map[string][]string{}}
	for _, t := range f.tables {
		w.tables = append(w.tables, describe(t))
	}
	for _, l := range f.locks {
		w.scoped = w.scoped || len(l.item.holding("tenant")) > 0
		for _, p := range f.people {
			w.attributes[l.of] = append(w.attributes[l.of], p.holding(l.of)...)
		}
	}
	count := f.count
	if count == 0 {
		count = 40
	}
	for n := range count {
		f.populate(w, n)
	}
	for _, o := range f.others {
		for n := range o.strangers {
			who := f.person(count + 60 + n)
			who["k"] = []string{"0"}
			w.add(o.in, who.item(o.item))
		}
	}
	if count > 1000 { // each question may read the whole table
		w.probes = slices.DeleteFunc(w.probes, func(p probe) bool { return p.entry.verdicts[0] == held && p.entry.value != f.person(12)[p.of][0] })
	}
	for _, l := range f.locks {
		w.probes = append(w.probes, probe{query: freeValue(l.of), of: l.of, scope: "acme"})
	}
	return w
}

// freeValue is a value that nobody holds.
func freeValue(of string) string {
	return map[string]string{"email": "nobody@example.org", "emails": "nobody@example.org", "canonical": "nobody@example.org", "login": "nobody@example.org", "phone": "491510000001", "tel": "+491510000001", "sub": "1", "wallet": "0x00"}[of] + map[string]string{"username": "nobody99", "slug": "no-body-99", "serial": "SN-9999-0000", "domain": "nobody.example.com"}[of]
}

// populate adds a person, the locks, and what else is kept of them.
func (f *family) populate(w *world, n int) {
	was := f.person(n)
	now := was
	if n == 7 {
		now = moved(was, f.locks)
	}
	kind := n % len(f.people)
	account := now.item(f.people[kind])
	if n != 3 {
		w.add(0, account)
	}
	key := w.tables[0].id(account)
	first := true
	for _, l := range f.locks {
		if l.only != 0 && l.only != kind+1 || l.but == kind+1 {
			continue
		}
		for _, raw := range now[l.of] {
			e := &entry{account: key, verdicts: []string{held}}
			switch {
			case n == 3:
				e.account, e.verdicts = "", l.unclaimed(orphaned)
			case n == 5 && first, n < l.from:
				e.verdicts = []string{missing}
			}
			if f.more {
				f.spoil(l, n, e)
			}
			f.lock(w, l, now, raw, e, n < 13 || n >= 30)
			first = false
		}
		if f.more && n == 0 {
			f.lock(w, l, now, "undefined", &entry{verdicts: []string{malformed, stale}}, false)
		}
		if n == 7 {
			for _, raw := range was[l.of] {
				f.lock(w, l, was, raw, &entry{verdicts: l.unclaimed(stale)}, true)
			}
		}
	}
	for _, o := range f.others {
		for k := range max(1, o.times) {
			if n != 3 && n != 7 && o.each > 0 && n%o.each == 0 {
				now["k"] = []string{fmt.Sprint(k)}
				w.add(o.in, now.item(o.item))
			}
		}
	}
}

// unclaimed are the verdicts of a lock that no account calls for: where it names nobody,
// nobody can tell an orphan from a stale one.
func (l lock) unclaimed(verdict string) []string {
	if l.owned {
		return []string{verdict}
	}
	return []string{orphaned, stale}
}

// spoil says what else is wrong with a lock.
func (f *family) spoil(l lock, n int, e *entry) {
	switch {
	case n == 14 || n == 15:
		e.verdicts = []string{duplicate}
	case n == 16 && l.owned:
		e.verdicts = []string{foreign}
	}
}

// lock adds the lock of a value, but for one that is missing, and what is true of it.
func (f *family) lock(w *world, l lock, who vars, raw string, e *entry, asked bool) {
	who = maps.Clone(who)
	who["raw"] = []string{raw}
	if e.verdicts[0] == foreign {
		who["id"] = f.person(17)["id"]
	}
	v := raw
	for step := range strings.SplitSeq(f.chain, "|") {
		if step != "" {
			v = functions[step](v)
		}
	}
	who["v"] = []string{v}
	item := who.item(l.item)
	e.of, e.value, e.scope = l.of, raw, who["tenant"][0]
	if v != raw {
		e.lower = v
	}
	at := w.tables[l.in].id(item)
	second := w.entries[at] != nil
	w.entries[at] = e
	if e.verdicts[0] != missing && !second {
		w.add(l.in, item)
	}
	if asked && (e.verdicts[0] != held || slices.Contains([]string{"0", "12", "31"}, who["n"][0])) {
		w.probes = append(w.probes, probe{query: raw, of: l.of, scope: e.scope, entry: e})
		if l.asked != "" && who["n"][0] == "12" {
			w.probes = append(w.probes, probe{query: who[l.asked][0], of: l.of, scope: e.scope, entry: e})
		}
		if e.lower != "" && who["n"][0] == "12" {
			w.probes = append(w.probes, probe{query: e.lower, of: l.of, scope: e.scope, entry: e})
		}
	}
}

func (w *world) add(table int, item jsonItem) {
	w.tables[table].items = append(w.tables[table].items, item)
}

func sortedNames(s spec) []string { return slices.Sorted(maps.Keys(s)) }
