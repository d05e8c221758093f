package ui_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/sdk"
)

// limited returns the demo with 1,000 more accounts. units limits the read units of the session.
func limited(t *testing.T, units float64) *setup {
	t.Helper()
	s := onDemo(t, func(o *dynamo.Options) { o.SessionReadUnits, o.Layout, o.Asked = units, "uniq", true })
	s.w, s.h = 140, 40
	var items []sdk.Item
	for n := range 1000 {
		v := fmt.Sprintf("more%04d", n)
		items = append(items, sdk.Item{"PK": sdk.S("ACCT#" + v), "SK": sdk.S("PROFILE"), "username": sdk.S(v)})
	}
	if err := sdk.Put(t.Context(), s.demo.App(), "accounts", items...); err != nil {
		t.Fatal(err)
	}
	return s
}

// reads calls do, and returns the read units that the connection used during the call.
func (s *setup) reads(do func()) float64 {
	before := s.conn.Units()
	do()
	return s.conn.Units() - before
}

// A session at its limit asks before it reads the next page, and reads nothing if the answer is no.
func TestTheNextPageAsksAtTheLimit(t *testing.T) {
	s := limited(t, 40)
	term := s.run(t)
	term.see("read · provisional · session_read_units reached · p reads on")
	term.quiet()
	for _, key := range []string{"G", "p", "<ctrl+r>"} {
		if units := s.reads(func() {
			term.press(key)
			term.see("Read on?", "of its 40 read units on demo", "Read up to 40 more")
			term.press("<esc>")
			term.gone("Read on?")
		}); units > 0 {
			t.Errorf("%s read %v units", key, units)
		}
	}
	first := term.see(" of 40 read units", "session_read_units reached")
	term.press("G")
	term.see("Read on?")
	term.press("<enter>")
	term.until("more rows", func(s string) bool {
		return !strings.Contains(s, "Read on?") && row(s, "provisional") != row(first, "provisional")
	})
}

// At the limit, a request of a person asks first, and then continues.
func TestQuestionsAskAtTheLimit(t *testing.T) {
	s := limited(t, 40)
	term := s.run(t)
	term.see("session_read_units reached")
	for _, step := range []struct{ keys, shows string }{
		{"/alan<enter>", "UNIQ#HANDLE#alan"},
		{"g<enter>", "PROFILE"},
		{":Tickets<enter>", "› Tickets"},
	} {
		s.spend(t)
		term.press(step.keys)
		term.see("Read on?")
		term.press("<enter>")
		term.gone("Read on?")
		term.see(step.shows)
		term.press("<esc>")
	}
}

// Polling stops at the limit, says so, and continues after the session may read more.
func TestPollingStopsAtTheLimit(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) { o.SessionReadUnits = 200 })
	term := s.run(t)
	term.see("confirmed")
	term.press("3")
	term.see("NextIdTable", "paused, session_read_units reached, as read at")
	if units := s.reads(func() { term.press("jjj13"); term.see("session_read_units reached") }); units > 0 {
		t.Errorf("%v units were read at the limit", units)
	}
	term.press("p")
	term.see("Read on?", "of its 200 read units")
	term.press("<enter>")
	term.see("read every 0.02 s")
	term.see("paused, session_read_units reached, as read at", "of 4")
}

// spend reads until the session is at its limit.
func (s *setup) spend(t *testing.T) {
	t.Helper()
	for !s.conn.UnitsSpent() {
		if _, err := s.conn.Open(t.Context(), "accounts"); err != nil && client.KindOf(err) != client.Spent {
			t.Fatal(err)
		}
	}
}

// G reads no more pages when they have used as many units as the whole table would cost. Then another key reads the
// whole table, for the price on the screen.
func TestTheEndOfATableIsReadAsAWhole(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) { o.AutoReadUnits, o.Layout, o.Asked = 20, "uniq", true })
	s.w, s.h = 120, 40
	var items []sdk.Item
	for n := range 1500 {
		v := fmt.Sprintf("more%04d", n)
		items = append(items,
			sdk.Item{
				"PK": sdk.S("ACCT#" + v), "SK": sdk.S("PROFILE"), "username": sdk.S(v),
				"about": sdk.S(strings.Repeat("x", 700)),
			},
			sdk.Item{"PK": sdk.S("UNIQ#HANDLE#" + v), "SK": sdk.S("LOCK")})
	}
	if err := sdk.Put(t.Context(), s.demo.App(), "accounts", items...); err != nil {
		t.Fatal(err)
	}
	term := s.run(t)
	term.see("● held")
	offer := regexp.MustCompile(`p reads all, about (\d+) read units`)
	for n := 0; !offer.MatchString(term.screen()) && n < 30; n++ {
		term.press("G")
		term.quiet()
	}
	price, _ := strconv.ParseFloat(offer.FindStringSubmatch(term.see("p read all"))[1], 64)
	if units := s.reads(func() { term.press("GG"); term.quiet() }); units > 0 {
		t.Errorf("G read %v more units", units)
	}
	if units := s.reads(func() { term.press("p"); term.see("whole table, 3"); term.quiet() }); units > 2*price+50 {
		t.Errorf("%v units were read, and about %v were said", units, price)
	}
}
