package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"tallylock/dynamo/attr"
)

// action is one Write as TransactWriteItems has it.
type action struct {
	TableName                           string
	Key                                 attr.Item             `json:",omitempty"`
	Item                                attr.Item             `json:",omitempty"`
	UpdateExpression                    string                `json:",omitempty"`
	ConditionExpression                 string                `json:",omitempty"`
	ExpressionAttributeNames            map[string]string     `json:",omitempty"`
	ExpressionAttributeValues           map[string]attr.Value `json:",omitempty"`
	ReturnValuesOnConditionCheckFailure string
}

// transaction is the body of a TransactWriteItems request.
type transaction struct {
	TransactItems          []map[string]action
	ClientRequestToken     string
	ReturnConsumedCapacity string
}

// verbs are the actions' names on the wire.
var verbs = map[Verb]string{Put: "Put", Update: "Update", Delete: "Delete", Check: "ConditionCheck"}

// Request is a transaction as the body of a TransactWriteItems request. The same
// token and writes always give the same bytes.
func Request(token string, writes []Write) ([]byte, error) {
	t := transaction{ClientRequestToken: token, ReturnConsumedCapacity: "TOTAL"}
	for _, w := range writes {
		e := w.Expressions()
		a := action{
			w.Table, w.Key.Item(), w.Item, e.Update, e.Condition, e.Names, e.Values, "ALL_OLD",
		}
		if w.Verb == Put {
			a.Key = nil
		}
		t.TransactItems = append(t.TransactItems, map[string]action{verbs[w.Verb]: a})
	}
	body, err := attr.Line(t, "")
	if err != nil {
		return nil, fmt.Errorf("writing the request down: %w", err)
	}
	return bytes.TrimSpace(body), nil
}

// denied answers a request that changes a table which the config keeps from all
// changes, by whatever name and connection.
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
			if verb == verbs[Check] {
				continue
			}
			if err := c.others.known(ctx, c, a.TableName); err != nil {
				return err
			}
			if err := c.Denied(a.TableName); err != nil {
				return err
			}
		}
	}
	return nil
}

// verbatim puts a request on the wire as it is: signed, checked and guarded like
// every other, and not written again by the SDK, whose maps have no order.
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
