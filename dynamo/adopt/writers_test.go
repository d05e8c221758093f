package adopt_test

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fixture"
	"tallylock/internal/protocol"
)

// application sends the transactions of a protocol, as an application does.
type application struct {
	*testing.T
	*fixture.Tables
	protocol.Case
	rule *adopt.Rule
	*adopt.Protocol
	faults
}

// faults lists the wrong effects of transactions.
type faults []string

func (f *faults) differs(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }

// check fails the test if there is a fault.
func (f *faults) check(t *testing.T) {
	t.Helper()
	for _, fault := range *f {
		t.Error(fault)
	}
}

// begin makes the tables of a case with one account that has no lock: the id is 1, and the value is the first one.
func begin(t *testing.T, f *fixture.Tables, c protocol.Case, strict bool) *application {
	old, err := c.Old("1", c.Values[0])
	if err := errors.Join(err, c.Create(t.Context(), f.App())); err != nil {
		t.Fatal(err)
	}
	f.Put(c.Accounts, old)
	a := &application{T: t, Tables: f, Case: c}
	a.rule = open(t, f.Open(c.Accounts, fixture.Described(c.Layout())))
	if a.Protocol, err = adopt.NewProtocol(a.rule, strict); err != nil {
		t.Fatal(err)
	}
	return a
}

// does sends an operation. refused is the number of the first refused action, counted from 1; 0 means that the operation
// succeeds.
func (a *application) does(op adopt.Operation, id, from, to string, refused int) {
	a.Helper()
	in := adopt.Inputs{Parts: map[string]string{"id": id}, Old: from, New: to, Other: attr.Item{"name": attr.String("New")}}
	maps.Copy(in.Parts, a.Case.Parts)
	writes, err := a.Fill(op, in)
	if err != nil {
		a.Fatal(err)
	}
	body, err := client.Transaction{Actions: writes}.Body()
	if err != nil {
		a.Fatal(err)
	}
	status, answer, err := sdk.Post(a.Context(), a.Engine.Transport(), "TransactWriteItems", string(body))
	if err != nil {
		a.Fatal(err)
	}
	got := 0
	if status != http.StatusOK {
		reasons := regexp.MustCompile(`"Code":"(\w+)"`).FindAllStringSubmatch(answer, -1)
		for n, reason := range reasons {
			if got == 0 && reason[1] == "ConditionalCheckFailed" {
				got = n + 1
			}
		}
		if len(reasons) != len(writes) {
			a.Fatalf("%s of %s: %s\n%s", op, id, answer, body)
		}
	}
	if got != refused {
		a.differs("%s of %s from %q to %q: action %d is refused, not %d\n%s", op, id, from, to, got, refused, body)
	}
}

// locked checks that each of the accounts has exactly its lock, and that there are no other locks.
func (a *application) locked(accounts int) {
	a.Helper()
	want, have := map[string]attr.Item{}, map[string]attr.Item{}
	for _, table := range a.rule.Tables() {
		page, err := a.rule.Table.Connection().Reader().Scan(a.Context(), table, client.PageInput{})
		if err != nil {
			a.Fatal(err)
		}
		for _, item := range page.Items {
			if lock, _, ok := a.rule.Lock(table, item); ok {
				have[lock.Key.ID()] = item
				continue
			}
			for _, w := range a.rule.Wants(item) {
				want[w.Claim.Key.ID()] = w.Item
			}
		}
	}
	if len(want) != accounts || !maps.EqualFunc(want, have, attr.Item.Equal) {
		a.differs("%d accounts want %v, but there is %v", accounts, want, have)
	}
}

// The transactions of each layout put, move and delete locks, and are refused if the value is taken.
func TestProtocol(t *testing.T) {
	t.Parallel()
	for _, c := range protocol.Cases() {
		for _, strict := range []bool{false, true} {
			t.Run(fmt.Sprint(c.Name, " strict=", strict), func(t *testing.T) {
				t.Parallel()
				a := begin(t, fixture.New(t), c, strict)
				a.walk()
				a.check(t)
			})
		}
	}
}

// walk sends all transactions of a case.
func (a *application) walk() {
	a.Helper()
	if a.Strict {
		a.walkStrict()
	} else {
		a.walkBefore()
	}
	a.walkMoved()
}

// respelt is another spelling of the first value, or the value itself.
func (a *application) respelt() string { return cmp.Or(a.Respelt, a.Case.Values[0]) }

// walkBefore sends transactions that accept accounts without locks.
func (a *application) walkBefore() {
	a.Helper()
	v := a.Case.Values
	a.does(adopt.SignUp, "2", "", v[1], 0)
	a.does(adopt.SignUp, "3", "", v[1], 2)
	a.does(adopt.SignUp, "2", "", v[2], 1)
	a.does(adopt.Change, "2", v[1], v[2], 0)
	a.does(adopt.Change, "2", v[1], v[2], 1)
	a.does(adopt.SignUp, "3", "", v[1], 0)
	a.does(adopt.Change, "2", v[2], v[1], 2)
	// An old account has no lock.
	a.does(adopt.Change, "1", v[0], v[2], 2)
	a.does(adopt.Delete, "2", v[2], "", 0)
	a.does(adopt.Change, "1", v[0], v[2], 0)
	a.locked(2)
	a.does(adopt.Change, "1", v[2], v[0], 0)
	a.does(adopt.Change, "1", v[0], a.respelt(), 0)
	a.does(adopt.Change, "1", a.respelt(), v[0], 0)
	a.does(adopt.Change, "3", v[0], a.respelt(), 1)
	a.locked(2)
	a.does(adopt.Delete, "1", v[1], "", 1)
	a.does(adopt.Delete, "1", v[0], "", 0)
	a.locked(1)
	// Two old accounts hold one value. The first one that changes its spelling gets the lock. The other one can neither
	// take the lock nor delete it.
	a.old("4", v[0])
	a.old("5", a.respelt())
	a.does(adopt.Change, "4", v[0], a.respelt(), 0)
	a.does(adopt.Change, "5", a.respelt(), v[0], 2)
	a.does(adopt.Delete, "5", a.respelt(), "", 2)
	a.does(adopt.Change, "5", a.respelt(), v[2], 3)
	a.old("6", v[2])
	a.does(adopt.Delete, "6", v[2], "", 0)
}

// walkStrict sends transactions that require the lock of the old value.
func (a *application) walkStrict() {
	a.Helper()
	v := a.Case.Values
	a.does(adopt.Change, "1", v[0], v[2], 3)
	a.does(adopt.Change, "1", v[0], a.respelt(), 2)
	a.does(adopt.Delete, "1", v[0], "", 2)
	a.does(adopt.SignUp, "2", "", v[1], 0)
	a.does(adopt.SignUp, "3", "", v[1], 2)
	a.does(adopt.SignUp, "2", "", v[2], 1)
	a.does(adopt.SignUp, "3", "", a.respelt(), 0)
	a.does(adopt.Change, "3", a.respelt(), v[0], 0)
	a.does(adopt.Change, "2", a.respelt(), v[0], 1)
	a.does(adopt.Delete, "3", v[0], "", 0)
	a.does(adopt.SignUp, "3", "", v[2], 0)
	a.does(adopt.Change, "2", v[1], v[2], 2)
	a.does(adopt.Delete, "3", v[2], "", 0)
	a.does(adopt.Change, "2", v[1], v[2], 0)
	a.does(adopt.Change, "2", v[1], v[2], 1)
	a.does(adopt.Delete, "2", v[1], "", 1)
	a.does(adopt.Delete, "2", v[2], "", 0)
}

// walkMoved sends transactions of an account after another part of its lock key has changed. So its lock has another
// key now.
func (a *application) walkMoved() {
	a.Helper()
	v := a.Case.Values
	for _, part := range a.Protocol.Parts {
		if part.Path == nil {
			continue
		}
		a.does(adopt.SignUp, "7", "", v[2], 0)
		item, err := a.Old("7", v[2])
		if err != nil {
			a.Fatal(err)
		}
		item[part.Name] = sdk.S("other")
		a.Put(a.Accounts, item)
		a.does(adopt.Change, "7", v[2], v[1], 1)
		a.does(adopt.Change, "7", v[2], v[2], 1)
		a.does(adopt.Delete, "7", v[2], "", 1)
	}
}

// old puts an account that has no lock.
func (a *application) old(id, value string) {
	a.Helper()
	item, err := a.Old(id, value)
	if err != nil {
		a.Fatal(err)
	}
	a.Put(a.Accounts, item)
}

// If one of its conditions is removed, each transaction has a wrong effect.
func TestEachPrintedConditionIsNeeded(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{false, true} {
		for _, c := range protocol.Cases() {
			t.Run(fmt.Sprint(c.Name, " strict=", strict), func(t *testing.T) {
				t.Parallel()
				eachWeakened(t, func(weaken func(*adopt.Protocol) bool) ([]string, bool) {
					a := begin(t, fixture.New(t), c, strict)
					more := weaken(a.Protocol)
					a.walk()
					return a.faults, more
				})
			})
		}
		t.Run(fmt.Sprint("several values strict=", strict), func(t *testing.T) {
			t.Parallel()
			eachWeakened(t, func(weaken func(*adopt.Protocol) bool) ([]string, bool) {
				a := beginSeveral(t, strict)
				more := weaken(a.Protocol)
				a.walk()
				return a.faults, more
			})
		})
	}
}

// eachWeakened weakens each condition of a protocol in turn. walk makes a new protocol, weakens it, and returns the
// wrong effects of its transactions.
func eachWeakened(t *testing.T, walk func(weaken func(*adopt.Protocol) bool) (wrong []string, more bool)) {
	t.Helper()
	for n := 0; ; n++ {
		changed, left := "", n
		wrong, more := walk(func(p *adopt.Protocol) bool {
			for _, transaction := range p.Transactions {
				for k := range transaction.Actions {
					for weak := range weakened(transaction.Actions[k].Condition) {
						if left == 0 {
							transaction.Actions[k].Condition = weak
							changed = fmt.Sprintf("%s, action %d: %s", transaction.Operation, k+1, weak)
							return true
						}
						left--
					}
				}
			}
			return false
		})
		switch {
		case !more:
			if n < 6 {
				t.Errorf("only %d conditions", n)
			}
			return
		case len(wrong) == 0:
			t.Errorf("nothing is wrong without a condition: %s", changed)
		}
	}
}

// weakened yields a condition with each of its terms changed in turn: a term of AND becomes always true, and a term of
// OR becomes always true and then always false. The names and values stay in use, since DynamoDB refuses unused names
// and values.
func weakened(condition string) iter.Seq[string] {
	return func(yield func(string) bool) {
		joined := " AND "
		if strings.Contains(condition, " OR ") {
			joined = " OR "
		}
		terms := strings.Split(condition, joined)
		for n, term := range terms {
			alias := regexp.MustCompile(`#\w+(\.#\w+)*`).FindString(term)
			changed := slices.Clone(terms)
			changed[n] = fmt.Sprintf("(%s OR attribute_exists(%s) OR attribute_not_exists(%s))", term, alias, alias)
			if !yield(strings.Join(changed, joined)) {
				return
			}
			changed[n] = fmt.Sprintf("(%s AND attribute_exists(%s) AND attribute_not_exists(%s))", term, alias, alias)
			if joined == " OR " && !yield(strings.Join(changed, joined)) {
				return
			}
		}
	}
}

// A change of the value raises the version of the account, whether or not the account has one.
func TestAChangeRaisesTheVersion(t *testing.T) {
	t.Parallel()
	c := protocol.Cases()[0]
	c.Account.Version = "meta-version"
	a := begin(t, fixture.New(t), c, false)
	for n, to := range []string{c.Values[1], c.Values[2]} {
		a.does(adopt.Change, "1", c.Values[n], to, 0)
		page, err := a.rule.Table.Connection().Reader().Scan(t.Context(), c.Accounts, client.PageInput{})
		if err != nil {
			t.Fatal(err)
		}
		want := attr.Number(fmt.Sprint(n + 1))
		if !slices.ContainsFunc(page.Items, func(i attr.Item) bool { return i["meta-version"].Equal(want) }) {
			t.Errorf("after change %d: %v", n+1, page.Items)
		}
	}
	a.check(t)
}

// A value without a lock key cannot fill a transaction.
func TestFillRefuses(t *testing.T) {
	t.Parallel()
	c := protocol.Cases()[0]
	a := begin(t, fixture.New(t), c, false)
	for name, in := range map[string]adopt.Inputs{
		"no id":    {New: "ada@x.io"},
		"no value": {Parts: map[string]string{"id": "7"}},
		"long":     {Parts: map[string]string{"id": "7"}, New: strings.Repeat("x", 3000)},
	} {
		if writes, err := a.Fill(adopt.SignUp, in); !errors.Is(err, layout.ErrValue) {
			t.Errorf("%s: %v, %v", name, writes, err)
		}
	}
}

// A rule without transactions to print is refused with its code.
func TestNewProtocolRefuses(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	for n, tc := range []struct {
		want   adopt.Code
		email  any
		change func(*config.Account)
	}{
		{adopt.UnreadableKind, true, nil},
		{adopt.ValueInKey, "ada@x.io", func(a *config.Account) { a.PK = "ACCT#{email}" }},
	} {
		item := fixture.Account("1#1", "ada@x.io", "ada")
		if on, ok := tc.email.(bool); ok {
			item["email"] = &types.AttributeValueMemberBOOL{Value: on}
		}
		a, table := rule(), fmt.Sprint("people", n)
		if tc.change != nil {
			tc.change(&a)
		}
		_, err := adopt.NewProtocol(open(t, f.Describe(table, a, item)), false)
		if refusal, ok := errors.AsType[*adopt.Refusal](err); !ok || refusal.Code != tc.want {
			t.Errorf("%s: %v", tc.want, err)
		}
	}
}

// several is an application whose accounts hold sets of e-mails.
type several struct {
	*testing.T
	*fixture.Tables
	rule *adopt.Rule
	*adopt.Protocol
	faults
}

// beginSeveral makes a table with one account that has no locks.
func beginSeveral(t *testing.T, strict bool) *several {
	t.Helper()
	f := fixture.New(t)
	old := fixture.Account("1", "", "1")
	old["email"] = &types.AttributeValueMemberSS{Value: []string{"Ada@x.io", "ada@x.io", "eve@x.io"}}
	r := open(t, f.Describe("people", rule(), old))
	p, err := adopt.NewProtocol(r, strict)
	if err != nil {
		t.Fatal(err)
	}
	return &several{T: t, Tables: f, rule: r, Protocol: p}
}

func set(values ...string) attr.Value {
	if len(values) == 0 {
		return attr.Value{}
	}
	return attr.Value{Kind: attr.SS, Set: values}
}

// does sends an operation, and checks the number of the first refused action.
func (a *several) does(op adopt.Operation, id string, from, to attr.Value, refused int) {
	a.Helper()
	writes, err := a.Fill(op, adopt.Inputs{Parts: map[string]string{"id": id}, OldAll: from, NewAll: to})
	if err != nil {
		a.Fatal(err)
	}
	body, err := client.Transaction{Actions: writes}.Body()
	if err != nil {
		a.Fatal(err)
	}
	status, answer, err := sdk.Post(a.Context(), a.Engine.Transport(), "TransactWriteItems", string(body))
	if err != nil {
		a.Fatal(err)
	}
	reasons := regexp.MustCompile(`"Code":"(\w+)"`).FindAllStringSubmatch(answer, -1)
	got := 1 + slices.IndexFunc(reasons, func(r []string) bool { return r[1] == "ConditionalCheckFailed" })
	if got != refused || status != http.StatusOK && len(reasons) != len(writes) {
		a.differs("%s of %s from %v to %v: action %d is refused, not %d: %s\n%s", op, id, from.Set, to.Set, got, refused, answer, body)
	}
}

// holds checks the locks of the rule: each value with the id of its account.
func (a *several) holds(want map[string]string) {
	a.Helper()
	page, err := a.rule.Table.Connection().Reader().Scan(a.Context(), "people", client.PageInput{})
	if err != nil {
		a.Fatal(err)
	}
	have := map[string]string{}
	for _, item := range page.Items {
		if lock, _, ok := a.rule.Lock("people", item); ok {
			have[strings.TrimPrefix(lock.Key.Hash.Value.Text, "UNIQ#EMAIL#")] = lock.Owner
		}
	}
	if !maps.Equal(have, want) {
		a.differs("the locks are %v, want %v", have, want)
	}
}

// An account with several values has one lock for each. Two spellings with one lock count once.
func TestProtocolOfSeveralValues(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{false, true} {
		a := beginSeveral(t, strict)
		a.walk()
		a.check(t)
		var many []string
		for n := range client.MaxActions {
			many = append(many, fmt.Sprintf("m%d@x.io", n))
		}
		if _, err := a.Fill(adopt.SignUp, adopt.Inputs{Parts: map[string]string{"id": "9"}, NewAll: set(many...)}); !errors.Is(err, layout.ErrValue) {
			t.Errorf("%d values: %v", len(many), err)
		}
	}
}

// old puts an account that has no locks.
func (a *several) old(id string, values attr.Value) {
	a.Helper()
	item := fixture.Account(id, "", id)
	item["email"] = &types.AttributeValueMemberSS{Value: values.Set}
	a.Put("people", item)
}

// walk sends all transactions.
func (a *several) walk() {
	a.Helper()
	none := set()
	a.does(adopt.SignUp, "2", none, set("bob@x.io", "BOB@x.io", "cid@x.io"), 0)
	a.does(adopt.SignUp, "2", none, set("zoe@x.io"), 1)
	a.does(adopt.SignUp, "3", none, set("dan@x.io", "cid@x.io"), 2)
	a.holds(map[string]string{"bob@x.io": "2", "cid@x.io": "2"})
	a.does(adopt.Change, "2", set("BOB@x.io", "bob@x.io", "cid@x.io"), set("Bob@x.io", "dan@x.io"), 0)
	a.does(adopt.Change, "2", set("bob@x.io", "cid@x.io"), set("zoe@x.io"), 1)
	a.holds(map[string]string{"bob@x.io": "2", "dan@x.io": "2"})
	a.does(adopt.SignUp, "3", none, set("cid@x.io"), 0)
	a.does(adopt.Change, "2", set("Bob@x.io", "dan@x.io"), set("bob@x.io", "cid@x.io"), 2)
	old := set("Ada@x.io", "ada@x.io", "eve@x.io")
	if a.Strict { // an old account has no locks
		a.does(adopt.Change, "1", old, set("eve@x.io"), 2)
		a.does(adopt.Change, "1", old, set("Ada@x.io", "eve@x.io", "zoe@x.io"), 3)
		a.does(adopt.Delete, "1", old, none, 2)
	} else {
		a.does(adopt.Change, "1", old, set("eve@x.io", "cid@x.io"), 2)
		a.does(adopt.Change, "1", old, set("eve@x.io"), 0)
		a.holds(map[string]string{"bob@x.io": "2", "dan@x.io": "2", "cid@x.io": "3", "eve@x.io": "1"})
		a.does(adopt.Delete, "1", set("eve@x.io"), none, 0)
		// Two more old accounts. One holds a value of account 3.
		a.old("4", set("cid@x.io", "zoe@x.io"))
		a.does(adopt.Change, "4", set("cid@x.io", "zoe@x.io"), set("zoe@x.io"), 2)
		a.does(adopt.Change, "4", set("cid@x.io", "zoe@x.io"), set("cid@x.io"), 3)
		a.does(adopt.Delete, "4", set("cid@x.io", "zoe@x.io"), none, 2)
		a.old("5", set("fay@x.io", "gus@x.io"))
		a.does(adopt.Delete, "5", set("fay@x.io", "gus@x.io"), none, 0)
	}
	a.does(adopt.Delete, "2", set("bob@x.io"), none, 1)
	a.does(adopt.Delete, "2", set("Bob@x.io", "dan@x.io"), none, 0)
	a.holds(map[string]string{"cid@x.io": "3"})
}
