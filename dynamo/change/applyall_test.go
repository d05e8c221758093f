package change_test

import (
	"errors"
	"net"
	"testing"

	"github.com/aws/smithy-go"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
)

// If the endpoint is dead, a batch stops at its first change, and reports that the other changes were not tried.
func TestADeadEndpointEndsABatch(t *testing.T) {
	t.Parallel()
	for name, values := range map[string][]string{"changes of one step": {"mel", "mel"}, "releases that mark": {"alan", "turing"}} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			accounts, members := f.open("accounts"), f.owners()
			var plans []*plan.Plan
			for _, v := range values {
				table := accounts
				if v == "mel" {
					table = members
				}
				plans = append(plans, f.mustPlan(table, "username", v))
			}
			f.before = func(operation string, _ []byte) error {
				if operation == "DescribeTable" { // a release by owner sends it before its write
					return nil
				}
				return &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
			}
			writes := f.writes()
			var last change.Progress
			receipts := f.changer.ApplyAll(t.Context(), plans, func(p change.Progress) { last = p })
			if r := receipts[0]; r.Outcome != journal.Refused || client.KindOf(r.Err) != client.Unreachable || codes(r.Reasons) != "" {
				t.Errorf("the first is %s %v %v", r.Outcome, r.Reasons, r.Err)
			}
			tries := f.writes() - writes
			if r := receipts[1]; r.Outcome != journal.Refused || codes(r.Reasons) != plan.NotTried || client.KindOf(r.Err) != client.Unreachable {
				t.Errorf("the second is %s %v %v; want it not tried", r.Outcome, r.Reasons, r.Err)
			}
			if tries != 7 {
				t.Errorf("%d were sent; want the tries of one", tries)
			}
			if values[0] == "mel" && (last.Stage != change.StageEach || last.Total != 2) {
				t.Errorf("it was last at %+v", last)
			}
			for _, entry := range entries(t, f.journal) {
				if entry.Receipt == receipts[1].ID {
					t.Errorf("the journal has %+v", entry)
				}
			}
		})
	}
}

// A batch also stops if DynamoDB keeps throttling its first change: the other changes would be throttled, too.
func TestThrottlingThatLastsEndsABatch(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("accounts")
	plans := []*plan.Plan{f.mustPlan(table, "username", "alan"), f.mustPlan(table, "username", "turing")}
	f.before = func(operation string, _ []byte) error {
		if operation == "TransactWriteItems" {
			return &smithy.GenericAPIError{Code: "ThrottlingException", Fault: smithy.FaultClient}
		}
		return nil
	}
	for n, r := range f.changer.ApplyAll(t.Context(), plans, nil) {
		want := []string{"", plan.NotTried}[n]
		if r.Outcome != journal.Refused || codes(r.Reasons) != want || client.KindOf(r.Err) != client.Throttled {
			t.Errorf("%d is %s %v %v", n, r.Outcome, r.Reasons, r.Err)
		}
	}
}
