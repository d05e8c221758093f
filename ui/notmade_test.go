package ui_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/embedded/sdk"
)

// If a deletion is refused after the mark was put, the dialog shows that the deletion was refused.
func TestARefusedDeletionIsShown(t *testing.T) {
	var writes atomic.Int64
	var s *setup
	s = onDemo(t, func(o *dynamo.Options) {
		next := o.Transport
		o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".TransactWriteItems") && writes.Add(1) == 2 {
				if err := sdk.Put(r.Context(), s.demo.App(), "accounts", sdk.Item{"PK": sdk.S("UNIQ#HANDLE#alan"), "SK": sdk.S("LOCK")}); err != nil {
					return nil, err
				}
			}
			return next.RoundTrip(r)
		})
	})
	term := s.run(t)
	term.asksRelease()
	term.press("<tab><enter>")
	frame := term.see("✗ Refused", "✗ changed since")
	if !strings.Contains(frame, "1  delete UNIQ#HANDLE#alan") {
		t.Errorf("it was the deletion that was refused:\n%s", frame)
	}
}

// If the first answer to a change is lost, the dialog has the outcome of each try.
func TestSendingsSayWhatCameOfThem(t *testing.T) {
	var writes atomic.Int64
	s := onDemo(t, func(o *dynamo.Options) {
		next := o.Transport
		o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			if !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".TransactWriteItems") {
				return next.RoundTrip(r)
			}
			switch writes.Add(1) {
			case 1:
				return nil, &netError{}
			case 2:
				body := `{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":"Rate exceeded"}`
				return embedded.Respond(r, http.StatusBadRequest, []byte(body)), nil
			}
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
	})
	term := s.run(t)
	term.ask("ada")
	term.press("ecountess<tab>")
	term.see("price")
	term.press("<tab><tab><enter>")
	term.see("sent 3 times")
	term.press("<esc>")
	term.see("? Not known", "Retries did not tell.", "no answer after", "throttled after", "stopped after")
}
