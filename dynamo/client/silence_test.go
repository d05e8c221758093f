package client_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tallylock/dynamo/client"
)

// An endpoint that never answers, or a host that cannot be reached, gets two requests. An answer to the
// second one counts. A busy endpoint gets more requests.
func TestSilenceIsGivenUp(t *testing.T) {
	silent := func(after time.Duration) func(*http.Request) (*http.Response, error) {
		return func(r *http.Request) (*http.Response, error) {
			select {
			case <-time.After(after):
			case <-r.Context().Done():
			}
			return unreachable(os.ErrDeadlineExceeded)(r)
		}
	}
	says := func(status int, body string) func(*http.Request) (*http.Response, error) {
		return func(r *http.Request) (*http.Response, error) {
			h := http.Header{"Content-Type": {"application/x-amz-json-1.0"}, "X-Amzn-Requestid": {"1"}}
			return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
		}
	}
	tables, busy := says(200, `{"TableNames":["accounts"]}`), says(500, `{"__type":"InternalServerError"}`)
	for name, tc := range map[string]struct {
		each   []func(*http.Request) (*http.Response, error)
		asked  int
		within time.Duration
		want   client.Kind
	}{
		"it never answers":  {[]func(*http.Request) (*http.Response, error){silent(20 * time.Second)}, 2, 45 * time.Second, client.Unreachable},
		"no host":           {[]func(*http.Request) (*http.Response, error){silent(5 * time.Second)}, 2, 15 * time.Second, client.Unreachable},
		"it answers late":   {[]func(*http.Request) (*http.Response, error){silent(20 * time.Second), tables}, 2, 45 * time.Second, ""},
		"it is busy":        {[]func(*http.Request) (*http.Response, error){busy, busy, busy, busy, tables}, 5, 20 * time.Second, ""},
		"busy, then silent": {[]func(*http.Request) (*http.Response, error){busy, silent(20 * time.Second)}, 2, 45 * time.Second, client.Unreachable},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &answers{each: tc.each}
				c, err := client.Connect(context.Background(), client.Options{Transport: a, Region: "eu-west-1"})
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				_, err = c.TableNames(t.Context())
				if took := time.Since(began); err == nil != (tc.want == "") || err != nil && client.KindOf(err) != tc.want || len(a.asked) != tc.asked || took > tc.within {
					t.Errorf("after %s, asked %d times: %v", took, len(a.asked), err)
				}
			})
		})
	}
}
