package change_test

import (
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
)

const caller = "arn:aws:sts::111122223333:assumed-role/support/j.okafor"

// sts starts a server that answers like AWS STS, or refuses each request. asked counts the requests.
func sts(t *testing.T, refuses bool) (asked *atomic.Int32) {
	t.Helper()
	asked = &atomic.Int32{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if err := r.ParseForm(); err != nil || r.Form.Get("Action") != "GetCallerIdentity" {
			t.Errorf("STS was asked for %v, %v", r.Form, err)
		}
		w.Header().Set("Content-Type", "text/xml")
		if refuses {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>ExpiredToken</Code><Message>expired</Message></Error></ErrorResponse>`)
			return
		}
		fmt.Fprintf(w, `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Arn>%s</Arn><UserId>A:j</UserId><Account>111122223333</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`, caller)
	}))
	t.Cleanup(server.Close)
	t.Setenv("AWS_ENDPOINT_URL_STS", server.URL)
	return asked
}

// overHTTP opens a table of the fixture's engine by a URL, as a person does.
func (f *fixture) overHTTP(table string) *dynamo.Table {
	f.t.Helper()
	return f.served(f.Engine, table)
}

// served opens a table by the URL of a server.
func (f *fixture) served(h http.Handler, table string) *dynamo.Table {
	f.t.Helper()
	server := httptest.NewServer(h)
	f.t.Cleanup(server.Close)
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_EC2_METADATA_DISABLED": "true", "AWS_PROFILE": "",
		"AWS_CONFIG_FILE": "/nonexistent", "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent",
	} {
		f.t.Setenv(name, value)
	}
	conn, err := dynamo.Connect(f.t.Context(), dynamo.Options{Options: client.Options{Endpoint: server.URL, Region: "eu-west-1", Write: true, Name: "support", Settle: time.Millisecond}, Layouts: f.Options().Layouts})
	if err != nil {
		f.t.Fatal(err)
	}
	t, err := conn.Open(f.t.Context(), table)
	if err != nil {
		f.t.Fatal(err)
	}
	return sure(t)
}

// The journal has the caller's ARN from STS. The program asks STS once, and only before the first write. If STS
// refuses, the journal has the name of the user instead, and the reason.
func TestTheJournalNamesTheCaller(t *testing.T) {
	for _, refuses := range []bool{false, true} {
		f := start(t)
		asked := sts(t, refuses)
		table := f.overHTTP("order_id")
		counters, _, err := counter.Read(t.Context(), table)
		if err != nil || asked.Load() != 0 {
			t.Fatalf("%v; STS was asked %d times for a read", err, asked.Load())
		}
		want, says := caller, ""
		if refuses {
			want, says = "tester", "asking STS for your identity"
		}
		for range 2 {
			p, err := planner.Bump(t.Context(), counters[0], big.NewInt(1))
			r := f.apply(p, err)
			if r.Who != want || !strings.HasPrefix(r.NoSTS, says) || (says == "") != (r.NoSTS == "") {
				t.Errorf("by %q, %q", r.Who, r.NoSTS)
			}
		}
		if n := asked.Load(); n != 1 {
			t.Errorf("STS was asked %d times", n)
		}
		line := entries(t, f.journal)[0]
		if line.Who != want || line.Account != "000000000000" || line.Connection != "support" || line.Region != "eu-west-1" || !strings.Contains(string(line.Plan), table.ID) || line.NoSTS == "" != !refuses {
			t.Errorf("the journal says %+v", line)
		}
	}
}

// A local endpoint has no STS, so STS is not asked.
func TestALocalEndpointAsksNobody(t *testing.T) {
	f := start(t)
	t.Setenv("AWS_ENDPOINT_URL_STS", "")
	table := f.overHTTP("order_id")
	counters, _, err := counter.Read(t.Context(), table)
	if err != nil {
		t.Fatal(err)
	}
	p, err := planner.Bump(t.Context(), counters[0], big.NewInt(1))
	if r := f.apply(p, err); r.Who != "tester" || r.NoSTS != "" {
		t.Errorf("by %q, %q", r.Who, r.NoSTS)
	}
}
