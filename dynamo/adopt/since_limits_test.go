package adopt_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/internal/testrun"
)

// Other programs keep writing one suspect at the second look. Only this account is not judged, and a person has to
// confirm all operations.
func TestVerifyWritersOfABusyAccount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		w := newTown(t, embedded.WithMiddleware(func(_ *embedded.Engine, next http.RoundTripper) http.RoundTripper {
			return roundTrip(func(r *http.Request) (*http.Response, error) {
				if !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".TransactGetItems") {
					return next.RoundTrip(r)
				}
				body, err := io.ReadAll(r.Body)
				if r.Body = io.NopCloser(bytes.NewReader(body)); err != nil || !bytes.Contains(body, []byte("ACCT#busy")) {
					return next.RoundTrip(r)
				}
				looks++
				return embedded.Respond(r, http.StatusBadRequest, []byte(`{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",`+
					`"Message":"[TransactionConflict]","CancellationReasons":[{"Code":"TransactionConflict","Message":"Transaction is ongoing for the item"}]}`)), nil
			})
		}))
		for _, id := range []string{"bad", "busy", "worse"} {
			w.account(id, created(w.since), false)
		}
		for n := range adopt.EnoughAccounts {
			w.account(fmt.Sprint("good", n), created(w.since), true)
		}
		j := w.judge(adopt.SinceOptions{Times: adopt.Times{Created: "createdAt"}})
		if j.Without != 2 || j.Unsettled != 1 || j.Made != 22 || j.Came[0].ID != "bad" || j.Came[1].ID != "worse" ||
			!slices.Equal(j.NotVerified, []adopt.Operation{adopt.SignUp, adopt.Change}) {
			t.Errorf("%+v", j)
		}
		if looks < 4 {
			t.Errorf("it looked %d times at the busy account", looks)
		}
	})
}

// At most 20,000 accounts without a lock are read again. The others are counted, and a person has to confirm all
// operations.
func TestVerifyWritersOfTooManySuspects(t *testing.T) {
	t.Parallel()
	if !testrun.Long() {
		t.Skip("20,000 accounts take some seconds: TALLYLOCK_LONG=1 runs this test")
	}
	const most, more = 20_000, 7
	w := newTown(t)
	var items []sdk.Item
	for n := range most + more {
		items = append(items, sdk.Item{
			"PK": sdk.S(fmt.Sprint("ACCT#", n)), "SK": sdk.S("PROFILE"), "email": sdk.S(fmt.Sprint(n, "@x.io")),
			"createdAt": created(w.since)["createdAt"],
		})
	}
	w.Put("people", items...)
	j := w.judge(adopt.SinceOptions{Times: adopt.Times{Created: "createdAt"}})
	if j.Without != most || j.Unread != more || len(j.Came) != adopt.MostCame || j.Doubtful() != more ||
		!slices.Contains(j.NotVerified, adopt.SignUp) {
		t.Errorf("%d came without their lock, %d were not read again, %d are listed", j.Without, j.Unread, len(j.Came))
	}
}
