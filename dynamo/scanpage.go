package dynamo

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"tallylock/dynamo/attr"
)

// PageScan is a scan whose pages are decoded by the caller.
type PageScan struct {
	Table string
	// Attributes are the names of the top-level attributes to fetch; none fetches
	// whole items.
	Attributes []string
	Consistent bool
	Segments   int // 1…1,000,000
	// Again is told of each request that is sent once more: because it was
	// throttled, with DynamoDB's reasons where it gave any, or because its answer
	// was damaged or never came. It may be nil.
	Again func(throttled bool, reasons []string)
}

// PageReader asks for the pages of a scan, one at a time. It is not safe for
// concurrent use: each worker has its own.
type PageReader struct {
	conn    *Connection
	input   dynamodb.ScanInput
	options func(*dynamodb.Options)
	buf     []byte
	decode  func(body []byte) (units float64, err error)
}

// PageReader makes a reader. It sends nothing.
func (c *Connection) PageReader(s PageScan) *PageReader {
	r := &PageReader{conn: c, input: dynamodb.ScanInput{
		TableName: &s.Table, ConsistentRead: &s.Consistent, TotalSegments: aws.Int32(int32(s.Segments)),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	}}
	r.input.ExpressionAttributeNames, r.input.ProjectionExpression = projection(s.Attributes)
	retryer := patient(s.Again)
	r.options = func(o *dynamodb.Options) {
		o.Protocol = pageProtocol{o.Protocol, r}
		o.Retryer = retryer
		// The page is read whole and its checksum compared by pageProtocol, once.
		o.DisableValidateResponseChecksum = true
		o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
			_, err := stack.Deserialize.Remove(checksumStep)
			return err
		})
	}
	return r
}

// projection asks for some attributes alone; none asks for whole items.
func projection(attributes []string) (names map[string]string, expression *string) {
	if len(attributes) == 0 {
		return nil, nil
	}
	names, places := map[string]string{}, make([]string, len(attributes))
	for n, name := range attributes {
		places[n] = "#a" + strconv.Itoa(n)
		names[places[n]] = name
	}
	return names, aws.String(strings.Join(places, ","))
}

// Read asks for one page: that of a segment after start, the LastEvaluatedKey of
// the page before; nil is the segment's first. decode gets the answer's body as
// JSON, whole, with its checksum compared, and says how many read units it
// reports. It may be called again, where it fails or an answer was damaged: the
// request is then sent again. The body, and the spare capacity behind it, is
// decode's until the next Read.
func (r *PageReader) Read(ctx context.Context, segment int, start attr.Item, decode func(body []byte) (units float64, err error)) error {
	var paid float64
	r.decode = func(body []byte) (float64, error) {
		var err error
		paid, err = decode(body)
		return paid, err
	}
	r.input.Segment, r.input.ExclusiveStartKey = aws.Int32(int32(segment)), nil
	if start != nil {
		r.input.ExclusiveStartKey = wireItem(start)
	}
	if _, err := r.conn.client.Scan(ctx, &r.input, r.options); err != nil {
		return r.conn.Explain("reading the table "+*r.input.TableName, err)
	}
	r.conn.spend(paid)
	return nil
}

// pageProtocol is the SDK's protocol, but for the answers of a Scan: those go to
// the reader's decode. Signing, retries and the endpoint's rules stay the SDK's.
type pageProtocol struct {
	smithyhttp.ClientProtocol
	reader *PageReader
}

func (p pageProtocol) DeserializeResponse(ctx context.Context, schema *smithy.OperationSchema, registry *smithy.TypeRegistry, response *smithyhttp.Response, out smithy.Deserializable) error {
	body, err := whole(response, p.reader.buf)
	p.reader.buf = body
	response.Body = io.NopCloser(bytes.NewReader(nil))
	if err != nil {
		return err
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		response.Body = io.NopCloser(bytes.NewReader(body))
		return p.ClientProtocol.DeserializeResponse(ctx, schema, registry, response, out)
	}
	if _, err := p.reader.decode(body); err != nil {
		return &damaged{err.Error()}
	}
	return nil
}

// How long a scan's request is tried. A throttled scan slows down; it gives up
// after about a minute in which not one attempt got through.
const (
	pageAttempts  = 20
	firstBackoff  = 25 * time.Millisecond
	longestPause  = 5 * time.Second
	damagedPauses = 200 * time.Millisecond // an answer that was damaged is not the table's fault
)

// patient is the retryer of a scan. The SDK's own gives up after three attempts,
// and all requests of a client share one budget for retries, which a throttled
// parallel scan uses up at once.
func patient(again func(throttled bool, reasons []string)) aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts, o.RateLimiter = pageAttempts, ratelimit.None
		o.Backoff = retry.BackoffDelayerFunc(func(attempt int, err error) (time.Duration, error) {
			slow, reasons := throttling(err)
			if again != nil {
				again(slow, reasons)
			}
			longest := longestPause
			if _, ok := errors.AsType[*damaged](err); ok {
				longest = damagedPauses
			}
			pause := min(firstBackoff<<min(max(attempt-1, 0), 20), longest)
			return pause/2 + rand.N(pause/2), nil // apart, or all workers come back at once
		})
	})
}

// throttling reports whether a request was turned away for want of capacity, and
// DynamoDB's reasons.
func throttling(err error) (slow bool, reasons []string) {
	api, ok := errors.AsType[smithy.APIError](err)
	if !ok || !throttled(api.ErrorCode()) {
		return false, nil
	}
	var given []types.ThrottlingReason
	switch e := api.(type) {
	case *types.ProvisionedThroughputExceededException:
		given = e.ThrottlingReasons
	case *types.ThrottlingException:
		given = e.ThrottlingReasons
	case *types.RequestLimitExceeded:
		given = e.ThrottlingReasons
	}
	for _, r := range given {
		reasons = append(reasons, aws.ToString(r.Reason))
	}
	return true, reasons
}
