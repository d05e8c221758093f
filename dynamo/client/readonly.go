package client

import (
	"context"
	"fmt"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"
)

// allowed reports whether an operation may be sent. Everything else is refused,
// what the SDK may learn to do in future included.
func allowed(operation string, write bool) bool {
	switch operation {
	case "ListTables", "DescribeTable", "DescribeTimeToLive",
		"GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems":
		return true
	case "TransactWriteItems":
		// The one write that can be sent twice and happen once: it carries a
		// ClientRequestToken (Developer Guide, "Idempotency").
		return write
	}
	return false
}

// guard refuses every operation that is not on the allow-list before it is
// serialised, signed or sent. It sits in the SDK's own middleware stack, below
// everything of ours that could forget to ask.
func guard(write bool) func(*middleware.Stack) error {
	return func(stack *middleware.Stack) error {
		// First of the first step: nothing runs before it.
		return stack.Initialize.Add(middleware.InitializeMiddlewareFunc(
			"tallylock guard",
			func(
				ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
			) (middleware.InitializeOutput, middleware.Metadata, error) {
				operation := awsmiddleware.GetOperationName(ctx)
				if !allowed(operation, write) {
					return middleware.InitializeOutput{}, middleware.Metadata{}, refused(operation, write)
				}
				return next.HandleInitialize(ctx, in)
			},
		), middleware.Before)
	}
}

func refused(operation string, write bool) error {
	e := &Error{Kind: ReadOnly, Op: "sending " + operation, Why: "tallylock never sends it"}
	if operation == "TransactWriteItems" && !write {
		e.Op, e.Why = "writing", "this connection is read-only"
		e.Do = "add --write, or set write = true for the connection in the config"
	}
	return fmt.Errorf("guard: %w", e)
}
