package client

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// cancelledBy says why a transaction was cancelled, by the reason that time mends
// least: what is denied or invalid stays so, capacity comes back, and a conflict is
// over soon. Failed: by anything else, such as a condition.
func cancelledBy(reasons []types.CancellationReason) Kind {
	kinds := map[Kind]bool{}
	for _, r := range reasons {
		if code := aws.ToString(r.Code); code != "" && code != "None" {
			kinds[slotKind(code)] = true
		}
	}
	for _, kind := range []Kind{Denied, Failed, Throttled, Conflict} {
		if kinds[kind] {
			return kind
		}
	}
	return Failed
}

func slotKind(code string) Kind {
	switch {
	case code == "AccessDenied", code == "AccessDeniedException":
		return Denied
	case throttledSlot(code):
		return Throttled
	case code == "TransactionConflict":
		return Conflict
	}
	return Failed
}

// throttledSlot reports whether a slot's reason is that the capacity was used up.
func throttledSlot(code string) bool {
	return code == "ThrottlingError" || code == "ProvisionedThroughputExceeded" || throttled(code)
}

// classifyCancelled puts the reason of a cancelled transaction into words.
func (c *Client) classifyCancelled(e *Error, err error, reasons []types.CancellationReason) {
	e.Kind = cancelledBy(reasons)
	code, message := "", ""
	for _, r := range reasons {
		if said := aws.ToString(r.Code); said != "" && said != "None" && slotKind(said) == e.Kind {
			code, message = said, aws.ToString(r.Message)
			break
		}
	}
	switch {
	case e.Kind == Denied:
		c.deny(e, err, message)
	case e.Kind == Throttled:
		e.Why, e.Do = "DynamoDB throttled it ("+code+")", slowDown
	case e.Kind == Conflict:
		e.Why, e.Do = "the application kept writing to the same items", "try again"
	case code == "ValidationError":
		e.Why = "DynamoDB takes the request for invalid"
		if message != "" {
			e.Why += ": " + message
		}
	}
}
