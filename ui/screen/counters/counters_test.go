package counters

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

func TestHistory(t *testing.T) {
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	h := &history{}
	if h.rate() != 0 || h.buckets(start, time.Second, 3)[0] != -1 {
		t.Error("an empty history moves")
	}
	// Numbers of 38 digits, two per second: a float64 cannot hold them exactly.
	for n := range 400 {
		v, _ := say.WholeNumber("99999999999999999999999999999999990000")
		h.add(start.Add(time.Duration(n)*time.Second), v.Add(v, big.NewInt(int64(2*n))).String())
	}
	if got := h.rate(); got < 1.99 || got > 2.01 {
		t.Errorf("the rate is %v, want 2", got)
	}
	last := start.Add(399 * time.Second)
	for _, p := range h.buckets(last, 5*time.Second, 12) {
		if p < 1.99 || p > 2.01 {
			t.Errorf("a part has %v a second, want 2", p)
		}
	}
	if got := h.buckets(last, 5*time.Second, 200)[0]; got != -1 {
		t.Errorf("before the history: %v", got)
	}
	h.add(start, "A-1007") // the history ignores a text that is not a number
	if len(h.all) > keep {
		t.Error("the history grew")
	}
}

// At every width, a number above 2^53 keeps its separators, and the name and the health of the counter are visible.
// From 140 columns on, the next number and the highest id are visible, too.
func TestCounterColumns(t *testing.T) {
	const number = "9007199254741993"
	of := row{past: &history{}, Counter: counter.Counter{
		Name: "orders", Exists: true, Value: number, Next: number, HighestID: "12345678", Semantics: layout.Last,
		Layout: &layout.Counter{Step: big.NewInt(1)},
	}}
	var fit widths
	fit.add(&of)
	table := kit.Table[*row]{Columns: columnsOf(byTable, fit)}
	for w := kit.MinWidth; w < 400; w++ {
		l := kit.NewLine(kit.NewStyles(kit.Look{Dark: true}), w, kit.Base)
		table.Draw(l, &of)
		line := ansi.Strip(l.Done())
		value, times := " 9,007,199,254,741,993 ", 1
		want := []string{" orders ", " last ", " ids unknown "}
		if w >= 140 {
			times, want = 2, append(want, " 12,345,678 ")
		}
		for _, s := range want {
			if !strings.Contains(line, s) {
				t.Errorf("%d wide, there is no %q: %q", w, s, line)
			}
		}
		if strings.Count(line, value) < times {
			t.Errorf("%d wide, value and next are not whole: %q", w, line)
		}
	}
}

// A list ordered by room shows the room and its end at every width. Other lists show them only if the window is wide
// enough.
func TestRoomColumns(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.Local)
	h := &history{}
	for n := range 60 {
		h.add(start.Add(time.Duration(n)*time.Second), big.NewInt(int64(n)).String())
	}
	of := row{past: h, Counter: counter.Counter{
		Name: "orders", Exists: true, Value: "59", Semantics: layout.Last, ReadAt: start.Add(time.Minute),
		Layout: &layout.Counter{Semantics: layout.Last, Step: big.NewInt(1), Max: big.NewInt(864_059)},
	}}
	for _, o := range []order{byTable, leastRoomFirst} {
		table := kit.Table[*row]{Columns: columnsOf(o, widths{number: usual})}
		for w := 80; w < 300; w++ {
			l := kit.NewLine(kit.NewStyles(kit.Look{Dark: true}), w, kit.Base)
			table.Draw(l, &of)
			line := ansi.Strip(l.Done())
			for cell, from := range map[string]int{" 864,000 ": 170, " 30 Nov 2026 ": 170} {
				if o == leastRoomFirst {
					from = 80
				}
				if w >= from && !strings.Contains(line, cell) {
					t.Errorf("%q, %d wide, there is no %q: %q", o.words(), w, cell, line)
				}
			}
		}
	}
}

// A stalled counter is noticed, and so is an unusually large move. Moves that are usual for the counter are not.
func TestUnusualMovesAreNoticed(t *testing.T) {
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.Local)
	at := func(n int) time.Time { return start.Add(time.Duration(2*n) * time.Second) }
	for name, c := range map[string]struct {
		values int
		value  func(n int) int
		want   string
	}{
		"steady":          {100, func(n int) int { return 3 * n }, ""},
		"never moved":     {100, func(int) int { return 7 }, ""},
		"now and then":    {100, func(n int) int { return n / 10 }, ""},
		"a short rest":    {100, func(n int) int { return min(n, 95) }, ""},
		"stands still":    {100, func(n int) int { return 2 * min(n, 60) }, "stands still for 78.0 s, after 1.0/s"},
		"stops":           {100, func(n int) int { return 8 * min(n, 90) }, "stands still for 18.0 s, after 4.0/s"},
		"late, and stops": {100, func(n int) int { return 8 * min(max(n-70, 0), 20) }, "stands still for 18.0 s, after 4.0/s"},
		"jumped, stops":   {100, func(n int) int { return 8*min(n, 80) + n/70*50000 }, "stands still for 38.0 s, after 3.9/s"},
		"hardly begun":    {30, func(n int) int { return min(n, 3) }, ""},
		"jumped":          {100, func(n int) int { return n + n/50*5000 }, "jumped by 5,001 at 12:01:40"},
		"went back":       {100, func(n int) int { return n - n/50*5000 }, "went back by 4,999 at 12:01:40"},
		"always in leaps": {100, func(n int) int { return 1000 * n }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := &history{}
			for n := range c.values {
				h.add(at(n), big.NewInt(int64(c.value(n))).String())
			}
			got := ""
			for _, span := range noticed(row{past: h}) {
				got += span.Text
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// A jump does not count for the rate.
func TestTheRateAfterAJump(t *testing.T) {
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.Local)
	for _, by := range []int64{100_000, -100_000} {
		h := &history{}
		for n := range int64(60) {
			h.add(start.Add(time.Duration(2*n)*time.Second), big.NewInt(8*n+n/50*by).String())
		}
		if _, jumped := h.jumped(); !jumped {
			t.Fatal("the jump is not noticed")
		}
		if got := h.rate(); got < 3.8 || got > 4.01 {
			t.Errorf("the rate is %v, want that of before", got)
		}
	}
}

// If a counter was not read for a while, its moves during the gap are no jump, and its rate stays the same.
func TestTheRateOfACounterThatWasNotRead(t *testing.T) {
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.Local)
	for _, away := range []int{30, 60, 180, 3600} {
		h := &history{}
		for n := range 20 {
			second := 2 * n
			if n >= 10 {
				second += away
			}
			h.add(start.Add(time.Duration(second)*time.Second), big.NewInt(int64(2*second)).String())
			if got := h.rate(); n > 0 && (got < 1.99 || got > 2.01) {
				t.Errorf("away for %d s: the rate after %d values is %v, want 2", away, n+1, got)
			}
		}
		if said := noticed(row{past: h}); said != nil {
			t.Errorf("away for %d s: noticed %v", away, said)
		}
	}
}

// If the rate of a counter is unknown, its share of the item's writes is not shown. The chart says how long the counter
// was read.
func TestACounterThatWasJustMet(t *testing.T) {
	h := &history{}
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.Local)
	drawn := func(past *history, end time.Time) string {
		st := kit.NewStyles(kit.Look{Dark: true, Colours: kit.NoColour})
		facts, right := kit.NewBlock(st, 80, 3), kit.NewBlock(st, 80, 14)
		writes(facts, past.rate())
		chart(right, row{Counter: counter.Counter{Name: "orders", Value: "7", ReadAt: end}, past: past}, 2*time.Second, end.Equal(start))
		return ansi.Strip(strings.Join(append(facts.Lines, right.Lines...), "\n"))
	}
	sees := func(drawn string, sees ...string) {
		t.Helper()
		for _, s := range sees {
			if !strings.Contains(drawn, s) {
				t.Errorf("no %q:\n%s", s, drawn)
			}
		}
	}
	h.add(start, "7")
	once := drawn(h, start)
	sees(once, "none seen; item limit 1,000/s", "orders, increase a second ", "nothing to show yet", " now")
	if strings.Contains(once, "%") {
		t.Errorf("a share of what is not known:\n%s", once)
	}
	h.add(start.Add(2*time.Second), "7")
	h.add(start.Add(6*time.Second), "7")
	sees(drawn(h, start.Add(6*time.Second)), "none seen; item limit 1,000/s", "a second, read for 6 s so far", "no increase since 12:00:00")
	h.add(start.Add(8*time.Second), "27")
	sees(drawn(h, start.Add(8*time.Second)), "2.5/s of 1,000/s", "0.2 %", "read for 8 s so far", "highest 10 at 12:00:08")
	h.add(start.Add(10*time.Minute), "27")
	sees(drawn(h, start.Add(10*time.Minute)), "a second, last 34 s")
}
