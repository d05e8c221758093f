package embedded

import (
	"errors"
	"fmt"
	"net/http"
)

// apiError is an answer that refuses a request, in DynamoDB's own terms.
type apiError struct {
	kind    string // the exception's name, as clients match it
	message string
	status  int
	reasons []reason // of a cancelled transaction, in request order
	item    item     // what a failed condition found, if the client asked for it
	// early: DynamoDB finds it before it runs a transaction, and refuses that as a
	// whole; what it finds later cancels the transaction.
	early bool
}

// reason says why one slot of a transaction cancelled it.
type reason struct {
	code    string
	message string
	item    item
}

const (
	codeNone            = "None"
	codeConditionFailed = "ConditionalCheckFailed"
	codeValidation      = "ValidationError"
)

func (e *apiError) Error() string { return e.kind + ": " + e.message }

func refuse(kind, format string, args ...any) *apiError {
	return &apiError{kind: kind, message: fmt.Sprintf(format, args...), status: http.StatusBadRequest}
}

// invalid is the ValidationException, by far the most frequent refusal.
func invalid(format string, args ...any) *apiError {
	return refuse("ValidationException", format, args...)
}

// malformed refuses a body that is not the JSON of its operation.
func malformed(format string, args ...any) *apiError {
	return refuse("SerializationException", format, args...)
}

// noSuchTable refuses a name that no table has, and says so if none can have it.
func noSuchTable(name string) error {
	if name == "" {
		return invalid(
			"1 validation error detected: Value null at 'tableName' failed to satisfy constraint: Member must not be null",
		)
	}
	if err := checkName("tableName", bareName(name)); err != nil {
		return err
	}
	return refuse("ResourceNotFoundException", "Requested resource not found: Table: %s not found", name)
}

func conditionFailed(found item) *apiError {
	e := refuse("ConditionalCheckFailedException", "The conditional request failed")
	e.item = found
	return e
}

// asAPIError gives err as a refusal. Any other error is a bug of the engine.
func asAPIError(err error) *apiError {
	if e, ok := errors.AsType[*apiError](err); ok {
		return e
	}
	return &apiError{kind: "InternalServerError", message: err.Error(), status: http.StatusInternalServerError}
}

// appendError writes the body of a refusal.
func appendError(dst []byte, e *apiError) []byte {
	w := writer{buf: dst}
	w.begin()
	w.string("__type", "com.amazonaws.dynamodb.v20120810#"+e.kind)
	if e.reasons == nil {
		w.string("message", e.message)
	} else {
		w.string("Message", e.message)
		w.key("CancellationReasons")
		w.list(len(e.reasons), func(i int) { w.reason(e.reasons[i]) })
	}
	if e.item != nil {
		w.item("Item", e.item)
	}
	w.end()
	return w.buf
}

func (w *writer) reason(r reason) {
	w.begin()
	w.string("Code", r.code)
	if r.message != "" {
		w.string("Message", r.message)
	}
	if r.item != nil {
		w.item("Item", r.item)
	}
	w.end()
}
