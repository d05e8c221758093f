package layout_test

import (
	"testing"

	"tallylock/dynamo/layout"
)

// Two spellings have the same form if applications may treat them as one value. Other values have different forms.
func TestForms(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		typed, kept string
		same        bool
	}{
		{"Katherine.Wirth@Corp.io", "katherinewirth@corp.io", true},
		{"ada+news@x.io", "ada@x.io", true},
		{"ada@googlemail.com", "ada@gmail.com", true},
		{"+49 (0)30 555-1813", "0305551813", true},
		{"030 5551 8139", "+493055518139", true},
		{"00740", "740", true},
		{"Zoë", "zoe", true},
		{"Müller", "mueller", true},
		{"Strauß", "strauss", true},
		{"ŁÓDŹ", "lodz", true},
		{"İstanbul", "istanbul", true},
		{"Ada Lovelace 1815", "ada-lovelace-1815", true},
		{"@ada", "ada", true},
		{"https://www.ada.io/", "ada.io", true},
		{"a-very-long-name-that-is-cut-off", "averylongnamethatis", true},
		{"ada1", "ada2", false},
		{"ada", "adalovelace", false},
		{"ada@x.io", "ada@y.io", false},
		{"ada@x.io", "ada", false},
		{"12", "120", false},
		{"…", "—", false},
		{"", "", false},
	} {
		a, b := layout.AppendForm(nil, tc.typed), layout.AppendForm(nil, tc.kept)
		if got := layout.SameForm(string(a), string(b)); got != tc.same {
			t.Errorf("%q and %q: %q, %q: same %v; want %v", tc.typed, tc.kept, a, b, got, tc.same)
		}
	}
}

func FuzzForm(f *testing.F) {
	for _, text := range []string{"ada@x.io", "İ+\xff@", "http://", "+", "ﬁ\u0301", "0000"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		form := string(layout.AppendForm(nil, text))
		if again := string(layout.AppendForm([]byte("x"), text)); again != "x"+form {
			t.Errorf("%q: %q behind another text is %q", text, form, again)
		}
	})
}
