package client_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/demo"
)

// Two connections have the same table if its TableId is equal. An equal name is not enough. If the TableId of the other
// table is unknown, the stricter guard holds.
func TestAGuardHoldsForTheTableItself(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "a")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "b")
	serve := func(h http.Handler) string {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return s.URL
	}
	engine := func() http.Handler {
		d, err := demo.New(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return d.Engine
	}
	ours := engine()
	refuses := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"__type":"x#AccessDeniedException","Message":"no"}`))
	})
	for name, tc := range map[string]struct {
		other client.Config
		deny  bool
	}{
		"by another port":          {client.Config{EndpointURL: serve(ours)}, true},
		"another of that name":     {client.Config{EndpointURL: serve(engine())}, false},
		"where nobody listens":     {client.Config{EndpointURL: "http://127.0.0.1:1"}, false},
		"where nobody may look":    {client.Config{EndpointURL: serve(refuses)}, true},
		"on AWS, and ours is not":  {client.Config{Region: "eu-west-1"}, false},
		"by a profile nobody has":  {client.Config{Profile: "nobody-has-it"}, true},
		"an endpoint without name": {client.Config{EndpointURL: "http://nowhere.invalid:8000"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			deny, yes := client.GuardDeny, true
			tc.other.Name, tc.other.Guards, tc.other.RequireReason = "other", map[string]client.Guard{"order_id": deny}, &yes
			if tc.other.Region == "" {
				tc.other.Region = "us-east-1"
			}
			o := client.Options{Endpoint: serve(ours), Region: "us-east-1", Write: true, Others: []client.Config{tc.other}}
			conn, err := client.Connect(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			request, err := client.Request("token-"+name[:8], []client.Write{{Verb: client.Delete, Table: "order_id", Key: attr.Key{Hash: attr.Attribute{Name: "x", Value: attr.String("a")}}}})
			if err != nil {
				t.Fatal(err)
			}
			a := conn.Transact(t.Context(), request)
			if denied := client.KindOf(a.Err) == client.ReadOnly; denied != tc.deny {
				t.Errorf("denied %v, want %v: %v", denied, tc.deny, a.Err)
			}
			if conn.RequiresReason("order_id") != tc.deny {
				t.Errorf("a reason is asked for: %v", !tc.deny)
			}
			if g := conn.GuardOf("accounts"); g != client.GuardConfirm {
				t.Errorf("accounts: %s", g)
			}
		})
	}
}
