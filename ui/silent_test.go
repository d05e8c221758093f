package ui_test

import (
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded"
	"tallylock/ui/session"
)

// While the program waits for an endpoint, the screen names the endpoint. After a few seconds, it says that the
// endpoint is slow or does not answer. Esc stops waiting.
func TestAnEndpointThatNeverAnswers(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // the operating system accepts connections, but no program answers
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	where := silent.Addr().String()
	conn, err := dynamo.Connect(t.Context(), dynamo.Options{Options: client.Options{Endpoint: "http://" + where, Region: "us-east-1"}, Asked: true})
	if err != nil {
		t.Fatal(err)
	}
	var later atomic.Int64
	s := &setup{conn: conn, w: 80, h: 24, clock: func() time.Time { return time.Now().Add(time.Duration(later.Load())) }, options: session.Options{
		Connections: []session.Connection{{Connection: conn}}, Table: "accounts", Theme: session.Dark,
	}}
	term := s.run(t)
	frame := term.see("Reading accounts at " + where)
	if strings.Contains(frame, "does not answer") {
		t.Errorf("it is said to be silent at once:\n%s", frame)
	}
	later.Store(int64(6 * time.Second))
	term.see("s so far: "+where+" is slow, or does not answer.", "esc leaves.")
	term.meanwhile("<esc>")
	term.see("Opening the table accounts was cancelled.", "ctrl+r try again")
}

// throttling throttles the next request once it is armed, and never answers its retry.
type throttling struct {
	next  http.RoundTripper
	armed atomic.Int32
}

func (f *throttling) RoundTrip(r *http.Request) (*http.Response, error) {
	switch f.armed.Load() {
	case 0:
		return f.next.RoundTrip(r)
	case 1:
		f.armed.Store(2)
		body := `{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"slow down"}`
		return embedded.Respond(r, http.StatusBadRequest, []byte(body)), nil
	}
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// If DynamoDB throttles a request, find and the counters say that they are throttled.
func TestAThrottledWaitIsCalledSo(t *testing.T) {
	t.Parallel()
	for keys, says := range map[string]string{
		"/alan<enter>": "so far: throttled by DynamoDB; retrying. esc leaves.",
		"3":            "so far: throttled by DynamoDB; retrying, as at ",
	} {
		t.Run(keys, func(t *testing.T) {
			f := &throttling{}
			s := onDemo(t, func(o *dynamo.Options) { f.next, o.Transport = o.Transport, f })
			var later atomic.Int64
			s.clock = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
			term := s.run(t)
			term.see("confirmed")
			term.press("3")
			term.see("order_id", "RU/s")
			term.press("1")
			term.see("confirmed")
			term.quiet()
			f.armed.Store(1)
			term.meanwhile(keys)
			term.poll("the throttled request", func() bool { return f.armed.Load() == 2 })
			later.Store(int64(6 * time.Second))
			term.see(says)
			term.meanwhile("<esc>")
		})
	}
}
