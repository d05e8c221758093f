package check_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/fault"
	"tallylock/dynamo/layout"
)

// shop is a table of accounts with locks, and of orders that have the buyer's value, too.
type shop struct {
	*rand.Rand
	items   []doc
	right   layout.Config
	wrong   layout.Config       // orders for accounts
	holders map[string][]string // accounts by value
	locked  map[string]bool
	orders  int
}

func (s *shop) chance(percent float64) bool { return s.Float64()*100 < percent }

// newShop draws one: perBuyer orders for each of the buyers, of whom so many percent of the
// accounts are.
func newShop(seed uint64, perBuyer, buyers float64) *shop {
	s := &shop{Rand: rand.New(rand.NewPCG(seed, 3)), holders: map[string][]string{}, locked: map[string]bool{}}
	pick := func(all ...string) string { return all[s.IntN(len(all))] }
	sep := pick("#", "#", ":", "|")
	attribute, bought := pick("email", "username", "contact.email"), pick("email", "buyer", "contact.email")
	if attribute == "username" {
		bought = pick("username", "buyer")
	}
	con := layout.ConstraintConfig{Name: "value", Attribute: attribute, PK: "UNIQ" + sep + "{v}", SK: pick("LOCK", "{pk}")}
	switch s.IntN(8) {
	case 0:
		con.Normalise = []string{"lower"}
	case 1:
		con.Normalise = []string{"lower", "sha256"}
	case 2:
		con.Normalise = []string{"lower", "base64"}
	case 3:
		con.Normalise = []string{"percent"}
	case 4:
		con.Normalise = []string{"nfc", "upper", "base64url"}
	}
	kinds := []string{"ACCT", "ORG"}[:1+s.IntN(2)]
	for n, word := range kinds {
		s.right.Accounts = append(s.right.Accounts, layout.AccountConfig{Model: word, PK: word + sep + "{id}", SK: "PROFILE", Constraints: []layout.ConstraintConfig{con}})
		if n > 0 {
			s.right.Accounts[n].Constraints[0].Name = "another"
		}
	}
	taken := con
	taken.Attribute = bought
	s.wrong.Accounts = []layout.AccountConfig{{Model: "ORDER", PK: "ORDER" + sep + "{id}", SK: "META", Constraints: []layout.ConstraintConfig{taken}}}
	s.people(con, bought, sep, kinds, perBuyer, buyers)
	s.Shuffle(len(s.items), func(a, b int) { s.items[a], s.items[b] = s.items[b], s.items[a] })
	return s
}

// people makes the accounts with their locks and orders.
func (s *shop) people(con layout.ConstraintConfig, bought, sep string, kinds []string, perBuyer, buyers float64) {
	var chain []layout.Normaliser
	for _, step := range con.Normalise {
		chain = append(chain, layout.Normaliser(step))
	}
	lock := func(v string) {
		v = layout.Normalise(chain, v)
		s.locked[v] = true
		sort := "LOCK"
		if con.SK == "{pk}" {
			sort = "UNIQ" + sep + v
		}
		s.items = append(s.items, doc{"PK": str("UNIQ" + sep + v), "SK": str(sort), "at": str("2026")})
	}
	for n := range 500 + s.IntN(300) {
		v := fmt.Sprintf("%s%d@x.io", []string{"ada", "Grace", "annie"}[s.IntN(3)], n)
		word := kinds[s.IntN(len(kinds))]
		account := doc{"PK": str(fmt.Sprint(word, sep, n)), "SK": str("PROFILE"), "name": str("somebody")}
		set(account, con.Attribute, v)
		gone, bare, twice := s.chance(2), s.chance(1), s.chance(0.5)
		value := layout.Normalise(chain, v)
		if !gone {
			s.items = append(s.items, account)
			s.holders[value] = append(s.holders[value], fmt.Sprint(word, n))
		}
		if twice && !gone {
			other := doc{"PK": str(fmt.Sprint(word, sep, "9", n)), "SK": str("PROFILE")}
			set(other, con.Attribute, v)
			s.items = append(s.items, other)
			s.holders[value] = append(s.holders[value], fmt.Sprint(word, "9", n))
		}
		if !bare && (!gone || s.chance(50)) {
			lock(v)
		}
		if !s.chance(buyers) {
			continue
		}
		for again := 1; again == 1 || s.chance(100*(perBuyer-1)); again++ {
			s.orders++
			order := doc{"PK": str(fmt.Sprint("ORDER", sep, 1000+s.orders)), "SK": str("META"), "total": num("7")}
			set(order, bought, v)
			s.items = append(s.items, order)
		}
	}
}

// set puts a value under a path.
func set(item doc, path, v string) {
	if path == "contact.email" {
		item["contact"] = &types.AttributeValueMemberM{Value: doc{"email": str(v)}}
		return
	}
	item[path] = str(v)
}

// falsely are the findings that are confirmed and not true.
func (s *shop) falsely(found []check.Finding) (wrong []string, sure int) {
	for _, f := range found {
		held, locked := len(s.holders[f.Value]), s.locked[f.Value]
		right := map[check.Kind]bool{
			check.MissingLock: held > 0 && !locked, check.DuplicateValue: held > 1, check.OrphanedLock: held == 0 && locked,
		}[f.Kind]
		if f.Confirmed {
			sure++
		}
		if f.Confirmed && !right {
			wrong = append(wrong, fmt.Sprintf("%s %s: %d accounts, a lock: %v: %s", f.Kind, f.Value, held, locked, f.Detail))
		}
	}
	return wrong, sure
}

// Orders that repeat their buyers' values little look as accounts do, in a table of which
// only a part is sampled. Whichever the layout takes for the accounts: nothing false is
// confirmed.
func TestOrdersThatRepeatLittle(t *testing.T) {
	t.Parallel()
	sure := 0
	for seed := range uint64(fault.Runs(40, 3)) {
		draw := rand.New(rand.NewPCG(seed, 4))
		perBuyer, buyers := 1+0.2*draw.Float64(), cmp.Or(100*float64(draw.IntN(2)), 40+60*draw.Float64())
		s := newShop(seed, perBuyer, buyers)
		f := start(t)
		f.create("shop", "PK:S", "SK:S", s.items...)
		for _, l := range []layout.Config{s.right, s.wrong} {
			units := []float64{15, 500}[draw.IntN(2)]
			table := f.described("shop", l, func(o *dynamo.Options) { o.AutoReadUnits = units })
			found, _, err := run(t.Context(), table, check.Options{})
			if err != nil && client.KindOf(err) != client.NoLayout {
				t.Fatal(err)
			}
			wrong, n := s.falsely(found)
			if sure += n; len(wrong) > 0 {
				t.Errorf("seed %d, %.2f orders for %.0f %% of accounts: %d false findings of %d are confirmed, %s\n%+v\n%+v", seed, perBuyer, buyers, len(wrong), n, wrong[0], l, table.Fit.All())
			}
		}
	}
	t.Logf("%d confirmed", sure)
}

// bazaar is 600 accounts with their locks, and so many orders of each: 2 values have no
// lock, 2 locks no account, and 1 value is held twice.
func bazaar(orders func(n int) int, named bool) (items []doc) {
	for n := range 600 {
		v := fmt.Sprint("p", n, "@x.io")
		held := cmp.Or(n, 1) // 0 and 1 hold one value
		items = append(items, user(fmt.Sprint(n), fmt.Sprint("p", held, "@x.io")))
		for range orders(n) {
			items = append(items, doc{"PK": str(fmt.Sprint("ORDER#", len(items))), "SK": str("META"), "email": str(fmt.Sprint("p", held, "@x.io"))})
		}
		switch {
		case n == 0:
			v = "left@x.io"
		case n == 2 || n == 3:
			continue
		}
		if items = append(items, mail(v)); named {
			items[len(items)-1]["owner"] = str(fmt.Sprint(held))
		}
	}
	if named {
		return append(items, mail("gone@x.io", owner("999")))
	}
	return append(items, mail("gone@x.io"))
}

// Where a table is only sampled, and other items hold what locks keep as the accounts do,
// the layout is not sure: until all was read and those repeat their values, until somebody
// says what they are, or where locks name the accounts.
func TestItemsThatLookAsAccountsDo(t *testing.T) {
	t.Parallel()
	once := func(int) int { return 1 }
	again := func(n int) int { return 1 + n%10/9 }
	few := func(n int) int { return n % 10 / 6 }
	orders := func(l *layout.Config) { l.Accounts[0].PK, l.Accounts[0].SK = "ORDER#{id}", "META" }
	told := func(l *layout.Config) { l.Copies = []layout.Told{{Items: "ORDER#*/META", Attribute: "email"}} }
	holders := func(l *layout.Config) { l.Holders = []layout.Told{{Items: "USER#*/PROFILE", Attribute: "email"}} }
	names := func(l *layout.Config) { l.Accounts[0].Constraints[0].Owner = "owner" }
	all := []string{"duplicate-value p1@x.io", "missing-lock p2@x.io", "missing-lock p3@x.io", "orphaned-lock gone@x.io", "orphaned-lock left@x.io"}
	for name, tc := range map[string]struct {
		items         []doc
		change        []func(*layout.Config)
		before, after layout.Standing
		sure          []string
	}{
		"one order each":                       {bazaar(once, false), nil, layout.Thin, layout.Thin, nil},
		"and they are said to be copies":       {bazaar(once, false), []func(*layout.Config){told}, layout.Supported, layout.Supported, all},
		"and locks name accounts":              {bazaar(once, true), []func(*layout.Config){names}, layout.Supported, layout.Supported, append(slices.Clone(all[:4]), "stale-lock left@x.io")},
		"orders repeat one value in ten":       {bazaar(again, false), nil, layout.Thin, layout.Supported, all},
		"few accounts have an order":           {bazaar(few, false), nil, layout.Thin, layout.Supported, all},
		"orders for accounts":                  {bazaar(again, false), []func(*layout.Config){orders}, layout.Thin, layout.Thin, nil},
		"orders for accounts, one each":        {bazaar(once, false), []func(*layout.Config){orders}, layout.Thin, layout.Thin, nil},
		"and the accounts said to hold values": {bazaar(once, false), []func(*layout.Config){orders, holders}, layout.Thin, layout.Thin, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := start(t)
			f.create("bazaar", "PK:S", "SK:S", tc.items...)
			l := users()
			for _, c := range tc.change {
				c(&l)
			}
			table := f.described("bazaar", l, func(o *dynamo.Options) { o.AutoReadUnits = 60 })
			if fit := table.Fit.All()[0]; fit.Standing() != tc.before || fit.Whole {
				t.Errorf("opened: %s (whole: %v), want %s: %s", fit.Standing(), fit.Whole, tc.before, fit.Why())
			}
			found, sum := f.run(table, check.Options{})
			if fit := table.Fit.All()[0]; fit.Standing() != tc.after {
				t.Errorf("checked: %s, want %s: %s", fit.Standing(), tc.after, fit.Why())
			}
			var sure []string
			for _, line := range said(found) {
				if !strings.HasSuffix(line, "?") {
					sure = append(sure, line)
				}
			}
			if !slices.Equal(sure, tc.sure) {
				t.Errorf("confirmed\n%q, want\n%q\n%v", sure, tc.sure, sum.Notes)
			}
			if asks := strings.Contains(fmt.Sprint(sum.Notes), "layout --copy"); asks != (tc.after == layout.Thin) {
				t.Errorf("%q", sum.Notes)
			}
		})
	}
}

// A layout that is inferred from orders which explain one lock more than the accounts do
// is not sure, though all of the table was read.
func TestOrdersThatExplainOneLockMore(t *testing.T) {
	f := start(t)
	var items []doc
	for n := range 60 {
		v := fmt.Sprint("p", n, "@x.io")
		items = append(items, doc{"PK": str(fmt.Sprint("ACCT#", n)), "SK": str("PROFILE"), "email": str(v)})
	}
	for n := range 61 {
		v := fmt.Sprint("p", n, "@x.io")
		items = append(items, doc{"PK": str(fmt.Sprint("ORDER#", n)), "SK": str("META"), "email": str(v)}, doc{"PK": str("UNIQ#EMAIL#" + v), "SK": str("LOCK")})
	}
	items = append(items, doc{"PK": str("ORDER#99"), "SK": str("META"), "email": str("changed@x.io")}, doc{"PK": str("ORDER#98"), "SK": str("META"), "email": str("p7@x.io")})
	f.create("inferred", "PK:S", "SK:S", items...)
	table := f.open("inferred")
	fit := table.Fit.All()[0]
	found, _ := f.run(table, check.Options{})
	wrong := slices.DeleteFunc(found, func(one check.Finding) bool { return !one.Confirmed })
	if !fit.Whole || fit.Standing() != layout.Thin || len(wrong) > 0 {
		t.Errorf("%s: %s\n%q", fit.Standing(), fit.Rule.Text, said(wrong))
	}
}

// Locks so large that looking for them takes more than may be read unasked leave nothing
// for other shapes.
func TestShapesBesideLargeLocks(t *testing.T) {
	t.Parallel()
	f := start(t)
	var items []doc
	large := doc{"about": str(strings.Repeat("x", 100<<10))}
	for n := range 40 {
		v := fmt.Sprint("p", n, "@x.io")
		items = append(items, user(fmt.Sprint(n), v), mail(v, large), doc{"PK": str(fmt.Sprint("ORDER#", n)), "SK": str("META"), "email": str(v)})
	}
	f.create("large", "PK:S", "SK:S", items...)
	for _, units := range []float64{40, 120, 500} {
		table := f.described("large", users(), func(o *dynamo.Options) { o.AutoReadUnits = units })
		if found, _ := f.run(table, check.Options{}); len(found) > 0 {
			t.Errorf("%v units: %q, %s", units, said(found), table.Fit.All()[0].Why())
		}
	}
}
