package client

import (
	"context"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"tallylock/dynamo/attr"
)

// PageScan describes a scan whose pages the caller decodes.
type PageScan struct {
	Table string
	// Attributes are the names of the top-level attributes to read. If there are none, whole items are
	// read.
	Attributes []string
	Consistent bool
	Segments   int // 1…1,000,000
	// Again is called before each retry. throttled is true if DynamoDB throttled the request, and reasons are then
	// DynamoDB's reasons. Otherwise an answer was damaged or never came. Again may be nil.
	Again func(throttled bool, reasons []string)
}

// PageReader reads the pages of a scan, one at a time. It is not safe for concurrent use: each worker
// has its own.
type PageReader struct {
	conn    *Client
	input   dynamodb.ScanInput
	options func(*dynamodb.Options)
	buf     []byte
	decode  Decode
}

// Decode decodes the body of a page. The body is complete and has the right checksum. units are the
// consumed read units; said is false if the page does not report them. Until the next page is read,
// Decode may keep the body and overwrite its spare capacity.
type Decode func(body []byte) (units float64, said bool, err error)

// PageReader returns a reader of the scan's pages. It sends nothing.
func (c *Client) PageReader(s PageScan) *PageReader {
	r := &PageReader{conn: c, input: dynamodb.ScanInput{
		TableName: &s.Table, ConsistentRead: &s.Consistent, TotalSegments: aws.Int32(int32(s.Segments)),
	}}
	r.input.ExpressionAttributeNames, r.input.ProjectionExpression = projection(s.Attributes)
	retryer := scanRetryer(s.Again)
	r.options = func(o *dynamodb.Options) {
		o.Protocol = pageProtocol{o.Protocol, r}
		o.Retryer = retryer
		// pageProtocol checks the checksum and the proof of a page itself, so the SDK's checksum step and
		// the proof step are off.
		o.DisableValidateResponseChecksum = true
		o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
			_, err := stack.Deserialize.Remove(proofStep)
			return err
		})
	}
	return r
}

// projection returns the projection expression for some attributes, with the names of its placeholders.
// It returns nil for whole items.
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

// Read reads a page of a segment. start is the LastEvaluatedKey of the previous page; nil for the first
// page. If decode fails, Read sends the request again and calls decode again.
func (r *PageReader) Read(ctx context.Context, segment int, start attr.Item, decode Decode) error {
	var paid float64
	r.decode = func(body []byte) (units float64, said bool, err error) {
		paid, said, err = decode(body)
		return paid, said, err
	}
	r.input.Segment, r.input.ExclusiveStartKey = aws.Int32(int32(segment)), nil
	if start != nil {
		r.input.ExclusiveStartKey = WireItem(start)
	}
	if _, err := r.conn.sdk.Scan(ctx, &r.input, r.options); err != nil {
		return r.conn.Explain("reading the table "+*r.input.TableName, err)
	}
	r.conn.spend(paid)
	return nil
}

// pageProtocol is the SDK's protocol with one difference: it passes answers to the reader's function
// decode. The SDK still signs, retries and resolves the endpoint.
type pageProtocol struct {
	smithyhttp.ClientProtocol
	reader *PageReader
}

func (p pageProtocol) DeserializeResponse(
	ctx context.Context, schema *smithy.OperationSchema, registry *smithy.TypeRegistry, response *smithyhttp.Response,
	out smithy.Deserializable,
) error {
	body, err := whole(response, p.reader.buf, longestAnswer)
	p.reader.buf = body
	if err != nil {
		return err
	}
	if !succeeded(response) {
		response.Body = readAgain(body)
		return p.ClientProtocol.DeserializeResponse(ctx, schema, registry, response, out)
	}
	from := p.reader.conn.origin
	if err := from.headers(response.Header); err != nil {
		return err
	}
	_, said, err := p.reader.decode(body)
	if err != nil {
		return &damaged{why: err.Error()}
	}
	return from.consumed(said)
}

// UnitBytes is the number of bytes that one read unit reads, with strong consistency.
const UnitBytes = 4096

// Sweep reads a whole table or a partition, with strong consistency and within a budget. If it stops
// early, it can continue later.
type Sweep struct {
	Page func(context.Context, PageInput) (Page, error)
	// Expected is the size in bytes according to the table's description, which is hours old; 0 if
	// unknown.
	Expected int64
	// Largest is the size of the largest item so far, in bytes. Before the first page, the caller may set
	// it to the average size of the items.
	Largest int

	Items    int64 // read so far
	Bytes    int64
	Complete bool

	start   attr.Item // the key after which the next page begins
	limit   int       // the item limit of the previous page
	cursors Cursors
}

// Run passes every item to visit. The function left returns the rest of the budget in read units. Run
// stops at the end of the table, or if the next page might consume more than this rest.
func (s *Sweep) Run(ctx context.Context, left func() float64, visit func(attr.Item)) error {
	for !s.Complete {
		s.limit = s.next(left())
		if s.limit == 0 {
			return nil
		}
		page, err := s.Page(ctx, PageInput{Limit: s.limit, Start: s.start, Consistent: true})
		if err == nil {
			err = s.cursors.Next("the table", page.Last)
		}
		if err != nil {
			return err
		}
		for _, item := range page.Items {
			size := item.Size()
			s.Bytes += int64(size)
			s.Largest = max(s.Largest, size)
			visit(item)
		}
		s.Items += int64(len(page.Items))
		s.start, s.Complete = page.Last, page.Last == nil
	}
	return nil
}

const (
	// PageUnits is more than the number of read units that any page of 1 MB consumes.
	PageUnits = 257
	// pageGrowth is the greatest ratio of a page's item limit to the limit of the previous page. The
	// first limits are small, since only earlier pages show how large the items are.
	pageGrowth = 8
	mostItems  = 1 << 20
)

// next returns the item limit of the next page. left is the number of read units left in the budget. The
// result is 0 if the budget may be too small for this page or for the rest of the table.
func (s *Sweep) next(left float64) int {
	rest := float64(s.Expected-s.Bytes) / UnitBytes
	switch {
	case left >= PageUnits:
		return mostItems // the budget covers any page
	case left < 1, rest > left:
		return 0 // the budget does not reach the end of the table
	}
	most := min(max(s.limit, 1)*pageGrowth, mostItems)
	if s.Largest == 0 {
		return max(1, min(most, int(left)))
	}
	return min(most, int(left)*UnitBytes/s.Largest)
}
