package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"syscall"
)

// Fault is something that goes wrong with one request. "Applied" says that the
// request has its effect, whatever the client is told.
type Fault int

// The faults, in process and over HTTP alike.
const (
	NoFault     Fault = iota
	CloseBefore       // the connection is closed before the request is looked at
	CloseAfter        // applied, then the connection is closed
	ResetAfter        // applied, then the connection is reset
	Silence           // applied, and nothing is answered until the client gives up
	FailAfter         // applied, and answered with 500 InternalServerError
	Throttle          // ProvisionedThroughputExceededException; not applied
	Conflict          // TransactionCanceledException for a TransactionConflict in the first slot; not applied; transactions only, others are answered
	Truncate          // applied, and the second half of the answer's body is lost
	Corrupt           // applied, and one character of the answer's body is another
)

func (f Fault) String() string {
	names := [...]string{"no fault", "close before", "close after", "reset after", "silence", "fail after", "throttle", "conflict", "truncate", "corrupt"}
	if f < 0 || int(f) >= len(names) {
		return fmt.Sprintf("Fault(%d)", int(f))
	}
	return names[f]
}

// Request is what a fault is chosen by.
type Request struct {
	Op   string // the operation, such as "TransactWriteItems"
	N    int    // which request of the engine it is, from 1 up
	Body []byte // as it came; it must not be changed
}

// WithFaults makes requests go wrong as choose says. It is asked once a request,
// on the goroutine that answers it, so several may ask at once, and it may send
// requests itself.
func WithFaults(choose func(Request) Fault) Option {
	return func(e *Engine) { e.faults = &faults{choose: choose} }
}

type faults struct {
	choose func(Request) Fault
	count  atomic.Int64
}

// What a client's connection says.
var (
	errClosed = io.EOF
	errReset  = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	errCut    = io.ErrUnexpectedEOF
)

// around gives the reply to a request, with what goes wrong.
func (f *faults) around(ctx context.Context, op string, body []byte, answer func() reply) reply {
	fault := f.choose(Request{op, int(f.count.Add(1)), body})
	switch fault {
	case CloseBefore:
		return reply{broken: errClosed}
	case Throttle:
		return newReply(nil, refuse("ProvisionedThroughputExceededException", "The level of configured provisioned throughput for the table was exceeded"))
	case Conflict:
		if refusal := conflict(body); refusal != nil {
			return newReply(nil, refusal)
		}
	}
	p := answer()
	switch fault {
	case CloseAfter:
		return reply{broken: errClosed}
	case ResetAfter:
		return reply{broken: errReset}
	case Silence:
		<-ctx.Done()
		return reply{broken: errClosed}
	case FailAfter:
		return newReply(nil, errors.New("internal server error"))
	case Truncate:
		p.body, p.broken = p.body[:len(p.body)/2], errCut
	case Corrupt:
		p.body = corrupted(p.body)
	}
	return p
}

// conflict refuses a transaction whose first item somebody else is writing; nil
// if the request is no transaction.
func conflict(body []byte) error {
	var request struct{ TransactItems []json.RawMessage }
	if json.Unmarshal(body, &request) != nil || len(request.TransactItems) == 0 {
		return nil
	}
	reasons := make([]reason, len(request.TransactItems))
	for i := range reasons {
		reasons[i].code = codeNone
	}
	reasons[0] = reason{code: "TransactionConflict", message: "Transaction is ongoing for the item"}
	return transactionCancelled(reasons)
}

// corrupted changes the first letter or digit of the second half, if there is
// one: an answer that can still be read is worse than one that cannot.
func corrupted(body []byte) []byte {
	out := bytes.Clone(body)
	at := len(out) / 2
	if i := bytes.IndexAny(out[at:], "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"); i >= 0 {
		at += i
	}
	out[at] ^= 1
	return out
}

// breakOff ends the connection under a handler.
func breakOff(w http.ResponseWriter, how error) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // as the server's own way to say it
	}
	if tcp, ok := conn.(*net.TCPConn); ok && how == errReset {
		_ = tcp.SetLinger(0) // makes the close a reset
	}
	_ = conn.Close()
}
