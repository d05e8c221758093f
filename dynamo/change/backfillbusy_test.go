package change_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/backfill"
	"tallylock/dynamo/client"
)

// The run stops if too many of its transactions collide with other writers.
func TestBackfillStopsForOtherWriters(t *testing.T) {
	t.Parallel()
	u := unlocked(t, holdersOf(40)...)
	u.before = func(op string, _ []byte) error {
		if op == "TransactWriteItems" {
			return &smithy.GenericAPIError{Code: "TransactionConflictException"}
		}
		return nil
	}
	r := u.run(t.Context())
	if client.KindOf(r.Err) != client.Conflict || r.Conflicts <= 10 || r.Conflicts > 20 || r.Put != 0 || r.Complete {
		t.Errorf("the run ended with %+v, %v", r, r.Err)
	}
}

// The run stops if more than one of its first transactions collides. One busy account does not stop a run, even if
// several halves of its transaction collide, too.
func TestBackfillLimitsCollisionsFromTheBeginning(t *testing.T) {
	t.Parallel()
	for collides, stops := range map[string]bool{"p7@x.io": false, "whole batches": true} {
		u := unlocked(t, holdersOf(40)...)
		u.before = func(op string, body []byte) error {
			whole := strings.Count(string(body), `"Put"`) == backfill.MaxLocks
			if op == "TransactWriteItems" && (whole && stops || strings.Contains(string(body), collides)) {
				return &smithy.GenericAPIError{Code: "TransactionConflictException"}
			}
			return nil
		}
		r := u.run(t.Context())
		switch {
		case stops && client.KindOf(r.Err) == client.Conflict && r.Conflicts == 2 && r.Put == 10 && !r.Complete:
		case !stops && r.Err == nil && r.Complete && r.Put == 39 && r.Found[change.BackfillBusy] == 1 && r.Conflicts > 2:
		default:
			t.Errorf("collisions of %s: the run ended with %+v, %v", collides, r, r.Err)
		}
	}
}

// A collision does not count if the next attempt of the transaction succeeds.
func TestBackfillCountsTransactions(t *testing.T) {
	t.Parallel()
	u := unlocked(t, holdersOf(120)...)
	sent := 0
	u.before = func(op string, _ []byte) error {
		if op != "TransactWriteItems" {
			return nil
		}
		if sent++; sent%2 == 1 {
			return &types.TransactionCanceledException{
				CancellationReasons: []types.CancellationReason{{Code: aws.String("TransactionConflict")}},
			}
		}
		return nil
	}
	r := u.run(t.Context())
	if r.Err != nil || r.Conflicts != 0 || r.Transactions != 12 || r.Put != 120 || sent != 24 {
		t.Errorf("the run ended with %+v, %v after %d attempts", r, r.Err, sent)
	}
}

// The locks of a transaction without an answer tell its outcome. While other programs keep writing them, the run sends
// nothing, and its outcome stays unknown. A later run finds the outcome.
func TestBackfillSettlesBusyLocks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u := unlocked(t, holdersOf(12)...)
		fail := func(operation string, with error) {
			u.before = func(op string, _ []byte) error {
				if op == operation {
					return with
				}
				return nil
			}
		}
		fail("TransactWriteItems", errCut)
		r := u.run(t.Context())
		time.Sleep(time.Hour)
		fail("TransactGetItems", &smithy.GenericAPIError{Code: "TransactionConflictException"})
		busy := u.run(t.Context())
		if busy.Receipt != r.Receipt || client.KindOf(busy.Err) != client.Conflict || busy.Transactions != 0 || busy.Complete || !u.record(r.Receipt).Open {
			t.Errorf("the run went on with %+v, %v", busy, busy.Err)
		}
		u.before = nil
		if more := u.run(t.Context()); more.Receipt != r.Receipt || !more.Complete || more.Put != 12 || more.Unknown != 0 {
			t.Errorf("the next run went on with %+v, %v", more, more.Err)
		}
	})
}
