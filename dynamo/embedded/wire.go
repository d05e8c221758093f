package embedded

import (
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
	maps.Copy(w.Header(), answer.Header)
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body) // a client that is gone wants no answer
}

// reply is an answer on its way to the client.
type reply struct {
	status int
	body   []byte
}

func newReply(body []byte, err error) reply {
	status := http.StatusOK
	if err != nil {
		refusal := asAPIError(err)
		body, status = appendError(nil, refusal), refusal.status
	}
	return reply{status, body}
}

func (p reply) setHeader(h http.Header) {
	h.Set("Content-Type", "application/x-amz-json-1.0")
	h.Set("Content-Length", strconv.Itoa(len(p.body)))
	h.Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE(p.body)), 10))
	h.Set("X-Amzn-Requestid", strings.ToUpper(strings.ReplaceAll(uuid.NewString(), "-", "")))
}

func (e *Engine) reply(r *http.Request) reply {
	op, ok := strings.CutPrefix(r.Header.Get("X-Amz-Target"), targetPrefix)
	run := operations[op]
	if r.Method != http.MethodPost || !ok || run == nil {
		return newReply(nil, refuse("UnknownOperationException", "Unknown operation: %q", op))
	}
	body, err := readRequest(r)
	if err != nil {
		return newReply(nil, err)
	}
	return newReply(run(e, body))
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
