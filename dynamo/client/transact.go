package client

import (
	"context"
	"errors"
	"net"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"

	"tallylock/dynamo/attr"
)

// Verb is what a Write does to its item.
type Verb string

// The four actions of a transaction.
const (
	Put    Verb = "put"
	Update Verb = "update"
	Delete Verb = "delete"
	Check  Verb = "check" // a condition only
)

// Write is one action of a transaction.
type Write struct {
	Verb  Verb      `json:"verb"`
	Table string    `json:"table"`
	Key   attr.Key  `json:"key"`
	Item  attr.Item `json:"item,omitempty"` // of a Put
	// Absent: the action is refused if the item exists. Otherwise it is refused if the item
	// does not exist, or an attribute is not as If says.
	Absent bool   `json:"absent,omitempty"`
	If     []Term `json:"if,omitempty"`
	// Set is what an Update sets and removes.
	Set []Term `json:"set,omitempty"`
}

// Term is an attribute, or an entry of its maps, and its value. Without a value the attribute
// is absent.
type Term struct {
	Path  []string   `json:"path"`
	Value attr.Value `json:"value,omitzero"`
}

// Attribute is the path of the term as text: "contact.email".
func (t Term) Attribute() string { return strings.Join(t.Path, ".") }

// Slot is the endpoint's reason for one action of a refused transaction.
type Slot struct {
	Code    string // "None" where the action itself was fine
	Message string
	Item    attr.Item // what the item is now; nil where it does not exist or was not told
}

// Result is what became of a transaction that was sent once, as far as it is certain.
type Result string

// The results of an attempt.
const (
	Happened Result = "happened" // applied, now or by an earlier attempt with the token
	Rejected Result = "rejected" // definitely not applied: slots or Err say why
	Busy     Result = "busy"     // not applied: somebody else was writing, or the capacity was used up
	Unsent   Result = "unsent"   // it never left this machine
	Lost     Result = "lost"     // no answer: it may have happened
)

// Attempt is what came of sending a transaction once.
type Attempt struct {
	Result Result
	Slots  []Slot
	Units  float64 // write units consumed
	Err    error   // in words, where the result is not Happened
}

// MaxActions is how many actions one transaction may have (Developer Guide,
// "TransactWriteItems API").
const MaxActions = 100

// Transact sends a request that Request wrote, once, byte for byte. The same
// bytes sent again within ten minutes happen at most once.
func (c *Client) Transact(ctx context.Context, request []byte) Attempt {
	if err := c.denied(ctx, request); err != nil {
		return Attempt{Result: Rejected, Err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, c.options.WriteWithin)
	defer cancel()
	// What the SDK would write of this is replaced by the request itself.
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
		a.Result = Unsent // the credentials could not be had, for example
	}
	if reasons, ok := conditional(err); ok {
		for _, r := range reasons {
			a.Slots = append(a.Slots, Slot{Code: aws.ToString(r.Code), Message: aws.ToString(r.Message), Item: itemOf(r.Item)})
		}
		if kind := cancelledBy(reasons); kind == Conflict || kind == Throttled {
			a.Result = Busy // every slot that is not fine only asks to come again
		}
	}
	return a
}

// Throttled reports whether the capacity was used up, and nothing else was wrong.
func (a Attempt) Throttled() bool { return a.Result == Busy && KindOf(a.Err) == Throttled }

func resultOf(err error) Result {
	if KindOf(err) == ReadOnly {
		return Rejected
	}
	if _, ok := errors.AsType[*types.TransactionInProgressException](err); ok {
		return Lost // an earlier attempt is still at work
	}
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		if throttled(api.ErrorCode()) {
			return Busy
		}
		// What the server could not do may have been done all the same; what it
		// did not accept was not.
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

// anonymous is the code that the SDK gives an error which names none: DynamoDB's
// name theirs, so it is the word of something in between, which may have passed
// the request on.
const anonymous = "UnknownError"

// departs notes that a request is signed and leaves this machine.
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
