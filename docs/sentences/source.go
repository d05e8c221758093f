package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

var pattern = regexp.MustCompile(`^(?:stdout|stderr|exits)\b.*?'(.*)'$`)

// scripts collects the texts that scripts expect from the program.
func scripts(root string, add func(place, text string)) error {
	files, err := filepath.Glob(filepath.Join(root, "ui", "cli", "testdata", "script", "*.txtar"))
	if err != nil {
		return err
	}
	unescape := strings.NewReplacer(`\`, "", "''", "'", "[0-9]+", "N", ".*", "…")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(data)) {
			if m := pattern.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
				add(filepath.Base(file), unescape.Replace(m[1]))
			}
		}
	}
	return nil
}

// unseen are the folders whose texts reach no person. dynamo/embedded is the engine, which repeats DynamoDB's messages.
var unseen = []string{"internal", "docs", "dynamo/embedded", ".git", ".ci"}

// source collects the texts in the Go files, because frames and scripts show only some texts.
func source(root string, add func(place, text string)) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		place, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		for _, dir := range unseen {
			if entry.IsDir() && place == filepath.FromSlash(dir) {
				return filepath.SkipDir
			}
		}
		if entry.IsDir() || !strings.HasSuffix(place, ".go") || strings.HasSuffix(place, "_test.go") {
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if _, ok := n.(*ast.ImportSpec); ok {
				return false
			}
			if field, ok := n.(*ast.Field); ok && field.Tag != nil {
				field.Tag = nil
			}
			text, found := literal(n)
			if found {
				for line := range strings.SplitSeq(text, "\n\n") {
					add(place+":"+strconv.Itoa(files.Position(n.Pos()).Line), line)
				}
			}
			return !found
		})
		return nil
	})
}

// literal returns the text of a string, or of a sum of strings. Other values in the sum become "…".
func literal(n ast.Node) (text string, found bool) {
	switch n := n.(type) {
	case *ast.BasicLit:
		if n.Kind == token.STRING {
			text, err := strconv.Unquote(n.Value)
			return text, err == nil
		}
	case *ast.BinaryExpr:
		if n.Op == token.ADD {
			left, foundLeft := literal(n.X)
			right, foundRight := literal(n.Y)
			if foundLeft || foundRight {
				if !foundLeft {
					left = "…"
				}
				if !foundRight {
					right = "…"
				}
				return left + right, true
			}
		}
	}
	return "", false
}
