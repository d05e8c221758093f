package change_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/ui/say"
)

// checked returns the findings of a check.
func (f *fixture) checked(t *dynamo.Table) []finding.Finding {
	f.t.Helper()
	var mu sync.Mutex
	var found []finding.Finding
	_, err := check.Run(f.t.Context(), t, setting.Options{}, func(one finding.Finding) {
		mu.Lock()
		defer mu.Unlock()
		found = append(found, one)
	}, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	return found
}

func kinds(found []finding.Finding) []string {
	var out []string
	for _, f := range found {
		out = append(out, string(f.Kind))
	}
	slices.Sort(out)
	return out
}

// mend plans the repairs of findings, and applies the plans together. left has the kinds of the other findings, with
// their refusal codes.
func (f *fixture) mend(t *dynamo.Table, found ...finding.Finding) (receipts []change.Receipt, left []string) {
	f.t.Helper()
	var plans []*plan.Plan
	if len(found) == 1 {
		p, err := f.changer.PlanMend(f.t.Context(), t, found[0], nil)
		if refused, ok := errors.AsType[*plan.Refusal](err); ok {
			return nil, []string{string(found[0].Kind) + " " + refused.Reasons[0].Code}
		} else if err != nil {
			f.t.Fatal(err)
		}
		return f.changer.ApplyAll(f.t.Context(), append(plans, p), nil), nil
	}
	mends, err := f.changer.PlanMends(f.t.Context(), t, found...)
	if err != nil {
		f.t.Fatal(err)
	}
	for _, m := range mends {
		if m.Plan == nil {
			left = append(left, string(m.Finding.Kind)+" "+m.Refused[0].Code)
		} else {
			plans = append(plans, m.Plan)
		}
	}
	slices.Sort(left)
	return f.changer.ApplyAll(f.t.Context(), plans, nil), left
}

// Every finding of a check is repaired, except the kinds that people must decide. The next check finds only these
// kinds, and a second repair does nothing.
func TestWhatACheckFindsIsMended(t *testing.T) {
	t.Parallel()
	for table, want := range map[string]struct{ applied, stays, left []string }{
		"accounts": {
			[]string{"orphaned-lock", "orphaned-lock", "orphaned-lock", "missing-lock"},
			[]string{"duplicate-value", "malformed-lock"},
			[]string{"duplicate-value ByHand", "malformed-lock ByHand"},
		},
		"members": {[]string{"foreign-lock", "orphaned-lock", "stale-lock"}, nil, nil},
	} {
		t.Run(table, func(t *testing.T) {
			f := start(t)
			tab := f.open(table, func(o *dynamo.Options) { o.AutoReadUnits = -1 })
			found := f.checked(tab)
			receipts, left := f.mend(tab, found...)
			if !slices.Equal(left, want.left) {
				t.Errorf("left %v, want %v", left, want.left)
			}
			if len(receipts) != len(want.applied) {
				t.Errorf("%d changes, want %d", len(receipts), len(want.applied))
			}
			for _, r := range receipts {
				if r.Outcome != journal.Applied {
					t.Errorf("%s: %s %v %v", r.Plan, r.Outcome, r.Reasons, r.Err)
				}
			}
			if now := kinds(f.checked(tab)); !slices.Equal(now, want.stays) {
				t.Errorf("a check finds %v, want %v", now, want.stays)
			}
			// Repair the same findings again, as after an interruption.
			before := f.writes()
			again, left := f.mend(tab, found...)
			if len(again) != 0 || f.writes() != before {
				t.Errorf("%d changes the second time", len(again))
			}
			for _, l := range left {
				if !slices.Contains(want.left, l) && l[len(l)-len(plan.InOrder):] != plan.InOrder {
					t.Errorf("the second time: %s", l)
				}
			}
		})
	}
}

// A finding only says where to look: a finding that was made up changes nothing.
func TestAFindingIsNotBelieved(t *testing.T) {
	t.Parallel()
	f := start(t)
	tab := f.open("accounts")
	key := func(pk, sk string) attr.Item { return attr.Item{"PK": attr.String(pk), "SK": attr.String(sk)} }
	made := []finding.Finding{
		// The lock is held.
		{Kind: finding.OrphanedLock, Table: "accounts", Constraint: "email", Value: "ada@lovelace.io", Lock: key("UNIQ#EMAIL#ada@lovelace.io", "LOCK"), Confirmed: true},
		// The key is that of an account, and not of a lock.
		{Kind: finding.OrphanedLock, Table: "accounts", Constraint: "email", Value: "ada@lovelace.io", Lock: key("ACCT#a1f9c3", "PROFILE"), Confirmed: true},
		// The finding has another value than the key.
		{Kind: finding.OrphanedLock, Table: "accounts", Constraint: "username", Value: "grace", Lock: key("UNIQ#HANDLE#alan", "LOCK"), Confirmed: true},
		// A lock that exists, and the lock of an account that does not exist.
		{Kind: finding.MissingLock, Table: "accounts", Constraint: "email", Value: "ada@lovelace.io", Accounts: []attr.Item{key("ACCT#a1f9c3", "PROFILE")}},
		{Kind: finding.MissingLock, Table: "accounts", Constraint: "email", Value: "x@y.test", Accounts: []attr.Item{key("ACCT#nobody", "PROFILE")}},
		{Kind: "no-such-thing", Table: "accounts", Constraint: "username", Value: "alan", Lock: key("UNIQ#HANDLE#alan", "LOCK")},
		{Kind: finding.CounterBehind, Table: "accounts", Counter: "nothing", HighestID: "7"},
	}
	for n := range made {
		made[n].TableID = tab.ID
	}
	for _, alone := range []bool{true, false} {
		batches := [][]finding.Finding{made}
		if alone {
			batches = nil
			for _, m := range made {
				batches = append(batches, []finding.Finding{m})
			}
		}
		for _, b := range batches {
			receipts, _ := f.mend(tab, b...)
			for _, r := range receipts {
				if r.Outcome == journal.Applied {
					t.Errorf("alone %v: %s was applied", alone, r.Plan)
				}
			}
		}
	}
	for _, wrong := range []finding.Finding{
		{Kind: finding.OrphanedLock, Table: "members", Constraint: "username", Value: "alan", Lock: key("UNIQ#HANDLE#alan", "LOCK")},
		{Kind: finding.OrphanedLock, Table: "accounts", TableID: "another", Constraint: "username", Value: "alan", Lock: key("UNIQ#HANDLE#alan", "LOCK")},
		{Kind: finding.OrphanedLock, Table: "accounts", Constraint: "username", Value: "alan", Lock: key("UNIQ#HANDLE#alan", "LOCK")},
	} {
		if _, err := f.changer.PlanMends(t.Context(), tab, wrong); client.KindOf(err) != client.Usage {
			t.Errorf("a finding of another table: %v", err)
		}
	}
}

// Many locks are released with one look. A second repair of the same findings makes no change.
func TestMendingSharesOneLook(t *testing.T) {
	t.Parallel()
	f := start(t)
	tab := f.open("accounts", func(o *dynamo.Options) { o.AutoReadUnits = -1 })
	found := slices.DeleteFunc(f.checked(tab), func(c finding.Finding) bool { return c.Kind != finding.OrphanedLock })
	if len(found) < 2 {
		t.Fatalf("%d orphans", len(found))
	}
	scans := 0
	f.before = func(operation string, _ []byte) error {
		if operation == "Scan" {
			scans++
		}
		return nil
	}
	receipts, _ := f.mend(tab, found...)
	if scans != 1 || len(receipts) != len(found) {
		t.Errorf("%d scans for %d locks", scans, len(receipts))
	}
	if _, left := f.mend(tab, found...); len(left) != len(found) {
		t.Errorf("left: %v", left)
	}
}

// The rate of writes delays each change: the second change waits, and is not made if the context ends first.
func TestChangesKeepTheirPace(t *testing.T) {
	t.Parallel()
	f := start(t)
	tab := f.open("members", func(o *dynamo.Options) { o.AutoReadUnits = -1 })
	found := f.checked(tab)
	mends, err := f.changer.PlanMends(t.Context(), tab, found...)
	if err != nil {
		t.Fatal(err)
	}
	var plans []*plan.Plan
	for _, m := range mends {
		if m.Plan == nil {
			t.Fatalf("%s is not mended: %v", m.Finding.Kind, m.Refused)
		}
		plans = append(plans, m.Plan)
	}
	f.changer.Writes.Rate = 1e-6 // more than an hour for each change
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	applied := 0
	for _, r := range f.changer.ApplyAll(ctx, plans, nil) {
		if r.Outcome == journal.Applied {
			applied++
		}
	}
	if applied > 1 {
		t.Errorf("%d changes were applied", applied)
	}
}

// A counter that is behind is raised to the highest id that an item has now. The number in the finding is not trusted.
func TestCountersAreMended(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.put("posts", item{"id": num("50")})
	tab := f.open("posts")
	found := f.checked(tab)
	if len(found) != 1 || found[0].Kind != finding.CounterBehind {
		t.Fatalf("found %v", kinds(found))
	}
	lie := found[0]
	lie.HighestID = "999"
	if receipts, left := f.mend(tab, lie); len(receipts) != 0 || !slices.Equal(left, []string{"counter-behind Changed"}) {
		t.Errorf("a number that no item carries was believed: %v, left %v", receipts, left)
	}
	lie = found[0]
	lie.Key = attr.Item{"id": attr.Number("7")}
	if receipts, _ := f.mend(tab, lie); len(receipts) != 0 {
		t.Errorf("an item was taken for a counter: %v", receipts)
	}
	receipts, _ := f.mend(tab, found...)
	if len(receipts) != 1 || receipts[0].After != "50" || receipts[0].Outcome != journal.Applied {
		t.Fatalf("%+v", receipts)
	}
	if _, left := f.mend(tab, found...); !slices.Equal(left, []string{"counter-behind InOrder"}) {
		t.Errorf("again: %v", left)
	}
	if now := f.checked(tab); len(now) != 0 {
		t.Errorf("a check finds %v", kinds(now))
	}
	// If the counter is missing, it is created again.
	f.delete("posts", item{"id": num("-1")})
	tab = f.open("posts")
	found = f.checked(tab)
	if len(found) != 1 || found[0].Kind != finding.CounterMissing {
		t.Fatalf("found %v", kinds(found))
	}
	if receipts, _ := f.mend(tab, found...); len(receipts) != 1 || receipts[0].After != "50" {
		t.Errorf("%+v", receipts)
	}
}

// A repair that requires a typed text is not made among others, since nobody types the text there.
func TestWhatIsTypedIsMendedByItself(t *testing.T) {
	t.Parallel()
	f := start(t)
	broken := f.get("posts", item{"id": num("-1")})
	for name := range broken {
		if name != "id" {
			broken[name] = str("40")
		}
	}
	f.put("posts", broken)
	tab := f.open("posts", func(o *dynamo.Options) { o.Layout = "dynamodb-mapper" })
	var found []finding.Finding
	for _, one := range f.checked(tab) {
		if one.Kind == finding.CounterNotNumber {
			found = append(found, one)
		}
	}
	if len(found) != 1 {
		t.Fatalf("found %v", kinds(found))
	}
	if p, err := f.changer.PlanMend(t.Context(), tab, found[0], nil); err != nil || p.Typed == "" {
		t.Errorf("%+v, %v", p, err)
	}
	mends, err := f.changer.PlanMends(t.Context(), tab, found[0], found[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mends {
		if m.Plan != nil || m.Refused[0].Code != plan.ByHand {
			t.Errorf("among others: %+v %v", m.Plan, m.Refused)
		}
	}
}

// A malformed lock is not repaired: the refusal has the command that releases it. The release requires a typed text.
func TestAMalformedLockIsReleasedByItself(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		lock item
		says string
		text string // the text to type
	}{
		"an empty value": {emailLock(""), "release --write --table odd email ''", "UNIQ#EMAIL#"},
		"undefined":      {emailLock("undefined"), "release --write --table odd email undefined", "undefined"},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			f.create("odd")
			f.put("odd", row("ACCT#1", "PROFILE", "email", "a@x.io"))
			f.put("odd", emailLock("a@x.io"))
			f.put("odd", of.lock)
			tab := f.open("odd", configured(config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}))
			found := f.checked(tab)
			if len(found) != 1 || found[0].Kind != finding.MalformedLock {
				t.Fatalf("found %v", kinds(found))
			}
			p, err := f.changer.PlanMend(t.Context(), tab, found[0], nil)
			f.mustNot(plan.ByHand, p, err)
			if !strings.Contains(say.Error(err), of.says) {
				t.Errorf("it says: %v; want %s", say.Error(err), of.says)
			}
			if p, err = f.plan(tab, "email", found[0].Value); err != nil {
				t.Fatal(err)
			}
			if p.Typed != of.text || !p.Live.MustType {
				t.Errorf("%q is to be typed, want %q", p.Typed, of.text)
			}
			f.apply(p, nil)
			if f.get("odd", of.lock) != nil || f.get("odd", emailLock("a@x.io")) == nil {
				t.Error("the malformed lock must be gone, and the other there")
			}
			p, err = f.changer.PlanMend(t.Context(), tab, found[0], nil)
			f.mustNot(plan.InOrder, p, err)
			p, err = planner.ReleaseAt(t.Context(), tab, "email", found[0].Lock, false)
			f.mustNot(plan.Absent, p, err)
		})
	}
}

// A finding that waits for an answer is not repaired, even if the table has changed: the same question is asked again.
// The answer decides whether the lock is released or stays.
func TestAFindingWaitsForItsAnswer(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	order := row("ORDER#17", "META", "buyer", "gone@x.io")
	f.put("odd", append(healthy(4), row("EMAIL#gone@x.io", "LOCK"), order)...)
	table := f.described(emails())
	var asked []finding.Finding
	for _, one := range f.checkedAnyhow(table) {
		if one.Question != nil {
			asked = append(asked, one)
		}
	}
	if len(asked) != 1 {
		t.Fatalf("%d findings wait for an answer", len(asked))
	}
	if _, left := f.mend(table, asked...); !slices.Equal(left, []string{"orphaned-lock Asked"}) {
		t.Errorf("without an answer: %v", left)
	}
	if _, err := f.App().DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
		TableName: aws.String("odd"), Key: item{"PK": order["PK"], "SK": order["SK"]},
	}); err != nil {
		t.Fatal(err)
	}
	if _, left := f.mend(table, asked...); !slices.Equal(left, []string{"orphaned-lock Asked"}) {
		t.Errorf("the order has gone: %v", left)
	}
	f.put("odd", order)
	q := asked[0].Question
	place := layout.Place{Table: q.Table, Items: q.Items, Attribute: q.Attribute}
	said := func(a layout.Answer) *dynamo.Table {
		table := f.described(emails())
		_, con := table.Layout.Constraint("email")
		if err := table.Answers.Answer(con, place, a); err != nil {
			t.Fatal(err)
		}
		return table
	}
	if _, left := f.mend(said(layout.Hold), asked...); !slices.Equal(left, []string{"orphaned-lock Held"}) {
		t.Errorf("such items hold the values: %v", left)
	}
	receipts, left := f.mend(said(layout.HoldNot), asked...)
	if len(left) != 0 || len(receipts) != 1 || receipts[0].Outcome != journal.Applied {
		t.Errorf("such items do not hold the values: %v, %v", left, receipts)
	}
}
