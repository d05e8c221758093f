package fault_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/embedded"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/internal/fault"
)

// reached runs a test in process and over HTTP. settle waits for running requests.
func reached(t *testing.T, test func(t *testing.T, reach func(*embedded.Engine) (db *dynamodb.Client, settle func()))) {
	t.Run("in process", func(t *testing.T) {
		test(t, func(e *embedded.Engine) (*dynamodb.Client, func()) { return connectTo(e), func() {} })
	})
	t.Run("http", func(t *testing.T) {
		test(t, func(e *embedded.Engine) (*dynamodb.Client, func()) {
			server := httptest.NewServer(handler(e))
			transport := &http.Transport{}
			return sdk.Client(transport, once, func(o *dynamodb.Options) { o.BaseEndpoint = &server.URL }), func() {
				transport.CloseIdleConnections()
				server.Close()
			}
		})
	})
}

// handler serves an engine and its faults over HTTP, where a reset connection differs from a closed one.
func handler(e *embedded.Engine) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, err := e.Transport().RoundTrip(r)
		if err != nil {
			breakOff(w, err)
			return
		}
		defer answer.Body.Close()
		maps.Copy(w.Header(), answer.Header)
		w.WriteHeader(answer.StatusCode)
		if _, err := io.Copy(w, answer.Body); err != nil {
			_ = http.NewResponseController(w).Flush()
			breakOff(w, err)
		}
	})
}

// breakOff ends the connection under a handler.
func breakOff(w http.ResponseWriter, how error) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // the server then closes the connection
	}
	if tcp, ok := conn.(*net.TCPConn); ok && errors.Is(how, syscall.ECONNRESET) {
		_ = tcp.SetLinger(0) // with this setting, Close resets the connection
	}
	_ = conn.Close()
}

func bumpOnce(db *dynamodb.Client, ctx context.Context, options ...func(*dynamodb.Options)) error {
	name := aws.String("tab")
	_, err := db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{add(name, "c"), add(name, "d")}}, options...)
	return err
}

// counted reads the counter directly, without faults and delays.
func counted(t *testing.T, e *embedded.Engine) string {
	_, body := send(t, e, "TransactGetItems", `{"TransactItems":[{"Get":{"TableName":"tab","Key":{"pk":{"S":"c"}},"ProjectionExpression":"n1"}}]}`)
	return body
}

const (
	notYet = `{"Responses":[{}]}`
	bumped = `{"Responses":[{"Item":{"n1":{"N":"1"}}}]}`
)

// Each fault gives the client its error, and applies the transaction or not.
func TestFaults(t *testing.T) {
	is := func(target error) func(error) bool {
		return func(err error) bool { return errors.Is(err, target) }
	}
	coded := func(code string) func(error) bool {
		return func(err error) bool { return sdk.Code(err) == code }
	}
	cases := map[fault.Fault]struct {
		applied bool
		shows   func(error) bool
	}{
		fault.NoFault:     {true, func(err error) bool { return err == nil }},
		fault.CloseBefore: {false, is(io.EOF)},
		fault.CloseAfter:  {true, is(io.EOF)},
		fault.ResetAfter:  {true, is(syscall.ECONNRESET)},
		fault.Silence:     {true, is(context.Canceled)},
		fault.FailAfter:   {true, coded("InternalServerError")},
		fault.Throttle:    {false, coded("ProvisionedThroughputExceededException")},
		fault.Conflict: {false, func(err error) bool {
			cancelled := (*types.TransactionCanceledException)(nil)
			return errors.As(err, &cancelled) && len(cancelled.CancellationReasons) == 2 &&
				*cancelled.CancellationReasons[0].Code == "TransactionConflict" && *cancelled.CancellationReasons[1].Code == "None"
		}},
		fault.Truncate: {true, is(io.ErrUnexpectedEOF)},
		fault.Corrupt:  {true, func(err error) bool { return err != nil }}, // an empty answer {} becomes unreadable
	}
	reached(t, func(t *testing.T, reach func(*embedded.Engine) (*dynamodb.Client, func())) {
		for f := fault.NoFault; f <= fault.Corrupt; f++ {
			t.Run(f.String(), func(t *testing.T) {
				want, listed := cases[f]
				if !listed {
					t.Fatal("no case")
				}
				ctx, giveUp := context.WithCancel(t.Context())
				defer giveUp()
				e := withTable(t, fault.WithFaults(func(r fault.Request) fault.Fault {
					if r.Op != "TransactWriteItems" {
						return fault.NoFault
					}
					if !strings.Contains(string(r.Body), "ClientRequestToken") {
						t.Errorf("the body is %s", r.Body)
					}
					if f == fault.Silence {
						giveUp()
					}
					return f
				}))
				db, settle := reach(e)
				err := bumpOnce(db, ctx)
				settle()
				if !want.shows(err) {
					t.Errorf("the client is told %v", err)
				}
				if got := counted(t, e); got != map[bool]string{false: notYet, true: bumped}[want.applied] {
					t.Errorf("the table holds %s; applied: want %v", got, want.applied)
				}
			})
		}
	})
}

// If the first answer is lost, the SDK retries, and the request token prevents a second write. The SDK does not retry
// after a conflict or a broken body.
func TestTheSDKRetriesMostFaults(t *testing.T) {
	reached(t, func(t *testing.T, reach func(*embedded.Engine) (*dynamodb.Client, func())) {
		for f := fault.CloseBefore; f <= fault.Corrupt; f++ {
			if f == fault.Silence {
				continue // this fault ends with the client's timeout, so the SDK does not retry
			}
			t.Run(f.String(), func(t *testing.T) {
				attempts := 0
				e := withTable(t, fault.WithFaults(func(r fault.Request) fault.Fault {
					if r.Op != "TransactWriteItems" {
						return fault.NoFault
					}
					if attempts++; attempts == 1 {
						return f
					}
					return fault.NoFault
				}))
				db, settle := reach(e)
				err := bumpOnce(db, t.Context(), func(o *dynamodb.Options) {
					o.Retryer = retry.NewStandard(func(s *retry.StandardOptions) {
						s.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
					})
				})
				settle()
				switch f {
				case fault.Conflict, fault.Truncate, fault.Corrupt:
					if err == nil || attempts != 1 {
						t.Errorf("%v after %d attempts; want an error after one", err, attempts)
					}
				default:
					if err != nil || attempts != 2 || counted(t, e) != bumped {
						t.Errorf("%v after %d attempts, %s; want it applied once, by the second", err, attempts, counted(t, e))
					}
				}
			})
		}
	})
}

// The SDK accepts a page with one changed character, and only logs the wrong checksum.
func TestACorruptPageCanBeRead(t *testing.T) {
	reached(t, func(t *testing.T, reach func(*embedded.Engine) (*dynamodb.Client, func())) {
		e := withTable(t, fault.WithFaults(func(r fault.Request) fault.Fault {
			if r.Op == "Scan" {
				return fault.Corrupt
			}
			return fault.NoFault
		}))
		send(t, e, "PutItem", `{"TableName":"tab","Item":{"pk":{"S":"`+strings.Repeat("a", 100)+`"}}}`)
		db, settle := reach(e)
		page, err := db.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("tab")})
		settle()
		if err != nil || len(page.Items) != 1 {
			t.Fatal(page, err)
		}
		if got := strings.ReplaceAll(page.Items[0]["pk"].(*types.AttributeValueMemberS).Value, "a", ""); got != "`" {
			t.Errorf("%q was changed; want one character", got)
		}
	})
}

// The function that chooses faults can send requests, like an application between two requests.
func TestFaultsAreNumberedAndMaySendRequests(t *testing.T) {
	var e *embedded.Engine
	var seen []string
	e = embedded.New(fault.WithFaults(func(r fault.Request) fault.Fault {
		seen = append(seen, r.Op)
		if len(seen) != r.N {
			t.Errorf("request %d has the number %d", len(seen), r.N)
		}
		if r.Op == "GetItem" {
			send(t, e, "PutItem", `{"TableName":"tab","Item":{"pk":{"S":"x"}}}`)
		}
		return fault.NoFault
	}))
	create(t, e, "tab")
	if _, body := send(t, e, "GetItem", `{"TableName":"tab","Key":{"pk":{"S":"x"}}}`); body != `{"Item":{"pk":{"S":"x"}}}` {
		t.Error(body)
	}
	if got := strings.Join(seen, " "); got != "CreateTable GetItem PutItem" {
		t.Error(got)
	}
}
