package embedded

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
)

// Transport reaches the engine in process, without a socket, whatever host a
// request names.
func (e *Engine) Transport() http.RoundTripper { return e.transport }

type transport struct{ engine *Engine }

// RoundTrip answers on the caller's goroutine; nothing of it outlives it.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	server := r.WithContext(ctx) // a handler may change its request, a transport may not
	if r.Body == nil {
		server.Body = http.NoBody
	}
	defer server.Body.Close()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	p := t.engine.reply(server)
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	header := http.Header{}
	p.setHeader(header)
	return &http.Response{
		Status:        strconv.Itoa(p.status) + " " + http.StatusText(p.status),
		StatusCode:    p.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        header,
		Body:          &answerBody{ctx, bytes.NewReader(p.body)},
		ContentLength: int64(len(p.body)),
		Request:       r,
	}, nil
}

// answerBody stops giving when the request's context ends, as a connection would.
type answerBody struct {
	ctx  context.Context
	rest *bytes.Reader
}

func (b *answerBody) Read(p []byte) (int, error) {
	if err := context.Cause(b.ctx); err != nil {
		return 0, err
	}
	return b.rest.Read(p)
}

// WriteTo spares io.Copy its buffer.
func (b *answerBody) WriteTo(w io.Writer) (int64, error) {
	if err := context.Cause(b.ctx); err != nil {
		return 0, err
	}
	return b.rest.WriteTo(w)
}

func (b *answerBody) Close() error { return nil }
