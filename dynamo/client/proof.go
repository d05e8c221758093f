package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"tallylock/dynamo/phrase"
)

// unproven is the error for an answer that may not come from DynamoDB: proxies and captive portals also
// answer with status 200. After this error, a read is sent again, and the outcome of a write is unknown.
type unproven struct {
	why   string
	final bool // a retry would get the same answer
}

func (u *unproven) Error() string {
	return "the answer does not prove that it came from DynamoDB: " + u.why
}

// RetryableError tells the SDK's retryer whether to ask again.
func (u *unproven) RetryableError() bool { return !u.final }

// noAnswer reports whether err means that an answer was damaged, or may not come from DynamoDB.
func noAnswer(err error) bool {
	_, broken := errors.AsType[*damaged](err)
	_, foreign := errors.AsType[*unproven](err)
	return broken || foreign
}

// origin records which proofs the endpoint sends with its answers. Once it has sent a proof, a later
// answer without this proof may come from a proxy. origin is safe for concurrent use.
type origin struct {
	// aws is true if the endpoint is AWS's own. AWS always sends a checksum and reports the consumed
	// capacity.
	aws bool

	mu        sync.Mutex
	checksums bool // the endpoint has sent a checksum
	capacity  bool // the endpoint has reported consumed capacity
	described bool // the endpoint has described or listed tables
	silent    int  // the number of consecutive answers that lacked only the consumed capacity
	// date is the endpoint's time in the last answer with a date. dated is this machine's time when that
	// answer came.
	date, dated time.Time
}

func (o *origin) noteDate(h http.Header) {
	date, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.date, o.dated = date, time.Now()
}

// EndpointTime returns the time of the endpoint's clock, to about a second. Between answers, this
// machine's monotonic clock continues it. The second result is false if no answer had a date.
func (c *Client) EndpointTime() (time.Time, bool) {
	c.origin.mu.Lock()
	defer c.origin.mu.Unlock()
	return c.origin.date.Add(time.Since(c.origin.dated)), !c.origin.date.IsZero()
}

// silentReads is the number of consecutive answers without consumed capacity after which the endpoint
// counts as an emulator that never reports it. One or two such answers could come from a proxy.
const silentReads = 3

// reports returns false once the endpoint counts as an emulator that never reports consumed capacity.
func (o *origin) reports() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.silent < silentReads
}

// headers refuses an answer without DynamoDB's request id. If the endpoint sends checksums, headers also
// refuses an answer without one. The function whole has already verified the checksum.
func (o *origin) headers(h http.Header) error {
	if h.Get("X-Amzn-Requestid") == "" {
		return &unproven{why: "no request id"}
	}
	summed := h.Get(checksumHeader) != ""
	o.mu.Lock()
	defer o.mu.Unlock()
	if !summed && (o.aws || o.checksums) {
		return &unproven{why: "no checksum, but other answers have one"}
	}
	o.checksums = o.checksums || summed
	return nil
}

// consumed checks an answer to a read. It refuses an answer without the consumed capacity, unless the
// endpoint never reports it. said is true if the answer has it.
func (o *origin) consumed(said bool) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if said {
		o.capacity, o.silent = true, 0
		return nil
	}
	if o.described && !o.capacity && !o.aws && o.silent < silentReads {
		o.silent++
	}
	if o.silent < silentReads {
		return &unproven{why: "no consumed capacity"}
	}
	return nil
}

// answers refuses an answer that may not come from DynamoDB, or that does not fit the request. For a
// write it checks only the headers, and that the body is JSON: nothing relies on the content of the body.
func (o *origin) answers(asked any, h http.Header, body []byte) error {
	if err := o.headers(h); err != nil {
		return err
	}
	var answer members
	if err := json.Unmarshal(body, &answer); err != nil {
		return &damaged{why: "not a complete JSON object"}
	}
	if why := answer.lacks(asked); why != "" {
		return &unproven{why: why}
	}
	switch asked.(type) {
	case *dynamodb.ListTablesInput, *dynamodb.DescribeTableInput, *dynamodb.DescribeTimeToLiveInput:
		o.mu.Lock()
		defer o.mu.Unlock()
		o.described = true
		return nil // these operations consume no capacity
	case *dynamodb.TransactWriteItemsInput:
		return nil
	}
	if all, listed := member[[]json.RawMessage](answer, "ConsumedCapacity"); listed && len(all) == 0 && !o.aws {
		return nil // the emulator moto answers like this if no item of a transaction exists
	}
	return o.consumed(answer.saysCapacity())
}

// refusal checks an error answer. For a write it refuses an error that may not come from DynamoDB: a
// proxy may have passed the write on before it answered. For a read it accepts every error: no verdict
// relies on an error.
func (o *origin) refusal(asked any, h http.Header) error {
	if _, write := asked.(*dynamodb.TransactWriteItemsInput); write {
		return o.headers(h)
	}
	return nil
}

// askCapacity makes a request ask for the consumed capacity.
func askCapacity(request any) {
	const total = types.ReturnConsumedCapacityTotal
	switch in := request.(type) {
	case *dynamodb.GetItemInput:
		in.ReturnConsumedCapacity = total
	case *dynamodb.BatchGetItemInput:
		in.ReturnConsumedCapacity = total
	case *dynamodb.QueryInput:
		in.ReturnConsumedCapacity = total
	case *dynamodb.ScanInput:
		in.ReturnConsumedCapacity = total
	case *dynamodb.TransactGetItemsInput:
		in.ReturnConsumedCapacity = total
	case *dynamodb.TransactWriteItemsInput:
		in.ReturnConsumedCapacity = total
	}
}

type askedKey struct{}

const proofStep = "tallylock proof"

// proofs adds the middleware that makes each request ask for the consumed capacity, and refuses answers
// that may not come from DynamoDB.
func (o *origin) proofs(stack *middleware.Stack) error {
	asks := stack.Initialize.Add(middleware.InitializeMiddlewareFunc(
		"tallylock capacity",
		func(
			ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
		) (middleware.InitializeOutput, middleware.Metadata, error) {
			askCapacity(in.Parameters)
			return next.HandleInitialize(middleware.WithStackValue(ctx, askedKey{}, in.Parameters), in)
		},
	), middleware.After)
	// The last middleware of the last step: it gets the answer before any other middleware reads it.
	return errors.Join(asks, stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc(
		proofStep,
		func(
			ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler,
		) (middleware.DeserializeOutput, middleware.Metadata, error) {
			out, meta, err := next.HandleDeserialize(ctx, in)
			response, ok := out.RawResponse.(*smithyhttp.Response)
			if err != nil || !ok {
				return out, meta, err
			}
			o.noteDate(response.Header)
			asked := middleware.GetStackValue(ctx, askedKey{})
			body, err := whole(response, nil, longest(asked))
			switch {
			case err != nil:
			case succeeded(response):
				err = o.answers(asked, response.Header, body)
			default:
				err = o.refusal(asked, response.Header)
			}
			if err != nil {
				return out, meta, err
			}
			response.Body = readAgain(body)
			return out, meta, nil
		},
	), middleware.After))
}

func succeeded(response *smithyhttp.Response) bool {
	return response.StatusCode >= 200 && response.StatusCode <= 299
}

// damaged is the error for an answer that changed on its way. The SDK sends the request again. late is true
// if the answer was only too slow: its end did not arrive in time.
type damaged struct {
	why  string
	late bool
}

func (d *damaged) Error() string { return "the answer was damaged on the way: " + d.why }

// RetryableError tells the SDK's retryer to ask again.
func (*damaged) RetryableError() bool { return true }

// Timeout tells the SDK's retryer that the answer was too slow.
func (d *damaged) Timeout() bool { return d.late }

// checksumHeader is the header with the checksum of an answer's body. The SDK only logs a wrong checksum,
// so whole verifies it: a damaged page would give a wrong verdict.
const checksumHeader = "X-Amz-Crc32"

// The greatest lengths of an answer's body. A page has 1 MB of items, a transaction 4 MB, a batch 16 MB.
// The JSON of the items is longer. It is nine times as long if all attributes are as small as
// {"a":{"NULL":true}}, which counts as two bytes. Short numbers with many zeros make it sixty times as
// long, but no batch of 100 items has only such numbers.
const (
	longestAnswer = 64 << 20
	longestBatch  = 160 << 20
)

// longest returns the greatest length of the body of the answer to a request.
func longest(asked any) int64 {
	if _, ok := asked.(*dynamodb.BatchGetItemInput); ok {
		return longestBatch
	}
	return longestAnswer
}

// whole reads an answer to its end and verifies its checksum. most is the greatest allowed length of the
// body: a longer answer is an error. whole reads into buf if buf is large enough.
func whole(response *smithyhttp.Response, buf []byte, most int64) ([]byte, error) {
	body, err := buf, error(nil)
	tooLong := response.ContentLength > most
	if !tooLong {
		body, err = readAll(io.LimitReader(response.Body, most+1), buf, response.ContentLength)
		tooLong = int64(len(body)) > most
	}
	if closed := response.Body.Close(); err == nil {
		err = closed
	}
	response.Body = http.NoBody // with the real body, the SDK would read a long answer to its end
	if tooLong {
		return nil, &unproven{why: fmt.Sprintf("longer than %d MB, the limit of DynamoDB", most>>20), final: true}
	}
	if err != nil {
		timeout, ok := errors.AsType[interface {
			error
			Timeout() bool
		}](err)
		return body, &damaged{why: err.Error(), late: ok && timeout.Timeout()}
	}
	if sent := response.Header.Get(checksumHeader); sent != "" {
		if got := strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10); got != sent {
			return body, &damaged{why: fmt.Sprintf("the checksum is %s, but the header says %s", got, sent)}
		}
	}
	return body, nil
}

// readAgain returns a response body with the given bytes, since the SDK reads the body after the check.
func readAgain(body []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(body)) }

// readAll works like io.ReadAll, but reads into buf. size is the expected length; negative if unknown.
func readAll(r io.Reader, buf []byte, size int64) ([]byte, error) {
	// The spare bytes let Read notice the end before the buffer is full. The limit of 8 MB keeps a wrong
	// Content-Length from allocating a gigabyte.
	if want := int(min(max(size, 512), 8<<20)) + spare; cap(buf) < want {
		buf = make([]byte, 0, want)
	}
	buf = buf[:0]
	for {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case err == io.EOF:
			return buf, nil
		case err != nil:
			return buf, err
		case len(buf) == cap(buf):
			buf = slices.Grow(buf, len(buf))
		}
	}
}

// spare is the number of bytes that a buffer has beyond the expected length.
const spare = 64

// members are the members of an answer, by name. The SDK treats a missing member as an empty one: no
// items, no table, no time to live. So this package checks that the members exist.
type members map[string]json.RawMessage

// member reads the member with the given name. ok is false if the member is missing or has another type.
func member[T any](m members, name string) (v T, ok bool) {
	raw := m[name]
	return v, len(raw) > 0 && string(raw) != "null" && json.Unmarshal(raw, &v) == nil
}

// saysCapacity reports whether the answer has the consumed capacity of each table.
func (m members) saysCapacity() bool {
	type consumed struct{ CapacityUnits *float64 }
	if one, ok := member[consumed](m, "ConsumedCapacity"); ok {
		return one.CapacityUnits != nil
	}
	all, _ := member[[]consumed](m, "ConsumedCapacity")
	for _, of := range all {
		if of.CapacityUnits == nil {
			return false
		}
	}
	return len(all) > 0
}

// lacks describes the missing part of an answer to a request; empty if the answer is complete.
func (m members) lacks(asked any) string {
	switch in := asked.(type) {
	case *dynamodb.ListTablesInput:
		if _, ok := member[[]string](m, "TableNames"); !ok {
			return "no list of tables"
		}
	case *dynamodb.DescribeTableInput:
		return m.lacksTable(aws.ToString(in.TableName))
	case *dynamodb.DescribeTimeToLiveInput:
		if d, _ := member[struct{ TimeToLiveStatus string }](m, "TimeToLiveDescription"); d.TimeToLiveStatus == "" {
			return "no TTL settings"
		}
	case *dynamodb.QueryInput, *dynamodb.ScanInput:
		return m.lacksItems()
	case *dynamodb.BatchGetItemInput:
		return m.lacksBatch(in)
	case *dynamodb.TransactGetItemsInput:
		responses, _ := member[[]*struct{}](m, "Responses")
		if len(responses) != len(in.TransactItems) {
			return fmt.Sprintf("the request asks for %s, but the answer has %d", phrase.Count(len(in.TransactItems), "item"), len(responses))
		}
		for _, one := range responses {
			if one == nil { // the answer for an item that does not exist is {}
				return "an item is missing"
			}
		}
	}
	return ""
}

func (m members) lacksTable(name string) string {
	t, _ := member[struct {
		TableName string
		KeySchema []struct{}
	}](m, "Table")
	switch {
	case t.TableName == "" || len(t.KeySchema) == 0:
		return "no description of a table"
	case t.TableName != name && !strings.HasSuffix(name, "/"+t.TableName): // name may be an ARN
		return "the description of another table: " + t.TableName
	}
	return ""
}

func (m members) lacksItems() string {
	items, ok := member[[]json.RawMessage](m, "Items")
	said, counted := member[int](m, "Count")
	switch {
	case !ok:
		return "no items"
	case !counted:
		return "no count of items"
	case said != len(items):
		return fmt.Sprintf("%d items, but the count is %d", len(items), said)
	}
	return ""
}

// lacksBatch is lacks for BatchGetItem. The answer may have fewer items than the request has keys, since
// some items may not exist.
func (m members) lacksBatch(in *dynamodb.BatchGetItemInput) string {
	responses, ok := member[map[string][]json.RawMessage](m, "Responses")
	if !ok {
		return "no responses"
	}
	left, _ := member[map[string]struct{ Keys []json.RawMessage }](m, "UnprocessedKeys")
	for table, want := range in.RequestItems {
		items, listed := responses[table]
		switch open := len(left[table].Keys); {
		case !listed && open == 0:
			return "no items of the table " + table
		case len(items)+open > len(want.Keys):
			return fmt.Sprintf("the request asks for %s of %s, but the answer has %d", phrase.Count(len(want.Keys), "item"), table,
				len(items)+open)
		}
	}
	return ""
}
