package client

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"

	"tallylock/dynamo/mistake"
	"tallylock/dynamo/remedy"
)

// A Guard is the protection of a connection or a table against changes.
type Guard string

// The guards, from the least strict to the strictest.
const (
	GuardConfirm Guard = "confirm" // a person has to confirm the change
	GuardType    Guard = "type"    // a person has to type the value or the counter's name
	GuardDeny    Guard = "deny"    // no change at all; no flag lifts it
)

// check returns an error for an unknown guard.
func (g Guard) check() error {
	switch g {
	case "", GuardConfirm, GuardType, GuardDeny:
		return nil
	}
	return fmt.Errorf("%q is not a guard: use confirm, type or deny%s", string(g),
		mistake.Meant(string(g), "confirm", "type", "deny"))
}

// guards are all guards, from the least strict to the strictest.
var guards = []Guard{GuardConfirm, GuardType, GuardDeny}

// stricter reports whether g demands more than the other guard.
func (g Guard) stricter(than Guard) bool { return slices.Index(guards, g) > slices.Index(guards, than) }

// GuardOf returns the guard of a table. This is the table's own guard, or else the connection's guard. If
// another connection to the same table has a stricter guard, GuardOf returns the stricter guard.
func (c *Client) GuardOf(table string) Guard {
	guard := c.options.guardOf(table)
	if other := c.others.of(table).guard; other.stricter(guard) {
		return other
	}
	return guard
}

// Denied returns an error if the config denies all changes of a table.
func (c *Client) Denied(table string) error {
	if c.GuardOf(table) != GuardDeny {
		return nil
	}
	e := &Error{
		Kind: ReadOnly,
		Op:   "changing " + table,
		Why:  `the config forbids all changes of this table (guard = "deny")`,
		Do:   "nothing was sent",
	}
	if other := c.others.of(table); other.guard == GuardDeny && other.from != "" {
		e.Why = fmt.Sprintf(`the connection %s has guard = "deny" for this table`, other.from)
		if other.untold != "" {
			e.Why = fmt.Sprintf(
				`the connection %s has guard = "deny", and this table may also be a table of that connection (%s)`,
				other.from,
				other.untold,
			)
		}
	}
	return e
}

func (o Options) guardOf(table string) Guard {
	return cmp.Or(o.Guards[table], o.Guard, GuardConfirm)
}

// RequiresReason reports whether changes of a table need a reason. The config may say this for the table,
// or else for the connection. If another connection to the same table requires a reason, a reason is
// needed, too.
func (c *Client) RequiresReason(table string) bool {
	return c.options.requiresReason(table) || c.others.of(table).reason
}

func (o Options) requiresReason(table string) bool {
	if required, said := o.Reasons[table]; said {
		return required
	}
	return o.RequireReason
}

// allowed reports whether an operation may be sent. It lists the allowed operations, so that it also
// refuses new operations of a later SDK.
func allowed(operation string, write bool) bool {
	switch operation {
	case "ListTables", "DescribeTable", "DescribeTimeToLive",
		"GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems":
		return true
	case "TransactWriteItems":
		// TransactWriteItems has a ClientRequestToken. So it is the only write that can be sent twice and
		// applied once (Developer Guide, "Idempotency").
		return write
	}
	return false
}

// guard refuses an operation that is not allowed, and a request for a table that the client may not use.
func (c *Client) guard() func(*middleware.Stack) error {
	return refusingIn(func(ctx context.Context, operation string, request any) error {
		if write := c.options.Write; !allowed(operation, write) {
			return refused(operation, write)
		}
		return c.within(ctx, operation, request)
	})
}

// refusing refuses an operation if the function why returns an error. See refusingIn.
func refusing(why func(operation string, request any) error) func(*middleware.Stack) error {
	return refusingIn(func(_ context.Context, operation string, request any) error { return why(operation, request) })
}

// refusingIn refuses an operation if the function why returns an error. It does so before the request is serialised,
// signed or sent. The check is in the SDK's middleware stack, so no code of this program can bypass it.
func refusingIn(
	why func(ctx context.Context, operation string, request any) error,
) func(*middleware.Stack) error {
	return func(stack *middleware.Stack) error {
		// The first middleware of the first step: nothing runs before it.
		return stack.Initialize.Add(middleware.InitializeMiddlewareFunc(
			"tallylock guard",
			func(
				ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
			) (middleware.InitializeOutput, middleware.Metadata, error) {
				if err := why(ctx, awsmiddleware.GetOperationName(ctx), in.Parameters); err != nil {
					return middleware.InitializeOutput{}, middleware.Metadata{}, err
				}
				return next.HandleInitialize(ctx, in)
			},
		), middleware.Before)
	}
}

func refused(operation string, write bool) error {
	e := &Error{Kind: ReadOnly, Op: "sending " + operation, Why: "tallylock never sends this operation"}
	if operation == "TransactWriteItems" && !write {
		e.Op, e.Why = "writing", "this connection is read-only"
		e.Remedy = remedy.Of(remedy.AddWrite)
	}
	return fmt.Errorf("guard: %w", e)
}
