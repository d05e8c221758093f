package print

import (
	"slices"
	"strings"
	"testing"

	"tallylock/ui/say"
)

func TestACommandIsNotTorn(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"a word and another-one", []string{"a word and", "another-one"}},
		{"set AWS_PROFILE or --profile", []string{"set AWS_PROFILE or", "--profile"}},
		{"What works here: tallylock doctor --region x; that is all.", []string{
			"What works here:", "tallylock doctor --region x;", "that is all.",
		}},
		{"tallylock find --table t -- 'a b  c'", []string{"tallylock find --table t -- 'a b  c'"}},
		{`tallylock find 'it'\''s here' ada`, []string{`tallylock find 'it'\''s here' ada`}},
		{"tallylock undo R-1", []string{"tallylock undo R-1"}},
		{"Next: " + say.CommandLine([]string{"find", "--table", "t."}, "a,", "b") + ". Now.", []string{
			"Next:", "tallylock find --table 't.' 'a,' b.", "Now.",
		}},
	} {
		if got := wrapped(c.text, 20); !slices.Equal(got, c.want) {
			t.Errorf("%q is wrapped as\n%s\nwant\n%s", c.text, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}
