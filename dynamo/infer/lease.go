package infer

import (
	"strings"

	"tallylock/dynamo/attr"
)

// leases are the kinds of items that keep something for a while, by the attributes that
// all of a kind have, in lower case. They look like locks of values, and are none: they
// come and go, and nobody calls for them.
var leases = []struct {
	what string
	have []string
}{
	{"leases of the DynamoDB lock client", []string{"ownername", "leaseduration", "recordversionnumber"}},
	{"leases of a lock client", []string{"owner", "leasedurationms", "fencingtoken"}},
	{"leases of the Kinesis client library", []string{"leasekey", "leaseowner", "leasecounter"}},
	{"state locks of Terraform", []string{"lockid"}},
	{"idempotency records", []string{"status", "expiration", "validation"}},
	{"idempotency records", []string{"status", "expiration", "in_progress_expiration"}},
	{"idempotency records", []string{"status", "expiration", "data"}},
}

// Leases says what most of some items are, where those are leases or the like: "leases of
// a lock client". It is empty where they are not.
func Leases(items []attr.Item) string {
	counts := map[string]int{}
	for _, item := range items {
		names := map[string]bool{}
		for name := range item {
			names[strings.ToLower(name)] = true
		}
		for _, l := range leases {
			all := true
			for _, name := range l.have {
				all = all && names[name]
			}
			if all {
				counts[l.what]++
				break
			}
		}
	}
	for _, l := range leases {
		if 2*counts[l.what] > len(items) {
			return l.what
		}
	}
	return ""
}
