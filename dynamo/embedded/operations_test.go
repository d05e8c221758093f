package embedded_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"tallylock/dynamo/embedded"
)

// docs/engine.md lists the operations that the engine answers, and no others.
func TestDocumentedOperations(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "engine.md"))
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([A-Za-z]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		documented = append(documented, row[1])
	}
	if want := embedded.Operations(); !slices.Equal(documented, want) {
		t.Errorf("documented %v\nanswered %v", documented, want)
	}
}
