package attr

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		`"ada"`:                  `"ada"`,
		"\"\x7f\u0085\u009b\"":   `"\u007f\u0085\u009b"`,
		"\"gro\u202e\"":          `"gro\u202e"`,
		"\"\u200b\ufeff\u2028\"": `"\u200b\ufeff\u2028"`,
		"\"\U000e0041\"":         `"\udb40\udc41"`,
		"\"\u00a0\ufe0f\u3164\"": `"\u00a0\ufe0f\u3164"`,
		`"李 é 🚀"`:                `"李 é 🚀"`,
		"{\n  \"a\": 1\n}\n":     "{\n  \"a\": 1\n}\n",
	} {
		if got := string(visible([]byte(in))); got != want {
			t.Errorf("Visible(%q) = %q, want %q", in, got, want)
		}
	}
}

// visible keeps the meaning of a JSON text, and its result has no invisible characters.
func FuzzVisible(f *testing.F) {
	for _, seed := range []string{
		"ada", "\x1b]0;owned\x07\x1b[2Jroot", "gro.elpmaxe\u202e", "\u2028\u2029\u200b\ufeff", "\U000e0041\U0010ffff", "\"\\\\u0041", "\x00\x7f\u0085", "\xff\xed\xa0\x80",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var plain bytes.Buffer
		enc := json.NewEncoder(&plain)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(map[string][]string{s: {s}}); err != nil {
			t.Fatal(err)
		}
		shown := visible(plain.Bytes())
		if !utf8.Valid(shown) {
			t.Fatalf("%q is no UTF-8", shown)
		}
		for _, r := range string(bytes.TrimSuffix(shown, []byte("\n"))) {
			if !unicode.IsPrint(r) {
				t.Fatalf("%q shows %U", shown, r)
			}
		}
		var before, after map[string][]string
		if err := json.Unmarshal(plain.Bytes(), &before); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(shown, &after); err != nil {
			t.Fatal(err)
		}
		for name, values := range before {
			if len(after) != 1 || len(after[name]) != 1 || after[name][0] != values[0] {
				t.Fatalf("%q became %q", before, after)
			}
		}
	})
}
