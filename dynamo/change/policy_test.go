package change_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/smithy-go"

	"tallylock/dynamo"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
)

// writing has the operations that write: four without a transaction, and the transaction.
var writing = []string{"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"}

// held checks each request of a fixture against a policy, and denies the requests that the policy does not permit.
type held struct {
	policy client.Policy
	mu     sync.Mutex
	sent   map[string]bool // for a transaction: its verbs
	denied map[string]bool
}

func (h *held) ask(operation string, body []byte) error {
	actions := []string{operation}
	if operation == "TransactWriteItems" {
		var request struct{ TransactItems []map[string]any }
		if err := json.Unmarshal(body, &request); err != nil {
			return err
		}
		actions = nil
		for _, item := range request.TransactItems {
			for verb := range item {
				actions = append(actions, strings.TrimSuffix(verb, "Item")+"Item") // for verbs such as Put and ConditionCheck
			}
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, action := range actions {
		h.sent[action] = true
		if !h.policy.Permits(action) {
			h.denied[action] = true
			return denial{&smithy.GenericAPIError{Code: "AccessDeniedException", Fault: smithy.FaultClient}}
		}
	}
	return nil
}

// denial is an answer and no connection error, so the SDK does not retry.
type denial struct{ *smithy.GenericAPIError }

func (denial) RetryableError() bool { return false }

// command is an operation of the program that a role can use.
type command struct {
	role client.Role
	name string
	do   func(ctx context.Context, f *fixture, odd *dynamo.Table) error
}

func commands() []command {
	do := func(f *fixture, p *plan.Plan, err error) error {
		if err != nil {
			return err
		}
		return f.changer.Apply(f.t.Context(), p, nil).Err
	}
	bump := func(f *fixture) (*plan.Plan, error) {
		return planner.Bump(f.t.Context(), f.counter("order_id", "order_id"), big.NewInt(1))
	}
	all := []command{
		{client.Viewer, "tables", func(ctx context.Context, _ *fixture, odd *dynamo.Table) error {
			_, err := odd.Connection().TableNames(ctx)
			return err
		}},
		{client.Viewer, "layout", func(_ context.Context, f *fixture, _ *dynamo.Table) error {
			f.versioned()
			return nil
		}},
		{client.Viewer, "find", func(ctx context.Context, _ *fixture, odd *dynamo.Table) error {
			_, err := find.Find(ctx, odd, "ada", find.Options{Near: true})
			return err
		}},
		{client.Viewer, "counters", func(_ context.Context, f *fixture, _ *dynamo.Table) error {
			f.counter("order_id", "order_id")
			return nil
		}},
		{client.Auditor, "layout, recognised", func(_ context.Context, f *fixture, _ *dynamo.Table) error {
			f.open("accounts")
			return nil
		}},
		{client.Auditor, "browse", func(ctx context.Context, _ *fixture, odd *dynamo.Table) error {
			_, err := browse.New(odd).Next(ctx)
			return err
		}},
		{client.Auditor, "find, where only a look tells", func(ctx context.Context, f *fixture, _ *dynamo.Table) error {
			_, err := find.Find(ctx, f.open("accounts"), "alan", find.Options{})
			return err
		}},
		{client.Auditor, "check", func(ctx context.Context, f *fixture, _ *dynamo.Table) error {
			_, err := check.Run(ctx, f.open("accounts"), setting.Options{Confirm: setting.ConfirmFull}, func(finding.Finding) {}, nil)
			return err
		}},
		{client.Operator, "bump", func(_ context.Context, f *fixture, _ *dynamo.Table) error {
			p, err := bump(f)
			return do(f, p, err)
		}},
		{client.Operator, "release with an owner", func(_ context.Context, f *fixture, _ *dynamo.Table) error {
			p, err := f.plan(f.owners(), "username", "mel")
			return do(f, p, err)
		}},
		{client.Operator, "release without an owner", func(_ context.Context, f *fixture, _ *dynamo.Table) error {
			p, err := f.plan(f.open("accounts"), "username", "alan")
			return do(f, p, err)
		}},
		{client.Operator, "mend", func(_ context.Context, f *fixture, _ *dynamo.Table) error {
			table := f.open("accounts")
			receipts, _ := f.mend(table, f.checked(table)...)
			for _, r := range receipts {
				if r.Err != nil {
					return r.Err
				}
			}
			return nil
		}},
		{client.Operator, "undo", func(_ context.Context, f *fixture, odd *dynamo.Table) error {
			changed := f.apply(bump(f))
			p, err := f.undo(odd, changed)
			return do(f, p, err)
		}},
		{client.Operator, "journal --resolve", func(_ context.Context, f *fixture, odd *dynamo.Table) error {
			f.after = func(operation string, _ []byte) error {
				if operation == "TransactWriteItems" {
					return errCut
				}
				return nil
			}
			f.bump()
			f.after = nil
			f.resolve(odd, change.SendAgain, journal.Applied)
			return nil
		}},
	}
	for _, c := range changes() {
		all = append(all, command{client.Operator, c.name, func(_ context.Context, f *fixture, odd *dynamo.Table) error {
			p, err := c.plan(f.t, f, odd)
			return do(f, p, err)
		}})
	}
	return all
}

// The policy of each role permits everything that its commands send. Only the operator's commands write.
func TestPoliciesCoverWhatIsSent(t *testing.T) {
	t.Parallel()
	begin := map[string]func(*fixture){}
	for _, c := range changes() {
		begin[c.name] = c.begin
	}
	sent := map[client.Role][]string{}
	run := func(t *testing.T, role client.Role, f *fixture, do func() error) {
		p, err := client.PolicyFor(role, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		h := &held{policy: p, sent: map[string]bool{}, denied: map[string]bool{}}
		f.before = h.ask
		err = do()
		if role == client.Viewer {
			delete(h.denied, "Scan") // a viewer may not scan, so the program works without samples and looks
			delete(h.sent, "Scan")
		}
		if err != nil || len(h.denied) > 0 {
			t.Errorf("the %s's policy denied %v: %v", role, h.denied, err)
		}
		for action := range h.sent {
			if sent[role] = append(sent[role], action); role != client.Operator && slices.Contains(writing, action) {
				t.Errorf("a %s's work sent %s", role, action)
			}
		}
	}
	for _, c := range commands() {
		t.Run(c.name, func(t *testing.T) {
			f, odd := versioned(t)
			if b := begin[c.name]; b != nil {
				b(f)
			}
			run(t, c.role, f, func() error { return c.do(t.Context(), f, odd) })
		})
	}
	t.Run("expire", func(t *testing.T) {
		f, table, key := expiring(t, item{"ttl": num("33333333333")}, nil)
		run(t, client.Operator, f, func() error {
			f.apply(f.planExpire(table, key))
			return nil
		})
	})
	t.Run("backfill and its undo", func(t *testing.T) {
		u := unlocked(t, append(holdersOf(12), adoptedLock("p1", "p1"), row("ACCT#twin", "PROFILE", "email", "p2@x.io"))...)
		run(t, client.Operator, u.fixture, func() error {
			r := u.run(t.Context())
			if r.Put != 10 || !r.Complete {
				t.Errorf("the backfill ended with %+v", r)
			}
			undone := u.undone(t.Context(), r.Receipt)
			if undone.Put != 10 || !undone.Complete {
				t.Errorf("the undo ended with %+v", undone)
			}
			return errors.Join(r.Err, undone.Err)
		})
	})
	roles := client.Roles()
	for n, role := range roles {
		p, err := client.PolicyFor(role, "", []string{"accounts", "members"})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, action := range writing {
			if role != client.Operator && (p.Permits(action) || strings.Contains(string(text), action)) {
				t.Errorf("the %s's policy permits %s: %s", role, action, text)
			}
		}
		if strings.Contains(string(text), "EnclosingOperation") != (role == client.Operator) {
			t.Errorf("the %s's policy: %s", role, text)
		}
		if n == 0 {
			continue
		}
		below, err := client.PolicyFor(roles[n-1], "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(sent[role], func(action string) bool { return !below.Permits(action) }) {
			t.Errorf("the %s needs no more than the %s: %v", role, roles[n-1], sent[role])
		}
	}
	if _, err := client.PolicyFor("owner", "", nil); client.KindOf(err) != client.Usage {
		t.Errorf("%v; there is no such role", err)
	}
}
