package ui_test

import (
	"regexp"
	"strconv"
	"testing"

	"tallylock/ui/session"
)

// Polling stays below its limit of read units per minute, and the counters show the time of the reading.
func TestPollingKeepsToItsUnits(t *testing.T) {
	s := onDemo(t)
	s.options.PollUnits = session.DefaultPollUnits / 6
	term := s.run(t)
	term.see("confirmed")
	term.press("3")
	says := regexp.MustCompile(`read at \S+, every (\d+) s · ([0-9.]+) RU/s`)
	found := says.FindStringSubmatch(term.until("its pace", says.MatchString))
	every, _ := strconv.ParseFloat(found[1], 64)
	pace, _ := strconv.ParseFloat(found[2], 64)
	if every < 10 || pace > s.options.PollUnits/60+0.1 {
		t.Errorf("%v read units a second, every %v s", pace, every)
	}
	if units := s.reads(func() { term.press("jj123"); term.see("NextIdTable", "read at ") }); units > 0 {
		t.Errorf("%v read units to come back", units)
	}
	before := s.conn.Units()
	term.press("<ctrl+r>")
	term.poll("a key to read the counters again", func() bool { return s.conn.Units() > before })
}

// Counters are not polled while another screen is shown.
func TestHiddenCountersAreNotPolled(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.see("confirmed")
	term.press("3")
	term.see("NextIdTable", "RU/s")
	term.press("5")
	term.see("journal")
	term.quiet()
	if units := s.reads(func() {
		for range 5 {
			term.press("12")
			term.see("UNIQ#")
			term.press("5")
		}
	}); units > 0 {
		t.Errorf("%v read units", units)
	}
}
