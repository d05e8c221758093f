package say_test

import (
	"errors"
	"strings"
	"testing"

	"tallylock/dynamo/check/warehouse"
	"tallylock/dynamo/client"
	"tallylock/ui/say"
)

// The tables that a run could not drop are named. The reason is said once, by the error of the run or here.
func TestLeftOfSQL(t *testing.T) {
	away := &client.Error{Kind: client.Unreachable, Op: "removing a, b from Trino", Why: "Trino does not answer (EOF)"}
	left := warehouse.Left{Tables: []string{"a", "b"}, Err: away}
	for failed, says := range map[error]bool{away: false, nil: true, errors.New("another"): true} {
		got := say.LeftOfSQL(left, "Trino at x:1", failed)
		if !strings.HasPrefix(got, "Still on Trino at x:1, with keys and values of the table: a, b.") ||
			strings.Contains(got, "The reason: Trino does not answer (EOF).") != says {
			t.Errorf("after %v: %s", failed, got)
		}
	}
}
