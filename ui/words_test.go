package ui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tallylock/dynamo"
	"tallylock/ui/kit"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

func TestNumbersAreNeverCut(t *testing.T) {
	const long = "12345678901234567890123456789012345678"
	for _, c := range []struct {
		digits string
		w      int
		want   string
	}{
		{"5214", 18, "5,214"},
		{"9007199254741993", 18, "9007199254741993"},
		{"9007199254741993", 21, "9,007,199,254,741,993"},
		{"9007199254741993", 12, "900719…41993"},
		{long, 18, "123…78 (38 digits)"},
		{long, 40, long},
		{long, 50, "12,345,678,901,234,567,890,123,456,789,012,345,678"},
		{"-12345678901234567890", 18, "-12…90 (20 digits)"},
		{"0", 5, "0"},
	} {
		if got := words.FitNumber(c.digits, c.w); got != c.want {
			t.Errorf("fitNumber(%s, %d) = %q, want %q", c.digits, c.w, got, c.want)
		}
	}
}

func TestRates(t *testing.T) {
	for perSecond, want := range map[float64]string{28.2: "28/s", 1.23: "1.2/s", 0.4: "0.4/s", 0.034: "2/min", 0.001: "<1/min", 0: "—"} {
		if got := words.Rate(perSecond); got != want {
			t.Errorf("rate(%v) = %q, want %q", perSecond, got, want)
		}
	}
}

func TestJoins(t *testing.T) {
	st := kit.NewStyles(kit.Look{Dark: true, Colours: kit.NoColour})
	for v, want := range map[dynamo.Verdict]string{
		dynamo.Held:      "ada ────────── key",
		dynamo.Missing:   "ada ───────╴   key",
		dynamo.Orphaned:  "ada        ╶── key",
		dynamo.Stale:     "ada ╌╌╌╌╌╌╌╌╌╌ key",
		dynamo.Foreign:   "ada ────────┼─ key",
		dynamo.Unknown:   "ada        ╶── key",
		dynamo.Duplicate: "ada ────────── key",
		dynamo.Free:      "ada            key",
	} {
		l := kit.NewLine(st, 18, kit.Base)
		l.Put(kit.Text, "ada")
		words.Join(l, v, 14)
		l.To(15)
		l.Put(kit.Text, "key")
		if got := ansi.Strip(l.Done()); got != want {
			t.Errorf("%s: %q, want %q", v, got, want)
		}
	}
}

// What is not confirmed keeps its glyph, is quiet, and asks.
func TestSigns(t *testing.T) {
	sure, unsure := words.Verdict(dynamo.Orphaned, false), words.Verdict(dynamo.Orphaned, true)
	if sure.Word != "orphaned" || sure.Quiet || unsure.Word != "orphaned?" || !unsure.Quiet || unsure.Style != sure.Style {
		t.Errorf("%+v %+v", sure, unsure)
	}
	if held := words.Verdict(dynamo.Held, true); held.Word != "held" || !held.Quiet {
		t.Errorf("%+v", held)
	}
}

func TestLinesAreSanitised(t *testing.T) {
	l := kit.NewLine(kit.NewStyles(kit.Look{Dark: true}), 40, kit.Base)
	l.Put(kit.Text, "\x1b[2J")
	l.Value(kit.Text, "ends ")
	l.Fit(kit.Text, "\u202eabcdefghijklmnop", 12)
	got := ansi.Strip(l.Done())
	if want := `\x1b[2Jends·\u202eabcde…`; strings.TrimRight(got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestASCIISet(t *testing.T) {
	l := kit.NewLine(kit.NewStyles(kit.Look{Dark: true, Colours: kit.NoColour, ASCII: true}), 60, kit.Base)
	l.Put(kit.Text, "● ○ ✗ ◐ ◆ ─┬├└│ ▸ … — ✓ ")
	l.Fit(kit.Text, "a long value", 8)
	l.Value(kit.Text, " é ")
	if got := strings.TrimSpace(l.Done()); got != "* o x ~ % -+++| > . - v a long.. \\u00e9\\x20" {
		t.Errorf("%q", got)
	}
}

func TestMiddle(t *testing.T) {
	for in, want := range map[string]string{
		"ACCT#a1f9c3": "ACCT#a1f9c3",
		"ACCT#01a1f2de-c181-7c3f-9d2b-6f1e0a77b1c4": "ACCT#01…b1c4",
	} {
		if got := kit.CutMiddle(in, 12, "…"); got != want {
			t.Errorf("cutMiddle(%q) = %q, want %q", in, got, want)
		}
	}
}

// A result that was overtaken is dropped, and cancelling reaches the work.
func TestFlights(t *testing.T) {
	f := task.New(t.Context(), time.Now)
	var got []string
	work := func(name string) tea.Cmd {
		return task.Start(f, task.Finding, func(ctx context.Context) (string, error) { return name, ctx.Err() },
			func(s string, err error) tea.Cmd {
				if err != nil {
					s += " cancelled"
				}
				got = append(got, s)
				return nil
			})
	}
	first := work("first")
	second := work("second")
	for _, cmd := range []tea.Cmd{second, first} {
		if msg := cmd().(task.Done); f.Finish(msg) {
			msg.Apply()
		}
	}
	third := work("third")
	if !f.Interrupt() {
		t.Error("nothing to interrupt")
	}
	if msg := third().(task.Done); f.Finish(msg) {
		msg.Apply()
	}
	if strings.Join(got, ",") != "second,third cancelled" {
		t.Errorf("landed: %q", got)
	}
	if f.Interrupt() {
		t.Error("something is still in flight")
	}
	f.Close()
	if msg := work("late")(); msg != nil {
		t.Errorf("work after the end: %v", msg)
	}
}

func TestExplainKeepsWordsOfOthers(t *testing.T) {
	kind, _, why, do := words.Explain(errors.New("boom"))
	if kind != "failed" || why != "boom" || do != "" {
		t.Errorf("%s %s %s", kind, why, do)
	}
}

func TestArticles(t *testing.T) {
	for word, want := range map[string]string{"username": "a", "UUID": "a", "e-mail": "an", "uncle": "an", "handle": "a", "account id": "an", "": "a"} {
		if got := words.Article(word); got != want {
			t.Errorf("%s %s, want %s", got, word, want)
		}
	}
}

func TestSentences(t *testing.T) {
	for in, want := range map[string]string{"it is there": "It is there.", "is the VPN up?": "Is the VPN up?", "done.": "Done.", "": ""} {
		if got := words.Sentence(in); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Where there is little room the header says less, but nothing else.
func TestShortPath(t *testing.T) {
	for _, c := range []struct {
		w                        int
		name, where, table, want string
	}{
		{40, "local", "127.0.0.1:8000", "accounts", "local › 127.0.0.1:8000 › accounts"},
		{30, "local", "127.0.0.1:8000", "accounts", "local › 127.0.0.1 › accounts"},
		{27, "local", "127.0.0.1:8000", "accounts", "local › accounts"},
		{27, "support", "us-east-1", "accounts", "support › accounts"},
		{27, "support", "[::1]:8000", "accounts", "support › ::1 › accounts"},
		{27, "support", "", "accounts", "support › accounts"},
		{27, "a-connection-of-support", "us-east-1", "accounts", "a-connect…upport › accounts"},
		{20, "support", "us-east-1", "production-accounts-v2", "sup…rt › produc…s-v2"},
	} {
		got := strings.Join(shortPath(c.w, "…", c.name, c.where, c.table), pathMark)
		if got != c.want || kit.Width(got) > c.w {
			t.Errorf("%d cells for %s, %s, %s: %q; want %q", c.w, c.name, c.where, c.table, got, c.want)
		}
	}
}
