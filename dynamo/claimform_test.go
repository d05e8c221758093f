package dynamo_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// handles opens a table of accounts with handles, and asks about the locks of values.
func (f *fixture) handles(values ...string) (*dynamo.ClaimScan, []*dynamo.Relation) {
	f.t.Helper()
	f.create("handles", "PK:S", "SK:S")
	table := f.open("handles", func(o *dynamo.Options) {
		o.Layouts = []layout.Config{{Name: "mine", Tables: []string{"handles"}, Accounts: []layout.AccountConfig{{
			Model: "user", PK: "USER#{id}", SK: "PROFILE",
			Constraints: []layout.ConstraintConfig{{Name: "handle", Attribute: "handle", PK: "UNIQ#{v}", SK: "LOCK"}},
		}}}}
	})
	var rels []*dynamo.Relation
	for _, v := range values {
		rel, err := table.LockOf(f.t.Context(), "handle", v, nil)
		if err != nil {
			f.t.Fatal(err)
		}
		rels = append(rels, rel)
	}
	return table.ClaimScan(rels...), rels
}

func seeHandle(r *dynamo.ClaimReader, id int, handle string) {
	r.See("handles", attr.Item{"PK": attr.String(fmt.Sprint("USER#", id)), "SK": attr.String("PROFILE"), "handle": attr.String(handle)})
}

// Of very many values that begin alike, an account is met to hold another form of just those
// that its own begins with, or that begin with its own.
func TestFormsThatBeginAlike(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	one := func(long int) string {
		text := []byte("customeraccount1")
		for range long {
			text = append(text, "xyz"[random.IntN(3)])
		}
		return string(text)
	}
	var values []string
	for range 150 {
		values = append(values, one(random.IntN(7)))
	}
	values = append(values, "ada", "customeraccount")
	held := append(values[:20:20], one(0), one(9), "A.D.A", "customeraccount", "adabc", "customeraccountx", one(7)+"y")
	scan, rels := start(t).handles(values...)
	met := map[string]map[string]bool{}
	for id, handle := range held {
		reader := scan.Reader()
		seeHandle(reader, id, handle)
		reader.Close()
		for n, rel := range rels {
			if other, found := scan.Of(rel).Otherwise(); found && met[values[n]] == nil {
				met[values[n]] = map[string]bool{other.Account.Hash.Value.Text: true}
			}
		}
	}
	for _, v := range values {
		want := ""
		for id, handle := range held {
			form := string(layout.AppendForm(nil, handle))
			if handle != v && layout.SameForm(form, string(layout.AppendForm(nil, v))) {
				want = fmt.Sprint("USER#", id)
				break
			}
		}
		if want == "" && met[v] != nil || want != "" && !met[v][want] {
			t.Errorf("%s is met at %v; want %q", v, met[v], want)
		}
	}
}

// What it takes to read an account does not grow with the values that only begin as its own.
func TestReadingAnAccountBesideFormsThatBeginAlike(t *testing.T) {
	f := start(t)
	var values []string
	for n := range 300 {
		values = append(values, fmt.Sprintf("customer-account-no-%06d", n))
	}
	allocations := func(values []string) float64 {
		scan, _ := f.handles(values...)
		reader := scan.Reader()
		defer reader.Close()
		return testing.AllocsPerRun(10, func() { seeHandle(reader, 1, "customer-account-no-other") })
	}
	few := allocations(values[:10])
	f = start(t)
	if many := allocations(values); many > few+5 {
		t.Errorf("%.0f allocations beside 300 values; %.0f beside 10", many, few)
	}
}

// More accounts may hold another form of a value than are kept: nobody knows then whether each
// of them has a lock of its own.
func TestMoreFormsThanAreKept(t *testing.T) {
	t.Parallel()
	for accounts, doubted := range map[int]bool{100: false, 101: true} {
		scan, rels := start(t).handles("customer-account-no")
		reader := scan.Reader()
		for n := range accounts {
			seeHandle(reader, n, fmt.Sprintf("customer-account-no-%06d", n))
		}
		reader.Close()
		if doubt := scan.Of(rels[0]).SeenDoubt(); (doubt != "") != doubted {
			t.Errorf("%d accounts: %q", accounts, doubt)
		}
	}
}

// The locks of all of them are asked for together.
func TestTheLocksOfManyFormsAreReadTogether(t *testing.T) {
	t.Parallel()
	f := start(t)
	scan, rels := f.handles("customer-account-no")
	reader := scan.Reader()
	for n := range 60 {
		handle := fmt.Sprintf("customer-account-no-%06d", n)
		seeHandle(reader, n, handle)
		f.put("handles", item{"PK": str("UNIQ#" + handle), "SK": str("LOCK")})
	}
	reader.Close()
	f.requests()
	if doubt, err := scan.Of(rels[0]).Doubt(t.Context()); doubt != "" || err != nil {
		t.Errorf("%q, %v; want no doubt", doubt, err)
	}
	if asked := f.requests(); len(asked) != 1 {
		t.Errorf("%v; want one request", asked)
	}
}
