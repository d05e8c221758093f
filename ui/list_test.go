package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// plainRows is a list of lines of which some are headings and some belong
// together: "h" a heading, "a" a row of one line, "(" the first line of a row of
// two, ")" its second, "!" a problem.
type plainRows string

func (s plainRows) Len() int { return len(s) }

func (s plainRows) Row(n int) (int, int, bool) {
	switch s[n] {
	case 'h':
		return n, n, false
	case '(':
		return n, n + 1, true
	case ')':
		return n - 1, n, true
	}
	return n, n, true
}

func (s plainRows) Problem(n int) bool { return s[n] == '!' }

func (s plainRows) Draw(l *line, n int, _ bool) { l.put(asText, string(s[n])) }

func TestListMoves(t *testing.T) {
	rows := plainRows("ha()a!hha!")
	l := list{}
	l.clamp(rows, 4)
	var path []int
	note := func() { path = append(path, l.cursor) }
	note() // 1: the heading is skipped
	for range 7 {
		l.move(rows, 1)
		note()
	}
	want := []int{1, 2, 4, 5, 8, 9, 9, 9}
	for n := range want {
		if path[n] != want[n] {
			t.Fatalf("down goes %v, want %v", path, want)
		}
	}
	l.move(rows, -2)
	if l.cursor != 5 {
		t.Errorf("two up from the end is %d, want 5", l.cursor)
	}
	l.jump(rows, -100)
	if l.cursor != 1 || l.top != 0 {
		t.Errorf("first is %d with line %d on top, want 1 and the heading in view", l.cursor, l.top)
	}
	l.jump(rows, 100)
	if l.cursor != 9 || l.top != 6 {
		t.Errorf("last is %d with line %d on top", l.cursor, l.top)
	}
}

func TestListSeeks(t *testing.T) {
	rows := plainRows("a!aa!a")
	l := list{}
	l.clamp(rows, 3)
	if !l.seek(rows, 1) || l.cursor != 1 || !l.seek(rows, 1) || l.cursor != 4 {
		t.Fatalf("the cursor is at %d, want the second problem", l.cursor)
	}
	if l.seek(rows, 1) || l.cursor != 4 {
		t.Error("a problem after the last")
	}
	if !l.seek(rows, -1) || l.cursor != 1 {
		t.Error("the problem before is not found")
	}
}

func TestListSurvivesChange(t *testing.T) {
	l := list{cursor: 900, top: 880}
	st := newStyles(true, trueColour, false)
	for _, rows := range []plainRows{"", "h", "hhh", "a", "()", "ah"} {
		for _, h := range []int{0, 1, 2, 30} {
			got := l.draw(st, rows, 20, h, base, selection, false)
			if len(got) != h {
				t.Errorf("%q in %d rows draws %d", rows, h, len(got))
			}
			l.move(rows, 1)
			l.move(rows, -1)
			l.jump(rows, 5)
			l.jump(rows, -5)
			l.click(rows, 3)
		}
	}
}

// A row of two lines is selected as one.
func TestListSelectsRowsAsOne(t *testing.T) {
	l := list{cursor: 2}
	out := l.draw(newStyles(true, noColour, false), plainRows("a()a"), 6, 4, base, selection, false)
	for n, want := range []bool{false, true, true, false} {
		if got := strings.Contains(out[n], "\x1b[7m"); got != want {
			t.Errorf("line %d reversed: %v, want %v (%q)", n, got, want, out[n])
		}
	}
	if !strings.HasPrefix(ansi.Strip(out[1]), glyphMark) || strings.Contains(out[2], glyphMark) {
		t.Errorf("the mark: %q", out)
	}
}

func TestListClick(t *testing.T) {
	rows := plainRows("ha()a")
	l := list{}
	l.clamp(rows, 5)
	if !l.click(rows, 3) || l.cursor != 2 {
		t.Errorf("a click on the second line of a row selects %d", l.cursor)
	}
	if l.click(rows, 0) || l.click(rows, 9) || l.click(rows, -1) {
		t.Error("a click beside the rows selects something")
	}
}
