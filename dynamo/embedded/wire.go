package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

const (
	targetPrefix = "DynamoDB_20120810."
	maxRequest   = 16 << 20
)

// operation answers requests for one operation of DynamoDB. body is the body of the request r.
type operation func(e *Engine, r *http.Request, body []byte) ([]byte, error)

// operations maps the names of the engine's operations to their functions.
var operations = map[string]operation{
	"CreateTable":               serve(createTable),
	"UpdateTable":               serve(updateTable),
	"DeleteTable":               serve(deleteTable),
	"DescribeTable":             serve(describeTable),
	"ListTables":                serve(listTables),
	"DescribeTimeToLive":        serve(describeTimeToLive),
	"UpdateTimeToLive":          serve(updateTimeToLive),
	"DescribeContinuousBackups": serve(describeContinuousBackups),
	"TagResource":               serve(tagResource),
	"UntagResource":             serve(untagResource),
	"ListTagsOfResource":        serve(listTagsOfResource),
	"DescribeLimits":            serve(describeLimits),
	"DescribeEndpoints":         describeEndpoints,
	"GetItem":                   serve(getItem),
	"BatchGetItem":              serve(batchGetItem),
	"TransactGetItems":          serve(transactGetItems),
	"Query":                     serve(query),
	"Scan":                      serve(scan),
	"PutItem":                   serve(putItem),
	"UpdateItem":                serve(updateItem),
	"DeleteItem":                serve(deleteItem),
	"BatchWriteItem":            serve(batchWriteItem),
	"TransactWriteItems":        serve(transactWriteItems),
}

// Operations returns the names of the operations that the engine answers, in order. To any other operation it
// answers UnknownOperationException.
func Operations() []string { return sortedKeys(operations) }

// serve returns an operation. The operation parses its request, calls the function answer, and returns the
// JSON that answer has written.
func serve[R any](answer func(*Engine, *R, *writer) error) operation {
	return func(e *Engine, _ *http.Request, body []byte) ([]byte, error) {
		var request R
		if err := decodeRequest(body, &request); err != nil {
			return nil, err
		}
		w := &writer{}
		w.begin()
		if err := answer(e, &request, w); err != nil {
			return nil, err
		}
		w.end()
		return w.buf, nil
	}
}

func decodeRequest(body []byte, request any) error {
	err := json.Unmarshal(body, request)
	if refusal := (*apiError)(nil); err == nil || errors.As(err, &refusal) {
		return err
	}
	return malformed("%s", err)
}

// ServeHTTP answers one request of the DynamoDB JSON protocol.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, err := e.transport.RoundTrip(r)
	if err != nil {
		panic(http.ErrAbortHandler) // ends the connection without an answer
	}
	defer answer.Body.Close()
	answer.Header.Del("Date") // the HTTP server writes its own date
	maps.Copy(w.Header(), answer.Header)
	w.WriteHeader(answer.StatusCode)
	// The plain writer sends a short answer at once. As an io.ReaderFrom, w would send its first 512 bytes alone.
	_, _ = io.Copy(struct{ io.Writer }{w}, answer.Body) // an error means that the client has gone
}

// Respond returns a response to the request r, with the headers that DynamoDB sends.
func Respond(r *http.Request, status int, body []byte) *http.Response {
	return &http.Response{
		Status:     strconv.Itoa(status) + " " + http.StatusText(status),
		StatusCode: status,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header: http.Header{
			"Content-Type":     {"application/x-amz-json-1.0"},
			"Content-Length":   {strconv.Itoa(len(body))},
			"X-Amz-Crc32":      {strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10)},
			"X-Amzn-Requestid": {strings.ToUpper(strings.ReplaceAll(uuid.NewString(), "-", ""))},
		},
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
		Request:       r,
	}
}

// reply runs a request, and returns the status and the body of the response.
func (e *Engine) reply(r *http.Request) (status int, body []byte) {
	body, err := e.run(r)
	if err != nil {
		refusal := asAPIError(err)
		return refusal.status, appendError(nil, refusal)
	}
	return http.StatusOK, body
}

func (e *Engine) run(r *http.Request) ([]byte, error) {
	op, ok := strings.CutPrefix(r.Header.Get("X-Amz-Target"), targetPrefix)
	run := operations[op]
	if r.Method != http.MethodPost || !ok || run == nil {
		return nil, refuse("UnknownOperationException", "Unknown operation: %q", op)
	}
	body, err := readRequest(r)
	if err != nil {
		return nil, err
	}
	return run(e, r, body)
}

func readRequest(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxRequest))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		refusal := refuse("RequestEntityTooLargeException", "A request may have %d bytes at most", maxRequest)
		refusal.status = http.StatusRequestEntityTooLarge
		return nil, refusal
	}
	if err != nil {
		return nil, malformed("The request's body could not be read: %v", err)
	}
	return body, nil
}

// Transport returns a transport to the engine, without a socket. It ignores the host of a request.
func (e *Engine) Transport() http.RoundTripper { return e.transport }

type transport struct{ engine *Engine }

// RoundTrip answers a request on the caller's goroutine.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	server := r.WithContext(ctx) // a copy, since a transport must not change the request
	if r.Body == nil {
		server.Body = http.NoBody
	}
	defer server.Body.Close()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	status, body := t.engine.reply(server)
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	answer := Respond(r, status, body)
	answer.Header.Set("Date", t.engine.now().UTC().Format(http.TimeFormat))
	answer.Body = &answerBody{ctx, answer.Body}
	return answer, nil
}

// answerBody is the body of a response. Like the body of a real connection, it returns an error once the
// request's context has ended.
type answerBody struct {
	ctx context.Context
	io.ReadCloser
}

func (b *answerBody) Read(p []byte) (int, error) {
	if err := context.Cause(b.ctx); err != nil {
		return 0, err
	}
	return b.ReadCloser.Read(p)
}

// apiError is an error of DynamoDB.
type apiError struct {
	kind    string // the exception's name, which clients compare
	message string
	status  int
	reasons []reason // one for each action of a cancelled transaction
	item    item     // the item that failed a condition, if the client asked for it
	// early is true if DynamoDB finds the error before it runs a transaction. An early error refuses the
	// whole request. Any other error cancels the transaction, and is listed among its reasons.
	early bool
}

// reason is the reason for the failure of one action in a cancelled transaction.
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

const (
	validation = "ValidationException"
	notFound   = "ResourceNotFoundException"
)

// invalid returns a ValidationException.
func invalid(format string, args ...any) *apiError {
	return refuse(validation, format, args...)
}

// malformed returns the error for a request body that is not valid JSON for its operation.
func malformed(format string, args ...any) *apiError {
	return refuse("SerializationException", format, args...)
}

// noSuchTable returns the error for a request that names no existing table. If the name itself is missing
// or invalid, the error says so.
func noSuchTable(name string) error {
	if name == "" {
		return invalid(
			"1 validation error detected: Value null at 'tableName' failed to satisfy constraint: Member must not be null",
		)
	}
	if err := checkName("tableName", bareName(name)); err != nil {
		return err
	}
	return refuse(notFound, "Requested resource not found: Table: %s not found", name)
}

func conditionFailed(found item) *apiError {
	e := refuse("ConditionalCheckFailedException", "The conditional request failed")
	e.item = found
	return e
}

// asAPIError returns err as an apiError. An error of another type is a bug of the engine.
func asAPIError(err error) *apiError {
	if e, ok := errors.AsType[*apiError](err); ok {
		return e
	}
	return &apiError{kind: "InternalServerError", message: err.Error(), status: http.StatusInternalServerError}
}

// appendError appends the body of an error response.
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

// legacy has the parameters that expressions replaced in 2014. The engine refuses these parameters. If it
// ignored them, a write could lose its condition, for example.
type legacy struct {
	AttributesToGet, AttributeUpdates, ConditionalOperator, Expected, KeyConditions, QueryFilter, ScanFilter json.RawMessage `json:",omitempty"`
}

func (l legacy) refuse() error {
	v := reflect.ValueOf(l)
	for i := range v.NumField() {
		if raw := v.Field(i).Bytes(); len(raw) > 0 && string(raw) != "null" {
			return invalid("The legacy parameter %s is not supported here: use expressions", v.Type().Field(i).Name)
		}
	}
	return nil
}
