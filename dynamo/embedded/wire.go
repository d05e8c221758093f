package embedded

import (
	"bytes"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

const (
	targetPrefix = "DynamoDB_20120810."
	maxRequest   = 16 << 20
)

// operation answers one kind of request, given its body.
type operation func(e *Engine, body []byte) ([]byte, error)

// operations are all that the engine knows.
var operations = map[string]operation{
	"CreateTable":        serve(createTable),
	"DeleteTable":        serve(deleteTable),
	"DescribeTable":      serve(describeTable),
	"ListTables":         serve(listTables),
	"DescribeTimeToLive": serve(describeTimeToLive),
	"UpdateTimeToLive":   serve(updateTimeToLive),
	"GetItem":            serve(getItem),
	"BatchGetItem":       serve(batchGetItem),
	"TransactGetItems":   serve(transactGetItems),
	"Query":              serve(query),
	"Scan":               serve(scan),
	"PutItem":            serve(putItem),
	"UpdateItem":         serve(updateItem),
	"DeleteItem":         serve(deleteItem),
	"BatchWriteItem":     serve(batchWriteItem),
	"TransactWriteItems": serve(transactWriteItems),
}

// serve wraps an operation in the reading of its request and the writing of
// its answer.
func serve[R any](answer func(*Engine, *R, *writer) error) operation {
	return func(e *Engine, body []byte) ([]byte, error) {
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
	answer.Header.Del("Date") // the server's own is written
	maps.Copy(w.Header(), answer.Header)
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body) // a client that is gone wants no answer
}

// Respond makes the response to a request, with the headers that DynamoDB sends.
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

// reply answers a request with a status and a body.
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
	return run(e, body)
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
