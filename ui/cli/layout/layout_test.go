package layout

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/ui/cli/configfile"
	"tallylock/ui/cli/print"
	"tallylock/ui/safe"
)

// The output of `layout` is a config with the same layout, for any names in a table. It has only visible characters.
func TestLayoutReadsBack(t *testing.T) {
	odd := []string{"\"", "'", "\\", "#", "\n", "\r", "\t", "\x00", "\x1b[2J", "\x7f", "\u0085", "\u202e", "\u200d", "\u2028", "\ufeff", "\ufe0f", "\u2800", "\U0001f3fb", "\U000e0001", "e\u0301\u0301\u0301\u0301\u0301\u0301", "=", "[[", "]]", "\u00e9", "\U0001f600", "\\u0041", "\"\"\"", "'''", " ", "a", "Z9"}
	rapid.Check(t, func(t *rapid.T) {
		pick := func(what string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(odd), 0, 5).Draw(t, what), "")
		}
		word := func(what string) string { return "w" + pick(what) }
		is := func(what string) *config.Discriminator {
			if !rapid.Bool().Draw(t, what) {
				return nil
			}
			return &config.Discriminator{Attribute: word(what), Value: word(what)}
		}
		c := config.Layout{
			Name: word("name"), Tables: []string{word("table"), "t"},
			Accounts: []config.Account{{
				Model: word("model"), PK: pick("pk") + "{id}", SK: pick("sk"), Is: is("is"), Version: pick("version"),
				Constraints: []config.Constraint{
					{
						Name: word("constraint"), Attribute: "a" + pick("attribute"), Table: pick("locks"), PK: pick("lock") + "{v}", SK: pick("lock sk"), Is: is("is"), Normalise: []string{"trim", "lower"}, Owner: pick("owner"), Index: pick("index"), Moves: rapid.Bool().Draw(t, "moves"), NowhereElse: rapid.Bool().Draw(t, "nowhere else"),
						Holders:   []config.Holder{{Table: word("holding"), Items: word("items"), Attribute: word("of"), PutsLock: true}, {Table: "t", Items: "A#*", Attribute: "x"}},
						NoHolders: []layout.Place{{Table: word("holding"), Items: word("items"), Attribute: word("of")}}, AlsoIn: &[]string{word("also")},
					},
					{Name: "x", Attribute: "b" + pick("attribute"), PK: "{sha256:" + pick("digest") + "{v}}"},
					{Name: "y", Attribute: "c" + pick("attribute"), Unique: true, Index: pick("index")},
				},
			}},
			Counters: []config.Counter{{
				Name: pick("counter"), PK: pick("key") + "{part}", Attribute: word("number"), Semantics: "next", Step: "7",
				IDs: []config.IDs{{Table: pick("ids"), PK: pick("id") + "{part}#{number}", Is: is("is")}},
			}},
		}
		want, err := c.Build()
		if err != nil {
			t.Skip(err.Error())
		}
		var b bytes.Buffer
		(&print.Printer{W: &b}).Lines("", string(config.Of(want, c.Tables...).Annotated(func(string, string) string { return pick("note") })))
		for line := range strings.Lines(b.String()) {
			if line = strings.TrimSuffix(line, "\n"); safe.Text(line) != line {
				t.Fatalf("a terminal is given %q", line)
			}
		}
		read, err := configfile.Parse(b.Bytes())
		if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		got, err := read.Layouts[0].Build()
		if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("it reads back as\n%+v\nand was\n%+v\n%s", got, want, b.String())
		}
	})
}
