package corpus_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/example"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/schema"
	"tallylock/internal/testrun"
	"tallylock/ui/cli/configfile"
)

// taught is a table with the layout that a person would write, and its healthy pairs.
type taught struct {
	own       guess.Sample
	others    []guess.Sample
	described *schema.View
	layout    config.Layout
	table     *dynamo.Table // the open table; nil if the test has only the samples
	// pairs are the healthy pairs of each constraint.
	pairs map[*layout.Constraint][]example.Pair
	// claimed counts the accounts that claim a lock, by schema.LockID.
	claimed map[string]int
	// numbers are the healthy counters with their ids.
	numbers map[*layout.Counter][]example.Number
}

// teach prepares the tables and their healthy pairs.
func teach(t testing.TB, l config.Layout, samples ...guess.Sample) *taught {
	t.Helper()
	built, err := l.Build()
	if err != nil {
		t.Fatal(err)
	}
	schemas := map[string]attr.Schema{}
	for _, s := range samples {
		schemas[s.Name] = s.Schema
	}
	w := &taught{own: samples[0], others: samples[1:], layout: l, pairs: map[*layout.Constraint][]example.Pair{}}
	w.described = schema.NewView(built, w.own.Name, schemas)
	w.findPairs()
	w.findNumbers()
	return w
}

// findNumbers finds the ids that are not higher than their counters.
func (w *taught) findNumbers() {
	w.numbers = map[*layout.Counter][]example.Number{}
	s := w.own.Schema
	for _, c := range w.described.Layout.Counters {
		for table, item := range w.items {
			for n := range c.IDs {
				id, vars, ok := c.IDs[n].Of(w.described.SchemaOf(table), item)
				if !ok || c.IDs[n].TableOf(w.own.Name) != table {
					continue
				}
				for _, counter := range w.own.Items {
					key, err := c.KeyFor(s, vars)
					own, _ := s.KeyOf(counter)
					if err == nil && key.Equal(own) && !c.Behind(counter.At(c.Attribute).Text, id) {
						of := example.Number{Counter: counter, ID: item}
						if table != w.own.Name {
							of.IDTable = table
						}
						w.numbers[c] = append(w.numbers[c], of)
					}
				}
			}
		}
	}
}

// items yields the items of all tables.
func (w *taught) items(yield func(table string, item attr.Item) bool) {
	for _, s := range append([]guess.Sample{w.own}, w.others...) {
		for _, item := range s.Items {
			if !yield(s.Name, item) {
				return
			}
		}
	}
}

// findPairs finds the healthy pairs. In such a pair, only one account claims the lock, and the lock names no other
// account.
func (w *taught) findPairs() {
	v := w.described
	locks, claimed := map[string]attr.Item{}, map[string]int{}
	w.claimed = claimed
	for table, item := range w.items {
		if k, ok := v.SchemaOf(table).KeyOf(item); ok {
			locks[schema.LockID(table, k)] = item
		}
	}
	for table, item := range w.items {
		if table != w.own.Name {
			continue
		}
		for _, claim := range v.ClaimsOf(item) {
			if claim.Err == nil {
				claimed[schema.LockID(v.LockTable(claim.Constraint), claim.Key)]++
			}
		}
	}
	for table, item := range w.items {
		_, a := v.AccountOf(item)
		if table != w.own.Name || a == nil {
			continue
		}
		for _, claim := range v.ClaimsOf(item) {
			of := v.LockTable(claim.Constraint)
			for _, key := range claim.Keys() {
				id := schema.LockID(of, key)
				lock := schema.LockOf(claim.Constraint, of, key, locks[id])
				if claim.Err != nil || !lock.Exists || claimed[id] != 1 || !isLockOf(v, claim.Constraint, lock) ||
					claim.Constraint.OwnerOf(lock.Item) != "" && !v.Names(claim.Constraint, lock, a) ||
					claim.Constraint.Owner != "" && claim.Constraint.OwnerOf(lock.Item) == "" {
					continue
				}
				p := example.Pair{Account: item, Lock: lock.Item}
				if of != w.own.Name {
					p.LockTable = of
				}
				w.pairs[claim.Constraint] = append(w.pairs[claim.Constraint], p)
			}
		}
	}
}

// isLockOf reports whether a lock belongs to the constraint. Several constraints may share their lock keys.
func isLockOf(v *schema.View, c *layout.Constraint, lock schema.Lock) bool {
	role := v.Classify(lock.Table, lock.Item)
	return role.Constraint == c || role.Constraint != nil && c.Shared && v.SharesKeys(role.Constraint, c)
}

// judgementOf describes an item by a layout: its role, and its relations to other items.
func (w *taught) judgementOf(v *schema.View, table string, item attr.Item) string {
	role := v.Classify(table, item)
	var all []string
	if role.Constraint != nil {
		k, _ := v.SchemaOf(table).KeyOf(item)
		lock := schema.LockOf(role.Constraint, table, k, item)
		all = append(all, fmt.Sprint("lock ", role.Malformed))
		if r := role.Constraint.Reserved; r.For > 0 && w.claimed[schema.LockID(table, k)] == 0 {
			all = append(all, fmt.Sprint("reserved for ", r.For, " since ", r.Since))
		}
		for _, of := range v.OwnerKeys(role.Constraint, lock) {
			all = append(all, "owned by "+of.String())
		}
	}
	if table == v.AccountTable && role.Constraint == nil && role.Account != nil {
		all = append(all, "account")
		for _, claim := range v.ClaimsOf(item) {
			if claim.Err != nil {
				all = append(all, "claims nothing")
				continue
			}
			var keys []string
			for _, key := range claim.Keys() { // the two forms of a key may have any order
				keys = append(keys, key.String())
			}
			slices.Sort(keys)
			all = append(all, "claims "+v.LockTable(claim.Constraint)+" "+strings.Join(keys, " or "))
		}
	}
	for _, c := range v.Layout.Counters {
		if table == v.AccountTable && c.Matches(v.AccountSchema(), item) && item.At(c.Attribute).Exists() {
			all = append(all, fmt.Sprintf("counter %s %s %s", c.Attribute, c.Semantics, c.Step))
		}
		for n := range c.IDs {
			if id, vars, ok := c.IDs[n].Of(v.SchemaOf(table), item); ok && c.IDs[n].TableOf(v.AccountTable) == table {
				key, err := c.KeyFor(v.AccountSchema(), vars)
				all = append(all, fmt.Sprint("number ", id, " of ", key, " ", c.Attribute, err))
			}
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ", ")
}

// differences lists the items that the derived layout judges differently from the described layout.
func (w *taught) differences(t testing.TB, c config.Layout) (all []string) {
	l, err := c.Build()
	if err != nil {
		t.Fatalf("%v\n%s", err, c.TOML())
	}
	v := schema.NewView(l, w.own.Name, w.described.Schemas)
	for table, item := range w.items {
		if want, got := w.judgementOf(w.described, table, item), w.judgementOf(v, table, item); want != got {
			k, _ := v.SchemaOf(table).KeyOf(item)
			all = append(all, fmt.Sprintf("%s %s: %s\n        not %s", table, k, got, want))
		}
	}
	return all
}

// learn derives a layout, and answers each question with the candidate whose layout has the fewest differences to the
// described layout.
func (w *taught) learn(t testing.TB, l example.Lesson) (*example.Result, int, error) {
	r, err := w.derive(t, l)
	asked := 0
	for err == nil && len(w.differences(t, r.Config)) > 0 && len(r.Open()) > 0 {
		open := r.Open()[0]
		asked++
		best, fewest := open.Chosen, 1<<30
		candidates := open.Candidates
		if open.Typed {
			candidates = append(candidates, example.Candidate{Text: w.typed(open.Setting)})
		}
		for _, c := range candidates {
			answered, failed := w.derive(t, l.WithAnswer(example.Answer{Section: open.Section, Setting: open.Setting, Text: c.Text}))
			if failed != nil {
				continue
			}
			if n := len(w.differences(t, answered.Config)); n < fewest {
				best, fewest = c.Text, n
			}
		}
		l = l.WithAnswer(example.Answer{Section: open.Section, Setting: open.Setting, Text: best})
		r, err = w.derive(t, l)
	}
	return r, asked, err
}

// derive derives the layout of a lesson. It uses the samples, or the open table if there is one.
func (w *taught) derive(t testing.TB, l example.Lesson) (*example.Result, error) {
	if w.table == nil {
		return l.Derive(t.Context(), w.own, w.others, nil)
	}
	of, err := dynamo.Teach(t.Context(), w.table, l)
	if err != nil {
		return nil, err
	}
	return of.Result, nil
}

// typed returns the text that a person would type for a setting of a constraint.
func (w *taught) typed(setting string) string {
	for _, part := range w.layout.Parts() {
		for _, s := range part.Settings {
			if part.Kind == "constraint" && s.Name == setting && s.Set {
				return s.Text
			}
		}
	}
	return ""
}

// check checks that a healthy pair of each constraint, with the first pair of every other constraint, teaches the
// described layout. If all is set, it tries every pair of a constraint, else only the middle one. It also calls
// checkCounters.
func (w *taught) check(t *testing.T, all bool) {
	t.Helper()
	constraints := w.described.Layout.Constraints()
	w.checkCounters(t, all)
	for n, c := range constraints {
		pairs := w.pairs[c]
		if len(pairs) == 0 {
			t.Errorf("%s has no healthy pair", c.Name)
			continue
		}
		if !all {
			pairs = pairs[min(len(pairs)-1, len(pairs)/2):][:1]
		}
		for _, p := range pairs {
			var l example.Lesson
			for m, other := range constraints {
				switch {
				case m == n:
					l = l.WithPair(p)
				case len(w.pairs[other]) > 0:
					l = l.WithPair(w.pairs[other][0])
				}
			}
			if !w.learns(t, c.Name, l) {
				return
			}
		}
	}
}

// learns fails the test if the lesson does not give the described layout. It returns false only if the layouts differ.
func (w *taught) learns(t *testing.T, name string, l example.Lesson) bool {
	t.Helper()
	r, asked, err := w.learn(t, l)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return true
	}
	d := w.differences(t, r.Config)
	if len(d) > 0 {
		t.Errorf("%s: %d questions\n%s\n%d differences: %s\nchoices %v", name, asked, r.Config.TOML(), len(d), strings.Join(d[:min(4, len(d))], "\n  "), r.Choices)
	}
	return len(d) == 0
}

// checkCounters checks that a number of each counter, with the first number of every other counter, teaches the
// described layout. If all is set, it tries every number of a counter, else only the middle one.
func (w *taught) checkCounters(t *testing.T, all bool) {
	t.Helper()
	var counters []*layout.Counter
	for _, c := range w.described.Layout.Counters {
		if c.Semantics != layout.Tally { // a tally hands out no ids
			counters = append(counters, c)
		}
	}
	w.described.Layout.Counters = counters
	for n, c := range counters {
		numbers := w.numbers[c]
		switch {
		case len(numbers) == 0 && len(c.IDs) > 0:
			t.Errorf("%s has no number", c.Attribute)
			continue
		case len(numbers) == 0:
			continue // the layout names no ids of this counter
		}
		if !all {
			numbers = numbers[len(numbers)/2:][:1]
		}
		for _, number := range numbers {
			var l example.Lesson
			for m, other := range counters {
				if m == n {
					l = l.WithNumber(number)
				} else if len(w.numbers[other]) > 0 {
					l = l.WithNumber(w.numbers[other][0])
				}
			}
			if !w.learns(t, c.Attribute, l) {
				return
			}
		}
	}
}

// samples returns the tables of a world as samples.
func (w *world) samples(t testing.TB) (all []guess.Sample) {
	t.Helper()
	for _, table := range w.tables {
		s := guess.Sample{Name: table.name(), Whole: true, Schema: schemaOf(table)}
		for _, item := range table.items {
			text, err := json.Marshal(item)
			if err != nil {
				t.Fatal(err)
			}
			var one attr.Item
			if err := json.Unmarshal(text, &one); err != nil {
				t.Fatal(err)
			}
			s.Items = append(s.Items, one)
		}
		all = append(all, s)
	}
	return all
}

func schemaOf(table tableJSON) (s attr.Schema) {
	kinds := map[string]attr.Kind{}
	definitions, _ := table.create["AttributeDefinitions"].([]any)
	for _, d := range definitions {
		of := d.(map[string]any)
		kinds[of["AttributeName"].(string)] = attr.Kind(of["AttributeType"].(string))
	}
	s.HashName = table.keys[0]
	s.HashKind = kinds[s.HashName]
	if len(table.keys) > 1 {
		s.RangeName = table.keys[1]
		s.RangeKind = kinds[s.RangeName]
	}
	return s
}

// Any healthy pair of a family is enough: the derived layout judges the table like the described layout, or the program
// asks for the line that differs.
func TestTaughtFamilies(t *testing.T) {
	all := append(slices.Clone(recognised), group{"sampled", sampled})
	for _, g := range all {
		for _, f := range g.families {
			account, ok := described[f.name]
			if !ok || f.count > 1000 {
				continue
			}
			t.Run(f.name, func(t *testing.T) {
				t.Parallel()
				w := f.build()
				l := config.Layout{Name: "ours", Tables: []string{w.tables[0].name()}, Accounts: []config.Account{account}}
				teach(t, l, w.samples(t)...).check(t, testrun.Long())
			})
		}
	}
}

// A healthy pair of a random table is enough, too: see TestTaughtFamilies.
func TestTaughtGenerated(t *testing.T) {
	for seed := range uint64(testrun.Runs(400, 30)) {
		g := generate(seed)
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			w := g.build()
			l := config.Layout{Name: "ours", Tables: []string{w.tables[0].name()}, Accounts: []config.Account{g.account}}
			teach(t, l, w.samples(t)...).check(t, false)
		})
	}
}

// documented reads the examples of docs/layouts.md.
func documented(t testing.TB) (all []config.Layout) {
	t.Helper()
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "layouts.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(doc), "```toml\n")[1:] {
		text, _, _ := strings.Cut(block, "```")
		c, err := configfile.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c.Layouts...)
	}
	return all
}

// drawn makes the tables of a layout. They have accounts with their locks. Of each kind of account, one account is
// missing although its locks exist, one has no locks, and one has the locks of its old values, too.
type drawn struct {
	l       *layout.Layout
	samples map[string]*guess.Sample
	capital bool // set if people typed capital letters
}

// draw makes the samples of a layout's tables. The first sample is that of the accounts' table.
func draw(t testing.TB, c config.Layout, capital bool) []guess.Sample {
	t.Helper()
	l, err := c.Build()
	if err != nil {
		t.Fatal(err)
	}
	d := &drawn{l: l, samples: map[string]*guess.Sample{}, capital: capital}
	tables := []string{c.Tables[0]}
	d.samples[c.Tables[0]] = &guess.Sample{Name: c.Tables[0], Whole: true, Schema: schemaFor(l.Accounts[0].SK)}
	for _, con := range l.Constraints() {
		if of := con.LockTable(c.Tables[0]); d.samples[of] == nil {
			tables = append(tables, of)
			d.samples[of] = &guess.Sample{Name: of, Whole: true, Schema: schemaFor(con.SK)}
		}
	}
	for n := range 24 {
		for _, a := range l.Accounts {
			d.add(c.Tables[0], a, n)
		}
	}
	var all []guess.Sample
	for _, name := range tables {
		all = append(all, *d.samples[name])
	}
	return all
}

func schemaFor(sk layout.Template) attr.Schema {
	s := attr.Schema{HashName: "PK", HashKind: attr.S}
	if !sk.Empty() {
		s.RangeName, s.RangeKind = "SK", attr.S
	}
	return s
}

// add adds the n-th account of a kind, and its locks.
func (d *drawn) add(table string, a *layout.Account, n int) {
	own := d.samples[table]
	now := d.account(own.Schema, a, n, "")
	before := now
	if n == 7 {
		before = d.account(own.Schema, a, n, "old")
	}
	if n != 3 {
		own.Items = append(own.Items, now)
	}
	schemaOf := func(table string) attr.Schema { return d.samples[table].Schema }
	for _, claim := range append(a.AppendClaims(nil, table, schemaOf, before), a.AppendClaims(nil, table, schemaOf, now)...) {
		if claim.Err != nil || n == 5 {
			continue
		}
		keys := claim.Keys()
		d.put(claim.Constraint, claim.Constraint.LockTable(table), keys[n%len(keys)], a, own.Schema, now)
	}
}

// put adds a lock, unless it already exists.
func (d *drawn) put(c *layout.Constraint, table string, k attr.Key, a *layout.Account, s attr.Schema, account attr.Item) {
	of := d.samples[table]
	if slices.ContainsFunc(of.Items, func(item attr.Item) bool { own, _ := of.Schema.KeyOf(item); return own.Equal(k) }) {
		return
	}
	lock := k.Item()
	id, _ := a.Matches(s, account)
	if c.Owner != "" {
		lock[c.Owner] = attr.String(strings.ReplaceAll(cmp.Or(c.OwnerForm.String(), "{id}"), "{id}", id))
	}
	if c.Is.Attribute != "" {
		lock[c.Is.Attribute] = attr.String(c.Is.Value)
	}
	if c.Reserved.Since != "" {
		lock[c.Reserved.Since] = attr.String("2020-01-01T00:00:00Z")
	}
	of.Items = append(of.Items, lock)
}

// account makes the n-th account of a kind. Its values contain the given word.
func (d *drawn) account(s attr.Schema, a *layout.Account, n int, word string) attr.Item {
	names := []string{"ada", "grace", "alan", "edsger", "barbara", "donald", "tony", "radia"}
	vars := strings.NewReplacer("{id}", fmt.Sprintf("%s%x", a.Model[:1], 0xa1f9c3+n*7919), "{tenant}", []string{"acme", "globex", "initech"}[n%3])
	item := attr.Item{s.HashName: attr.String(vars.Replace(a.PK.String()))}
	if s.RangeName != "" {
		item[s.RangeName] = attr.String(strings.ReplaceAll(vars.Replace(a.SK.String()), "{pk}", item[s.HashName].Text))
	}
	item["name"] = attr.String(names[n%len(names)])
	if a.Is.Attribute != "" {
		item[a.Is.Attribute] = attr.String(a.Is.Value)
	}
	for m, c := range a.Constraints {
		who := names[n%len(names)]
		if d.capital {
			who = strings.ToUpper(who[:1]) + who[1:]
		}
		v := attr.String(fmt.Sprintf("%s%s%d.%d%s", who, word, n, m, a.Model[:1]))
		if strings.Contains(strings.ToLower(c.Attribute), "email") {
			v.Text += "@Example.org"
			if !d.capital {
				v.Text = strings.ToLower(v.Text)
			}
		}
		path := strings.Split(c.Attribute, ".")
		switch {
		case strings.HasPrefix(c.Attribute, "other"):
			v = attr.Value{Kind: attr.SS, Set: []string{v.Text, "second" + v.Text}}
		case len(path) == 2:
			v, path = attr.Value{Kind: attr.M, Map: attr.Item{path[1]: v}}, path[:1]
		}
		item[path[0]] = v
	}
	return item
}

// For each layout in docs/layouts.md, any healthy account with its lock is a sufficient example. The derived layout
// judges the table like the documented layout, or the program asks about the line that differs.
func TestTaughtDocumented(t *testing.T) {
	n := 0
	for _, c := range documented(t) {
		built, err := c.Build()
		if err != nil {
			t.Fatal(err)
		}
		if len(built.Constraints()) == 0 {
			continue
		}
		n++ // another test checks the layouts that have only counters
		for _, capital := range []bool{true, false} {
			t.Run(fmt.Sprint(c.Name, " capitals ", capital), func(t *testing.T) {
				t.Parallel()
				teach(t, c, draw(t, c, capital)...).check(t, testrun.Long())
			})
		}
	}
	if n < 10 {
		t.Errorf("%d documented layouts are too few", n)
	}
}

// For each documented counter, any healthy number is a sufficient example. The derived counter judges the table like
// the documented counter, or the program asks about the line that differs.
func TestTaughtDocumentedCounters(t *testing.T) {
	tables := map[string]string{"orders": `
PK=COUNTER#ORDER SK=VALUE val:17
PK=COUNTER#INVOICE SK=VALUE nextInvoice:1013
PK=STATS SK=MEMBERS count:3`, "tickets": `
PK=TENANT#acme SK=SEQ lastTicket:9
PK=TENANT#globex SK=SEQ lastTicket:12
PK=TENANT#initech SK=SEQ lastTicket:2`}
	for n := range 17 {
		tables["orders"] += fmt.Sprintf("\nPK=ORDER#%d SK=META total:%d buyer=u%d", n+1, 700-40*n, n)
	}
	for n := range 12 {
		tables["orders"] += fmt.Sprintf("\nPK=INVOICE#%x SK=META invoiceNo=INV-%d total:%d", 0xa1f9c3+n*7919, 1001+n, 500-31*n)
		tables["tickets"] += fmt.Sprintf("\nPK=TENANT#globex SK=TICKET#%d title=T%d", n+1, n)
		if n < 9 {
			tables["tickets"] += fmt.Sprintf("\nPK=TENANT#acme SK=TICKET#%d title=T%d", n+1, n)
		}
		if n < 2 {
			tables["tickets"] += fmt.Sprintf("\nPK=TENANT#initech SK=TICKET#%d title=T%d", n+1, n)
		}
	}
	for _, c := range documented(t) {
		if len(c.Counters) == 0 || tables[c.Name] == "" {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			w := numbered{tables: []string{c.Tables[0] + " PK SK"}, items: tables[c.Name]}.build()
			teach(t, c, w.samples(t)...).check(t, true)
		})
	}
}

// fits reports whether, by a layout, more than a quarter of the values have their lock.
func (w *taught) fits(t testing.TB, c config.Layout) bool {
	l, err := c.Build()
	if err != nil {
		t.Fatal(err)
	}
	v := schema.NewView(l, w.own.Name, w.described.Schemas)
	there, claims, locked := map[string]bool{}, 0, 0
	for table, item := range w.items {
		k, _ := v.SchemaOf(table).KeyOf(item)
		there[schema.LockID(table, k)] = true
	}
	for table, item := range w.items {
		if table != w.own.Name {
			continue
		}
		for _, claim := range v.ClaimsOf(item) {
			if claims++; there[schema.LockID(v.LockTable(claim.Constraint), claim.Key)] {
				locked++
			}
		}
	}
	return 4*locked > claims
}

// An account and the lock of another account are not an example: they are refused, or few values of the sample have a
// lock by the derived layout.
func TestTaughtStrangers(t *testing.T) {
	for _, g := range recognised {
		for _, f := range g.families {
			account, ok := described[f.name]
			if !ok || f.count > 1000 {
				continue
			}
			t.Run(f.name, func(t *testing.T) {
				t.Parallel()
				world := f.build()
				l := config.Layout{Name: "ours", Tables: []string{world.tables[0].name()}, Accounts: []config.Account{account}}
				w := teach(t, l, world.samples(t)...)
				for _, c := range w.described.Layout.Constraints() {
					pairs := w.pairs[c]
					for n := range testrun.Runs(len(pairs), min(len(pairs), 4)) {
						p := example.Pair{Account: pairs[n].Account, Lock: pairs[(n+5)%len(pairs)].Lock, LockTable: pairs[n].LockTable}
						r, err := example.Lesson{}.WithPair(p).Derive(t.Context(), w.own, w.others, nil)
						if err == nil && w.fits(t, r.Config) {
							t.Errorf("%s of another account: %s\n%v", c.Name, r.Config.TOML(), r.Choices)
						}
					}
				}
			})
		}
	}
}
