package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"tallylock/dynamo/attr"
)

// Slot is the result of one action in a refused transaction.
type Slot struct {
	Code    string // "None" if the action did not fail
	Message string
	Item    attr.Item // the current item; nil if it does not exist or the endpoint sent none
}

// Result is the outcome of sending a transaction once. It says no more than the answer proves.
type Result string

// The results of an attempt.
const (
	Happened Result = "happened" // applied, now or by an earlier attempt with the same token
	Rejected Result = "rejected" // not applied; Attempt.Slots or Attempt.Err say why
	Busy     Result = "busy"     // not applied: a conflict or throttling
	Unsent   Result = "unsent"   // not sent
	Lost     Result = "lost"     // no answer, or an answer without the outcome: it may have been applied
)

// Attempt is the result of sending a transaction once, with its details.
type Attempt struct {
	Result Result
	Slots  []Slot
	Units  float64 // write units consumed
	Err    error   // explained in words; nil if the result is Happened
}

// MaxActions is the greatest number of actions in a transaction (Developer Guide, "TransactWriteItems
// API").
const MaxActions = 100

// Transact sends a TransactWriteItems request once. The function Request makes the body of the request.
// If the caller sends the same body again within ten minutes, DynamoDB applies it at most once.
func (c *Client) Transact(ctx context.Context, request []byte) Attempt {
	if err := c.denied(ctx, request); err != nil {
		return Attempt{Result: Rejected, Err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, c.options.WriteWithin)
	defer cancel()
	// verbatim replaces the body that the SDK writes.
	in := &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{}}
	departed := false
	out, err := c.sdk.TransactWriteItems(ctx, in, func(o *dynamodb.Options) {
		o.Retryer = aws.NopRetryer{}
		o.APIOptions = append(o.APIOptions, verbatim(request), departs(&departed))
	})
	if err == nil {
		a := Attempt{Result: Happened}
		for _, capacity := range out.ConsumedCapacity {
			a.Units += aws.ToFloat64(capacity.CapacityUnits)
		}
		return a
	}
	a := Attempt{Result: resultOf(err), Err: c.Explain("writing", err)}
	if !departed && a.Result == Lost {
		a.Result = Unsent // for example because there are no credentials
	}
	if reasons, ok := conditional(err); ok {
		for _, r := range reasons {
			a.Slots = append(a.Slots, Slot{Code: aws.ToString(r.Code), Message: aws.ToString(r.Message), Item: itemOf(r.Item)})
		}
		if kind := cancelledBy(reasons); kind == Conflict || kind == Throttled {
			a.Result = Busy // a retry may succeed
		}
	}
	return a
}

// Throttled reports whether the transaction was not applied because of throttling alone.
func (a Attempt) Throttled() bool { return a.Result == Busy && KindOf(a.Err) == Throttled }

func resultOf(err error) Result {
	if KindOf(err) == ReadOnly {
		return Rejected
	}
	if _, ok := errors.AsType[*types.TransactionInProgressException](err); ok {
		return Lost // an earlier attempt is still running
	}
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		if throttled(api.ErrorCode()) {
			return Busy
		}
		// After a server error the transaction may have been applied. After a client error it was not.
		if response, ok := errors.AsType[*awshttp.ResponseError](err); ok && response.HTTPStatusCode() >= 500 {
			return Lost
		}
		if api.ErrorFault() == smithy.FaultServer || api.ErrorCode() == anonymous {
			return Lost
		}
		return Rejected
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return Unsent
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok || unconnected(err) {
		return Unsent
	}
	return Lost
}

// anonymous is the SDK's code for an error without a code. All errors of DynamoDB have a code, so an
// error without one comes from a proxy. The proxy may have passed the request on.
const anonymous = "UnknownError"

// departs sets *departed to true when a signed request is sent. If *departed stays false, the endpoint got
// no request.
func departs(departed *bool) func(*middleware.Stack) error {
	return func(stack *middleware.Stack) error {
		return stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc(
			"tallylock departs",
			func(
				ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler,
			) (middleware.DeserializeOutput, middleware.Metadata, error) {
				*departed = true
				return next.HandleDeserialize(ctx, in)
			},
		), middleware.Before)
	}
}

// verbs are the names of the actions in a request.
var verbs = map[Verb]string{Put: "Put", Update: "Update", Delete: "Delete", Check: "ConditionCheck"}

// denied returns an error if the config denies changes of a table in the request, or if the request names a table
// outside the client's list. The guards of all connections to this table count. The request may contain the table's
// name or its ARN.
func (c *Client) denied(ctx context.Context, request []byte) error {
	var t transaction
	if err := json.Unmarshal(request, &t); err != nil {
		return &Error{
			Kind: Failed,
			Op:   "writing",
			Why:  "the request cannot be read: " + err.Error(),
			Do:   "nothing was sent",
			Err:  err,
		}
	}
	for _, actions := range t.TransactItems {
		for verb, a := range actions {
			if !c.tables.reaches(a.Table) {
				return c.NotOpen(a.Table)
			}
			if verb == verbs[Check] {
				continue
			}
			if err := c.others.known(ctx, c, a.Table); err != nil {
				return err
			}
			if err := c.Denied(a.Table); err != nil {
				return err
			}
		}
	}
	return nil
}

// verbatim sends a body unchanged. Otherwise the SDK would write a new body from maps, in another order.
// The request still passes the guard, and the SDK still signs it.
func verbatim(request []byte) func(*middleware.Stack) error {
	return func(stack *middleware.Stack) error {
		return stack.Serialize.Add(middleware.SerializeMiddlewareFunc(
			"tallylock request",
			func(
				ctx context.Context, in middleware.SerializeInput, next middleware.SerializeHandler,
			) (middleware.SerializeOutput, middleware.Metadata, error) {
				r, ok := in.Request.(*smithyhttp.Request)
				if !ok {
					return middleware.SerializeOutput{}, middleware.Metadata{}, fmt.Errorf(
						"sending the request: unexpected transport %T",
						in.Request,
					)
				}
				r, err := r.SetStream(bytes.NewReader(request))
				if err != nil {
					return middleware.SerializeOutput{}, middleware.Metadata{}, fmt.Errorf("sending the request: %w", err)
				}
				in.Request = r
				return next.HandleSerialize(ctx, in)
			},
		), middleware.After)
	}
}

// earlyAnswers is an HTTP client that can read an answer that begins before the whole request is sent. A
// local endpoint may answer so early. The SDK closes the request's body when the answer begins. Then the
// body's WriteTo fails with io.EOF, and net/http cuts the answer off. So earlyAnswers hides WriteTo: a
// body without WriteTo just ends.
//
// earlyAnswers also removes GetBody. With GetBody, net/http would send a request again by itself, after a
// lost connection, a refused stream or a redirect. The caller must be able to count the sendings of a
// change.
type earlyAnswers struct{ aws.HTTPClient }

func (c earlyAnswers) Do(r *http.Request) (*http.Response, error) {
	if _, ok := r.Body.(io.WriterTo); ok {
		r.Body = struct{ io.ReadCloser }{r.Body}
	}
	r.GetBody = nil
	return c.HTTPClient.Do(r)
}

// tokens records whether the endpoint knows request tokens. It is safe for concurrent use.
type tokens struct {
	mu           sync.Mutex
	known, asked bool
}

// KnowsTokens reports whether the endpoint knows ClientRequestTokens. Such an endpoint applies a transaction only once,
// even if it gets the transaction twice with the same token. AWS does (API reference of TransactWriteItems), and so
// does the demo's engine.
//
// KnowsTokens tests any other endpoint, once per connection: it sends two different transactions with one
// token. Each transaction has one check on a random key of the table, and writes nothing. An endpoint
// that knows tokens refuses the second transaction with IdempotentParameterMismatchException. If the
// endpoint refuses the first transaction, KnowsTokens returns false. If the endpoint does not answer,
// KnowsTokens returns an error.
func (c *Client) KnowsTokens(ctx context.Context, table string) (bool, error) {
	if c.origin.aws || c.options.Transport != nil {
		return true, nil
	}
	c.tokens.mu.Lock()
	defer c.tokens.mu.Unlock()
	if c.tokens.asked {
		return c.tokens.known, nil
	}
	known, err := c.probeTokens(ctx, table)
	if err != nil {
		return false, err
	}
	c.tokens.known, c.tokens.asked = known, true
	return known, nil
}

// tokenProbes is the greatest number of tries of KnowsTokens, in case the endpoint does not answer.
const tokenProbes = 3

func (c *Client) probeTokens(ctx context.Context, table string) (bool, error) {
	d, err := c.Describe(ctx, table)
	if err != nil {
		return false, err
	}
	var a Attempt
	for range tokenProbes {
		token := rand.Text()
		if a = c.CheckAbsent(ctx, token, table, randomKey(d.Schema)); !a.answered() {
			continue
		}
		if a.Result != Happened {
			return false, nil // no transactions here: the error of the write will explain it
		}
		if a = c.CheckAbsent(ctx, token, table, randomKey(d.Schema)); !a.answered() {
			continue
		}
		_, mismatch := errors.AsType[*types.IdempotentParameterMismatchException](a.Err)
		return mismatch, nil
	}
	return false, a.Err
}

// answered reports whether the endpoint applied or refused the transaction.
func (a Attempt) answered() bool { return a.Result == Happened || a.Result == Rejected }

// CheckAbsent sends a transaction that only checks that an item does not exist. It writes nothing.
func (c *Client) CheckAbsent(ctx context.Context, token, table string, key attr.Key) Attempt {
	request, err := Request(token, []Write{{Verb: Check, Table: table, Key: key, Absent: true}})
	if err != nil {
		return Attempt{Result: Unsent, Err: err}
	}
	return c.Transact(ctx, request)
}

// randomKey returns a random key for the table. No item has this key.
func randomKey(s attr.Schema) attr.Key {
	return s.KeyFrom(randomText(s.HashKind), randomText(s.RangeKind))
}

// randomText returns a random text for a part of a key. For a number key, the text is a number.
func randomText(kind attr.Kind) string {
	if kind != attr.N {
		return "tallylock " + rand.Text()
	}
	n, _ := rand.Int(rand.Reader, new(big.Int).Exp(big.NewInt(10), big.NewInt(37), nil)) // crypto/rand never fails
	return n.String()
}
