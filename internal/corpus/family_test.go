package corpus_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// family is a design of accounts and locks. Its tables have people with their locks, and three problems: person 3 has
// locks but no account, person 5's first lock is missing, and person 7 has new values while the locks of the old values
// are still there.
type family struct {
	name string
	// tables describes each table as "name PK SK:N +GSI1PK/GSI1SK +email": its name, its keys, and the keys of its
	// indexes. The first table has the accounts, and is opened.
	tables []string
	ids    ids
	// mixed: people typed capitals, and accounts keep them. chain normalises a value for its lock
	// ("trim|lower").
	mixed bool
	chain string
	// fewMixed: only every 13th person typed capitals.
	fewMixed bool
	// padded: some people's e-mails end with a space.
	padded bool
	// more adds problems: persons 14 and 15 hold one value, the locks of 16 name 17, and there is a
	// lock on "undefined".
	more bool
	// perTenant: two tenants have some values in common.
	perTenant bool
	count     int // the number of people; 0 means 40
	// people has the kinds of accounts. Each person gets the next kind; after the last kind comes the first.
	people []spec
	locks  []lock
	others []other
}

// lock is a lock of a family.
type lock struct {
	of string // the name of the constraint, such as email
	in int    // the index of the table
	// owned is set if the lock names its account in some way.
	owned bool
	only  int // only the n-th kind of people has this lock, counted from 1; 0 for all
	but   int // all kinds of people except the n-th have this lock, counted from 1; 0 for all
	from  int // the first person with this lock; the lock is missing for earlier people
	item  spec
	// asked is another form of the value. The question about person 12 uses this form.
	asked string
}

// other describes an item that is neither an account nor a lock. Persons 3 and 7 have no such items. The items may
// repeat values.
type other struct {
	each  int // every n-th person has the item; 0 means nobody
	times int // the number of such items of each person, with different {k}; 0 means one
	// strangers is the number of people who have the item, but no account.
	strangers int
	in        int
	item      spec
}

// entry is the truth about a lock, which may be missing.
type entry struct {
	of       string // the name of the constraint
	value    string // the value as people write it
	lower    string // the value as people might type it, if the application folds case
	scope    string
	verdicts []string // the right verdicts; the first is the best
	account  string   // the key of the account that holds the value
}

// probe is a question and the entry that answers it. If the entry is nil, the value is free.
type probe struct {
	query, of, scope string
	entry            *entry
}

// world is a family's tables and the truth about them.
type world struct {
	tables []tableJSON
	// entries has the truth about each lock, by its table and key.
	entries map[string]*entry
	probes  []probe
	// attributes lists the accounts' attributes of each constraint, by its name.
	attributes map[string][]string
	scoped     bool // a value is unique within a tenant
}

type (
	jsonItem  = map[string]any
	tableJSON struct {
		create map[string]any
		items  []jsonItem
		keys   []string
	}
)

// The verdicts. Some have the name of a finding.
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
	if count > 1000 { // each question may read the whole table, so a large table gets few
		w.probes = slices.DeleteFunc(w.probes, func(p probe) bool { return p.entry.verdicts[0] == held && p.entry.value != f.person(12)[p.of][0] })
	}
	for _, l := range f.locks {
		w.probes = append(w.probes, probe{query: freeValue(l.of), of: l.of, scope: "acme"})
	}
	return w
}

// freeValue returns a value without a lock or an account.
func freeValue(of string) string {
	return map[string]string{"email": "nobody@example.org", "emails": "nobody@example.org", "canonical": "nobody@example.org", "login": "nobody@example.org", "phone": "491510000001", "tel": "+491510000001", "sub": "1", "wallet": "0x00"}[of] + map[string]string{"username": "nobody99", "slug": "no-body-99", "serial": "SN-9999-0000", "domain": "nobody.example.com"}[of]
}

// populate adds a person with the locks and the other items.
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

// unclaimed returns the right verdicts for a lock without an account. If the lock names no owner,
// nothing distinguishes an orphaned lock from a stale one.
func (l lock) unclaimed(verdict string) []string {
	if l.owned {
		return []string{verdict}
	}
	return []string{orphaned, stale}
}

// spoil adds a problem to a lock, depending on the number of the person.
func (f *family) spoil(l lock, n int, e *entry) {
	switch {
	case n == 14 || n == 15:
		e.verdicts = []string{duplicate}
	case n == 16 && l.owned:
		e.verdicts = []string{foreign}
	}
}

// lock adds the lock of a value, unless it is missing, and the truth about it.
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
