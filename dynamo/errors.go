package dynamo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/ssocreds"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// Kind sorts errors by what a person can do about them.
type Kind string

// The kinds of Error.
const (
	Denied        Kind = "denied"         // a permission is missing; Error.Permission names it
	Unreachable   Kind = "unreachable"    // the endpoint does not answer
	NoTable       Kind = "no table"       // no such table in this Region
	NoCredentials Kind = "no credentials" // none found
	Expired       Kind = "expired"        // the session's credentials are no longer good
	NoRegion      Kind = "no region"      // none configured
	NoLayout      Kind = "no layout"      // no layout that we know fits the table
	Throttled     Kind = "throttled"      // the table's or account's capacity is used up
	Conflict      Kind = "conflict"       // others kept writing to the same items
	ReadOnly      Kind = "read-only"      // the guard does not let the operation through
	Unsupported   Kind = "unsupported"    // the endpoint does not know the operation
	Cancelled     Kind = "cancelled"      // by the user
	Usage         Kind = "usage"          // a name or value that was given does not fit
	Failed        Kind = "failed"         // anything else
)

// Error says what was tried, why it failed and what to do. Its texts may hold
// text from a table or an endpoint: they are not sanitised.
type Error struct {
	Kind Kind
	Op   string // what was tried: "reading the table accounts"
	Why  string // "this role may not Scan it"
	Do   string // "ask for the permission dynamodb:Scan"
	// Permission is the IAM action that was denied, such as "dynamodb:Scan".
	Permission string
	// Asks is what a person can answer to go on; nil where there is nothing.
	Asks *Question
	Err  error
}

func (e *Error) Error() string {
	s := e.Op + ": " + e.Why
	if e.Do != "" {
		s += "; " + e.Do
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// KindOf tells what kind an error is. An error that is none of ours is Failed.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	if errors.Is(err, context.Canceled) {
		return Cancelled
	}
	return Failed
}

// Explain puts an error of the SDK into words. op says what was tried.
func (c *Connection) Explain(op string, err error) error {
	if err == nil {
		return nil
	}
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	e := &Error{Kind: Failed, Op: op, Why: reason(err), Err: err}
	c.classify(e, err)
	return e
}

func (c *Connection) classify(e *Error, err error) {
	if errors.Is(err, context.Canceled) {
		e.Kind, e.Why = Cancelled, "stopped before it was done"
		return
	}
	if _, ok := errors.AsType[*types.ResourceNotFoundException](err); ok {
		e.Kind, e.Why = NoTable, "there is no such table in "+c.Where()
		e.Do = "check the table's name, the Region and the endpoint"
		return
	}
	if missing, ok := errors.AsType[config.SharedConfigProfileNotExistError](err); ok {
		e.Kind, e.Why = Usage, "there is no profile "+missing.Profile+" in the AWS config"
		e.Do = "run: aws configure list-profiles"
		return
	}
	if _, ok := errors.AsType[*ssocreds.InvalidTokenError](err); ok || strings.Contains(err.Error(), "SSO session has expired") {
		e.Kind, e.Why = Expired, "the SSO session has expired"
		e.Do = "run: aws sso login" + c.profileFlag()
		return
	}
	if strings.Contains(err.Error(), "SSO token") {
		e.Kind, e.Why = Expired, "nobody has logged in to the SSO session"+c.forProfile()
		e.Do = "run: aws sso login" + c.profileFlag()
		return
	}
	if reasons, ok := Conditional(err); ok {
		c.classifyCancelled(e, err, reasons)
		return
	}
	if api, ok := errors.AsType[smithy.APIError](err); ok && api.ErrorCode() != anonymous {
		c.classifyAPI(e, err, api) // it answered: what its text says is no sign of anything else
		return
	}
	if _, ok := errors.AsType[*aws.MissingRegionError](err); ok {
		e.Kind, e.Why = NoRegion, "no AWS Region is configured"
		e.Do = "set AWS_REGION or --region"
		return
	}
	if broken, ok := errors.AsType[*damaged](err); ok {
		e.Why = broken.Error() + ", and not once it came whole"
		e.Do = "is the network all right, or does a proxy in between change what it passes on?"
		return
	}
	if foreign, ok := errors.AsType[*unproven](err); ok {
		e.Kind, e.Why = Unreachable, c.Endpoint()+" answered, and not as DynamoDB does: "+foreign.why
		e.Do = "is the endpoint right, or is a proxy or a log-in page in between?"
		return
	}
	if response, ok := errors.AsType[*awshttp.ResponseError](err); ok && response.HTTPStatusCode() != 0 {
		e.Kind, e.Why = Unreachable, fmt.Sprintf("%s answered with HTTP status %d, and not as DynamoDB does", c.Endpoint(), response.HTTPStatusCode())
		e.Do = "is the endpoint right, or is a proxy in between?"
		return
	}
	var network net.Error
	text := err.Error()
	switch {
	case strings.Contains(text, "EC2 IMDS"): // the last place where they are looked for
		e.Kind, e.Why = NoCredentials, "no AWS credentials were found"+c.forProfile()
		e.Do = "set AWS_PROFILE or --profile, or run: aws configure sso"
	case strings.Contains(text, "failed to refresh cached credentials"), strings.Contains(text, "failed to retrieve credentials"):
		e.Kind, e.Why = NoCredentials, "the AWS credentials"+c.forProfile()+" could not be had ("+reason(err)+")"
		e.Do = "check the profile, and log in again where it needs that"
	case errors.Is(err, context.DeadlineExceeded):
		e.Kind, e.Why = Unreachable, c.Endpoint()+" did not answer in time"
		e.Do = "try again, or check the network"
	case errors.As(err, &network), strings.Contains(text, "connection refused"), strings.Contains(text, "exceeded maximum number of attempts"):
		e.Kind, e.Why = Unreachable, c.Endpoint()+" cannot be reached ("+reason(err)+")"
		e.Do = "is the endpoint right, and are the network and the VPN up?"
	}
}

func (c *Connection) classifyAPI(e *Error, err error, api smithy.APIError) {
	switch code := api.ErrorCode(); {
	case code == "AccessDeniedException":
		c.deny(e, err, api.ErrorMessage())
	case code == "UnrecognizedClientException", code == "InvalidSignatureException", code == "MissingAuthenticationToken", code == "IncompleteSignature":
		e.Kind, e.Why = NoCredentials, "the endpoint does not accept the credentials ("+code+")"
		e.Do = "check the profile and that the keys are for this account and partition"
	case code == "ExpiredTokenException", code == "ExpiredToken":
		e.Kind, e.Why = Expired, "the session's credentials have expired"
		e.Do = "log in again, for example: aws sso login" + c.profileFlag()
	case code == "UnknownOperationException":
		e.Kind, e.Why = Unsupported, "the endpoint does not know the operation "+operation(err)
		e.Do = "this server cannot be used for it"
	case throttled(code):
		e.Kind, e.Why = Throttled, "the capacity is used up ("+code+")"
		e.Do = slowDown
	case code == "TransactionConflictException":
		e.Kind, e.Why, e.Do = Conflict, "the application kept writing to the same items", "try again"
	}
}

const slowDown = "try again later, or ask for less at once"

func (c *Connection) deny(e *Error, err error, message string) {
	e.Kind, e.Permission = Denied, permission(operation(err), message)
	e.Why = "this role lacks the permission " + e.Permission
	e.Do = "ask your AWS administrator"
}

// named finds an IAM action in a message.
var named = regexp.MustCompile(`dynamodb:[A-Z][A-Za-z]+`)

// permission is the IAM action that was denied. A message may name it; what it
// says is only a help, since it differs by Region. Transactions are no actions of
// their own (Service Authorization Reference, "Amazon DynamoDB").
func permission(operation, message string) string {
	if action := named.FindString(message); action != "" && !strings.Contains(action, "Transact") {
		return action
	}
	switch operation {
	case "TransactGetItems":
		return "dynamodb:GetItem"
	case "TransactWriteItems":
		return "dynamodb:UpdateItem, DeleteItem, PutItem and ConditionCheckItem"
	}
	return "dynamodb:" + operation
}

func throttled(code string) bool {
	switch code {
	case "ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded", "LimitExceededException":
		return true
	}
	return false
}

func operation(err error) string {
	if op, ok := errors.AsType[*smithy.OperationError](err); ok {
		return op.Operation()
	}
	return "the operation"
}

// reason is the innermost cause, which is what a person can use: the SDK wraps
// it into the names of its layers and a request id.
func reason(err error) string {
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		if api.ErrorMessage() == "" {
			return api.ErrorCode()
		}
		return fmt.Sprintf("%s: %s", api.ErrorCode(), api.ErrorMessage())
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Err.Error()
	}
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// Conditional reports whether the endpoint's answer to a write was a definite
// no, and gives the reasons of its slots.
func Conditional(err error) ([]types.CancellationReason, bool) {
	if cancelled, ok := errors.AsType[*types.TransactionCanceledException](err); ok {
		return cancelled.CancellationReasons, true
	}
	return nil, false
}

func (c *Connection) profileFlag() string {
	if c.options.Profile == "" {
		return ""
	}
	return " --profile " + c.options.Profile
}

func (c *Connection) forProfile() string {
	if c.options.Profile == "" {
		return ""
	}
	return " for the profile " + c.options.Profile
}
