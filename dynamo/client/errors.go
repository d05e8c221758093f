package client

import (
	"context"
	"errors"
	"strings"

	"github.com/aws/smithy-go"

	"tallylock/dynamo/remedy"
)

// Kind is a kind of error. Errors of one kind have similar remedies.
type Kind string

// The kinds of Error.
const (
	Denied        Kind = "denied"         // a permission is missing; Error.Permission names it if it is an IAM action
	Unreachable   Kind = "unreachable"    // the endpoint does not answer, or not like DynamoDB
	NoTable       Kind = "no table"       // no such table in this Region
	NoCredentials Kind = "no credentials" // no credentials were found, or the endpoint does not accept them
	Expired       Kind = "expired"        // the session has expired, or nobody has logged in
	NoRegion      Kind = "no region"      // no Region is configured
	NoLayout      Kind = "no layout"      // no known layout fits the table
	Throttled     Kind = "throttled"      // the table's or account's capacity is used up
	Conflict      Kind = "conflict"       // others kept writing to the same items
	ReadOnly      Kind = "read-only"      // the guard does not let the operation through
	Unsupported   Kind = "unsupported"    // the endpoint does not know the operation
	Cancelled     Kind = "cancelled"      // the user cancelled
	Forbidden     Kind = "forbidden"      // Options.Tables does not have the table
	Spent         Kind = "spent"          // the session or the server has consumed its read units
	Usage         Kind = "usage"          // a given name or value is invalid
	Failed        Kind = "failed"         // anything else
)

// Error has an attempt, the reason of its failure, and the remedy. Its texts may contain text from a table
// or an endpoint, and are not sanitised.
type Error struct {
	Kind Kind
	Op   string // the attempt: "reading the table accounts"; empty if Why names the attempt
	Why  string // the reason: "this role may not Scan it"
	Do   string // the remedy: "ask for the permission dynamodb:Scan"
	// Remedy replaces Do if the remedy needs a flag or a command. Package ui/say puts it into words.
	Remedy remedy.Remedy
	// Permission is the IAM action that was denied, such as "dynamodb:Scan".
	Permission string
	// Service is the service that failed, such as Trino. It is empty for AWS.
	Service string
	// Refusal is the endpoint's message about the denied permission.
	Refusal Refusal
	Err     error
}

// Refusal is an endpoint's message about a denied permission. A field is empty if the message does not
// have it.
type Refusal struct{ Caller, Resource, Why string }

// Explicit reports whether a policy denies the action explicitly. Then no other policy can allow the
// action.
func (r Refusal) Explicit() bool { return strings.Contains(r.Why, "explicit deny") }

func (e *Error) Error() string {
	s, do := e.Why, e.Do
	if e.Op != "" {
		s = e.Op + ": " + s
	}
	if e.Remedy.Code == remedy.Text {
		do = e.Remedy.Args[0]
	}
	switch {
	case do == "":
		return s
	case strings.HasSuffix(e.Why, "?"): // after a question the remedy is a new sentence
		return s + " " + strings.ToUpper(do[:1]) + do[1:]
	}
	return s + "; " + do
}

func (e *Error) Unwrap() error { return e.Err }

// Say returns the text of an error. The function say puts the error's remedy into words.
func Say(err error, say func(remedy.Remedy) string) string {
	known, ok := errors.AsType[*Error](err)
	if !ok || known.Remedy.Code == "" {
		return err.Error()
	}
	full := *known
	full.Do, full.Remedy = say(known.Remedy), remedy.Remedy{}
	return strings.Replace(err.Error(), known.Error(), full.Error(), 1)
}

// Answered reports whether an error is DynamoDB's own answer to a request.
func Answered(err error) bool {
	api, ok := errors.AsType[smithy.APIError](err)
	return ok && api.ErrorCode() != anonymous
}

// KindOf returns the kind of an error. It is Failed for errors of other packages.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	if errors.Is(err, context.Canceled) {
		return Cancelled
	}
	return Failed
}
