package ui_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// more puts accounts with their locks into the demo's table.
func (g *guests) more(t *testing.T, named string, accounts, bytes int) {
	t.Helper()
	var items []sdk.Item
	for n := range accounts {
		v := fmt.Sprintf("%s%04d", named, n)
		items = append(items,
			sdk.Item{
				"PK": sdk.S("ACCT#" + v), "SK": sdk.S("PROFILE"), "username": sdk.S(v),
				"about": sdk.S(strings.Repeat("x", bytes)),
			},
			sdk.Item{"PK": sdk.S("UNIQ#HANDLE#" + v), "SK": sdk.S("LOCK")})
	}
	if err := sdk.Put(t.Context(), g.demo.App(), "accounts", items...); err != nil {
		t.Fatal(err)
	}
}

// auto returns an option that sets AutoReadUnits and names the layout.
func auto(units float64) func(*dynamo.Options) {
	return func(o *dynamo.Options) { o.AutoReadUnits, o.Layout, o.Asked = units, "uniq", true }
}

// A viewer does not read a whole table above the budget: the screen offers it to an operator, and says why to a viewer.
func TestAViewerDoesNotReadAWholeTableAboveTheBudget(t *testing.T) {
	g := onGuests(t)
	g.more(t, "more", 1500, 700)
	for role, offers := range map[session.Role]bool{session.Operator: true, session.Viewer: false} {
		s := g.session(t, "kim", role, auto(20))
		s.w, s.h = 120, 40
		term := s.run(t)
		term.see("● held")
		for last := ""; last != term.screen(); {
			last = term.screen()
			term.press("G")
			term.quiet()
		}
		frame := term.screen()
		if got := strings.Contains(frame, "p reads all") && strings.Contains(frame, "p read all"); got != offers {
			t.Errorf("the %s is offered to read all: %v; want %v\n%s", role, got, offers, frame)
		}
		if units := s.reads(func() {
			term.press("p")
			if !offers {
				term.see("A viewer reads at most 20 read units at once; an operator can start this.")
			}
			term.quiet()
		}); units > 0 != offers {
			t.Errorf("p of the %s read %v units", role, units)
		}
	}
}

// A table may have grown since DynamoDB counted its items. The price that a viewer sees is then too low, and the
// reading still stops at the budget.
func TestAViewersReadingStopsAtTheBudget(t *testing.T) {
	const most, page = 20, 257
	for name, c := range map[string]struct {
		accounts    int
		begin, keys string
		most        float64
	}{
		"an answer":                     {0, "/nobody9<enter>", "p", most + 10}, // the answer also needs a few reads by key
		"a list, in the cheaper manner": {400, "G", "G", most + page},
	} {
		t.Run(name, func(t *testing.T) {
			g := onGuests(t)
			g.more(t, "first", c.accounts, 700)
			s := g.session(t, "kim", session.Viewer, auto(most))
			s.w, s.h = 120, 40
			term := s.run(t)
			term.see("● held")
			term.quiet()
			g.more(t, "more", 1500, 2000)
			term.press(c.begin)
			term.quiet()
			var units float64
			for range 3 {
				once := s.reads(func() {
					term.press(c.keys)
					term.quiet()
				})
				if units = max(units, once); once > c.most {
					t.Errorf("%s read %v units; want at most %v", c.keys, once, c.most)
				}
			}
			if units < most/2 {
				t.Errorf("the keys read %v units: too few for this test\n%s", units, term.screen())
			}
		})
	}
}

// A reading that costs more than the rest of the session's read units is refused, with both numbers. A person over SSH
// cannot change the config, so no sentence asks for that.
func TestAGuestSeesWhichLimitIsReached(t *testing.T) {
	g := onGuests(t)
	g.pool = &client.Pool{}
	g.more(t, "more", 400, 700)
	s := g.session(t, "olga", session.Operator, auto(20), func(o *dynamo.Options) { o.SessionReadUnits = 110 })
	s.w, s.h = 160, 40
	term := s.run(t)
	term.see("● held")
	term.quiet()
	var said string
	refused := func(keys string, parts ...string) {
		t.Helper()
		if units := s.reads(func() { term.press(keys); said += term.see(parts...) }); units > 0 {
			t.Errorf("%s read %v units", keys, units)
		}
	}
	left := say.ReadUnits(110 - s.conn.Units())
	refused("4<ctrl+r>", "! This takes about 47 read units. This session has only "+left+" left on demo, of 110 read units.")
	s.spend(t)
	refused("<esc>1<ctrl+r>", "! This session has used its 110 read units on demo. A new session has the same limit.",
		"session_read_units reached")
	if _, do := s.conn.WhyUnread(); do != "start a new session" {
		t.Errorf("the remedy is to %s", do)
	}
	g.pool.Limit(1000)
	for !s.conn.PoolSpent() {
		if _, err := g.spender(t).Open(t.Context(), "accounts"); err != nil {
			break
		}
	}
	refused("<esc><ctrl+r>", "! The sessions of this server have used their 1,000 read units for this hour. Try again at ",
		"hourly_read_units reached")
	if strings.Contains(said, "higher") {
		t.Errorf("a guest is asked to change the config of the server:\n%s", said)
	}
}

// With AutoReadUnits 0, no automatic read uses units, and no sentence speaks of used units.
func TestAGuestWithoutUnaskedReads(t *testing.T) {
	g := onGuests(t)
	g.pool = &client.Pool{}
	s := g.session(t, "olga", session.Operator, auto(0.001))
	s.w, s.h = 160, 40
	term := s.run(t)
	term.see("auto_read_units is 0")
	term.press("<ctrl+r>")
	term.see("● held")
	if frame := term.screen(); strings.Contains(frame, "has used") {
		t.Errorf("units are said to be used up:\n%s", frame)
	}
}

// The session of a guest reads nothing after its read units are used up, and each screen says so.
func TestASessionOfAGuestEndsAtItsReadUnits(t *testing.T) {
	g := onGuests(t)
	g.pool = &client.Pool{}
	g.more(t, "more", 400, 700)
	s := g.session(t, "olga", session.Operator, auto(20), func(o *dynamo.Options) { o.SessionReadUnits = 12 })
	s.w, s.h = 140, 40
	term := s.run(t)
	const spent = "This session has used its session_read_units."
	term.see("! spent", spent, "Start a new session.")
	if units := s.reads(func() {
		for _, keys := range []string{"<ctrl+r>", ":Tickets<enter>"} {
			term.press(keys)
			term.see("This session has used its ")
			term.press("<esc>")
		}
		if _, err := s.conn.Open(t.Context(), "accounts"); client.KindOf(err) != client.Spent {
			t.Errorf("the table is opened, with %v", err)
		}
	}); units > 0 {
		t.Errorf("%v units were read after the limit", units)
	}
}

// spender returns the connection of another person, who uses the same pool.
func (g *guests) spender(t *testing.T) *dynamo.Connection {
	t.Helper()
	return g.session(t, "kim", session.Viewer, auto(20)).conn
}
