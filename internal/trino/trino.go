// Package trino stands in for a Trino server. It answers each statement at once, without running it. It imports
// nothing of this program. Start at Server.
package trino

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Server answers requests to Trino. Set its fields before the first request.
type Server struct {
	// Rows returns the rows of a statement. A row has one column. Error returns the name of the statement's error, such as
	// PERMISSION_DENIED; empty if the statement succeeds. Both may be nil.
	Rows  func(text string) []string
	Error func(text string) string
	// Status is the status of all answers, if it is not 0.
	Status int
	// Next is the scheme and host of the URLs for further answers. If it is empty, they are http and the server's own
	// host.
	Next string
	// Silent is the beginning of a statement. The server does not report the end of such a statement.
	Silent string
	// Held is the beginning of a statement. Such a statement runs until the client stops it, or forever if Deaf is set.
	// The server closes Holds when the statement runs.
	Held  string
	Holds chan struct{}
	Deaf  bool

	mu      sync.Mutex
	sent    []string
	logins  []string
	stopped chan struct{}
	stop    sync.Once // closes stopped
}

// Sent returns the statements in the order in which they came.
func (s *Server) Sent() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.sent)
}

// Logins returns the header Authorization of each request.
func (s *Server) Logins() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.logins)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	posted, _ := io.ReadAll(r.Body)
	stopped := s.note(r, string(posted))
	if s.Status != 0 {
		w.WriteHeader(s.Status)
		return
	}
	body := map[string]any{"id": "q", "stats": map[string]any{"state": "FINISHED", "physicalInputBytes": 7}}
	switch r.Method {
	case http.MethodPost:
		body["nextUri"] = cmp.Or(s.Next, "http://"+r.Host) + "/v1/statement/q/" + url.PathEscape(string(posted))
	case http.MethodGet:
		text := strings.TrimPrefix(r.URL.Path, "/v1/statement/q/")
		if s.Silent != "" && strings.HasPrefix(text, s.Silent) {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		s.finish(body, text)
		if s.Held != "" && strings.HasPrefix(text, s.Held) {
			close(s.Holds)
			select {
			case <-stopped:
			case <-r.Context().Done():
				return
			}
			body["error"] = failure("USER_CANCELED")
		}
	default: // this request stops a statement
		if !s.Deaf {
			s.stop.Do(func() { close(stopped) })
		}
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}

// note records a request. stopped is closed when the client stops a statement.
func (s *Server) note(r *http.Request, text string) (stopped chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.logins = append(s.logins, r.Header.Get("Authorization"))
	if r.Method == http.MethodPost {
		s.sent = append(s.sent, text)
	}
	if s.stopped == nil {
		s.stopped = make(chan struct{})
	}
	return s.stopped
}

func failure(name string) map[string]any {
	return map[string]any{"message": "it says no", "errorName": name, "errorType": "USER_ERROR"}
}

// finish adds the result of a statement to an answer.
func (s *Server) finish(body map[string]any, text string) {
	if s.Error != nil {
		if name := s.Error(text); name != "" {
			body["error"] = failure(name)
		}
	}
	if s.Rows == nil {
		return
	}
	data := [][]string{}
	for _, row := range s.Rows(text) {
		data = append(data, []string{row})
	}
	length := map[string]any{"kind": "LONG", "value": 2147483647}
	body["columns"] = []any{map[string]any{
		"name": "candidate", "type": "varchar",
		"typeSignature": map[string]any{"rawType": "varchar", "arguments": []any{length}},
	}}
	body["data"] = data
}
