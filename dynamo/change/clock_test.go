package change_test

import (
	"net/http"
	"testing"
	"time"

	"tallylock/dynamo/change"
)

// Whether a lost change can still arrive, or be sent again, is not told by this machine's clock alone:
// it may have been set.
func TestAClockThatWasSetTellsNothing(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		wall, endpoint time.Duration // how far the clocks go on
		undated        bool
		outcome        change.Outcome
		again          bool // it may be sent again
	}{
		"both went on":                         {17 * time.Minute, 17 * time.Minute, false, change.Refused, false},
		"this clock was set forward":           {17 * time.Minute, 0, false, change.Unknown, false},
		"this clock was set back":              {0, 17 * time.Minute, false, change.Unknown, false},
		"the endpoint tells no time":           {17 * time.Minute, 0, true, change.Unknown, false},
		"nothing has passed":                   {0, 0, false, change.Unknown, true},
		"no time was told, nothing has passed": {0, 0, true, change.Unknown, true},
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
