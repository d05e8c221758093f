package check_test

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/demo"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/scan"
)

// A check is complete only if it has judged everything. Otherwise it says why it is not complete.

// turned is an endpoint that refuses requests of one operation.
type turned struct {
	http.RoundTripper
	operation string
	// answer returns the body of the refusal, or an empty text to accept the request. If answer is nil, turned accepts all
	// requests.
	answer func(request string) string

	mu sync.Mutex
	n  int // the number of refusals
}

func (c *turned) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(r.Header.Get("X-Amz-Target"), "."+c.operation) {
		return c.RoundTripper.RoundTrip(r)
	}
	if c.answer == nil {
		return c.RoundTripper.RoundTrip(r)
	}
	body, again := asked(r)
	if why := c.answer(body); why != "" {
		c.mu.Lock()
		c.n++
		c.mu.Unlock()
		return respond(r, http.StatusBadRequest, why), nil
	}
	return c.RoundTripper.RoundTrip(again)
}

// cancelled returns the answer to a TransactGetItems that DynamoDB cancels because of its last item.
func cancelled(code string) func(string) string {
	return func(request string) string {
		reasons := strings.Repeat(`{"Code":"None"},`, strings.Count(request, `"Get"`)-1)
		return `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"cancelled","CancellationReasons":[` + reasons + `{"Code":"` + code + `","Message":"because"}]}`
	}
}

func refusal(code string) func(string) string {
	return func(string) string {
		return `{"__type":"com.amazonaws.dynamodb.v20120810#` + code + `","message":"no"}`
	}
}

// DynamoDB may be unable to read several items together, for different reasons. The check does not judge these items,
// and says why.
func TestWhatCannotBeReadTogetherIsNotJudged(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		answer func(string) string
		kind   client.Kind // of the error; empty if there is none
		says   string
	}{
		{"throttled", cancelled("ThrottlingError"), client.Throttled, "DynamoDB throttled the request (ThrottlingError)"},
		{"out of capacity", cancelled("ProvisionedThroughputExceeded"), client.Throttled, "DynamoDB throttled the request ("},
		{"throttled, as an error", refusal("ProvisionedThroughputExceededException"), client.Throttled, "DynamoDB throttled the request ("},
		{"denied", cancelled("AccessDenied"), client.Denied, "this role lacks the permission dynamodb:GetItem"},
		{"denied, as an error", refusal("AccessDeniedException"), client.Denied, "this role lacks the permission dynamodb:GetItem"},
		{"invalid", cancelled("ValidationError"), client.Failed, "DynamoDB calls the request invalid: because"},
		{"invalid, as an error", refusal("ValidationException"), client.Failed, "ValidationException: no"},
		{"conflict", cancelled("TransactionConflict"), "", "could not be judged, because the application kept writing to their items (TransactionConflict): check again at a quieter time"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, c := start(t), &turned{operation: "TransactGetItems", answer: tc.answer}
				table := f.open("accounts", func(o *dynamo.Options) { c.RoundTripper, o.Transport = o.Transport, c })
				begun := time.Now()
				found, sum, err := run(t.Context(), table, setting.Options{})
				took := time.Since(begun)
				if sum.Complete || !strings.Contains(sum.Why, tc.says) || sum.Unjudged() != "" || c.n == 0 {
					t.Errorf("%+v, %q", sum, sum.Unjudged())
				}
				if tc.kind == "" && err != nil || tc.kind != "" && client.KindOf(err) != tc.kind {
					t.Errorf("%v", err)
				}
				for _, one := range found {
					if one.Confirmed {
						t.Errorf("confirmed %v", one)
					}
				}
				if throttled := tc.kind == client.Throttled; throttled != (took > 30*time.Second) || throttled != (sum.Throttled > 0) {
					t.Errorf("it took %v, throttled %d times", took, sum.Throttled)
				}
			})
		})
	}
}

// The check waits until throttling or conflicts end, and then finds everything.
func TestWhatPassesIsWaitedFor(t *testing.T) {
	t.Parallel()
	for code, lasts := range map[string]time.Duration{"ThrottlingError": 30 * time.Second, "ProvisionedThroughputExceeded": 30 * time.Second, "TransactionConflict": time.Second} {
		synctest.Test(t, func(t *testing.T) {
			f, c := start(t), &turned{operation: "TransactGetItems"}
			table := f.open("accounts", func(o *dynamo.Options) { c.RoundTripper, o.Transport = o.Transport, c })
			want, _ := f.run(f.open("accounts"), setting.Options{})
			var first sync.Once
			var until time.Time
			c.answer = func(request string) string {
				first.Do(func() { until = time.Now().Add(lasts) })
				if time.Now().Before(until) {
					return cancelled(code)(request)
				}
				return ""
			}
			found, sum := f.run(table, setting.Options{})
			if !sum.Complete || !sum.Confirmed || !slices.Equal(said(found), said(want)) || c.n == 0 {
				t.Errorf("%s, %d times: %q, %+v", code, c.n, said(found), sum)
			}
		})
	}
}

// If others change a counter all the time, the check does not judge it, and says so.
func TestACounterInConflictIsNotJudged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.create("bills", "name:S", "", doc{"name": str("invoice"), "at": num("3")}, doc{"name": str("a"), "no": num("7")})
		c := &turned{operation: "TransactGetItems", answer: cancelled("TransactionConflict")}
		table := f.described("bills", invoices(), func(o *dynamo.Options) { c.RoundTripper, o.Transport = o.Transport, c })
		found, sum := f.run(table, setting.Options{})
		if len(found) != 0 || sum.Complete || !strings.HasPrefix(sum.Why, "1 value could not be judged") {
			t.Errorf("%v, %+v", said(found), sum)
		}
	})
}

// The check retries the request for the TTL attribute for as long as the request for a page.
func TestTimeToLiveIsAskedAgain(t *testing.T) {
	for _, why := range []string{"ThrottlingException", "LimitExceededException"} {
		synctest.Test(t, func(t *testing.T) {
			f, c := start(t), &turned{operation: "DescribeTimeToLive"}
			table := f.open("accounts", func(o *dynamo.Options) { c.RoundTripper, o.Transport = o.Transport, c })
			until := time.Now().Add(30 * time.Second)
			c.answer = func(request string) string {
				if time.Now().Before(until) {
					return refusal(why)(request)
				}
				return ""
			}
			if _, sum := f.run(table, setting.Options{}); !sum.Complete || c.n == 0 || sum.Throttled != int64(c.n) {
				t.Errorf("%d times, %+v", c.n, sum)
			}
		})
	}
}

// If a table is deleted and created again during the check, the check is incomplete.
func TestATableThatIsMadeAnew(t *testing.T) {
	t.Parallel()
	f := start(t)
	again := &turned{operation: "Scan"}
	table := f.open("accounts", func(o *dynamo.Options) { again.RoundTripper, o.Transport = o.Transport, again })
	other, err := demo.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	described, err := f.App().DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("accounts")})
	if err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	again.answer = func(request string) string {
		once.Do(func() {
			in := &dynamodb.CreateTableInput{TableName: aws.String("accounts"), BillingMode: "PAY_PER_REQUEST", KeySchema: described.Table.KeySchema, AttributeDefinitions: described.Table.AttributeDefinitions}
			_, gone := f.App().DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: in.TableName})
			if _, err := f.App().CreateTable(t.Context(), in); err != nil || gone != nil {
				t.Error(err, gone)
			}
			all, err := other.App().Scan(t.Context(), &dynamodb.ScanInput{TableName: in.TableName})
			if err != nil {
				t.Error(err)
				return
			}
			f.put("accounts", all.Items...)
		})
		return ""
	}
	found, sum := f.run(table, setting.Options{})
	if len(found) == 0 || sum.Complete || !strings.Contains(sum.Why, "accounts was deleted and created again during the check") {
		t.Errorf("%q, %+v", said(found), sum)
	}
}

// circling is an endpoint whose pages lead in a circle: LastEvaluatedKey is one of the first keys, again and again.
type circling struct {
	http.RoundTripper
	of    int // the number of keys in the circle
	keys  []string
	mu    sync.Mutex
	pages int
}

var lastKey = regexp.MustCompile(`"LastEvaluatedKey":(\{("\w+":\{"S":"[^"]*"\},?)+\})`)

func (c *circling) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := c.RoundTripper.RoundTrip(r)
	if err != nil || !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".Scan") {
		return answer, err
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pages++
	if at := lastKey.FindSubmatchIndex(body); at != nil {
		if len(c.keys) < c.of {
			c.keys = append(c.keys, string(body[at[2]:at[3]]))
		} else {
			body = slices.Concat(body[:at[2]], []byte(c.keys[c.pages%c.of]), body[at[3]:])
		}
	}
	answer.Header.Set("X-Amz-Crc32", fmt.Sprint(crc32.ChecksumIEEE(body)))
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return answer, nil
}

// A scan ends with an error if LastEvaluatedKey leads it in a circle.
func TestAScanIsNotLedInACircle(t *testing.T) {
	for _, of := range []int{1, 2, 7} {
		n := &network{Table: madeUp()}
		n.open(t)
		c := &circling{RoundTripper: n, of: of}
		conn := connected(t, behind(c))
		d, err := conn.Describe(t.Context(), n.Name)
		if err != nil {
			t.Fatal(err)
		}
		_, totals, err := scanned(t, t.Context(), conn, d, scan.Options{Attributes: columns, Segments: 1, Workers: 1, MaxReadUnits: -1})
		if client.KindOf(err) != client.Failed || !strings.Contains(fmt.Sprint(err), "it sent the same LastEvaluatedKey a second time") || totals.Complete() || c.pages > of+1 {
			t.Errorf("a circle of %d, after %d pages: %v, %+v", of, c.pages, err, totals)
		}
	}
}

// invoices is the layout of a counter, and of items with its numbers.
func invoices() config.Layout {
	return config.Layout{Counters: []config.Counter{{Name: "invoice", PK: "invoice", Attribute: "at", IDs: []config.IDs{{Attribute: "no"}}}}}
}
