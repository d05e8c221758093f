package embedded

import (
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
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
	"CreateTable":        serve((*Engine).createTable),
	"DeleteTable":        serve((*Engine).deleteTable),
	"DescribeTable":      serve((*Engine).describeTable),
	"ListTables":         serve((*Engine).listTables),
	"DescribeTimeToLive": serve((*Engine).describeTimeToLive),
	"UpdateTimeToLive":   serve((*Engine).updateTimeToLive),
	"GetItem":            serve((*Engine).getItem),
	"BatchGetItem":       serve((*Engine).batchGetItem),
	"TransactGetItems":   serve((*Engine).transactGetItems),
	"Query":              serve((*Engine).query),
	"Scan":               serve((*Engine).scan),
	"PutItem":            serve((*Engine).putItem),
	"UpdateItem":         serve((*Engine).updateItem),
	"DeleteItem":         serve((*Engine).deleteItem),
	"BatchWriteItem":     serve((*Engine).batchWriteItem),
	"TransactWriteItems": serve((*Engine).transactWriteItems),
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
	p := e.reply(w, r)
	if p.status != 0 {
		p.setHeader(w.Header())
		w.WriteHeader(p.status)
		_, _ = w.Write(p.body) // a client that is gone wants no answer
	}
	if p.broken != nil {
		if p.status != 0 {
			_ = http.NewResponseController(w).Flush()
		}
		breakOff(w, p.broken)
	}
}

// reply is an answer on its way to the client.
type reply struct {
	status int // 0: there is no answer
	body   []byte
	length int    // and
	sum    uint32 // of the body as it was meant to arrive
	broken error  // how the connection ends, after what there is of the answer; nil: well
}

func newReply(body []byte, err error) reply {
	status := http.StatusOK
	if err != nil {
		refusal := asAPIError(err)
		body, status = appendError(nil, refusal), refusal.status
	}
	return reply{status: status, body: body, length: len(body), sum: crc32.ChecksumIEEE(body)}
}

func (p reply) setHeader(h http.Header) {
	h.Set("Content-Type", "application/x-amz-json-1.0")
	h.Set("Content-Length", strconv.Itoa(p.length))
	h.Set("X-Amz-Crc32", strconv.FormatUint(uint64(p.sum), 10))
	h.Set("X-Amzn-RequestId", strings.ToUpper(strings.ReplaceAll(uuid.NewString(), "-", "")))
}

// reply answers a request; w is nil in process.
func (e *Engine) reply(w http.ResponseWriter, r *http.Request) reply {
	op, ok := strings.CutPrefix(r.Header.Get("X-Amz-Target"), targetPrefix)
	run := operations[op]
	if r.Method != http.MethodPost || !ok || run == nil {
		return newReply(nil, refuse("UnknownOperationException", "Unknown operation: %q", op))
	}
	body, err := readRequest(w, r)
	if err != nil {
		return newReply(nil, err)
	}
	answer := func() reply { return newReply(run(e, body)) }
	if e.faults == nil {
		return answer()
	}
	return e.faults.around(r.Context(), op, body, answer)
}

func readRequest(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
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
