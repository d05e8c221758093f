package dynamo_test

import (
	"context"
	"encoding/json"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/layout"
)

// Each role's policy lets through what its work was seen to send, and not what
// the roles above it need.
func TestPoliciesCoverWhatIsSent(t *testing.T) {
	f := start(t)
	owners := func(o *dynamo.Options) {
		o.Layout, o.Layouts = "mine", []layout.Config{{Name: "mine", Accounts: []layout.AccountConfig{{
			PK: "MEM#{id}", SK: "PROFILE",
			Constraints: []layout.ConstraintConfig{{Attribute: "username", PK: "UNIQ#HANDLE#{v}", SK: "LOCK", Owner: "memberId"}},
		}}}}
	}
	journal, err := change.OpenJournal(filepath.Join(t.TempDir(), "state", "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	changer := change.Changer{Journal: journal}
	work := map[dynamo.Role]func(ctx context.Context) error{
		dynamo.Viewer: func(ctx context.Context) error {
			if _, err := f.connect().TableNames(ctx); err != nil {
				return err
			}
			_, err := f.open("members", owners).Find(ctx, "ada", dynamo.FindOptions{Near: true})
			return err
		},
		dynamo.Auditor: func(ctx context.Context) error {
			table := f.open("accounts")
			if _, err := table.Browse().Next(ctx); err != nil {
				return err
			}
			_, err := table.Find(ctx, "alan", dynamo.FindOptions{})
			return err
		},
		dynamo.Operator: func(ctx context.Context) error {
			counters, _, err := f.open("order_id").Counters(ctx)
			if err != nil {
				return err
			}
			p, err := change.PlanBump(ctx, counters[0], big.NewInt(1))
			if err != nil {
				return err
			}
			return changer.Apply(ctx, p, nil).Err
		},
	}
	roles := dynamo.Roles()
	for n, role := range roles {
		p, err := dynamo.PolicyFor(role, []string{"accounts", "members"})
		if err != nil {
			t.Fatal(err)
		}
		// Without a layout that is given, opening a table reads a sample.
		f.deny["Scan"] = role == dynamo.Viewer
		f.requests()
		if err := work[role](t.Context()); err != nil {
			t.Fatalf("%s: %v", role, err)
		}
		sent := f.requests()
		for _, operation := range sent {
			if !p.Permits(operation) && !f.deny[operation] {
				t.Errorf("the %s's policy does not permit %s", role, operation)
			}
		}
		if n > 0 {
			below, err := dynamo.PolicyFor(roles[n-1], nil)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(sent, func(operation string) bool { return !below.Permits(operation) }) {
				t.Errorf("the %s needs no more than the %s: %v", role, roles[n-1], sent)
			}
		}
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if writes := strings.Contains(string(text), "PutItem"); writes != (role == dynamo.Operator) || strings.Contains(string(text), "EnclosingOperation") != writes {
			t.Errorf("the %s's policy: %s", role, text)
		}
	}
	if _, err := dynamo.PolicyFor("owner", nil); dynamo.KindOf(err) != dynamo.Usage {
		t.Errorf("%v; there is no such role", err)
	}
}
