package guess_test

import (
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/guess"
)

func TestLeases(t *testing.T) {
	item := func(names ...string) attr.Item {
		i := attr.Item{"id": attr.String("x")}
		for _, name := range names {
			i[name] = attr.String("1")
		}
		return i
	}
	client := item("ownerName", "leaseDuration", "recordVersionNumber")
	for what, items := range map[string][]attr.Item{
		"leases of the DynamoDB lock client":   {client, client},
		"leases of a lock client":              {item("owner", "leaseDurationMs", "fencingToken", "guid")},
		"leases of the Kinesis client library": {item("leaseKey", "leaseOwner", "leaseCounter", "checkpoint")},
		"state locks of Terraform":             {item("LockID", "Info")},
		"idempotency records":                  {item("status", "expiration", "in_progress_expiration"), item("status", "expiration", "data")},
		"":                                     {client, item("email"), item("owner")},
	} {
		if got := guess.Leases(items); got != what {
			t.Errorf("%q; want %q", got, what)
		}
	}
	if got := guess.Leases(nil); got != "" {
		t.Errorf("nothing is taken for %s", got)
	}
}
