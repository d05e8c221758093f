package change_test

import (
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
)

// pooled opens the accounts for one of several people who share a pool of read units.
func (f *fixture) pooled(pool *client.Pool) *dynamo.Table {
	f.t.Helper()
	whole := f.opened("accounts").Connection()
	conn := whole.Share(client.Share{Write: true, Pool: pool}, "")
	t, err := conn.Open(f.t.Context(), "accounts")
	if err != nil {
		f.t.Fatal(err)
	}
	return sure(t)
}

// The limit of read units is reached during a release: the release still reads everything, and ends.
func TestALimitOfReadUnitsDoesNotStopARelease(t *testing.T) {
	t.Parallel()
	pool := &client.Pool{}
	pool.Limit(500)
	for what, open := range map[string]func(*fixture) *dynamo.Table{
		"pool": func(f *fixture) *dynamo.Table { return f.pooled(pool) },
		"session": func(f *fixture) *dynamo.Table {
			return f.open("accounts", func(o *dynamo.Options) { o.Strict, o.SessionReadUnits = true, 500 })
		},
	} {
		f := start(t)
		table := open(f)
		scan := func() error {
			_, err := table.Connection().Reader().Scan(t.Context(), "accounts", client.PageInput{})
			return err
		}
		var spent error
		r := f.changer.Apply(t.Context(), f.mustPlan(table, "username", "alan"), func(now change.Progress) {
			for now.Stage == change.StageWait && spent == nil {
				spent = scan()
			}
		})
		before := table.Connection().Units()
		if r.Outcome != journal.Applied || r.ReadUnits == 0 {
			t.Errorf("%s: %s %v %v, %v read units; want applied", what, r.Outcome, r.Reasons, r.Err, r.ReadUnits)
		}
		if scan() == nil || table.Connection().Units() != before {
			t.Errorf("%s: a read after the release was allowed", what)
		}
	}
}

// If the pool of read units is empty, the outcome of a change can still be determined, and the change can be resolved.
func TestAnEmptyPoolDoesNotHideAnOutcome(t *testing.T) {
	t.Parallel()
	f := start(t)
	pool := &client.Pool{}
	table := f.pooled(pool)
	p := f.mustPlan(table, "username", "alan")
	f.lose(false)
	if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Unknown {
		t.Fatalf("%s %v; want unknown", r.Outcome, r.Err)
	}
	f.found()
	f.later(time.Hour)
	pool.Limit(0.1)
	f.resolve(table, change.Close, journal.Refused)
}
