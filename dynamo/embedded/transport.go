package embedded

import (
	"context"
	"io"
	"net/http"
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
	status, body := t.engine.reply(server)
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	answer := Respond(r, status, body)
	answer.Header.Set("Date", t.engine.now().UTC().Format(http.TimeFormat))
	answer.Body = &answerBody{ctx, answer.Body}
	return answer, nil
}

// answerBody stops giving when the request's context ends, as a connection would.
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
