package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"tallylock/dynamo/client"
)

// answers is a transport. Its functions answer one request each, in order. The last function also answers all further
// requests.
type answers struct {
	each  []func(*http.Request) (*http.Response, error)
	asked []string // the Range header of each request
}

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	a.asked = append(a.asked, r.Header.Get("Range"))
	return a.each[min(len(a.asked), len(a.each))-1](r)
}

const whole = "0123456789"

// sends returns a function that answers a request with a part of the object. After this part, the body returns the
// error of the function then.
func sends(status int, from, to int, then func(ctx context.Context) error) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		h := http.Header{"Etag": {`"one"`}, "Content-Length": {fmt.Sprint(len(whole) - from)}}
		if status == http.StatusPartialContent {
			h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(whole)-1, len(whole)))
		}
		body := io.MultiReader(strings.NewReader(whole[from:to]), failing{func() error { return then(r.Context()) }})
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(body), ContentLength: int64(len(whole) - from), Request: r}, nil
	}
}

type failing struct{ with func() error }

func (f failing) Read([]byte) (int, error) { return 0, f.with() }

func ends(context.Context) error { return io.EOF }

func breaks(context.Context) error { return errors.New("connection reset by peer") }

// stalls blocks until the request is cancelled.
func stalls(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

func refuses(status int, code string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		body := "<Error><Code>" + code + "</Code><Message>m</Message></Error>"
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	}
}

// unreachable fails a request as if the network were down. why is the cause.
func unreachable(why error) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: why}
	}
}

var (
	refused  = os.NewSyscallError("connect", syscall.ECONNREFUSED)
	nameless = &net.DNSError{Err: "no such host", Name: "s3.test", IsNotFound: true}
)

// outage lists the answer before an outage, 40 failures during the outage, and the answers after it.
func outage(before func(*http.Request) (*http.Response, error), why error, after ...func(*http.Request) (*http.Response, error)) []func(*http.Request) (*http.Response, error) {
	return slices.Concat([]func(*http.Request) (*http.Response, error){before}, slices.Repeat([]func(*http.Request) (*http.Response, error){unreachable(why)}, 40), after)
}

// An object is one stream over several connections. Each new connection requests the rest of the object. The stream
// fails if the bucket sends no rest, or the rest of another object.
func TestObject(t *testing.T) {
	for name, tc := range map[string]struct {
		each []func(*http.Request) (*http.Response, error)
		want string // a part of the error; empty: the whole object arrives
	}{
		"at once":               {each: []func(*http.Request) (*http.Response, error){sends(200, 0, 10, ends)}},
		"it breaks":             {each: []func(*http.Request) (*http.Response, error){sends(200, 0, 4, breaks), sends(206, 4, 6, breaks), sends(206, 6, 10, ends)}},
		"it breaks before":      {each: []func(*http.Request) (*http.Response, error){sends(200, 0, 0, breaks), sends(200, 0, 10, ends)}},
		"it breaks at the end":  {each: []func(*http.Request) (*http.Response, error){sends(200, 0, 10, breaks)}},
		"it ends too early":     {each: []func(*http.Request) (*http.Response, error){sends(200, 0, 4, ends), sends(206, 4, 10, ends)}},
		"it stalls":             {each: []func(*http.Request) (*http.Response, error){sends(200, 0, 4, stalls), sends(206, 4, 10, ends)}},
		"slow down":             {each: []func(*http.Request) (*http.Response, error){refuses(503, "SlowDown"), sends(200, 0, 4, breaks), refuses(503, "SlowDown"), sends(206, 4, 10, ends)}},
		"another part first":    {each: []func(*http.Request) (*http.Response, error){sends(200, 0, 4, breaks), sends(206, 5, 10, ends), sends(206, 4, 10, ends)}},
		"always all of it":      {each: []func(*http.Request) (*http.Response, error){sends(200, 0, 4, breaks), sends(200, 0, 10, ends)}, want: "another part of the object"},
		"it always breaks":      {each: []func(*http.Request) (*http.Response, error){sends(200, 0, 4, breaks), sends(206, 4, 4, breaks)}, want: "after 4 bytes, nothing arrived for 15 minutes (connection reset by peer)"},
		"replaced":              {each: []func(*http.Request) (*http.Response, error){sends(200, 0, 4, breaks), refuses(412, "PreconditionFailed")}, want: "the object was replaced while it was read"},
		"archived":              {each: []func(*http.Request) (*http.Response, error){refuses(403, "InvalidObjectState")}, want: "the object is archived; restore the object"},
		"encrypted":             {each: []func(*http.Request) (*http.Response, error){refuses(403, "AccessDenied")}, want: "s3:GetObject"},
		"denied without a word": {each: []func(*http.Request) (*http.Response, error){refuses(403, "")}, want: "s3:GetObject"},
		"a bad token":           {each: []func(*http.Request) (*http.Response, error){refuses(400, "InvalidToken")}, want: "does not accept the credentials (InvalidToken); check the profile"},
		"a wrong clock":         {each: []func(*http.Request) (*http.Response, error){refuses(403, "RequestTimeTooSkewed")}, want: "set the clock"},
		"an account's trouble":  {each: []func(*http.Request) (*http.Response, error){refuses(403, "AllAccessDisabled")}, want: "S3 refuses the read (AllAccessDisabled: m); ask the owner"},
		"no bucket":             {each: []func(*http.Request) (*http.Response, error){refuses(404, "NoSuchBucket")}, want: "there is no bucket b"},
		"expired":               {each: []func(*http.Request) (*http.Response, error){refuses(400, "ExpiredToken")}, want: "expired"},
		"nobody listens":        {each: outage(sends(200, 0, 4, breaks), refused, sends(206, 4, 10, ends))},
		"no name":               {each: outage(sends(200, 0, 4, breaks), nameless, sends(206, 4, 10, ends))},
		"never again":           {each: []func(*http.Request) (*http.Response, error){sends(200, 0, 4, breaks), unreachable(refused)}, want: "cannot be reached"},
		"no S3":                 {each: []func(*http.Request) (*http.Response, error){refuses(418, "")}, want: "HTTP status 418"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &answers{each: tc.each}
				c, err := client.Connect(t.Context(), client.Options{Transport: a, Region: "eu-west-1"})
				if err != nil {
					t.Fatal(err)
				}
				var got []byte
				body, err := c.Bucket("b").Open(t.Context(), "folder/key")
				if err == nil {
					got, err = io.ReadAll(body)
					body.Close()
				}
				switch {
				case tc.want == "" && (err != nil || !bytes.Equal(got, []byte(whole))):
					t.Errorf("%q, %v; asked for %q", got, err, a.asked)
				case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
					t.Errorf("%v", err)
				case err != nil && !strings.Contains(err.Error(), "s3://b/folder/key"):
					t.Errorf("it does not name the object: %v", err)
				}
			})
		})
	}
}

// A wrong address fails at once. A bucket that has answered before is retried for about a quarter of an
// hour, also at the beginning of an object. Again reports each retry.
func TestOutagesOfABucket(t *testing.T) {
	for _, why := range []error{refused, nameless} {
		synctest.Test(t, func(t *testing.T) {
			a := &answers{each: []func(*http.Request) (*http.Response, error){unreachable(why)}}
			c, err := client.Connect(t.Context(), client.Options{Transport: a, Region: "eu-west-1"})
			if err != nil {
				t.Fatal(err)
			}
			bucket := c.Bucket("b")
			if _, err := bucket.Open(t.Context(), "first"); client.KindOf(err) != client.Unreachable || len(a.asked) != 1 {
				t.Errorf("%v, asked %d times", err, len(a.asked))
			}
			a.each, a.asked = outage(sends(200, 0, 10, ends), why, sends(200, 0, 10, ends)), nil
			again := 0
			ctx := client.Again(t.Context(), func(throttled bool, _ []string) {
				if again++; throttled {
					t.Error("nobody throttled")
				}
			})
			for _, key := range []string{"manifest", "data"} {
				body, err := bucket.Open(ctx, key)
				if err != nil {
					t.Fatal(err)
				}
				if got, err := io.ReadAll(body); string(got) != whole || err != nil {
					t.Errorf("%q, %v", got, err)
				}
				body.Close()
			}
			if again != 40 {
				t.Errorf("asked again %d times", again)
			}
			began := time.Now()
			a.each, a.asked = []func(*http.Request) (*http.Response, error){unreachable(why)}, nil
			if _, err := bucket.Open(t.Context(), "third"); client.KindOf(err) != client.Unreachable {
				t.Errorf("%v", err)
			}
			if took := time.Since(began); took < quarter || took > quarter+2*time.Minute {
				t.Errorf("given up after %s", took)
			}
		})
	}
}

const quarter = 15 * time.Minute

// The client retries for a quarter of an hour after the last byte of an object. The kind of failure makes no
// difference.
func TestOutagesOfAnObject(t *testing.T) {
	silence := func(r *http.Request) (*http.Response, error) {
		time.Sleep(20 * time.Second)
		return unreachable(os.ErrDeadlineExceeded)(r)
	}
	for name, fails := range map[string]func(*http.Request) (*http.Response, error){
		"resets": sends(206, 4, 4, breaks), "stalls": sends(206, 4, 4, stalls), "no answer": silence, "slow down": refuses(503, "SlowDown"),
	} {
		for _, lasts := range []time.Duration{10 * time.Minute, time.Hour} {
			t.Run(fmt.Sprint(name, " for ", lasts), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					began := time.Now()
					failsFor := func(r *http.Request) (*http.Response, error) {
						if time.Since(began) < lasts {
							return fails(r)
						}
						return sends(206, 4, 10, ends)(r)
					}
					c, err := client.Connect(t.Context(), client.Options{Transport: &answers{each: []func(*http.Request) (*http.Response, error){sends(200, 0, 4, breaks), failsFor}}, Region: "eu-west-1"})
					if err != nil {
						t.Fatal(err)
					}
					slowed := false
					body, err := c.Bucket("b").Open(client.Again(t.Context(), func(throttled bool, _ []string) { slowed = slowed || throttled }), "key")
					if err != nil {
						t.Fatal(err)
					}
					defer body.Close()
					got, err := io.ReadAll(body)
					took := time.Since(began)
					switch {
					case lasts < quarter && (err != nil || string(got) != whole):
						t.Errorf("%q, %v after %s", got, err, took)
					case lasts > quarter && (err == nil || took < quarter || took > quarter+2*time.Minute):
						t.Errorf("%v after %s", err, took)
					}
					if slowed != (name == "slow down") {
						t.Errorf("throttled: %t", slowed)
					}
				})
			})
		}
	}
}

// Cancelling ends the reading at once, without a retry.
func TestStopsReadingAnObject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		a := &answers{each: []func(*http.Request) (*http.Response, error){sends(200, 0, 4, func(ctx context.Context) error {
			cancel()
			return stalls(ctx)
		})}}
		c, err := client.Connect(ctx, client.Options{Transport: a, Region: "eu-west-1"})
		if err != nil {
			t.Fatal(err)
		}
		body, err := c.Bucket("b").Open(ctx, "key")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(body); client.KindOf(err) != client.Cancelled || len(a.asked) != 1 {
			t.Errorf("%v, asked %d times", err, len(a.asked))
		}
	})
}
