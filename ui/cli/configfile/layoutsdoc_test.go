package configfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tallylock/dynamo/check/finding"
)

// Each example of docs/layouts.md is a valid config, and the page explains each kind of finding.
func TestDocumentedLayouts(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "layouts.md"))
	if err != nil {
		t.Fatal(err)
	}
	doc := string(data)
	blocks := strings.Split(doc, "```toml\n")
	for _, block := range blocks[1:] {
		text, _, closed := strings.Cut(block, "```")
		c, err := Parse([]byte(text))
		if err != nil || !closed || len(c.Layouts) != 1 {
			t.Errorf("%v\n%s", err, text)
		}
	}
	if len(blocks) < 10 {
		t.Errorf("%d examples are too few", len(blocks)-1)
	}
	for _, kind := range finding.Kinds() {
		if !strings.Contains(doc, "| `"+string(kind)+"` |") {
			t.Errorf("it does not say what %s is", kind)
		}
	}
}
