package fault

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"

	"tallylock/dynamo/embedded"
)

const (
	targetPrefix = "DynamoDB_20120810."
	typePrefix   = "com.amazonaws.dynamodb.v20120810#"
)

// operation is what a request asks for, such as "Scan".
func operation(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("X-Amz-Target"), targetPrefix)
}

// read returns a request's body, and a copy of the request whose body is unread.
func read(r *http.Request) ([]byte, *http.Request, error) {
	var body []byte
	if r.Body != nil {
		defer r.Body.Close()
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, nil, err
		}
	}
	again := r.WithContext(r.Context())
	again.Body = io.NopCloser(bytes.NewReader(body))
	return body, again, nil
}

func refusal(r *http.Request, status int, kind, message string) *http.Response {
	return embedded.Respond(r, status, fmt.Appendf(nil, `{"__type":"%s","message":%q}`, typePrefix+kind, message))
}

// Handler serves an engine over HTTP, and its faults as they look there: a
// connection that is reset ends otherwise than one that is closed.
func Handler(e *embedded.Engine) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, err := e.Transport().RoundTrip(r)
		if err != nil {
			breakOff(w, err)
			return
		}
		defer answer.Body.Close()
		maps.Copy(w.Header(), answer.Header)
		w.WriteHeader(answer.StatusCode)
		if _, err := io.Copy(w, answer.Body); err != nil {
			_ = http.NewResponseController(w).Flush()
			breakOff(w, err)
		}
	})
}

// breakOff ends the connection under a handler.
func breakOff(w http.ResponseWriter, how error) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // as the server's own way to say it
	}
	if tcp, ok := conn.(*net.TCPConn); ok && errors.Is(how, errReset) {
		_ = tcp.SetLinger(0) // makes the close a reset
	}
	_ = conn.Close()
}
