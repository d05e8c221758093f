package kit

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// plainRows is a list with a line for each character: "h" is a heading, "a" is a row of one line, "(" and ")" are the
// two lines of one row, and "!" is a problem.
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

func (s plainRows) Draw(l *Line, n int, _ bool) { l.Put(Text, string(s[n])) }

func TestListMoves(t *testing.T) {
	rows := plainRows("ha()a!hha!")
	l := List{}
	l.clamp(rows, 4)
	var path []int
	note := func() { path = append(path, l.Cursor) }
	note() // 1: the heading is skipped
	for range 7 {
		l.Move(rows, 1)
		note()
	}
	want := []int{1, 2, 4, 5, 8, 9, 9, 9}
	for n := range want {
		if path[n] != want[n] {
			t.Fatalf("down goes %v, want %v", path, want)
		}
	}
	l.Move(rows, -2)
	if l.Cursor != 5 {
		t.Errorf("two up from the end is %d, want 5", l.Cursor)
	}
	l.Jump(rows, -100)
	if l.Cursor != 1 || l.Top != 0 {
		t.Errorf("first is %d with line %d on top, want 1 and the heading in view", l.Cursor, l.Top)
	}
	l.Jump(rows, 100)
	if l.Cursor != 9 || l.Top != 6 {
		t.Errorf("last is %d with line %d on top", l.Cursor, l.Top)
	}
}

func TestListSeeks(t *testing.T) {
	rows := plainRows("a!aa!a")
	l := List{}
	l.clamp(rows, 3)
	if !l.Seek(rows, 1) || l.Cursor != 1 || !l.Seek(rows, 1) || l.Cursor != 4 {
		t.Fatalf("the cursor is at %d, want the second problem", l.Cursor)
	}
	if l.Seek(rows, 1) || l.Cursor != 4 {
		t.Error("a problem after the last")
	}
	if !l.Seek(rows, -1) || l.Cursor != 1 {
		t.Error("the problem before is not found")
	}
}

func TestListSurvivesChange(t *testing.T) {
	l := List{Cursor: 900, Top: 880}
	st := NewStyles(Look{Dark: true})
	for _, rows := range []plainRows{"", "h", "hhh", "a", "()", "ah"} {
		for _, h := range []int{0, 1, 2, 30} {
			got := l.Draw(st, rows, 20, h, Base, Selected, false)
			if len(got) != h {
				t.Errorf("%q in %d rows draws %d", rows, h, len(got))
			}
			l.Move(rows, 1)
			l.Move(rows, -1)
			l.Jump(rows, 5)
			l.Jump(rows, -5)
			l.Click(rows, 3)
		}
	}
}

// A row of two lines is selected as a whole.
func TestListSelectsRowsAsOne(t *testing.T) {
	l := List{Cursor: 2}
	out := l.Draw(NewStyles(Look{Dark: true, Colours: NoColour}), plainRows("a()a"), 6, 4, Base, Selected, false)
	for n, want := range []bool{false, true, true, false} {
		if got := strings.Contains(out[n], "\x1b[7m"); got != want {
			t.Errorf("line %d reversed: %v, want %v (%q)", n, got, want, out[n])
		}
	}
	if !strings.HasPrefix(ansi.Strip(out[1]), GlyphMark) || strings.Contains(out[2], GlyphMark) {
		t.Errorf("the mark: %q", out)
	}
}

func TestListClick(t *testing.T) {
	rows := plainRows("ha()a")
	l := List{}
	l.clamp(rows, 5)
	if !l.Click(rows, 3) || l.Cursor != 2 {
		t.Errorf("a click on the second line of a row selects %d", l.Cursor)
	}
	if l.Click(rows, 0) || l.Click(rows, 9) || l.Click(rows, -1) {
		t.Error("a click beside the rows selects something")
	}
}
