package change_test

import (
	"math/big"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout/config"
	"tallylock/ui/say"
)

// guessed opens a demo table with a guessed layout that nobody has accepted.
func (f *fixture) guessed(table string) *dynamo.Table {
	f.t.Helper()
	return f.opened(table, undescribed)
}

// With a guessed layout, every change can be planned, but no change is sent: the error has the hash of the layout to
// accept.
func TestAGuessWritesNothing(t *testing.T) {
	t.Parallel()
	f := start(t)
	accounts, members, orders, tickets := f.guessed("accounts"), f.guessed("members"), f.guessed("order_id"), f.guessed("Tickets")
	counter := func(table *dynamo.Table, name string) counter.Counter {
		all, _, err := counter.Read(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			if c.Name == name {
				return c
			}
		}
		t.Fatalf("no counter %s", name)
		return counter.Counter{}
	}
	release := func(table *dynamo.Table, constraint, v string) func() (*plan.Plan, error) {
		return func() (*plan.Plan, error) { return f.plan(table, constraint, v) }
	}
	order := counter(orders, "order_id")
	hopper := f.value(accounts, "username", "hopper")
	plans := map[string]func() (*plan.Plan, error){
		"release by mark":  release(accounts, "username", "turing"),
		"release by owner": release(members, "username", "alan"),
		"put a lock":       func() (*plan.Plan, error) { return mend.Repair(t.Context(), accounts, hopper) },
		"give a lock": func() (*plan.Plan, error) {
			return mend.Repair(t.Context(), members, f.value(members, "username", "mhamilton"))
		},
		"change a value": func() (*plan.Plan, error) {
			return planner.ChangeValue(t.Context(), accounts, f.value(accounts, "username", "ada"), "ada2")
		},
		"delete an account": func() (*plan.Plan, error) {
			return planner.DeleteAccount(t.Context(), accounts, f.value(accounts, "username", "ada").Account.Key)
		},
		"bump":    func() (*plan.Plan, error) { return planner.Bump(t.Context(), order, big.NewInt(1)) },
		"reserve": func() (*plan.Plan, error) { return planner.Reserve(t.Context(), order, big.NewInt(3)) },
		"raise":   func() (*plan.Plan, error) { return planner.Raise(t.Context(), order, big.NewInt(6000)) },
		"lower":   func() (*plan.Plan, error) { return planner.Lower(t.Context(), order, big.NewInt(10)) },
		"convert": func() (*plan.Plan, error) {
			return planner.Convert(t.Context(), counter(tickets, "badges"), big.NewInt(1007))
		},
		"mend": func() (*plan.Plan, error) {
			return f.changer.PlanMend(t.Context(), accounts, finding.Finding{
				Kind: finding.OrphanedLock, Table: "accounts", TableID: accounts.ID, Constraint: "username", Value: "turing",
				Lock: f.lockOf(accounts, "username", "turing").Lock.Key.Item(),
			}, nil)
		},
	}
	for name, planned := range plans {
		p, err := planned()
		if err != nil {
			t.Errorf("%s is not planned: %v", name, err)
			continue
		}
		u := dynamo.UnacceptedOf(p.Live.Unsure)
		if u == nil || !strings.Contains(say.Error(p.Live.Unsure), "layout --accept "+u.Hash) {
			t.Errorf("%s: %v", name, p.Live.Unsure)
		}
		for _, r := range []change.Receipt{f.changer.Apply(t.Context(), p, nil), f.changer.ApplyAll(t.Context(), []*plan.Plan{p}, nil)[0]} {
			if r.Outcome != journal.Refused || client.KindOf(r.Err) != client.Usage {
				t.Errorf("%s: %s, %v", name, r.Outcome, r.Err)
			}
		}
	}
	if n := f.writes(); n > 0 {
		t.Errorf("%d transactions were sent", n)
	}
}

// A change by an accepted layout can be undone with a guessed layout. But the undo of a lock that was put is a release,
// so it needs an accepted layout.
func TestWhatIsUndoneByAGuess(t *testing.T) {
	t.Parallel()
	f := start(t)
	accounts := f.open("accounts", undescribed)
	undo := func(p *plan.Plan, err error) (*plan.Plan, error) {
		t.Helper()
		r := f.apply(p, err)
		record, err := f.changer.Journal.Record(r.ID)
		if err != nil {
			t.Fatal(err)
		}
		return planner.Undo(t.Context(), f.guessed("accounts").Connection(), record)
	}
	p, err := undo(planner.Release(t.Context(), accounts, f.lockOf(accounts, "username", "turing"), false))
	if err != nil || p.Live.Unsure != nil {
		t.Errorf("a release: %v, %v", p, err)
	} else {
		f.apply(p, nil)
	}
	put := f.value(accounts, "username", "hopper")
	r := f.apply(mend.Repair(t.Context(), accounts, put))
	f.put("accounts", row("ACCT#b77e02", "PROFILE", "email", "grace@navy.mil", "username", "grace"), handle("grace"))
	record, err := f.changer.Journal.Record(r.ID)
	if err != nil {
		t.Fatal(err)
	}
	p, err = planner.Undo(t.Context(), f.guessed("accounts").Connection(), record)
	if err != nil || dynamo.UnacceptedOf(p.Live.Unsure) == nil {
		t.Errorf("a lock that was put: %v, %v", p, err)
	}
}

// The locks are in another table. The program writes no lock until a person has said which other tables have locks
// there, even if the config describes the constraint.
func TestTablesThatNobodyHasSaid(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	f.create("locks")
	for n, v := range []string{"a@x.io", "b@x.io", "c@x.io"} {
		f.put("odd", row("ACCT#"+string(rune('1'+n)), "PROFILE", "email", v))
		f.put("locks", emailLock(v))
	}
	f.put("locks", emailLock("gone@x.io"))
	for _, alsoIn := range []*[]string{nil, {}} {
		o := f.Options()
		o.Transport, o.Settle, o.Asked = f, 1e6, true
		configured(config.Constraint{Attribute: "email", Table: "locks", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", AlsoIn: alsoIn})(&o)
		c, err := dynamo.Connect(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		table, err := c.Open(t.Context(), "odd")
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.plan(table, "email", "gone@x.io")
		if err != nil {
			t.Fatal(err)
		}
		r := f.changer.Apply(t.Context(), p, nil)
		if alsoIn == nil && (r.Outcome != journal.Refused || client.KindOf(r.Err) != client.Usage || !strings.Contains(r.Err.Error(), "also_in = []")) {
			t.Errorf("not said: %s %v", r.Outcome, r.Err)
		}
		if alsoIn != nil && p.Live.Unsure != nil {
			t.Errorf("none: %v", p.Live.Unsure)
		}
	}
}
