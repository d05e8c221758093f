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

// unproven is an answer that nothing shows to be DynamoDB's: proxies and captive
// portals answer 200, too. A read is sent again for it, and a write is lost.
type unproven struct {
	why   string
	final bool // asking again would give the same
}

func (u *unproven) Error() string {
	return "the answer does not prove that it came from DynamoDB: " + u.why
}

// RetryableError tells the SDK's retryer whether to ask again.
func (u *unproven) RetryableError() bool { return !u.final }

// noAnswer reports whether what came back counts for nothing, whoever sent it.
func noAnswer(err error) bool {
	_, broken := errors.AsType[*damaged](err)
	_, foreign := errors.AsType[*unproven](err)
	return broken || foreign
}

// origin is what a connection knows of how its endpoint proves its answers. It is
// safe for concurrent use.
type origin struct {
	// aws: the endpoint is AWS's own, which always says what a request consumed.
	aws bool

	mu        sync.Mutex
	checksums bool // it has sent a checksum
	capacity  bool // it has said what a request consumed
	described bool // it has said what a table is, or which there are
	silent    int  // reads in a row that were answered well but for that
	// date is the endpoint's time in its last answer that had one, and dated when that came.
	date, dated time.Time
}

// noteDate records the endpoint's time.
func (o *origin) noteDate(h http.Header) {
	date, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.date, o.dated = date, time.Now()
}

// EndpointTime is the time of day by the endpoint's clock, to a second or so; false if no answer said
// it. It goes on with this machine's monotonic clock.
func (c *Client) EndpointTime() (time.Time, bool) {
	c.origin.mu.Lock()
	defer c.origin.mu.Unlock()
	return c.origin.date.Add(time.Since(c.origin.dated)), !c.origin.date.IsZero()
}

// silentReads is how many reads in a row an endpoint answers well, but for what they
// consumed, before it is taken for an emulator that never says it. One or two could
// be something in between.
const silentReads = 3

// reports is false once the endpoint is known to leave out what requests consume.
func (o *origin) reports() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.silent < silentReads
}

// headers refuses an answer without DynamoDB's request id, or without a checksum
// where the endpoint sends one. The checksum itself was compared before.
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

// consumed refuses an answer to a read that does not say what the read consumed, unless the
// endpoint never says it.
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
		return &unproven{why: "it does not say what the request consumed"}
	}
	return nil
}

// answers refuses an answer that does not prove where it came from, or does not answer the
// request. The answer to a write says nothing that matters but that it is one, so its headers
// prove it, whatever it leaves out.
func (o *origin) answers(asked any, h http.Header, body []byte) error {
	if err := o.headers(h); err != nil {
		return err
	}
	var answer members
	if err := json.Unmarshal(body, &answer); err != nil {
		return &damaged{"it is no whole JSON object"}
	}
	if why := answer.lacks(asked); why != "" {
		return &unproven{why: why}
	}
	switch asked.(type) {
	case *dynamodb.ListTablesInput, *dynamodb.DescribeTableInput, *dynamodb.DescribeTimeToLiveInput:
		o.mu.Lock()
		defer o.mu.Unlock()
		o.described = true
		return nil // they consume nothing
	case *dynamodb.TransactWriteItemsInput:
		return nil
	}
	if all, listed := member[[]json.RawMessage](answer, "ConsumedCapacity"); listed && len(all) == 0 && !o.aws {
		return nil // so moto answers a transaction that finds nothing
	}
	return o.consumed(answer.saysCapacity())
}

// refusal refuses an error in answer to a write that does not prove where it came from: a
// proxy may have passed the write on, and answered itself. An error in answer to a read is
// believed, since no verdict rests on one.
func (o *origin) refusal(asked any, h http.Header) error {
	if _, write := asked.(*dynamodb.TransactWriteItemsInput); write {
		return o.headers(h)
	}
	return nil
}

// askCapacity has a request for data ask what it consumes.
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

// proofs is the one place where answers are believed: it has requests ask for what
// proves their answers, and refuses answers without it.
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
	// Last of the last step: what comes from the wire, before anything reads it.
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

// succeeded reports whether the SDK would take a response for an answer.
func succeeded(response *smithyhttp.Response) bool {
	return response.StatusCode >= 200 && response.StatusCode <= 299
}

// damaged is an answer that did not arrive as it was sent. It may be asked for
// again.
type damaged struct{ why string }

func (d *damaged) Error() string { return "the answer was damaged on its way: " + d.why }

// RetryableError tells the SDK's retryer to ask again.
func (*damaged) RetryableError() bool { return true }

// checksumHeader is where a server sends the checksum of its answer's body. The SDK
// only logs that it is wrong, and a page with one letter changed would speak for a
// table.
const checksumHeader = "X-Amz-Crc32"

// How long the body of an answer may be. A page has 1 MB of items and a transaction
// 4 MB, a batch 16 MB. As JSON that is up to nine times as much where attributes are
// as small as they can be, {"a":{"NULL":true}} for two bytes, and sixty times where
// all are numbers of two bytes that are written with all of their zeros: no batch
// of 100 items is like that.
const (
	longestAnswer = 64 << 20
	longestBatch  = 160 << 20
)

// longest is how long the body of the answer to a request may be.
func longest(asked any) int64 {
	if _, ok := asked.(*dynamodb.BatchGetItemInput); ok {
		return longestBatch
	}
	return longestAnswer
}

// whole reads an answer to its end, into buf where that is large enough, and
// compares its checksum.
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
	response.Body = http.NoBody // the SDK reads what is left, or it would keep the connection
	if tooLong {
		return nil, &unproven{why: fmt.Sprintf("it is longer than %d MB, and none of DynamoDB's is", most>>20), final: true}
	}
	if err != nil {
		return body, &damaged{err.Error()}
	}
	if sent := response.Header.Get(checksumHeader); sent != "" {
		if got := strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10); got != sent {
			return body, &damaged{fmt.Sprintf("its checksum is %s, and %s was sent", got, sent)}
		}
	}
	return body, nil
}

// readAgain is a body that was read.
func readAgain(body []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(body)) }

// readAll is io.ReadAll into memory that is there already. size is how much is
// expected, or negative.
func readAll(r io.Reader, buf []byte, size int64) ([]byte, error) {
	// Room for the end of the file to show, and never a gigabyte on the word of a
	// header.
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

// spare is how much room readAll leaves behind what it expects.
const spare = 64

// members are those of an answer, by name. The SDK takes one that is not there for
// one that is empty: no items, no table, no time to live.
type members map[string]json.RawMessage

// member reads a member. ok is false where it is not there, or is something else.
func member[T any](m members, name string) (v T, ok bool) {
	raw := m[name]
	return v, len(raw) > 0 && string(raw) != "null" && json.Unmarshal(raw, &v) == nil
}

// saysCapacity reports whether the answer says what its request consumed, of each
// table where it may be several.
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

// lacks says what an answer would have that is one to the request; empty where it
// has all of it.
func (m members) lacks(asked any) string {
	switch in := asked.(type) {
	case *dynamodb.ListTablesInput:
		if _, ok := member[[]string](m, "TableNames"); !ok {
			return "it lists no tables"
		}
	case *dynamodb.DescribeTableInput:
		return m.lacksTable(aws.ToString(in.TableName))
	case *dynamodb.DescribeTimeToLiveInput:
		if d, _ := member[struct{ TimeToLiveStatus string }](m, "TimeToLiveDescription"); d.TimeToLiveStatus == "" {
			return "it does not say whether items expire"
		}
	case *dynamodb.QueryInput, *dynamodb.ScanInput:
		return m.lacksItems()
	case *dynamodb.BatchGetItemInput:
		return m.lacksBatch(in)
	case *dynamodb.TransactGetItemsInput:
		responses, _ := member[[]*struct{}](m, "Responses")
		if len(responses) != len(in.TransactItems) {
			return fmt.Sprintf("%s were asked for, and it answers %d", phrase.Count(len(in.TransactItems), "item"), len(responses))
		}
		for _, one := range responses {
			if one == nil { // an item that does not exist is {}
				return "it leaves an item out"
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
		return "it describes no table"
	case t.TableName != name && !strings.HasSuffix(name, "/"+t.TableName): // asked for by its ARN
		return "it describes the table " + t.TableName
	}
	return ""
}

func (m members) lacksItems() string {
	items, ok := member[[]json.RawMessage](m, "Items")
	said, counted := member[int](m, "Count")
	switch {
	case !ok:
		return "there are no items in it"
	case !counted:
		return "it does not say how many items there are"
	case said != len(items):
		return fmt.Sprintf("there are %d items in it, and it says %d", len(items), said)
	}
	return ""
}

// lacksBatch allows for items that are left out: those do not exist.
func (m members) lacksBatch(in *dynamodb.BatchGetItemInput) string {
	responses, ok := member[map[string][]json.RawMessage](m, "Responses")
	if !ok {
		return "there are no responses in it"
	}
	left, _ := member[map[string]struct{ Keys []json.RawMessage }](m, "UnprocessedKeys")
	for table, want := range in.RequestItems {
		items, listed := responses[table]
		switch open := len(left[table].Keys); {
		case !listed && open == 0:
			return "it says nothing of the table " + table
		case len(items)+open > len(want.Keys):
			return fmt.Sprintf("%s of %s were asked for, and it answers %d", phrase.Count(len(want.Keys), "item"), table,
				len(items)+open)
		}
	}
	return ""
}
