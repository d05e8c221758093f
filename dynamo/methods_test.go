package dynamo_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// mostMethods is how many methods a type of its own has at most: one with more is two ideas,
// or three.
const mostMethods = 19

// TestTypesHaveFewMethods counts what no linter does: the methods of each type of the
// program, those of a type that it embeds left out.
func TestTypesHaveFewMethods(t *testing.T) {
	t.Parallel()
	allowed := map[string]string{
		"dynamo/client.Client": "a third of its methods say what it was connected with",
		"dynamo/scan.Page":     "one decoder, which the speed rests on",
	}
	count := map[string]int{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil {
				of := filepath.ToSlash(filepath.Dir(path)) + "." + receiver(f.Recv.List[0].Type)
				count[strings.TrimPrefix(of, "../")]++
			}
		}
		return nil
	})
	if err != nil || len(count) == 0 {
		t.Fatalf("%d types found, %v", len(count), err)
	}
	for of, why := range allowed {
		if count[of] <= mostMethods {
			t.Errorf("%s has %d methods, and needs no exception (%s)", of, count[of], why)
		}
	}
	for of, n := range count {
		if n > mostMethods && allowed[of] == "" {
			t.Errorf("%s has %d methods, and %d are the most: give a part of what it does a type of its own", of, n, mostMethods)
		}
	}
}

// receiver is the name of a method's type.
func receiver(of ast.Expr) string {
	switch e := of.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
