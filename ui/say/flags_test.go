package say_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// commandText finds a flag or a tallylock command in a text.
var commandText = regexp.MustCompile(
	`(^|[\s"'(\x60])--[a-z]|\btallylock (apply|bump|change|check|config|counters|delete|demo|doctor|find|journal|layout|mend|policy|query|release|undo)\b`,
)

// No package of dynamo names a flag or a command. Such a package names a remedy, and package say has the words.
func TestOnlyUINamesFlags(t *testing.T) {
	// The doctor reads the item with this key.
	allowed := map[string]bool{`"tallylock doctor"`: true}
	files := 0
	err := filepath.WalkDir("../../dynamo", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			text, ok := n.(*ast.BasicLit)
			if ok && text.Kind == token.STRING && !allowed[text.Value] && commandText.MatchString(text.Value) {
				t.Errorf("%s: %s", set.Position(text.Pos()), text.Value)
			}
			return true
		})
		return nil
	})
	if err != nil || files == 0 {
		t.Fatalf("%d files, %v", files, err)
	}
}
