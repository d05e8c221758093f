package ui_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/charmbracelet/x/ansi"

	"tallylock/dynamo/embedded/sdk"
	"tallylock/internal/testrun"
	"tallylock/ui"
)

// hostile returns values that a stranger may choose to attack a terminal.
func hostile() []string {
	return []string{
		"\x1b]0;owned\x07\x1b[2Jroot",
		"\x1b]52;c;cm0gLXJmIC8K\x07",
		"\u009b2J\u009d0;owned\u009c",
		"a\r\nb\tc\x08\x08\x08",
		"gnp.\u202etxt\u2066\u2069",
		"zero\u200bwidth\ufeff\u2028",
		"e" + strings.Repeat("\u0301", 200),
		"田中さん👩‍👩‍👧‍👦🇩🇪한글",
		strings.Repeat("long", 200),
		"\x1bP+q544e\x1b\\\x1b_G\x1b\\",
		"ends in spaces   ",
		"$(reboot); `id` && \"quoted\" 'too'",
		"\x00\x7f\x1b",
	}
}

// withHostile adds accounts with hostile values, and orphaned locks.
func withHostile(t *testing.T, s *setup) {
	t.Helper()
	put := func(item map[string]types.AttributeValue) {
		t.Helper()
		s.put(t, "accounts", item)
	}
	for n, v := range hostile() {
		put(map[string]types.AttributeValue{
			"PK": sdk.S(fmt.Sprintf("ACCT#%02d%s", n, v)), "SK": sdk.S("PROFILE"), "email": sdk.S(v + "@x.test"), "username": sdk.S(v),
			v: sdk.S("an attribute of that name"), "balance": sdk.N("12345678901234567890123456789012345678"),
		})
		put(map[string]types.AttributeValue{"PK": sdk.S("UNIQ#HANDLE#" + v + "!2"), "SK": sdk.S("LOCK")})
	}
}

// The terminal gets only harmless text from a table, on screens, in dialogs and in the window's title.
func TestHostileValues(t *testing.T) {
	s := onDemo(t)
	withHostile(t, s)
	s.w, s.h = 100, 40
	term := s.run(t)
	term.see("confirmed")
	check := func(where string) {
		t.Helper()
		frame := term.screen()
		for _, r := range frame {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Errorf("%s: %U is on the screen", where, r)
			}
		}
		if !strings.Contains(frame, "tallylock") {
			t.Errorf("%s: the header is gone:\n%s", where, frame)
		}
		term.mu.Lock()
		defer term.mu.Unlock()
		if !strings.HasPrefix(term.title, "tallylock · demo") {
			t.Errorf("%s: the title is %q", where, term.title)
		}
	}
	sweep := func(where string, rows int) {
		for range rows {
			before := row(term.screen(), "▸")
			term.press("n")
			term.until("another row", func(s string) bool { return row(s, "▸") != before || strings.Contains(s, "No further") })
			check(where)
		}
	}
	sweep("accounts", 25)
	term.press("2")
	term.see("HOLDS")
	term.press("G")
	check("locks")
	term.press("1g")
	sweep("accounts", 5)
	term.press("4")
	term.see("✓ Checked", "1 of")
	check("findings")
	sweep("findings", 15)
	term.press("<enter>")
	term.see("items as they were at")
	check("a finding")
	term.press("<esc>1")
	term.see("VERDICT")
	term.press("<enter>")
	term.see("ATTRIBUTE", "TYPE", "1 of")
	check("item")
	term.press("<esc>")
	term.gone("ATTRIBUTE")
	for n, v := range hostile() {
		term.press("/")
		term.see("/")
		term.p.Send(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
		term.p.Send(tea.PasteMsg{Content: v + "!2"})
		term.press("<enter>")
		term.until("an answer", func(s string) bool {
			list := strings.Contains(s, "find › ") && !strings.Contains(s, " 0 of ") && !strings.Contains(s, "esc stop")
			return list || strings.Contains(s, "answered in") || strings.Contains(s, "! usage")
		})
		check(fmt.Sprintf("find %d", n))
		term.press("<esc>")
		term.see("3 counters")
	}
	term.press("gf") // a field ignores control characters, so the test searches the list for the lock
	for !strings.Contains(row(term.screen(), "▸"), `root!2`) {
		before := row(term.screen(), "▸")
		term.press("j")
		term.until("another row", func(s string) bool { return row(s, "▸") != before })
	}
	check("only problems")
	term.press("r")
	term.see("▸ No, leave it", "price", `\x1b]0;owned\x07\x1b[2Jroot!2`)
	check("release")
	term.press("<ctrl+o>")
	term.see("The request")
	check("request")
	term.press("<esc>")
	term.see("▸ No, leave it")
	term.press("<tab><enter>")
	term.see("✓ Applied")
	check("applied")
	term.press("<enter>")
	term.gone("Applied")
	term.press("5")
	term.see("release", "1 of 1", "item      ")
	check("journal")
	term.press("<enter>")
	term.see("RESULT")
	check("receipt")
	term.press("<esc>u")
	term.see("Put a lock back", "price")
	check("undo")
	term.press("<esc>")
	term.see("Nothing was changed.")
	term.press("1fg")
	term.to(`…\x07`)
	term.press("e")
	term.see("Type another.")
	check("value")
	term.press("<esc>")
	term.see("Nothing was changed.")
	term.press("D")
	term.see("Delete an account", "price")
	check("delete")
	term.press("<esc>")
	term.see("Nothing was changed.")
	term.press("m")
	term.see("Put a missing lock", "price")
	check("mend")
}

// With the option ASCII, the screen has only ASCII characters. The program's own glyphs are replaced, and all other
// characters of values are escaped.
func TestNothingBeyondASCII(t *testing.T) {
	s := onDemo(t)
	s.options.ASCII = true
	withHostile(t, s)
	term := s.run(t)
	term.see("confirmed")
	for _, screen := range []struct{ keys, until string }{
		{"", `ACCT#0`},
		{"f", "problem"},
		{"<enter>", "ATTRIBUTE"},
		{"<esc>", "problem"},
		{"2", "LOCK"},
		{"3", "of 8"},
		{"4", "v Checked"},
		{"5", "change"},
		{":", "ITEMS, ABOUT"},
		{"<esc>", "change"},
		{"?", "search"},
		{"<esc>1", "whole table"},
		{"/\u0430lan<enter>", "answered in"},
		{"/<ctrl+u>alan<enter>", "orphaned"},
		{"r", "price"},
		{"<ctrl+o>", "The request"},
	} {
		term.press(screen.keys)
		frame := term.see(screen.until)
		if at := strings.IndexFunc(frame, func(r rune) bool { return r > unicode.MaxASCII }); at >= 0 {
			t.Errorf("%q shows %q", screen.keys, frame[at:min(at+20, len(frame))])
		}
	}
}

// On each screen, and at each size, the drawing fits the width and the height of the window.
func TestEverySize(t *testing.T) {
	t.Parallel()
	states := map[string]string{
		"accounts": "", "problems": "f", "locks": "2", "counters": "3", "tables": ":", "help": "?", "item": "<enter>", "find": "/", "release": "", "findings": "4", "finding": "4",
		"journal": "", "receipt": "", "bump": "3", "mend": "", "value": "", "delete": "", "request": "", "batch": "", "batched": "",
	}
	for name, keys := range states {
		t.Run(name, func(t *testing.T) {
			s := drawn(t)
			withHostile(t, s)
			term := s.run(t)
			term.see("confirmed")
			term.press(keys)
			switch name {
			case "counters":
				term.see("of 8")
			case "findings":
				term.see("✓ Checked")
			case "finding":
				term.see("✓ Checked")
				term.press("nnnn<enter>")
				term.see("items as they were at")
			case "release":
				term.ask("alan")
				term.press("r")
				term.see("price")
			case "journal", "receipt":
				term.ask("turing")
				term.release("ticket 48151")
				term.press("<esc>5")
				term.see("1 of 1", "item      ")
				if name == "receipt" {
					term.press("<enter>")
					term.see("RESULT")
				}
			case "bump":
				term.see("of 8")
				term.press("+")
				term.see("price")
			case "mend", "request":
				term.to("hopper")
				term.press("m")
				term.see("price")
				if name == "request" {
					term.press("<ctrl+o>")
					term.see("The request")
				}
			case "value":
				term.press("ehelp@x.test<tab>")
				term.see("price")
			case "delete":
				term.press("D")
				term.see("price")
			case "batch", "batched":
				for _, name := range []string{"mel@oldmail", "turing"} {
					term.press("g")
					term.to(name)
					term.press("<space>")
				}
				term.press("r")
				term.see("price", "Release 2 locks")
				if name == "batched" {
					term.press("<tab><enter>")
					term.see("of 2 locks released")
				}
			case "tables":
				term.see("locks, no owner", "locks with owner", "counter, next")
			case "item":
				term.see("ATTRIBUTE", "1 of")
			case "find":
				term.press("alan<enter>")
				term.see("answered in")
			}
			term.end()
			for w := 1; w < 230; w += 1 + w/testrun.Runs(20, 4) {
				for h := 1; h < 75; h += 1 + h/testrun.Runs(6, 2) {
					fits(t, term.model, w, h)
				}
			}
		})
	}
}

func fits(t *testing.T, m ui.Model, w, h int) {
	t.Helper()
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	lines := strings.Split(m.View().Content, "\n")
	if len(lines) > h {
		t.Fatalf("%d×%d: %d rows", w, h, len(lines))
	}
	for n, line := range lines {
		if got := ansi.StringWidth(line); got > w {
			t.Fatalf("%d×%d: row %d is %d cells wide: %q", w, h, n, got, ansi.Strip(line))
		}
	}
}

func TestResizeWhileRunning(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	term.resize(140, 40)
	term.see("YOU CAN", "read units")
	term.resize(40, 12)
	term.see("too small", "40 × 12", "q quit")
	term.resize(80, 24)
	term.see("▸ ACCT#", "1 of 72")
}

// If the window is too small for a dialog, keys have no effect, because a person must see a change to confirm it.
func TestNothingIsConfirmedUnseen(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.see("confirmed")
	term.press("nnn") // the orphan
	term.press("r")
	term.see("▸ No, leave it", "price")
	term.press("<tab>")
	term.see("▸ Release the lock")
	term.resize(40, 12)
	if frame := term.see("too small"); strings.Contains(frame, "quit") {
		t.Errorf("q quits nothing while a dialog is open:\n%s", frame)
	}
	term.press("<enter>q")
	term.p.Send(tea.PasteMsg{Content: "unseen"})
	term.resize(80, 24)
	if frame := term.see("▸ Release the lock"); strings.Contains(frame, "unseen") {
		t.Errorf("what was pasted unseen is there:\n%s", frame)
	}
	term.press("<esc>")
	term.see("Nothing was changed.")
}

// The command line takes a pasted text even if the window is too small to draw it.
func TestAPasteOverAFindingInATinyWindow(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	term.press("4")
	term.see("✓ Checked", "1 of 6")
	term.press("<enter>")
	term.see("findings › ")
	term.press(":")
	term.see("type a table")
	term.resize(10, 5)
	term.p.Send(tea.PasteMsg{Content: "mem"})
	term.resize(80, 24)
	term.see(": mem", "locks with owner")
}
