package print

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tallylock/ui/kit"
)

// The width of a column includes escapes and wide letters.
func TestTableAligns(t *testing.T) {
	var out strings.Builder
	p := &Printer{W: &out}
	p.Table(2, []Column{{}, {Right: true}, {}}, [][]kit.Span{
		{{Text: "name"}, {Text: "value"}, {Text: "end"}},
		{{Text: "李明"}, {Text: "7"}, {Text: "end"}},
		{{Text: "\x1b[2J"}, {Text: "1,000,000"}, {Text: "end"}},
	})
	for line := range strings.Lines(out.String()) {
		if at := ansi.StringWidth(line[:strings.Index(line, "end")]); at != 22 {
			t.Errorf("the last column of %q is at %d", line, at)
		}
	}
}

// Without a terminal, a very wide cell is complete, and does not change other rows.
func TestTableSurvivesAVeryLongValue(t *testing.T) {
	var out strings.Builder
	long := strings.Repeat("v", 2000)
	(&Printer{W: &out}).Table(0, []Column{{Least: 4}, {}}, [][]kit.Span{{{Text: "alan"}, {Text: "end"}}, {{Text: long}, {Text: "end"}}})
	if want := "alan  end\n" + long + "  end\n"; out.String() != want {
		t.Errorf("got %d bytes, want %d", out.Len(), len(want))
	}
}

// On a terminal, each row is one line. The widest column is cut first, and columns without Least are never cut. Spare
// columns disappear before other columns become too narrow.
func TestTableFitsTheTerminal(t *testing.T) {
	columns := []Column{{Title: "WHAT", Least: 10}, {Title: "VALUE", Right: true}, {Title: "WHO", Least: 5, Spare: true}, {Title: "WHY", Least: 5, Spare: true}}
	rows := [][]kit.Span{
		{{Text: `release username "alan"`}, {Text: "10,000"}, {Text: "ada"}, {Text: "ticket 48151"}},
		{{Text: "李明李明李明李明李明李明李明"}, {Text: "7"}, {Text: "grace"}, {Text: strings.Repeat("why ", 100)}},
	}
	for _, tc := range []struct {
		width int
		wide  bool
		want  string
	}{
		{60, false, "WHAT                    VALUE  WHO    WHY\n" +
			"release username \"al…  10,000  ada    ticket 48151\n" +
			"李明李明李明李明李明…       7  grace  why why why why why w…\n"},
		{32, false, "WHAT         VALUE  WHO    WHY\n" +
			"release u…  10,000  ada    tick…\n" +
			"李明李明…        7  grace  why…\n"},
		{24, false, "WHAT               VALUE\n" +
			"release usernam…  10,000\n" +
			"李明李明李明李…        7\n" +
			"WHO, WHY with --wide\n"},
		{60, true, "WHAT"},
	} {
		var out strings.Builder
		p := &Printer{W: &out, Width: tc.width, Wide: tc.wide}
		p.Table(0, columns, rows)
		for line := range strings.Lines(out.String()) {
			if w := ansi.StringWidth(strings.TrimSuffix(line, "\n")); w > tc.width && !tc.wide {
				t.Errorf("in %d columns %q takes %d", tc.width, line, w)
			}
		}
		if cut := strings.Contains(out.String(), "…"); cut == tc.wide || !strings.HasPrefix(out.String(), tc.want) {
			t.Errorf("in %d columns, wide %v:\n%s", tc.width, tc.wide, out.String())
		}
	}
}

// Without enough room, empty columns disappear before spare columns.
func TestAnEmptyColumnGoesFirst(t *testing.T) {
	columns := []Column{{Title: "WHAT", Least: 4}, {Title: "NEXT", Spare: true}, {Title: "HIGHEST ID"}, {Title: "HEALTH"}}
	rows := [][]kit.Span{{{Text: "order_id"}, {Text: "5,001"}, {Text: kit.GlyphAbsent}, {Text: "fine"}}, {{Text: "posts"}, {Text: "43"}, {}, {Text: "fine"}}}
	for width, want := range map[int]string{40: "WHAT      NEXT   HIGHEST ID  HEALTH", 30: "WHAT      NEXT   HEALTH", 18: "WHAT      HEALTH"} {
		var out strings.Builder
		(&Printer{W: &out, Width: width}).Table(0, columns, rows)
		if head, _, _ := strings.Cut(out.String(), "\n"); strings.TrimRight(head, " ") != want {
			t.Errorf("in %d columns %q, want %q", width, head, want)
		}
	}
}

// In ASCII, the width of a column includes its escapes, and no escape is cut in the middle.
func TestTableOfEscapes(t *testing.T) {
	columns := []Column{{Title: "VALUE", Least: 5}, {Title: "N", Right: true}, {Title: "WHO"}}
	rows := [][]kit.Span{{{Text: "björk"}, {Text: "1"}, {Text: "zoë"}}, {{Text: "Ada"}, {Text: "12"}, {Text: "ada"}}}
	for width, want := range map[int]string{
		0: "VALUE        N  WHO\n" +
			`bj\u00f6rk   1  zo\u00eb` + "\n" +
			"Ada         12  ada\n",
		21: "VALUE     N  WHO\n" +
			`bj.       1  zo\u00eb` + "\n" +
			"Ada      12  ada\n",
	} {
		var out strings.Builder
		(&Printer{W: &out, Width: width, ASCII: true}).Table(0, columns, rows)
		if out.String() != want {
			t.Errorf("in %d columns:\n%s\nwant\n%s", width, out.String(), want)
		}
	}
}

// A number is never cut in the middle, because its part would be another number.
func TestCutLeavesNoPartOfANumber(t *testing.T) {
	for width, want := range map[int]string{30: "order_id, 5,000 → 5,003", 22: "order_id, 5,000 →…", 15: "order_id…", 14: "order_id…", 7: "order_…"} {
		if got := (&Printer{}).cut("order_id, 5,000 → 5,003", width); got != want {
			t.Errorf("in %d: %q, want %q", width, got, want)
		}
	}
}
