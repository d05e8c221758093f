package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// longestLine is the longest message that the server reads, in bytes.
const longestLine = 1 << 20

// stdio is a transport over two streams, with one message in each line. The SDK's own transport ends the session at the
// first line that is no message. This one answers such a line with an error, and goes on.
type stdio struct {
	lines chan line
	done  chan struct{} // closed by Close
	once  sync.Once

	mu  sync.Mutex // guards out
	out io.Writer
}

// line is a line of the input, or the error at its end.
type line struct {
	text    []byte
	tooLong bool
	err     error
}

// newStdio returns a transport. ended is called at the end of the input.
func newStdio(in io.Reader, out io.Writer, ended func()) *stdio {
	s := &stdio{lines: make(chan line), done: make(chan struct{}), out: out}
	go s.readLines(bufio.NewReaderSize(in, 64<<10), ended)
	return s
}

// Connect implements the SDK's Transport.
func (s *stdio) Connect(context.Context) (sdk.Connection, error) { return s, nil }

// SessionID implements the SDK's Connection.
func (s *stdio) SessionID() string { return "" }

// Close implements the SDK's Connection.
func (s *stdio) Close() error {
	s.once.Do(func() { close(s.done) })
	return nil
}

// readLines reads lines until the input or the session ends. A read of the input may never return, so Close does not
// wait for it.
func (s *stdio) readLines(in *bufio.Reader, ended func()) {
	for {
		next := readLine(in)
		if next.err != nil {
			ended()
		}
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
			return nil, next.err
		}
		message, refused := decodeMessage(next)
		if refused == nil && message != nil {
			return message, nil
		}
		if refused != nil {
			if err := s.refuse(*refused); err != nil {
				return nil, err
			}
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
	message, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the line is not a message of JSON-RPC 2.0"}
	}
	return message, nil
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
	return s.writeLine(text)
}

func (s *stdio) writeLine(text []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.out.Write(append(text, '\n'))
	return err
}
