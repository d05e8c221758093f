package ui_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/ui/session"
)

// points chooses an account and its lock among the rows of the open table.
func (term *terminal) points(account, lock string) {
	term.t.Helper()
	term.on(account)
	term.press("a")
	term.see("● example", "Account "+account+" chosen.")
	term.on(lock)
	term.press("l")
}

// A person chooses an account and its lock, answers a question, and accepts the layout. Then there are verdicts.
func TestALayoutFollowsFromAnExample(t *testing.T) {
	s := onDemo(t, keeping(t.TempDir()))
	s.withOdd(t)
	term := s.run(t)
	term.see("! no layout  Press a on an account, then l on the lock of its value.", `mail: "p3@x.io"`)
	term.press("l")
	term.see("Choose its account first, with a.")
	term.points("PERSON#0003 / DATA", "TAKEN#p3@x.io / -")
	term.see("odd › layout", "1 example, not accepted yet", "? question", "? How does your application change a value")
	term.press("a")
	term.see("A question is open: select an answer, and press enter.")
	term.on("nothing")
	term.press("<enter>")
	term.see("? guessed   4 of 12 mail values have the lock that the layout expects.")
	term.press("a")
	term.accepts("TAKEN#{v}")
	term.see("Accepted, and stored for this table.", "PERSON#0003", "● held", "○ missing")
	term.press("L")
	term.see("odd › layout", "accepted")
}

// The filter and a query find the items of a pair. The key u takes back the answer, and then the example.
func TestAnExampleIsTakenBack(t *testing.T) {
	s := onDemo(t)
	s.withOdd(t)
	term := s.run(t)
	term.see("! no layout")
	term.press("/0006<enter>")
	term.see("2 found, of 28")
	term.on("PERSON#0006 / DATA")
	term.press("a")
	term.see("Account PERSON#0006 / DATA chosen.")
	term.press(":query TAKEN#p6@x.io<enter>")
	term.see("Account PERSON#0006 / DATA chosen.", "1 of 1")
	term.press("l")
	term.see("odd › layout", "? question")
	term.on("lower")
	term.press("<enter>")
	term.see("? guessed", "normalise   lower")
	term.press("u")
	term.see("The last example or answer is taken back.", "? question")
	term.press("u")
	term.see("not recognised", "? unknown")
	term.press("<esc><esc><esc>")
	term.see("● example   Choose an account (a), then the lock of one of its values (l).")
	term.press("<esc>")
	term.see("! no layout")
}

// If an item cannot be the account's lock, the screen says why. The account stays chosen.
func TestAPairThatDoesNotFitIsRefused(t *testing.T) {
	s := onDemo(t)
	s.withOdd(t)
	term := s.run(t)
	term.see("! no layout")
	term.points("PERSON#0003 / DATA", "TAKEN#p6@x.io / -")
	term.see("✗ no pair   This item cannot be the account's lock: no part of the lock's key", "is a value of the account.",
		"Account PERSON#0003 / DATA chosen.")
	term.on("TAKEN#p3@x.io / -")
	term.press("l")
	term.see("odd › layout", "CONSTRAINT mail")
}

// The reason of a refusal is not cut, even with long keys. It does not mention an earlier pair.
func TestARefusalOfLongKeysIsRead(t *testing.T) {
	s := onDemo(t)
	s.withOdd(t)
	long := strings.Repeat("0123456789", 6)
	s.put(t, "odd", sdk.Item{"pk": sdk.S("PERSON#" + long), "sk": sdk.S("DATA"), "mail": sdk.S("zed@x.io")})
	term := s.run(t)
	term.see("! no layout")
	term.points("PERSON#0003 / DATA", "TAKEN#p3@x.io / -")
	term.press("<esc>")
	term.see("L shows the derived layout.")
	term.on("PERSON#012345")
	term.press("a")
	term.see("Account PERSON#012345")
	term.on("TAKEN#p6@x.io / -")
	term.press("l")
	term.see("This item cannot be the account's lock: no part of the lock's key", "is a value of the account.")
	term.gone("takes the last answer")
}

// A second pair that contradicts an answer is refused. Without the answer, the second pair determines the line.
func TestASecondPairContradictsAnAnswer(t *testing.T) {
	s := onDemo(t)
	s.withOdd(t)
	s.put(t, "odd", sdk.Item{"pk": sdk.S("PERSON#0900"), "sk": sdk.S("DATA"), "mail": sdk.S("Big@X.io")},
		sdk.Item{"pk": sdk.S("TAKEN#big@x.io"), "sk": sdk.S("-")})
	term := s.run(t)
	term.see("! no layout")
	term.points("PERSON#0003 / DATA", "TAKEN#p3@x.io / -")
	term.see("▸ ? normalise   lower         used now; fits 5 of 13 values")
	term.on("nothing")
	term.press("<enter>")
	term.see("? guessed")
	term.press("<esc>")
	term.see("L shows the derived layout.")
	term.points("PERSON#0900 / DATA", "TAKEN#big@x.io / -")
	term.see(`The second pair does not fit the answer normalise = "". L, then u`, "Account PERSON#0900 / DATA chosen.")
	term.press("Lu")
	term.see("The last example or answer is taken back.", "▸ ? normalise")
	term.press("<esc>")
	term.see("Account PERSON#0900 / DATA chosen.")
	term.press("l")
	term.see("2 examples, not accepted yet", "normalise   lower", "? guessed   5 of 13 mail values have the lock")
}

// The layout of an example is written to the config, and the table then uses this layout.
func TestTheLayoutOfAnExampleIsWritten(t *testing.T) {
	var mu sync.Mutex
	var written []config.Layout
	s := onDemo(t, undescribed, func(o *dynamo.Options) {
		o.ReadLayouts = func() ([]config.Layout, error) {
			mu.Lock()
			defer mu.Unlock()
			return written, nil
		}
	})
	s.withOdd(t)
	s.options.Config = session.ConfigFile{Path: "config.toml", Write: func(l config.Layout, _ func(string, string) string) error {
		mu.Lock()
		defer mu.Unlock()
		written = append(written, l)
		return nil
	}}
	term := s.run(t)
	term.see("! no layout")
	term.points("PERSON#0003 / DATA", "TAKEN#p3@x.io / -")
	term.see("? question")
	term.press("w")
	term.see("A question is open: select an answer, and press enter.")
	term.on("nothing")
	term.press("<enter>")
	term.see("? guessed")
	term.press("w")
	term.see("Write the layout to the config", "▸ No, leave it")
	term.press("<tab><enter>")
	term.see("Written to config.toml.", "VERDICT", "● held")
	if len(written) != 1 || written[0].Accounts[0].Constraints[0].PK != "TAKEN#{v}" {
		t.Errorf("written: %+v", written)
	}
}

// Strangers choose the keys of items. The screen escapes them, and leaves room for the next step.
func TestAHostileKeyIsChosen(t *testing.T) {
	s := onDemo(t)
	s.withOdd(t)
	s.put(t, "odd", sdk.Item{"pk": sdk.S("PERSON#\x1b[2J" + strings.Repeat("long", 99)), "sk": sdk.S("DATA")})
	term := s.run(t)
	term.see("! no layout")
	term.press("/longlong<enter>")
	term.see("1 of 1 found", `PERSON#\x1b[2J`)
	term.press("a")
	term.see(`Account PERSON#\x1b[2J`, "chosen.", "Now choose the lock of one of its values.", "ATTRIBUTES")
}

// withPlayers makes and opens a table of players. Their locks are in a separate table.
func (s *setup) withPlayers(t *testing.T) {
	t.Helper()
	var players, tags []sdk.Item
	for n := range 9 {
		players = append(players, sdk.Item{
			"id": sdk.S(fmt.Sprintf("pl-%d", n)), "tag": sdk.S(fmt.Sprintf("Tag%d", n)), "alias": sdk.S(fmt.Sprintf("tag%d", n%8)),
		})
		if n%4 == 0 {
			tags = append(tags, sdk.Item{"tag": sdk.S(fmt.Sprintf("tag%d", n)), "holder": sdk.S(fmt.Sprintf("pl-%d", n))})
		}
	}
	for name, of := range map[string]struct {
		key   string
		items []sdk.Item
	}{"players": {"id:S", players}, "tags": {"tag:S", tags}} {
		if err := sdk.Fill(t.Context(), s.demo.App(), sdk.Table(name, of.key), of.items...); err != nil {
			t.Fatal(err)
		}
	}
	s.options.Table = "players"
}

// If the lock is in another table, the account stays chosen while a person opens that table. A second pair shows which
// of two attributes holds the value.
func TestALockInAnotherTableIsPointedAt(t *testing.T) {
	s := onDemo(t, keeping(t.TempDir()))
	s.withPlayers(t)
	term := s.run(t)
	term.see("! no layout", "pl-4")
	point := func(n string) {
		term.on("pl-" + n)
		term.press("a")
		term.see("Account pl-" + n + " chosen.")
		term.press(":tags<enter>")
		term.see("› tags", "Account pl-"+n+" chosen.", "holder")
		term.on("tag" + n)
		term.press("l")
	}
	point("4")
	term.see("players › layout", "1 example", "Which attribute of the account holds the value?", "? attribute   tag", "alias   ")
	term.press("<esc>")
	term.see("› players", "L shows the derived layout. More examples correct it.")
	point("8")
	term.see("players › layout", "2 examples", "CONSTRAINT tag", "owner       holder")
	if frame := term.screen(); strings.Contains(frame, "QUESTION") {
		t.Errorf("a question that two pairs answer:\n%s", frame)
	}
	term.press("a")
	term.see("Which other tables put locks into tags?")
	term.press("<shift+tab>none<tab><tab>")
	term.see("▸ This is how our application does it")
	term.press("<enter>")
	term.see("pl-4", "● held", "○ missing")
}

// If the guessed layout is wrong, a person chooses examples with keys or the mouse.
func TestExamplesOnATableWithALayout(t *testing.T) {
	s := onDemo(t, undescribed, keeping(t.TempDir()))
	term := s.run(t)
	term.see("VERDICT", "guessed")
	term.press("L")
	term.see("accounts › layout", "recognised as uniq")
	term.clickOn("T examples")
	frame := term.see("● example", "KEY", "ATTRIBUTES", "ACCT#a1f9c3 / PROFILE")
	if strings.Contains(frame, "VERDICT") {
		t.Errorf("values among the items:\n%s", frame)
	}
	term.press("<esc>")
	term.see("VERDICT", "● held")
	term.press("T/a1f9c3<enter>")
	term.see("ACCT#a1f9c3 / PROFILE", "1 of 1 found")
	term.clickOn("a an account")
	term.see("Account ACCT#a1f9c3 / PROFILE chosen.")
	term.press(":query UNIQ#HANDLE#ada<enter>")
	term.see("UNIQ#HANDLE#ada / LOCK", "1 of 1")
	term.clickOn("l its lock")
	term.see("accounts › layout", "1 example, not accepted yet", "CONSTRAINT username", "UNIQ#HANDLE#{v}")
	term.press("<enter>")
	term.see("? guessed")
	term.press("a")
	term.accepts("UNIQ#HANDLE#{v}")
	term.see("VERDICT", "● held", "○ missing")
}

// Examples belong to their connection.
func TestAnotherConnectionHasNoExamples(t *testing.T) {
	s := onDemo(t)
	s.withOdd(t)
	o := s.demo.Options()
	o.Name, o.Write = "support", false
	other, err := dynamo.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	s.options.Connections = append(s.options.Connections, session.Connection{Connection: other})
	term := s.run(t)
	term.see("! no layout")
	term.on("PERSON#0003 / DATA")
	term.press("a")
	term.see("Account PERSON#0003 / DATA chosen.")
	term.press(":")
	term.see("type a table, or a command", "2 connections")
	term.press("support odd")
	term.see("▸ ▎support")
	term.press("<enter>")
	if frame := term.see("support › embedded › odd", "! no layout"); strings.Contains(frame, "chosen") {
		t.Errorf("the example of another connection:\n%s", frame)
	}
}

// A counter and an item with one of its numbers are enough to derive a counter of a layout.
func TestACounterFollowsFromAnExample(t *testing.T) {
	s := onDemo(t, keeping(t.TempDir()))
	items := []sdk.Item{{"pk": sdk.S("STATE"), "sk": sdk.S("bills"), "upto": sdk.N("40"), "was": sdk.N("7")}}
	for n := range 9 {
		items = append(items, sdk.Item{"pk": sdk.S(fmt.Sprintf("BILL#%d", 7+n)), "sk": sdk.S("DATA"), "nr": sdk.N(fmt.Sprint(7 + n))})
	}
	if err := sdk.Fill(t.Context(), s.demo.App(), sdk.Table("bills", "pk:S", "sk:S"), items...); err != nil {
		t.Fatal(err)
	}
	s.options.Table = "bills"
	term := s.run(t)
	term.see("! no layout")
	term.on("STATE / bills")
	term.press("i")
	term.see("Choose its counter first, with +.")
	term.press("+")
	term.see("Counter STATE / bills chosen. Now choose an item with one of")
	term.on("BILL#9 / DATA")
	term.press("i")
	term.see("bills › layout", "1 example", "COUNTER upto", "? Which attribute of the item has the number?")
	term.on("nr ")
	term.press("<enter>")
	term.see("? Is the number the last one used")
	term.on("next ")
	term.press("<enter>")
	term.see("? guessed   No change uses a guess. a accepts it.", "semantics   next", "as you said")
	term.press("a")
	term.see("Is this how your application does it?", "▸ Not now")
	term.press("<tab>")
	term.see("▸ This is how our application does it")
	term.press("<enter>")
	term.see("Accepted, and stored for this table.")
	term.press("3")
	term.see("upto", "next", "40")
}

// Without permission to scan, a query reads the items of a pair.
func TestAPairIsReadByItsKeys(t *testing.T) {
	s := onDemo(t)
	s.withOdd(t)
	s.connect(t, undescribedFaults(&faults{deny: map[string]bool{"Scan": true}}))
	s.options.Table = "odd"
	term := s.run(t)
	term.see("dynamodb:Scan")
	term.press(":query PERSON#0003<enter>")
	term.see("1 of 1")
	term.press("a")
	term.see("Account PERSON#0003 / DATA chosen.")
	term.press(":query TAKEN#p3@x.io<enter>")
	term.see("TAKEN#p3@x.io / -", "1 of 1")
	term.press("l")
	term.see("odd › layout", "CONSTRAINT mail", "TAKEN#{v}")
}

// TestExampleScreens draws the screens of examples.
func TestExampleScreens(t *testing.T) {
	t.Parallel()
	const choose, lock = "/person#0003<enter>a", "<esc>/taken#p3<enter>"
	for _, c := range []struct {
		name  string
		w, h  int
		keys  []string
		until []string
	}{
		{name: "items", until: []string{"! no layout", "1 of 28"}},
		{name: "items-60x16", w: 60, h: 16, until: []string{"! no layout", "1 of 28"}},
		{name: "help", keys: []string{"?"}, until: []string{"Keys · accounts", "this is an account"}},
		{name: "chosen", keys: []string{choose, lock}, until: []string{"Account PERSON#0003 / DATA chosen.", "1 of 1 found"}},
		{
			name: "chosen-60x16", w: 60, h: 16, keys: []string{choose, "<esc>"},
			until: []string{"Account PERSON#0003 / DATA chosen.", "of 28"},
		},
		{
			name: "refused", keys: []string{choose, "<esc>/taken#p6<enter>", "l"},
			until: []string{"cannot be the account's lock"},
		},
		{name: "question", keys: []string{choose, lock, "l"}, until: []string{"? question", "used now"}},
		{name: "question-60x16", w: 60, h: 16, keys: []string{choose, lock, "l"}, until: []string{"? question", "used now"}},
		{name: "answered", keys: []string{choose, lock, "l", "<enter>"}, until: []string{"? guessed", "a accept"}},
		{
			name: "another", keys: []string{choose, lock, "l", "<enter>", "<esc>", "<esc>"},
			until: []string{"L shows the derived layout.", "of 28"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := drawn(t)
			if c.w > 0 {
				s.w, s.h = c.w, c.h
			}
			s.withOdd(t)
			term := s.run(t)
			term.see("! no layout")
			for _, keys := range c.keys {
				term.quiet()
				term.press(keys)
			}
			if c.w > 0 {
				term.picture(c.until...)
			} else {
				term.pictures(c.until...)
			}
		})
	}
}
