package client_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
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

// While a table is opened for a long job, a throttled read is retried as often as a page of a scan. A host that
// refuses the connection is not asked again.
func TestWaitIfThrottled(t *testing.T) {
	slow := func(r *http.Request) (*http.Response, error) {
		h := http.Header{"Content-Type": {"application/x-amz-json-1.0"}, "X-Amzn-Requestid": {"1"}}
		body := io.NopCloser(strings.NewReader(`{"__type":"ProvisionedThroughputExceededException"}`))
		return &http.Response{StatusCode: http.StatusBadRequest, Header: h, Body: body, Request: r}, nil
	}
	silent := unreachable(os.ErrDeadlineExceeded)
	type tries = []func(*http.Request) (*http.Response, error)
	for name, tc := range map[string]struct {
		each  tries
		ctx   func(context.Context) context.Context
		asked int
	}{
		"a person waits":     {tries{slow}, func(ctx context.Context) context.Context { return ctx }, 5},
		"a long job begins":  {tries{slow}, client.WaitIfThrottled, 20},
		"nobody listens":     {tries{unreachable(syscall.ECONNREFUSED)}, client.WaitIfThrottled, 1},
		"it never answers":   {tries{silent}, client.WaitIfThrottled, 2},
		"one answer is lost": {tries{slow, slow, slow, slow, slow, silent, slow}, client.WaitIfThrottled, 20},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &answers{each: tc.each}
				c, err := client.Connect(context.Background(), client.Options{Transport: a, Region: "eu-west-1"})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := c.Describe(tc.ctx(t.Context()), "accounts"); err == nil || len(a.asked) != tc.asked {
					t.Errorf("asked %d times: %v", len(a.asked), err)
				}
			})
		})
	}
}

// An answer whose end does not arrive in time is late, not damaged.
func TestALateAnswerIsNotDamaged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := func(r *http.Request) (*http.Response, error) {
			h := http.Header{"Content-Type": {"application/x-amz-json-1.0"}, "X-Amzn-Requestid": {"1"}}
			body := io.MultiReader(strings.NewReader(`{"TableNames":`), failing{func() error {
				time.Sleep(20 * time.Second)
				return os.ErrDeadlineExceeded
			}})
			return &http.Response{StatusCode: http.StatusOK, Header: h, Body: io.NopCloser(body), ContentLength: -1, Request: r}, nil
		}
		a := &answers{each: []func(*http.Request) (*http.Response, error){late}}
		c, err := client.Connect(context.Background(), client.Options{Transport: a, Region: "eu-west-1"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.TableNames(t.Context())
		if err == nil || client.KindOf(err) != client.Unreachable || !strings.Contains(err.Error(), "did not answer in time") || len(a.asked) != 2 {
			t.Errorf("asked %d times: %v", len(a.asked), err)
		}
	})
}
