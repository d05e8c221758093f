package dynamo_test

import (
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fault"
	"tallylock/internal/fixture"
	"tallylock/ui/say"
)

func TestErrorsSayWhatToDo(t *testing.T) {
	f := fixture.New(t)
	c := f.Connect()
	_, err := c.Open(t.Context(), "nowhere")
	if client.KindOf(err) != client.NoTable || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("%v", err)
	}
	f.Deny["DescribeTable"] = true
	_, err = c.Open(t.Context(), "accounts")
	if client.KindOf(err) != client.Denied || !strings.Contains(err.Error(), "dynamodb:DescribeTable") {
		t.Errorf("%v", err)
	}
	f.Deny["DescribeTable"] = false
	o := f.Options()
	o.Layout = "no-such"
	if _, err = dynamo.Connect(t.Context(), o); client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), "uniq") {
		t.Errorf("%v; want the presets listed", err)
	}
	f.Deny["Scan"] = true
	_, err = find.Find(t.Context(), f.Open("accounts", func(o *dynamo.Options) { o.Layouts = nil }), "ada", find.Options{})
	if client.KindOf(err) != client.NoLayout || !strings.Contains(err.Error(), "dynamodb:Scan") {
		t.Errorf("%v; want the permission that is missing", err)
	}
	f.Deny["Scan"] = false
	_, err = find.Find(t.Context(), f.Open("order_id"), "ada", find.Options{})
	if !strings.Contains(say.Error(err), "tallylock counters --table order_id") {
		t.Errorf("%v; want a word on its counters", err)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "x")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "x")
	down, err := dynamo.Connect(t.Context(), dynamo.Options{Options: client.Options{Endpoint: "http://127.0.0.1:1", Region: "us-east-1"}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = down.TableNames(t.Context())
	if client.KindOf(err) != client.Unreachable || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("%v", err)
	}
}

// If a layout names a Region without a replica of the table, Open returns an error.
func TestAWrongRegionIsNamed(t *testing.T) {
	l := fixture.Layout("accounts", fixture.Accounts(""))
	l.WrittenIn = "eu-west-9"
	f := fixture.New(t, fault.WithReplicas("accounts", false, "eu-west-1"))
	_, err := f.Connect(fixture.Described(l)).Open(t.Context(), "accounts")
	if client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), "eu-west-9") || !strings.Contains(err.Error(), "us-east-1 and eu-west-1") {
		t.Error(err)
	}
}

// A constraint without locks has no lock to release.
func TestNoLockOfARuleWithoutLocks(t *testing.T) {
	table := fixture.New(t).Unlocked(config.Constraint{})
	if _, err := table.LockOf(t.Context(), "email", "ada@x.io", nil); err == nil || !strings.Contains(err.Error(), "the email of people has no locks") {
		t.Error(err)
	}
}
