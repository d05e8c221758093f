package client_test

import (
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
)

// The first change leaves an open connection. The second change uses this connection. It is sent only once, however the
// connection fails.
func TestAnAttemptIsSentOnce(t *testing.T) {
	hang := func(w http.ResponseWriter) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			err = conn.Close()
		}
		if err != nil {
			t.Error(err)
		}
	}
	for name, answer := range map[string]http.HandlerFunc{
		"closed unread":  func(w http.ResponseWriter, _ *http.Request) { hang(w) },
		"closed":         func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); hang(w) },
		"sent elsewhere": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusTemporaryRedirect) },
		"out of order":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"aborted":        func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		for _, h2 := range []bool{false, true} {
			if h2 && strings.HasPrefix(name, "closed") {
				continue // an HTTP/2 request has no connection of its own to close
			}
			t.Run(name+map[bool]string{true: ", h2"}[h2], func(t *testing.T) {
				var sent atomic.Int64
				server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if want := map[bool]int{false: 1, true: 2}[h2]; r.ProtoMajor != want {
						t.Errorf("it speaks %s", r.Proto)
					}
					if sent.Add(1) > 1 {
						answer(w, r)
						return
					}
					w.Header().Set("X-Amzn-Requestid", "1")
					_, _ = io.WriteString(w, `{"ConsumedCapacity":[{"TableName":"accounts","CapacityUnits":2}]}`)
				}))
				server.EnableHTTP2 = h2
				server.StartTLS()
				t.Cleanup(server.Close)
				bundle := filepath.Join(t.TempDir(), "ca.pem")
				known := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
				if err := os.WriteFile(bundle, known, 0o600); err != nil {
					t.Fatal(err)
				}
				t.Setenv("AWS_CA_BUNDLE", bundle)
				c, err := client.Connect(t.Context(), client.Options{Endpoint: server.URL, Write: true})
				if err != nil {
					t.Fatal(err)
				}
				request, err := client.Request("token", []client.Write{{Verb: client.Check, Table: "accounts", Key: attr.Key{Hash: attr.Attribute{Name: "PK", Value: attr.String("a")}}}})
				if err != nil {
					t.Fatal(err)
				}
				for n, want := range []client.Result{client.Happened, client.Lost} {
					if a := c.Transact(t.Context(), request); a.Result != want || sent.Load() != int64(n+1) {
						t.Errorf("it is %s %v and was sent %d times; want %s, %d", a.Result, a.Err, sent.Load(), want, n+1)
					}
				}
			})
		}
	}
}
