package warehouse

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/trinodb/trino-go-client/trino"

	"tallylock/dynamo/client"
)

// A stopper stops one statement on Trino. Trino goes on with a statement whose client has gone: it would make a table
// after the run has dropped its tables. So a stopper asks Trino to stop, and the client then reads until the end.
type stopper struct {
	mu       sync.Mutex
	request  *http.Request // the request that stops the statement; nil if its id is unknown
	stopping bool
}

type stopperKey struct{}

// patience is the time in which Trino must end a statement that it was asked to stop.
const patience = 10 * time.Second

// stoppable returns a context for a statement, and a function to call after the statement. If ctx ends, Trino is asked
// to stop the statement, and has the time patience to do so.
func (t *Trino) stoppable(ctx context.Context) (statement context.Context, end func()) {
	s := &stopper{}
	// The deadline replaces the client's own, which is 10 hours.
	own := context.WithValue(context.WithoutCancel(ctx), stopperKey{}, s)
	statement, cancel := context.WithTimeout(own, 14*24*time.Hour)
	unwatch := context.AfterFunc(ctx, func() {
		time.AfterFunc(patience, cancel)
		s.stop(t.stops.base)
	})
	return statement, func() { unwatch(); cancel() }
}

// stop asks Trino to stop the statement, now and before each further poll.
func (s *stopper) stop(send http.RoundTripper) {
	s.mu.Lock()
	s.stopping = true
	request := s.request
	s.mu.Unlock()
	if request != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if answer, err := send.RoundTrip(request.Clone(ctx)); err == nil {
			_ = answer.Body.Close()
		}
	}
}

// stopping learns the ids of statements from the answers of Trino. It sends a password only to this Trino server, over
// https.
type stopping struct {
	base   http.RoundTripper
	server *url.URL
}

// RoundTrip implements http.RoundTripper.
func (t stopping) RoundTrip(r *http.Request) (*http.Response, error) {
	// Trino's answers name the addresses of its next answers, and the client adds the password to each request.
	if r.Header.Get("Authorization") != "" && (r.URL.Scheme != "https" || origin(r.URL) != origin(t.server)) {
		return nil, &client.Error{
			Kind: client.Usage,
			Why: fmt.Sprintf("Trino's next answers are at %s://%s, but tallylock sends TRINO_PASSWORD only to https://%s",
				r.URL.Scheme, r.URL.Host, t.server.Host),
			Do: "let the proxy in front of Trino send X-Forwarded-Proto, X-Forwarded-Host and X-Forwarded-Port, " +
				"and set http-server.process-forwarded=true in Trino",
		}
	}
	s, ok := r.Context().Value(stopperKey{}).(*stopper)
	if !ok {
		return t.base.RoundTrip(r)
	}
	s.mu.Lock()
	stopping := s.stopping
	s.mu.Unlock()
	if stopping && r.Method == http.MethodGet {
		s.stop(t.base) // Trino forgets the first request if the statement has not begun
	}
	answer, err := t.base.RoundTrip(r)
	if err != nil || r.Method != http.MethodPost || answer.StatusCode != http.StatusOK {
		return answer, err
	}
	body, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if err != nil {
		return nil, err
	}
	answer.Body = io.NopCloser(bytes.NewReader(body))
	var said struct{ ID string }
	if json.Unmarshal(body, &said) == nil && said.ID != "" {
		s.know(r, said.ID)
	}
	return answer, nil
}

// origin returns the host and the port of an address with https.
func origin(at *url.URL) string {
	return strings.ToLower(at.Hostname()) + ":" + cmp.Or(at.Port(), "443")
}

// know notes the request that stops the statement of the request r.
func (s *stopper) know(r *http.Request, id string) {
	at := *r.URL
	at.Path = strings.TrimSuffix(at.Path, "statement") + "query/" + id
	request := (&http.Request{Method: http.MethodDelete, URL: &at, Host: r.Host, Header: r.Header.Clone()})
	request.Header.Del("Content-Type")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.request = request
}

// trinoOutcome returns the outcome of a statement that returned err. The statement failed if Trino says so, or if Trino
// refused its first request. The parameter statement is the context that stoppable returned.
func trinoOutcome(statement context.Context, err error) client.ExecutionOutcome {
	if _, answered := errors.AsType[*trino.ErrTrino](err); answered {
		return client.ExecutionFailed
	}
	s := statement.Value(stopperKey{}).(*stopper)
	s.mu.Lock()
	defer s.mu.Unlock()
	refused, _ := errors.AsType[*trino.ErrQueryFailed](err)
	switch {
	case refused == nil:
	case s.request == nil && refused.StatusCode/100 == 4:
		return client.ExecutionFailed
	case forgotten(refused):
		return client.ExecutionSucceeded // the statement has ended, and may have made its table
	}
	return client.ExecutionUnknown
}
