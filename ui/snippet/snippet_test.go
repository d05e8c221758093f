package snippet_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo/adopt"
	"tallylock/internal/fixture"
	"tallylock/internal/protocol"
	"tallylock/internal/testrun"
	"tallylock/ui/safe"
	"tallylock/ui/snippet"
)

var update = flag.Bool("update", false, "write testdata again")

func TestMain(m *testing.M) {
	testrun.Isolate()
	os.Exit(m.Run())
}

const verify = "tallylock adopt email --verify"

// world has the tables of a case, and one account without a lock. The id of the account is 1, and its value is the
// first value of the case.
type world struct {
	*fixture.Tables
	protocol.Case
	rule     *adopt.Rule
	protocol *adopt.Protocol
}

func begin(t *testing.T, c protocol.Case) *world {
	t.Helper()
	f := fixture.New(t)
	old, err := c.Old("1", c.Values[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Create(t.Context(), f.App()); err != nil {
		t.Fatal(err)
	}
	f.Put(c.Accounts, old)
	r, err := adopt.Open(t.Context(), f.Open(c.Accounts, fixture.Described(c.Layout())), "email")
	if err != nil {
		t.Fatal(err)
	}
	p, err := adopt.NewProtocol(r, false)
	if err != nil {
		t.Fatal(err)
	}
	return &world{f, c, r, p}
}

func (w *world) code(language snippet.Language, strict bool) string {
	w.T.Helper()
	p, err := adopt.NewProtocol(w.rule, strict)
	if err != nil {
		w.T.Fatal(err)
	}
	code, err := snippet.Code(p, language, verify)
	if err != nil {
		w.T.Fatal(err)
	}
	return code
}

// The code of two layouts is as in testdata.
func TestCode(t *testing.T) {
	t.Parallel()
	for n, c := range protocol.Cases() {
		if n > 1 {
			break
		}
		w := begin(t, c)
		for language, end := range map[snippet.Language]string{snippet.Go: "go.txt", snippet.Python: "py", snippet.JavaScript: "mjs"} {
			code, path := w.code(language, n == 1), filepath.Join("testdata", c.Name+"."+end)
			if *update {
				if err := os.WriteFile(path, []byte(code), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(path); err != nil || code != string(want) {
				t.Errorf("%s differs (%v); look at it, and write it with -update:\n%s", path, err, code)
			}
		}
	}
}

// The code has no character that a terminal runs, hides or reorders.
func TestCodeIsVisible(t *testing.T) {
	t.Parallel()
	for _, c := range protocol.Cases() {
		w := begin(t, c)
		for _, language := range snippet.Languages() {
			for line := range strings.Lines(strings.ReplaceAll(w.code(language, false), "\t", " ")) {
				if line = strings.TrimSuffix(line, "\n"); safe.Text(line) != line {
					t.Errorf("%s in %s has %q", c.Name, language, line)
				}
			}
		}
	}
}

// A command with a line break stays in its comment.
func TestCommandStaysInComment(t *testing.T) {
	t.Parallel()
	w := begin(t, protocol.Cases()[0])
	for _, language := range snippet.Languages() {
		code, err := snippet.Code(w.protocol, language, "tallylock adopt 'x\nimport os\u2028y'")
		if err != nil || strings.Contains(code, "\nimport os") || strings.Contains(code, "\u2028") {
			t.Errorf("%s: %v\n%s", language, err, code)
		}
	}
}

// The code of a change raises the version of the account, and imports the type of its number.
func TestTheVersionIsRaised(t *testing.T) {
	t.Parallel()
	c := protocol.Cases()[0]
	c.Account.Version = "version"
	w := begin(t, c)
	for language, number := range map[snippet.Language]string{
		snippet.Go: `&types.AttributeValueMemberN{Value: "1"}`, snippet.Python: `Decimal("1")`,
		snippet.JavaScript: `NumberValue.from("1")`,
	} {
		code := w.code(language, false)
		for text, times := range map[string]int{
			"#version = if_not_exists(#version, :zero) + :one": 1, number: 1, "from decimal import Decimal": 1, "{ NumberValue, ": 1,
		} {
			switch {
			case strings.HasPrefix(text, "from") && language != snippet.Python,
				strings.HasPrefix(text, "{") && language != snippet.JavaScript:
				times = 0
			}
			if got := strings.Count(code, text); got < times || times == 0 && got > 0 {
				t.Errorf("%s has %d times %q", language, got, text)
			}
		}
		if strings.Contains(code, "Pass numbers as text") {
			t.Errorf("%s asks for numbers, but has none to pass", language)
		}
	}
}

// If a part of a key has a hostile name, its parameter gets another name.
func TestPartsGetOtherNames(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"TENANT#{class}": "def account_key(part1, id):", "TENANT#{to}": "def account_key(part1, id):",
		"TENANT#{arguments}": "def account_key(part1, id):", "TENANT#{action}": "def account_key(part1, id):",
		"{class}#{part1}": "def account_key(part1x, part1, id):",
	} {
		c := protocol.Cases()[2]
		c.Accounts, c.Account.PK = "odd", key
		c.Account.Constraints = slices.Clone(c.Account.Constraints)
		c.Account.Constraints[0].PK = key + "#EMAIL#{v}"
		c.Parts = map[string]string{"class": "acme", "to": "acme", "arguments": "acme", "action": "acme", "part1": "west"}
		if code := begin(t, c).code(snippet.Python, false); !strings.Contains(code, want) {
			t.Errorf("%s: %s", key, code)
		}
	}
}

// module writes the Go code of all cases as packages of a module, with a command that calls them.
func module(t *testing.T, worlds []*world, strict bool) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	write("go.mod", strings.Replace(read("../../go.mod"), "module tallylock", "module snippets", 1))
	write("go.sum", read("../../go.sum"))
	write("main.go", read("testdata/runner.go.txt"))
	imports, list := "", ""
	for n, w := range worlds {
		write(fmt.Sprintf("c%d/unique.go", n), w.code(snippet.Go, strict))
		imports += fmt.Sprintf("import c%d \"snippets/c%[1]d\"\n", n)
		list += fmt.Sprintf(`%q: {
			map[string]any{"SignUp": c%[2]d.SignUp, "ChangeValue": c%[2]d.ChangeValue, "DeleteAccount": c%[2]d.DeleteAccount, "LockValue": c%[2]d.LockValue},
			map[string]error{"AccountExists": c%[2]d.ErrAccountExists, "AccountChanged": c%[2]d.ErrAccountChanged, "ValueTaken": c%[2]d.ErrValueTaken, "LockMismatch": c%[2]d.ErrLockMismatch, "NoValue": c%[2]d.ErrNoValue},
		},
		`, w.Name, n)
	}
	write("list.go", "package main\n"+imports+`
var snippets = map[string]struct {
	functions map[string]any
	refusals  map[string]error
}{
`+list+"}\n")
	return dir
}

// goCommand runs the go command in a module. It downloads nothing.
func goCommand(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// The Go code of each layout compiles.
func TestGoCodeCompiles(t *testing.T) {
	t.Parallel()
	if !testrun.Long() {
		t.Skip("the Go compiler takes some seconds: set TALLYLOCK_LONG=1")
	}
	var worlds []*world
	for _, c := range protocol.Cases() {
		worlds = append(worlds, begin(t, c))
	}
	goCommand(t, module(t, worlds, false), "vet", "./...")
}
