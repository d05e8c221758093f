package embedded

import (
	"strings"
	"testing"
)

func TestNamesOfAttributes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		fine bool
	}{{"a", true}, {strings.Repeat("n", 65_535), true}, {"", false}, {strings.Repeat("n", 65_536), false}} {
		for _, text := range []string{`{"` + c.name + `":{"S":"x"}}`, `{"m":{"M":{"` + c.name + `":{"S":"x"}}}}`} {
			if _, err := decodeItem(text, nil); (err == nil) != c.fine {
				t.Errorf("a name of %d bytes: %v", len(c.name), err)
			}
		}
	}
}
