package change_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
)

// This machine's clock alone does not tell whether a lost change can still arrive, or may be sent again: somebody may
// have set the clock.
func TestAClockThatWasSetTellsNothing(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		wall, endpoint time.Duration // how far the clocks advance
		undated        bool
		outcome        journal.Outcome
		again          bool // the change may be sent again
	}{
		"both went on":                         {17 * time.Minute, 17 * time.Minute, false, journal.Refused, false},
		"this clock was set forward":           {17 * time.Minute, 0, false, journal.Unknown, false},
		"this clock was set back":              {0, 17 * time.Minute, false, journal.Unknown, false},
		"the endpoint tells no time":           {17 * time.Minute, 0, true, journal.Unknown, false},
		"nothing has passed":                   {0, 0, false, journal.Unknown, true},
		"no time was told, nothing has passed": {0, 0, true, journal.Unknown, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := start(t)
			wall, endpoint := time.Duration(0), time.Duration(0)
			begun := time.Now()
			f.changer.Now = func() time.Time { return begun.Add(wall) }
			f.dated = func(h http.Header) {
				if h.Del("Date"); !of.undated {
					h.Set("Date", begun.Add(endpoint).UTC().Format(http.TimeFormat))
				}
			}
			f.lose(false)
			f.bump()
			f.found()
			wall, endpoint = of.wall, of.endpoint
			s := f.examine(f.open("order_id"))
			if _, again := s.Choice(change.SendAgain); s.Outcome != of.outcome || again != of.again {
				t.Errorf("%s, sent again: %t; %s", s.Outcome, again, s.Words)
			}
		})
	}
}

// While a dialog is open, the token of its request expires, and somebody sets the clock back: the request is not sent
// again.
func TestAnOpenDialogDoesNotTrustTheWallClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		begun := time.Now()
		f.changer.Now = func() time.Time { return begun }
		f.lose(false)
		f.bump()
		f.found()
		s, writes := f.examine(f.open("order_id")), f.writes()
		if _, again := s.Choice(change.SendAgain); !again {
			t.Fatal(s.Words)
		}
		time.Sleep(10 * time.Minute)
		r := f.changer.Resolve(t.Context(), s, change.SendAgain, nil)
		if r.Outcome != journal.Unknown || client.KindOf(r.Err) != client.Usage || f.writes() != writes {
			t.Errorf("%s %v, %d writes", r.Outcome, r.Err, f.writes()-writes)
		}
	})
}

// The process that sent a request knows the request's age, even if somebody sets the wall clock, and even if the
// endpoint sends no time.
func TestTheProcessThatSentARequestKeepsItsAge(t *testing.T) {
	for name, of := range map[string]struct {
		wall    time.Duration // how far the wall clock advances while 20 minutes pass
		outcome journal.Outcome
	}{
		"the clock was set back": {0, journal.Unknown},
		"the clock was not set":  {20 * time.Minute, journal.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := start(t)
				begun, wall := time.Now(), time.Duration(0)
				f.changer.Now = func() time.Time { return begun.Add(wall) }
				f.dated = func(h http.Header) { h.Del("Date") }
				f.lose(false)
				f.bump()
				f.found()
				time.Sleep(20 * time.Minute)
				wall = of.wall
				s := f.examine(f.open("order_id"))
				if _, again := s.Choice(change.SendAgain); again || s.Outcome != of.outcome {
					t.Errorf("%s, sent again: %t; %s", s.Outcome, again, s.Words)
				}
			})
		})
	}
}
