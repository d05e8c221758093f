package ui_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/ui/session"
)

// pastLayout leaves the layout's screen, which opens by itself if the table contradicts the layout.
func (term *terminal) pastLayout() {
	term.t.Helper()
	term.see("› layout", "contradicted")
	term.press("<esc>")
	term.gone("› layout")
}

// toLayout opens the layout's screen of a table without a layout.
func (term *terminal) toLayout() {
	term.t.Helper()
	term.see("! no layout")
	term.press("L")
	term.see("› layout")
}

// withOdd makes and opens a table that is not recognised, because only some of its values have locks.
func (s *setup) withOdd(t *testing.T) {
	t.Helper()
	s.withTaken(t, 12, func(n int) bool { return n%3 == 0 }, func(n int) sdk.Item {
		return sdk.Item{"pk": sdk.S(fmt.Sprintf("ORDER#%04d", n)), "sk": sdk.S("META"), "total": sdk.N("5")}
	})
}

// withTaken makes and opens a table with this number of people. locked chooses the people whose value has a lock.
// others make other items.
func (s *setup) withTaken(t *testing.T, people int, locked func(n int) bool, others ...func(n int) sdk.Item) {
	t.Helper()
	var items []sdk.Item
	for n := range people {
		mail := fmt.Sprintf("p%d@x.io", n)
		items = append(items, sdk.Item{"pk": sdk.S(fmt.Sprintf("PERSON#%04d", n)), "sk": sdk.S("DATA"), "mail": sdk.S(mail)})
		for _, other := range others {
			items = append(items, other(n))
		}
		if locked(n) {
			items = append(items, sdk.Item{"pk": sdk.S("TAKEN#" + mail), "sk": sdk.S("-")})
		}
	}
	if err := sdk.Fill(t.Context(), s.demo.App(), sdk.Table("odd", "pk:S", "sk:S"), items...); err != nil {
		t.Fatal(err)
	}
	s.options.Table = "odd"
}

// on moves the cursor to the row with a text.
func (term *terminal) on(text string) {
	term.t.Helper()
	term.press("g")
	for range 40 {
		if strings.Contains(row(term.screen(), "▸"), text) {
			return
		}
		term.press("j")
	}
	term.t.Fatalf("no row has %q:\n%s", text, term.screen())
}

func keeping(dir string) func(*dynamo.Options) {
	return func(o *dynamo.Options) { o.Answers = filepath.Join(dir, "answers.jsonl") }
}

// accepts answers yes in the dialog that accepts a guess. shows is a text in the dialog.
func (term *terminal) accepts(shows string) {
	term.t.Helper()
	term.see("Is this how your application does it?", shows, "▸ Not now")
	term.press("<tab>")
	term.see("▸ This is how our application does it")
	term.press("<enter>")
	term.gone("Is this how your application does it?")
}

// The layout's screen of an unrecognised table shows its shapes and the nearest candidates. A person uses a candidate
// and accepts it. The next start uses this layout.
func TestFromAnUnknownTableToVerdicts(t *testing.T) {
	dir := t.TempDir()
	s := onDemo(t, keeping(dir))
	s.withOdd(t)
	term := s.run(t)
	term.toLayout()
	term.see("odd › layout", "? unknown", "NEAREST MATCHES", "4 of 12 values have such a lock", "ORDER#* / META")
	term.press("a")
	term.see("There is no layout yet.")
	term.on("TAKEN#{v}")
	term.press("<enter>")
	term.see("CONSTRAINT mail  ? guessed  4 of 12 values have their lock, 8 have none", "1 correction, not accepted yet")
	term.press("<esc>")
	term.see("The corrections are not accepted yet: a accepts them, esc drops them.")
	term.press("a")
	term.accepts("TAKEN#{v}")
	term.see("Accepted, and stored for this table.", "PERSON#0003", "● held", "○ missing")
	term.press("L")
	term.see("accepted", "4 of 12 values")
	term.press("<ctrl+c>")
	term.exited()

	s.connect(t, keeping(dir))
	s.options.Table = "odd"
	again := s.run(t)
	again.see("PERSON#0003", "● held", "○ missing")
	again.press("L")
	again.see("accepted", "4 of 12 values")
	again.press("o")
	again.see("Answer removed. This layout comes from a sample.", "? unknown")
}

// A person corrects a chosen candidate line by line.
func TestADraftIsCorrected(t *testing.T) {
	s := onDemo(t, keeping(t.TempDir()))
	s.withOdd(t)
	term := s.run(t)
	term.toLayout()
	term.on("TAKEN#{v}")
	term.press("<enter>")
	term.see("CONSTRAINT mail  ? guessed  4 of 12 values have their lock, 8 have none")
	term.on("normalise")
	term.press("<enter>shout<enter>")
	term.see("Correct normalise of the constraint mail", "but ", "shout")
	term.press("<ctrl+u>lower<enter>")
	term.gone("Correct normalise")
	term.see("with this rule, 4 of 12 values have their lock", "2 corrections, not accepted yet")
	term.press("u")
	term.see("1 correction, not accepted yet")
	term.on("TAKEN#{v}")
	term.press("D")
	term.see("Removed: the constraint mail. u puts it back.", "? no rules", "T points at examples.")
	term.press("u")
	term.gone("? no rules")
	term.press("a")
	term.accepts("TAKEN#{v}")
	term.see("PERSON#0003", "● held")
}

// A line with control characters cannot be edited, because a field would change it. When a person leaves corrections, a
// message says that they are dropped.
func TestALineThatCannotBeTyped(t *testing.T) {
	s := onDemo(t)
	s.connect(t, func(o *dynamo.Options) {
		wrong(o)
		o.Layouts[0].Accounts[0].Constraints[0].Owner = "by\x1b[2J"
	})
	term := s.run(t)
	term.see("› layout", "✗ contradicted")
	term.on("owner")
	term.press("<enter>")
	term.see("This line cannot be edited here.")
	term.on("attribute")
	term.press("<enter><ctrl+u>username<enter>")
	term.see("1 correction, not accepted yet")
	term.press("2")
	term.see("The corrections are not accepted yet")
	term.press("<esc>")
	term.see("The corrections are dropped.")
}

// wrong describes the demo's accounts with one wrong line.
func wrong(o *dynamo.Options) {
	o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"accounts"}, Accounts: []config.Account{{
		PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{{Attribute: "handle", PK: "UNIQ#HANDLE#{v}", SK: "LOCK"}},
	}}}}
}

// The screen of a contradicted layout opens by itself, and a person corrects the wrong line there.
func TestAContradictedLayoutIsCorrected(t *testing.T) {
	s := onDemo(t, wrong)
	term := s.run(t)
	term.see("› layout", "✗ contradicted", "None of 34 accounts has a value of handle", "from the config")
	term.on("attribute")
	term.press("<enter>")
	term.see("Correct attribute of the constraint handle")
	term.press("<ctrl+u>username<enter>")
	term.see("? guessed", "33 of 34 values have their lock, 1 has none")
	term.press("w")
	term.see("changes no config")
	term.press("a")
	term.see("The layout is used as a guess until you leave the table.", "● held")
}

// A candidate is not used automatically if many values have no lock. If a person uses it, the layout also shows the
// number of these values.
func TestADraftTellsWhatItFindsMissing(t *testing.T) {
	s := onDemo(t)
	s.withTaken(t, 60, func(n int) bool { return n < 45 })
	term := s.run(t)
	term.toLayout()
	term.see("45 of 60 values have such a lock")
	term.on("TAKEN#{v}")
	term.press("<tab>")
	term.see("too few of the values have such a lock", "enter uses it anyway")
	term.press("<tab><enter>")
	term.see("? guessed", "It fits. 15 of 60")
}

// Before another table opens, a message says that corrections would be dropped.
func TestAnotherTableDropsCorrectionsOnRequest(t *testing.T) {
	s := onDemo(t)
	s.withOdd(t)
	term := s.run(t)
	term.toLayout()
	term.see("? unknown", "NEAREST MATCHES")
	term.on("TAKEN#{v}")
	term.press("<enter>")
	term.see("1 correction, not accepted yet")
	term.press(":members")
	term.see(": members", "locks with owner")
	term.press("<enter>")
	term.see("The corrections are not accepted yet: esc goes back to them, enter drops them.")
	term.press("<esc><esc>") // closes the filter first
	term.see("1 correction, not accepted yet")
	term.press(":members")
	term.see(": members", "locks with owner")
	term.press("<enter>")
	term.see("ACCOUNT", "VERDICT")
}

// A layout is written to the config after a question that starts on No.
func TestALayoutIsWrittenToTheConfig(t *testing.T) {
	var written []config.Layout
	var mu sync.Mutex
	s := onDemo(t, keeping(t.TempDir()), undescribed, func(o *dynamo.Options) {
		o.ReadLayouts = func() ([]config.Layout, error) {
			mu.Lock()
			defer mu.Unlock()
			return written, nil
		}
	})
	fails := errors.New("the disk is full")
	s.options.Config = session.ConfigFile{Path: "/home/sam/config.toml", Write: func(l config.Layout, note func(string, string) string) error {
		if fails != nil {
			return fails
		}
		if note("account[0]", "pk") == "" {
			t.Error("no line has what was seen of it")
		}
		mu.Lock()
		defer mu.Unlock()
		written = append(written, l)
		return nil
	}}
	term := s.run(t)
	term.see("● held")
	term.press("L")
	term.see("? guessed", "recognised as uniq", "No change uses a guess.")
	term.press("w")
	term.see("/home/sam/config.toml", "▸ No, leave it")
	term.press("<tab><enter>")
	term.see("but ", "The disk is full", "Copy as TOML")
	fails = nil
	term.press("<enter>")
	term.see("Written to /home/sam/config.toml.", "● held")
	if len(written) != 1 || written[0].Name != "accounts" || len(written[0].Accounts[0].Constraints) != 2 {
		t.Errorf("written: %+v", written)
	}
	term.press("L")
	term.see("from the config")
	term.press("w")
	term.see("The config already describes this table:")
}

// TestLayoutScreens draws the layout's screen.
func TestLayoutScreens(t *testing.T) {
	t.Parallel()
	odd := func(t *testing.T, s *setup) { s.withOdd(t) }
	for _, c := range []struct {
		name  string
		w, h  int
		set   func(*testing.T, *setup)
		keys  []string
		until []string
	}{
		{name: "known", set: func(t *testing.T, s *setup) { s.connect(t, undescribed) }, keys: []string{"L"}, until: []string{"? guessed", "recognised as uniq"}},
		{name: "unknown", set: odd, keys: []string{"L"}, until: []string{"? unknown", "NEAREST MATCHES"}},
		{name: "unknown-60x16", w: 60, h: 16, set: odd, keys: []string{"L"}, until: []string{"? unknown", "NEAREST MATCHES"}},
		{name: "unknown-140x40", w: 140, h: 40, set: odd, keys: []string{"L"}, until: []string{"? unknown", "NEAREST MATCHES", "YOU CAN"}},
		{name: "unknown-200x60", w: 200, h: 60, set: odd, keys: []string{"L"}, until: []string{"? unknown", "NEAREST MATCHES", "YOU CAN"}},
		{name: "taken-over-60x16", w: 60, h: 16, set: func(t *testing.T, s *setup) {
			s.withOdd(t)
			s.options.Config = session.ConfigFile{Path: "config.toml", Write: func(config.Layout, func(string, string) string) error { return nil }}
		}, keys: []string{"L", "<enter>"}, until: []string{"? guessed", "4 of 12", "a accept   tab more   w to config"}},
		{name: "taken-over", set: odd, keys: []string{"L", "<enter>"}, until: []string{"? guessed", "4 of 12"}},
		{name: "help", set: odd, keys: []string{"L", "<enter>", "?"}, until: []string{"Keys · the layout of odd"}},
		{name: "contradicted", set: func(t *testing.T, s *setup) { s.connect(t, wrong) }, until: []string{"✗ contradicted"}},
		{name: "correct", set: func(t *testing.T, s *setup) { s.connect(t, wrong) }, keys: []string{"n", "<enter>"}, until: []string{"try it on the sample"}},
		{name: "empty", set: func(t *testing.T, s *setup) { s.withOddEmpty(t) }, keys: []string{"L"}, until: []string{"This table is empty"}},
		{name: "denied", set: func(t *testing.T, s *setup) {
			s.connect(t, undescribedFaults(&faults{deny: map[string]bool{"Scan": true}}))
		}, keys: []string{"L"}, until: []string{"dynamodb:Scan", "› layout"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := drawn(t)
			if c.w > 0 {
				s.w, s.h = c.w, c.h
			}
			if c.set != nil {
				c.set(t, s)
			}
			term := s.run(t)
			term.quiet()
			for _, keys := range c.keys {
				term.press(keys)
			}
			if strings.Contains(c.name, "x") || len(c.keys) == 0 {
				term.picture(c.until...)
			} else {
				term.pictures(c.until...)
			}
		})
	}
}

// withOddEmpty makes and opens an empty table.
func (s *setup) withOddEmpty(t *testing.T) {
	t.Helper()
	if err := sdk.Fill(t.Context(), s.demo.App(), sdk.Table("odd", "pk:S", "sk:S")); err != nil {
		t.Fatal(err)
	}
	s.options.Table = "odd"
}

// A person takes an acceptance back on the rows of its constraint. On the rows of the account, this is not possible.
func TestAnAcceptanceIsTakenBackOnItsOwnRows(t *testing.T) {
	s := onDemo(t, undescribed, keeping(t.TempDir()))
	term := s.run(t)
	term.see("VERDICT", "guessed")
	term.press("L")
	term.see("accounts › layout", "guessed")
	term.on("UNIQ#EMAIL#{v}")
	term.press("a")
	term.accepts("UNIQ#EMAIL#{v}")
	term.see("Accepted, and stored for this table.")
	term.press("L")
	term.see("accounts › layout", "pk of the account")
	term.press("o")
	term.see("There is nothing to take back here")
}

// The help offers neither n nor N if no line of the layout is uncertain.
func TestNoUncertainLineToGoTo(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	term.press("L")
	term.see("CONSTRAINT")
	term.press("N")
	term.see("No line is uncertain.")
	term.press("?")
	if frame := term.see("Keys", "MOVE"); strings.Contains(frame, "previous problem") {
		t.Errorf("the help offers N:\n%s", frame)
	}
}
