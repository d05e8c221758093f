package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// longestLine is the longest message that the server reads, in bytes.
const longestLine = 1 << 20

// stdio is a transport over two streams, with one message in each line. The SDK's own transport ends the session at the
// first line that is no message. This transport answers such a line with an error, and goes on.
type stdio struct {
	lines chan line
	ended func()
	done  chan struct{} // closed by Close
	once  sync.Once

	writing sync.Mutex // guards out: a write hangs as long as nobody reads the output
	out     io.Writer

	mu       sync.Mutex // guards unanswered and broken
	answered *sync.Cond
	// unanswered has the ids of the calls without an answer. Cancelled calls do not count. broken is set if an answer
	// could not be written.
	unanswered map[any]bool
	broken     bool
}

// line is a line of the input, or the error at its end.
type line struct {
	text    []byte
	tooLong bool
	err     error
}

// newStdio returns a transport. ended is called when all calls are answered after the end of the input, or when the
// output can no longer be written.
func newStdio(in io.Reader, out io.Writer, ended func()) *stdio {
	s := &stdio{lines: make(chan line), done: make(chan struct{}), out: out, ended: ended, unanswered: map[any]bool{}}
	s.answered = sync.NewCond(&s.mu)
	go s.readLines(bufio.NewReaderSize(in, 64<<10))
	return s
}

// Connect implements the SDK's Transport.
func (s *stdio) Connect(context.Context) (sdk.Connection, error) { return s, nil }

// SessionID implements the SDK's Connection.
func (s *stdio) SessionID() string { return "" }

// Close implements the SDK's Connection.
func (s *stdio) Close() error {
	s.once.Do(func() {
		close(s.done)
		s.answered.Broadcast()
	})
	return nil
}

// readLines reads lines until the input or the session ends. A read of the input may never return, so Close does not
// wait for it.
func (s *stdio) readLines(in *bufio.Reader) {
	for {
		next := readLine(in)
		select {
		case s.lines <- next:
		case <-s.done:
			return
		}
		if next.err != nil {
			return
		}
	}
}

// readLine reads a line. It drops the text of a line that is too long.
func readLine(in *bufio.Reader) (next line) {
	for {
		part, err := in.ReadSlice('\n')
		if next.tooLong = next.tooLong || len(next.text)+len(part) > longestLine; next.tooLong {
			next.text = nil
		} else {
			next.text = append(next.text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && len(bytes.TrimSpace(next.text)) == 0 && !next.tooLong:
			next.err = err
		}
		return next // after an error, the next call returns it again
	}
}

// Read implements the SDK's Connection. It returns the next message.
func (s *stdio) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		var next line
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-s.done:
			return nil, io.EOF
		case next = <-s.lines:
		}
		if next.err != nil {
			s.finish(ctx)
			return nil, next.err
		}
		message, refused := decodeMessage(next)
		if refused == nil && message != nil {
			s.note(message)
			return message, nil
		}
		if refused != nil {
			if err := s.refuse(*refused); err != nil {
				return nil, err
			}
		}
	}
}

// finishWithin is the longest time for running calls after the end of the input. An assistant that quits also closes
// the input, and then waits until the server has ended.
const finishWithin = 3 * time.Second

// finish waits until all calls are answered, at most finishWithin. So a file of messages gets its answers.
func (s *stdio) finish(ctx context.Context) {
	defer s.ended()
	ctx, cancel := context.WithTimeout(ctx, finishWithin)
	defer cancel()
	defer context.AfterFunc(ctx, s.answered.Broadcast)()
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.unanswered) > 0 && !s.broken && ctx.Err() == nil && !s.closed() {
		s.answered.Wait()
	}
}

func (s *stdio) closed() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// note remembers a call until its answer, or until the client cancels it.
func (s *stdio) note(message jsonrpc.Message) {
	call, ok := message.(*jsonrpc.Request)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if call.IsCall() {
		s.unanswered[call.ID.Raw()] = true
	}
	var cancelled struct {
		ID any `json:"requestId"`
	}
	if call.Method == "notifications/cancelled" && json.Unmarshal(call.Params, &cancelled) == nil {
		if id, err := jsonrpc.MakeID(cancelled.ID); err == nil {
			delete(s.unanswered, id.Raw())
		}
	}
}

// decodeMessage decodes a line. It returns nothing for an empty line, and an error for a line that is no message.
func decodeMessage(next line) (jsonrpc.Message, *jsonrpc.Error) {
	text := bytes.TrimSpace(next.text)
	switch {
	case next.tooLong:
		return nil, &jsonrpc.Error{
			Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf("the message is longer than %d bytes", longestLine),
		}
	case len(text) == 0:
		return nil, nil
	case !json.Valid(text):
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the line is not JSON"}
	case text[0] == '[':
		return nil, &jsonrpc.Error{
			Code: jsonrpc.CodeInvalidRequest, Message: "send one message in each line: batches are not supported",
		}
	}
	var call struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(text, &call) == nil && !readableID(call.ID) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the id must be a string, or an integer of at most 64 bits"}
	}
	message, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the line is not a message of JSON-RPC 2.0"}
	}
	return message, nil
}

// readableID reports whether the SDK reads the id of a message exactly: other numbers would come back as another id.
func readableID(id json.RawMessage) bool {
	if len(id) == 0 || !strings.ContainsRune("-0123456789", rune(id[0])) {
		return true
	}
	_, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil
}

// refuse answers a line that is no message.
func (s *stdio) refuse(why jsonrpc.Error) error {
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": why})
	if err != nil {
		return err
	}
	return s.writeLine(text)
}

// Write implements the SDK's Connection.
func (s *stdio) Write(ctx context.Context, message jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	text, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	err = s.writeLine(text)
	if answer, ok := message.(*jsonrpc.Response); ok {
		s.mu.Lock()
		delete(s.unanswered, answer.ID.Raw())
		s.mu.Unlock()
		s.answered.Broadcast()
	}
	return err
}

// writeLine writes a line. If nobody reads the output any more, the session ends at once.
func (s *stdio) writeLine(text []byte) error {
	s.writing.Lock()
	_, err := s.out.Write(append(text, '\n'))
	s.writing.Unlock()
	if err != nil {
		s.mu.Lock()
		s.broken = true
		s.mu.Unlock()
		s.answered.Broadcast()
		s.ended()
	}
	return err
}
