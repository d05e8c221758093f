// Package fault makes an embedded engine behave like DynamoDB behind a network: requests fail, reads return
// old items, and tables have replicas in other Regions. It imports the engine, attr and sdk. Start with
// WithFaults, WithDelays and WithReplicas, which are options of embedded.New. If there are several options,
// the last one gets a request first.
package fault

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"syscall"

	"tallylock/dynamo/embedded"
)

// Fault is a failure of one request. In the comments, "applied" means that the engine runs the request,
// even if the client gets an error.
type Fault int

// The faults. A client in the process sees the same as a client over HTTP.
const (
	NoFault     Fault = iota
	CloseBefore       // not applied: the connection is closed first
	CloseAfter        // applied, then the connection is closed
	ResetAfter        // applied, then the connection is reset
	Silence           // applied, but never answered: the client has to give up
	FailAfter         // applied, and answered with 500 InternalServerError
	Throttle          // ProvisionedThroughputExceededException; not applied
	// Conflict is a TransactionCanceledException: another program is writing the item of the first action. The request is
	// not applied. Operations other than transactions have no conflict.
	Conflict
	Truncate // applied, and the second half of the answer's body is lost
	Corrupt  // applied, and one character of the answer's body is changed
)

func (f Fault) String() string {
	names := [...]string{
		"no fault", "close before", "close after", "reset after", "silence", "fail after", "throttle", "conflict",
		"truncate", "corrupt",
	}
	if f < 0 || int(f) >= len(names) {
		return fmt.Sprintf("Fault(%d)", int(f))
	}
	return names[f]
}

// Request describes a request to the function that chooses its fault.
type Request struct {
	Op   string // the operation, such as "TransactWriteItems"
	N    int    // the number of the request, from 1
	Body []byte // read only
}

// WithFaults makes requests fail. The function choose returns the fault of each request. choose runs on the
// goroutine of the request, so several calls may overlap. choose may send requests itself.
func WithFaults(choose func(Request) Fault) embedded.Option {
	return embedded.WithMiddleware(func(_ *embedded.Engine, next http.RoundTripper) http.RoundTripper {
		return &faults{choose: choose, next: next}
	})
}

type faults struct {
	choose func(Request) Fault
	next   http.RoundTripper
	count  atomic.Int64
}

// The errors that the client's connection returns.
var (
	errClosed = io.EOF
	errReset  = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	errCut    = io.ErrUnexpectedEOF
)

func (f *faults) RoundTrip(r *http.Request) (*http.Response, error) {
	body, again, err := read(r)
	if err != nil {
		return nil, err
	}
	fault := f.choose(Request{operation(r), int(f.count.Add(1)), body})
	switch fault {
	case CloseBefore:
		return nil, errClosed
	case Throttle:
		return refusal(r, http.StatusBadRequest, "ProvisionedThroughputExceededException",
			"The level of configured provisioned throughput for the table was exceeded"), nil
	case Conflict:
		if answer := conflict(r, body); answer != nil {
			return answer, nil
		}
	}
	if fault != NoFault {
		again = again.WithContext(context.WithoutCancel(r.Context())) // runs even if the client gives up
	}
	answer, err := f.next.RoundTrip(again)
	if err != nil {
		return nil, err
	}
	return f.spoil(fault, r, answer)
}

// spoil applies the fault to an answer. It returns the answer or the error that the client gets.
func (f *faults) spoil(fault Fault, r *http.Request, answer *http.Response) (*http.Response, error) {
	switch fault {
	case CloseAfter:
		return nil, errClosed
	case ResetAfter:
		return nil, errReset
	case Silence:
		<-r.Context().Done()
		return nil, context.Cause(r.Context())
	case FailAfter:
		return refusal(r, http.StatusInternalServerError, "InternalServerError", "internal server error"), nil
	case Truncate, Corrupt:
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			return nil, err
		}
		if fault == Corrupt {
			answer.Body = io.NopCloser(bytes.NewReader(corrupted(body)))
		} else {
			answer.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body[:len(body)/2]), cut{}))
		}
	}
	return answer, nil
}

// cut is the end of a body whose connection breaks: reading it fails.
type cut struct{}

func (cut) Read([]byte) (int, error) { return 0, errCut }

// conflict answers a transaction as if another program were writing its first item. It returns nil if the request is
// not a transaction.
func conflict(r *http.Request, body []byte) *http.Response {
	var request struct{ TransactItems []json.RawMessage }
	if json.Unmarshal(body, &request) != nil || len(request.TransactItems) == 0 {
		return nil
	}
	none := len(request.TransactItems) - 1
	return embedded.Respond(r, http.StatusBadRequest, []byte(`{"__type":"`+typePrefix+`TransactionCanceledException",`+
		`"Message":"Transaction cancelled, please refer cancellation reasons for specific reasons [TransactionConflict`+strings.Repeat(", None", none)+`]",`+
		`"CancellationReasons":[{"Code":"TransactionConflict","Message":"Transaction is ongoing for the item"}`+strings.Repeat(`,{"Code":"None"}`, none)+`]}`))
}

// corrupted changes the first letter or digit in the second half of the body. The answer usually stays
// valid JSON, which is worse for a client than a broken answer.
func corrupted(body []byte) []byte {
	out := bytes.Clone(body)
	at := len(out) / 2
	if i := bytes.IndexAny(out[at:], "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"); i >= 0 {
		at += i
	}
	out[at] ^= 1
	return out
}

// WithReplicas gives a table replicas in these Regions when the table is created. Only the table's
// description shows them: nothing is replicated. If strong is true, the table has multi-Region strong
// consistency, and no transactions.
func WithReplicas(table string, strong bool, regions ...string) embedded.Option {
	return embedded.WithMiddleware(func(_ *embedded.Engine, next http.RoundTripper) http.RoundTripper {
		return &replicas{table, strong, regions, next}
	})
}

type replicas struct {
	table   string
	strong  bool
	regions []string
	next    http.RoundTripper
}

func (t *replicas) RoundTrip(r *http.Request) (*http.Response, error) {
	if operation(r) != "CreateTable" {
		return t.next.RoundTrip(r)
	}
	body, again, err := read(r)
	if err != nil {
		return nil, err
	}
	var definition map[string]any
	if json.Unmarshal(body, &definition) == nil && definition["TableName"] == t.table {
		all := []map[string]string{}
		for _, name := range t.regions {
			all = append(all, map[string]string{"RegionName": name})
		}
		definition["Replicas"] = all
		if t.strong {
			definition["MultiRegionConsistency"] = "STRONG"
		}
		if body, err = json.Marshal(definition); err != nil {
			return nil, err
		}
		again.Body = io.NopCloser(bytes.NewReader(body))
	}
	return t.next.RoundTrip(again)
}
