package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
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
