package check_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/check/state"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/scan"
	"tallylock/internal/s3"
	"tallylock/internal/testrun"
	"tallylock/ui/say"
)

// exportTime is the time of the full exports that package s3 writes.
var exportTime = time.Date(2026, 11, 20, 3, 0, 0, 123e6, time.UTC)

// past is a table with a random history. It writes exports of itself.
type past struct {
	*fixture
	*rand.Rand
	name   string
	tables []string                  // the accounts' table first
	ids    map[string]string         // the ids of the tables
	items  map[string]map[string]doc // by table and key
	owner  func(id string) doc       // the attribute by which a lock names its owner
	also   bool                      // a lock may have either of two forms
	before map[string]map[string]doc
	at     time.Time
}

func newPast(f *fixture, r *rand.Rand, name string, tables ...string) *past {
	p := &past{fixture: f, Rand: r, name: name, tables: tables, ids: map[string]string{}, at: exportTime}
	p.items = map[string]map[string]doc{}
	for _, table := range tables {
		described, err := f.App().DescribeTable(f.t.Context(), &dynamodb.DescribeTableInput{TableName: &table})
		if err != nil {
			f.t.Fatal(err)
		}
		p.ids[table], p.items[table] = *described.Table.TableId, map[string]doc{}
	}
	return p
}

func keyOf(item doc) doc { return doc{"PK": item["PK"], "SK": item["SK"]} }

func itemText(t testing.TB, item doc) []byte {
	data, err := attributevalue.MarshalMapJSON(item)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// place returns the key of an item as text.
func place(item doc) string {
	return item["PK"].(*types.AttributeValueMemberS).Value + " " + item["SK"].(*types.AttributeValueMemberS).Value
}

func (p *past) put(table string, item doc)    { p.items[table][place(item)] = item }
func (p *past) remove(table string, item doc) { delete(p.items[table], place(item)) }

// full writes a full export of the present items.
func (p *past) full() *scan.Export {
	dir := p.t.TempDir()
	for _, table := range p.tables {
		parts := make([][][]byte, 2)
		for _, key := range slices.Sorted(maps.Keys(p.items[table])) {
			at := p.IntN(2)
			parts[at] = append(parts[at], itemText(p.t, p.items[table][key]))
		}
		if _, err := (s3.Export{Table: table, TableID: p.ids[table]}).Write(dir, parts...); err != nil {
			p.t.Fatal(err)
		}
	}
	e, _, err := scan.OpenExports(dir)
	if err != nil {
		p.t.Fatal(err)
	}
	return e
}

// begin begins a window.
func (p *past) begin() {
	p.before = map[string]map[string]doc{}
	for table, items := range p.items {
		p.before[table] = maps.Clone(items)
	}
}

// end ends a window, and writes its increments. The increments may also have an item whose changes cancel out.
func (p *past) end() (all []*scan.Increment) {
	from, dir := p.at, p.t.TempDir()
	p.at = p.at.Add(time.Duration(1+p.IntN(24)) * time.Hour)
	for _, table := range p.tables {
		parts := make([][][]byte, 2)
		keys := maps.Clone(p.before[table])
		maps.Copy(keys, p.items[table])
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			old, has := p.before[table][key]
			now, have := p.items[table][key]
			var before, after []byte
			var own doc
			if has {
				before, own = itemText(p.t, old), keyOf(old)
			}
			if have {
				after, own = itemText(p.t, now), keyOf(now)
			}
			if reflect.DeepEqual(old, now) && p.IntN(20) > 0 {
				continue
			}
			at := p.IntN(2)
			parts[at] = append(parts[at], s3.Change(from.Add(time.Minute), itemText(p.t, own), before, after))
		}
		x := s3.Increment{Table: table, TableID: p.ids[table], From: from, To: p.at, View: scan.NewAndOldImages}
		if _, err := x.Write(dir, parts...); err != nil {
			p.t.Fatal(err)
		}
	}
	_, all, err := scan.OpenExports(dir)
	if err != nil {
		p.t.Fatal(err)
	}
	return all
}

var pastValues = []string{"a", "b", "c", "ada", "Ada", "ADA", "é"}

// secondForm returns the lock in the other form of the layouts with two forms.
func secondForm(v string, more ...doc) doc {
	return with(doc{"PK": str("EMAIL#" + v), "SK": str("E")}, more...)
}

// lock puts a lock, and sometimes one with a leftover mark. Two locks of a value name the same owner, since a check
// compares only one of them with the account.
func (p *past) lock(v, id string) {
	locks, of, marked := p.tables[len(p.tables)-1], p.owner(id), doc{}
	if p.IntN(10) == 0 {
		marked["tallylock_release"] = str("T" + id)
	}
	lock, other := mail(v, of, marked), secondForm(v, of, marked)
	if p.also && p.IntN(2) == 0 {
		lock, other = other, lock
	}
	if at, has := p.items[locks][place(other)]; has && !reflect.DeepEqual(at["owner"], lock["owner"]) {
		p.remove(locks, other)
	}
	p.put(locks, lock)
}

// unlock removes the locks of a value: both forms, or one.
func (p *past) unlock(v string, both bool) {
	locks := p.tables[len(p.tables)-1]
	if one := p.IntN(2) == 0; both || one {
		p.remove(locks, mail(v))
	} else {
		p.remove(locks, secondForm(v))
	}
	if both {
		p.remove(locks, secondForm(v))
	}
}

// person is an account. Its derived key may disagree with the value.
func (p *past) person(id, value string) doc {
	key := "KEY#" + value
	if p.IntN(10) == 0 {
		key = "KEY#old"
	}
	return user(id, value, doc{"GSI1PK": str(key)})
}

// write is a random write: mostly a healthy one, and sometimes one that breaks a rule.
func (p *past) write() {
	id, value, other := fmt.Sprint(p.IntN(7)), one2(p, pastValues), one2(p, pastValues)
	switch p.IntN(13) {
	case 0, 1, 2: // a sign-up, which overwrites the account if there is one
		p.put(p.tables[0], p.person(id, value))
		p.lock(strings.ToLower(value), id)
	case 3: // a change of the value, with both locks
		p.unlock(value, true)
		p.put(p.tables[0], p.person(id, other))
		p.lock(other, id)
	case 4: // a change that leaves the old lock
		p.put(p.tables[0], p.person(id, other))
		p.lock(other, id)
	case 5: // a sign-up without a lock
		p.put(p.tables[0], p.person(id, value))
	case 6:
		p.remove(p.tables[0], user(id, ""))
	case 7:
		p.unlock(value, false)
	case 8:
		p.lock(value, id)
	case 9: // a deletion with the lock
		p.remove(p.tables[0], user(id, ""))
		p.unlock(value, true)
	case 10: // an account without a value, and an undescribed item
		p.put(p.tables[0], doc{"PK": str("USER#" + id), "SK": str("PROFILE"), "name": str(value)})
		p.put(p.tables[0], doc{"PK": str("USER#" + id), "SK": str("POST#" + value)})
	case 11: // two values, which other accounts may hold, too
		p.put(p.tables[0], doc{
			"PK": str("USER#" + id), "SK": str("PROFILE"),
			"email": &types.AttributeValueMemberSS{Value: slices.Compact(slices.Sorted(slices.Values([]string{value, other})))},
		})
	case 12: // a value for which no lock can be made
		p.put(p.tables[0], user(id, strings.Repeat(value, 3000)))
	}
}

func one2(p *past, of []string) string { return of[p.IntN(len(of))] }

// pasts are the layouts of the property test.
var pasts = []struct {
	name, locks string
	change      []func(*config.Constraint)
	owner       func(r *rand.Rand) func(id string) doc
	derived     []config.Derived
}{
	{name: "ownerless", owner: ownerless},
	{name: "owner", change: []func(*config.Constraint){owned}, owner: anOwner},
	{name: "ownerkey", change: []func(*config.Constraint){owned}, owner: func(*rand.Rand) func(string) doc {
		return func(id string) doc { return owner("USER#" + id) }
	}},
	{name: "optional", change: []func(*config.Constraint){owned}, owner: func(r *rand.Rand) func(string) doc {
		return func(id string) doc {
			if r.IntN(2) == 0 {
				return nil
			}
			return owner(id)
		}
	}},
	{name: "apart", locks: "mails", owner: ownerless, change: []func(*config.Constraint){inMails}},
	{name: "apartowner", locks: "mails", owner: anOwner, change: []func(*config.Constraint){inMails, owned}},
	{name: "normalised", change: []func(*config.Constraint){lower}, owner: ownerless},
	{name: "normalisedowner", change: []func(*config.Constraint){lower, owned}, owner: anOwner},
	{name: "lapses", change: []func(*config.Constraint){lapses}, owner: ownerless},
	{name: "lapsesowner", change: []func(*config.Constraint){lapses, owned}, owner: anOwner},
	{name: "also", change: []func(*config.Constraint){twoForms}, owner: ownerless},
	{name: "alsoowner", change: []func(*config.Constraint){twoForms, owned}, owner: anOwner},
	{name: "alsolower", change: []func(*config.Constraint){twoForms, lower}, owner: ownerless},
	{name: "derived", owner: ownerless, derived: []config.Derived{{Attribute: "GSI1PK", Template: "KEY#{email}"}}},
}

func ownerless(*rand.Rand) func(string) doc { return func(string) doc { return nil } }
func anOwner(*rand.Rand) func(string) doc   { return func(id string) doc { return owner(id) } }
func inMails(c *config.Constraint)          { c.Table = "mails" }
func lapses(c *config.Constraint)           { c.Lapses = true }
func twoForms(c *config.Constraint)         { c.Also = []config.LockKey{{PK: "EMAIL#{v}", SK: "E"}} }

// A check of increments after each window agrees with a check of a full export of the same moment:
//
//   - Both report the same lock keys, with equal kinds. Or the increments say that the kind of the full check is
//     possible, too.
//   - Both count the same items, accounts, locks and impossible values, and list the same marks.
//   - The accounts that the increments name hold the value. The increments count the other accounts. If it is unknown
//     whether the lock of a duplicate exists, they add "or more" to this number.
//   - If the increments lack a finding of the full check, they list its value or its kind as not checked, and as
//     required.
func TestIncrementsFindTheSame(t *testing.T) {
	t.Parallel()
	f := start(t)
	var exact, open, gaps int
	for _, layout := range pasts {
		f.create(layout.name, "PK:S", "SK:S")
		tables := []string{layout.name}
		if layout.locks != "" {
			tables = append(tables, layout.locks+layout.name)
			f.create(layout.locks+layout.name, "PK:S", "SK:S")
			last := layout.change[0]
			layout.change[0] = func(c *config.Constraint) { last(c); c.Table = tables[1] }
		}
		of := users(layout.change...)
		of.Accounts[0].Derived = layout.derived
		for seed := range uint64(testrun.Runs(20, 2)) {
			r := rand.New(rand.NewPCG(seed, 1))
			p := newPast(f, r, layout.name, tables...)
			p.owner, p.also = layout.owner(r), len(of.Accounts[0].Constraints[0].Also) > 0
			t.Run(fmt.Sprint(layout.name, seed), func(t *testing.T) {
				p.fixture = &fixture{f.Demo, t}
				e, o, g := p.history(f.described(layout.name, of), f.described(layout.name, of))
				exact, open, gaps = exact+e, open+o, gaps+g
			})
		}
	}
	if t.Logf("%d kinds are equal, %d are open, %d are gaps", exact, open, gaps); exact < 2*open || open == 0 || gaps == 0 {
		t.Errorf("%d kinds are equal, %d are open, and %d are gaps", exact, open, gaps)
	}
}

// history runs a random history, and compares after each check of increments.
func (p *past) history(table, reference *dynamo.Table) (exact, open, gaps int) {
	for n := range 40 { // many healthy accounts, so that the layout fits
		id := fmt.Sprint("p", n)
		p.put(p.tables[0], p.person(id, id))
		lock := mail(id, p.owner(id))
		if p.name == "optional" && n == 0 {
			lock = mail(id)
		}
		p.put(p.tables[len(p.tables)-1], lock)
	}
	for range p.IntN(12) {
		p.write()
	}
	o := setting.Options{Confirm: setting.ConfirmNone, Export: p.full(), Say: say.Do}
	found := collect()
	sum, now, err := check.KeepState(p.t.Context(), table, o, found.add, nil)
	if err != nil || now == nil {
		p.t.Fatalf("%+v, %v", sum, err)
	}
	for range 4 {
		var all []*scan.Increment
		for range 1 + p.IntN(3) {
			p.begin()
			for range p.IntN(10) {
				p.write()
			}
			all = append(all, p.end()...)
		}
		p.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
		now = p.again(now)
		got := collect()
		gotSum, next, err := check.Increments(p.t.Context(), table, setting.Options{Say: say.Do}, now, all, got.add, nil)
		if err != nil || next == nil || gotSum.ReadUnits != 0 || gotSum.Confirmed && len(got.all) > 0 {
			p.t.Fatalf("%+v, %v", gotSum, err)
		}
		want, wantSum, err := run(p.t.Context(), reference, setting.Options{Confirm: setting.ConfirmNone, Export: p.full()})
		if err != nil || !wantSum.Complete {
			p.t.Fatalf("%+v, %v", wantSum, err)
		}
		if have, want := counts(gotSum), counts(wantSum); have != want {
			p.t.Errorf("the summary has %s, want %s", have, want)
		}
		e, o, g := p.same(got.all, want, gotSum)
		if exact, open, gaps = exact+e, open+o, gaps+g; p.t.Failed() {
			p.t.FailNow()
		}
		now = next
	}
	return exact, open, gaps
}

// counts has everything of a summary that both kinds of checks have.
func counts(s finding.Summary) string {
	var all []any
	for _, c := range s.Checked {
		if c.Constraint != "" {
			all = append(all, c)
		}
	}
	return line(append(all, s.Items, s.Accounts, s.Locks, texts(s.Marks), s.MoreMarks))
}

// again writes the state, and reads it.
func (p *past) again(s *state.State) *state.State {
	var file bytes.Buffer
	if err := s.Encode(&file); err != nil {
		p.t.Fatal(err)
	}
	again, err := state.Decode(&file, 1<<20)
	if err != nil {
		p.t.Fatal(err)
	}
	return again
}

type collected struct{ all []finding.Finding }

func collect() *collected                    { return &collected{} }
func (c *collected) add(one finding.Finding) { c.all = append(c.all, one) }

// spelling stands for both halves of an unnormalised-value.
const spelling finding.Kind = "spelling"

// byLock maps the text of each lock to its finding. An unnormalised-value is about two locks.
func (p *past) byLock(all []finding.Finding) map[string]finding.Finding {
	locks := map[string]finding.Finding{}
	add := func(lock string, f finding.Finding) {
		if _, twice := locks[lock]; twice {
			p.t.Errorf("%s has two findings", lock)
		}
		locks[lock] = f
	}
	for _, f := range all {
		if f.Kind == finding.UnnormalisedLock {
			f.Kind = spelling
			add("MAIL#"+f.Value, f)
		}
		add(strings.Replace(f.Lock["PK"].Text, "EMAIL#", "MAIL#", 1), f)
	}
	return locks
}

// same compares findings of increments with those of a full check. It counts the equal and the open kinds, and the gaps
// that sum names.
func (p *past) same(got, want []finding.Finding, sum finding.Summary) (exact, open, gaps int) {
	have := p.byLock(got)
	want = slices.DeleteFunc(want, func(f finding.Finding) bool {
		if !leavesOut(sum, finding.UncheckedFindings, string(f.Kind)) {
			return false
		}
		gaps++
		if lock := "MAIL#" + f.Value; slices.Contains(have[lock].AlsoPossible, f.Kind) {
			delete(have, lock)
		}
		return true
	})
	for lock, w := range p.byLock(want) {
		g, found := have[lock]
		delete(have, lock)
		unpaired := w.Kind == spelling && slices.Contains(g.AlsoPossible, finding.UnnormalisedLock)
		value := "email " + phrase.Quote(strings.TrimPrefix(lock, "MAIL#"))
		switch {
		case !found && leavesOut(sum, finding.UncheckedValues, value):
			gaps++
			continue
		case !found:
			p.t.Errorf("not found: %s %s", w.Kind, lock)
			continue
		case g.Kind == w.Kind && len(g.AlsoPossible) == 0:
			exact++
		case g.Kind == w.Kind, slices.Contains(g.AlsoPossible, w.Kind), unpaired:
			open++
		default:
			p.t.Errorf("%s is %s %v, want %s\n%s\n%s", lock, g.Kind, g.AlsoPossible, w.Kind, line(g), line(w))
		}
		if g.Kind != w.Kind || g.Confirmed {
			continue
		}
		holds := texts(w.Accounts)
		for _, a := range texts(g.Accounts) {
			if !slices.Contains(holds, a) {
				p.t.Errorf("%s of %s names %s, want %v", g.Kind, lock, a, holds)
			}
		}
		more := strings.Contains(g.Detail, " or more ")
		if n := len(g.Accounts) + g.MoreAccounts; n != len(w.Accounts) && !(more && n < len(w.Accounts)) {
			p.t.Errorf("%s of %s has %d accounts, want %d: %s", g.Kind, lock, n, len(w.Accounts), line(g))
		}
	}
	for lock, g := range have {
		p.t.Errorf("found, and not there: %s %s %s", g.Kind, lock, line(g))
	}
	return exact, open, gaps
}

func texts[T any](all []T) (lines []string) {
	for _, one := range all {
		lines = append(lines, line(one))
	}
	slices.Sort(lines)
	return lines
}

func line(v any) string {
	text, err := json.Marshal(v)
	return cmp.Or(string(text), fmt.Sprint(err))
}
