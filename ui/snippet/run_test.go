package snippet_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout"
	"tallylock/internal/fixture"
	"tallylock/internal/protocol"
	"tallylock/ui/snippet"
)

// The variables of .ci/writers: a Python with boto3, and a folder whose node_modules has the SDK of JavaScript.
const (
	pythonVariable = "TALLYLOCK_TEST_PYTHON"
	nodeVariable   = "TALLYLOCK_TEST_NODE"
)

// runner is a process that calls the functions of a snippet.
type runner struct {
	*testing.T
	in      io.WriteCloser
	out     *bufio.Scanner
	command string
}

func start(t *testing.T, command ...string) *runner {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.Contains(v, "proxy") || strings.Contains(v, "PROXY") })
	r := &runner{T: t, command: command[0]}
	var err error
	if r.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = r.in.Close()
		_ = cmd.Wait()
	})
	r.out = bufio.NewScanner(out)
	return r
}

// call calls a function and returns "ok", the name of an error, or "=" and the function's result.
func (r *runner) call(op string, account map[string]any, args ...string) string {
	r.Helper()
	line, err := json.Marshal(map[string]any{"op": op, "token": fmt.Sprint(time.Now().UnixNano()), "account": account, "args": args})
	if err != nil {
		r.Fatal(err)
	}
	if _, err := r.in.Write(append(line, '\n')); err != nil {
		r.Fatal(err)
	}
	if !r.out.Scan() {
		r.Fatalf("%s ended at %s %q", r.command, op, args)
	}
	var result string
	if err := json.Unmarshal(r.out.Bytes(), &result); err != nil {
		r.Fatalf("%s: %s", err, r.out.Bytes())
	}
	return result
}

// does calls a function for an account, and compares the result.
func (r *runner) does(w *world, want, op, id string, values ...string) {
	r.Helper()
	account := map[string]any{"name": "New"}
	if first, rest, nested := strings.Cut(w.Account.Constraints[0].Attribute, "."); nested {
		account[first] = map[string]any{rest: values[0]}
	}
	var args []string
	for _, part := range w.protocol.Parts {
		args = append(args, cmp.Or(w.Parts[part.Name], id))
	}
	if got := r.call(op, account, append(args, values...)...); got != want {
		r.Errorf("%s of %s with %q: %s, not %s", op, id, values, got, want)
	}
}

// odd are values that languages could normalise differently.
var odd = []string{
	"plain", " Ada@Lovelace.IO ", "\u0085x\u0085", "\ufeffx\ufeff", "\x1cx\x1f", "\u180ex\u180e", "\u200bx\u200b", "\u2028x\u2029",
	"\u3000x\u00a0", "STRASSE STRAßE ẞ", "İstanbul ıI", "ΟΔΥΣΣΕΥΣ ΣΑΣ ΣΣ. Σ", "ﬁﬂ Ǆ ǅ ǆ", "Å \u212b A\u030a", "ﾊﾞ ﾊ\uff9e", "①½ﬃ", "가\u1100\u1161",
	"a+b c%20!*'()~-_.", "日本語 🔒", "ἈΛΦΑ ᾳ ᾼ", "\u0130\u0307", "\u1e9e\u0149", "Ǆ\u0323\u0307", "x\ty\nz", "e\u0301\u0323",
}

// languages returns the runners of each language for a case.
func languages(t *testing.T, worlds []*world, strict bool) map[snippet.Language]func(w *world, url string) []string {
	python, node := os.Getenv(pythonVariable), os.Getenv(nodeVariable)
	if python == "" || node == "" {
		t.Skip("needs boto3 and the SDK of JavaScript: run .ci/writers")
	}
	runnerFile := func(name string) string {
		path, err := filepath.Abs(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	dir := module(t, worlds, strict)
	goCommand(t, dir, "vet", "./...")
	goCommand(t, dir, "build", "-o", "runner", ".")
	source := func(w *world, language snippet.Language, path string) string {
		if err := os.WriteFile(path, []byte(w.code(language, strict)), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	script, err := os.ReadFile(runnerFile("runner.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	// Node.js looks for node_modules beside the file and above it.
	modules, err := os.MkdirTemp(node, "snippets")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(modules) })
	if err := os.WriteFile(filepath.Join(modules, "runner.mjs"), script, 0o600); err != nil {
		t.Fatal(err)
	}
	return map[snippet.Language]func(w *world, url string) []string{
		snippet.Go: func(w *world, url string) []string { return []string{filepath.Join(dir, "runner"), w.Name, url} },
		snippet.Python: func(w *world, url string) []string {
			return []string{python, runnerFile("runner.py"), source(w, snippet.Python, filepath.Join(t.TempDir(), "unique.py")), url}
		},
		snippet.JavaScript: func(w *world, url string) []string {
			return []string{"node", filepath.Join(modules, "runner.mjs"), source(w, snippet.JavaScript, filepath.Join(modules, w.Name+".mjs")), url}
		},
	}
}

// serve serves the tables over HTTP.
func serve(t *testing.T, w *world) string {
	ctx, cancel := context.WithCancel(context.Background())
	urls, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- w.Engine.Serve(ctx, "127.0.0.1:0", func(url string) { urls <- url }) }()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	select {
	case url := <-urls:
		return url
	case err := <-ended:
		t.Fatal(err)
		return ""
	}
}

// sound checks the tables: there must be no finding.
func (w *world) sound() {
	w.T.Helper()
	table := w.Open(w.Accounts, fixture.Described(w.Layout()), func(o *dynamo.Options) { o.Settle = time.Millisecond })
	sum, err := check.Run(w.T.Context(), table, setting.Options{}, func(f finding.Finding) {
		w.T.Errorf("%s: %s %s", w.Name, f.Kind, f.Value)
	}, nil)
	if err != nil || !sum.Complete {
		w.T.Errorf("the check is incomplete: %v", err)
	}
}

// The code of each language keeps the locks of each layout, and says why it refuses.
func TestCodeRuns(t *testing.T) {
	var worlds []*world
	for _, c := range protocol.Cases() {
		worlds = append(worlds, begin(t, c))
	}
	for language, command := range languages(t, worlds, false) {
		for _, w := range worlds {
			t.Run(string(language)+"/"+w.Name, func(t *testing.T) {
				t.Parallel()
				w := begin(t, w.Case)
				r, v := start(t, command(w, serve(t, w))...), w.Values
				r.does(w, "ok", "SignUp", "2", v[1])
				r.does(w, "ValueTaken", "SignUp", "3", v[1])
				r.does(w, "AccountExists", "SignUp", "2", v[2])
				r.does(w, "ok", "ChangeValue", "2", v[1], v[2])
				r.does(w, "AccountChanged", "ChangeValue", "2", v[1], v[2])
				r.does(w, "ok", "SignUp", "3", v[1])
				r.does(w, "ValueTaken", "ChangeValue", "2", v[2], v[1])
				r.does(w, "ValueTaken", "ChangeValue", "1", v[0], v[2])
				r.does(w, "ok", "DeleteAccount", "2", v[2])
				r.does(w, "AccountChanged", "DeleteAccount", "2", v[2])
				r.does(w, "ok", "ChangeValue", "1", v[0], v[2])
				w.sound()
				r.does(w, "ok", "ChangeValue", "1", v[2], v[0])
				if w.Respelt != "" {
					r.does(w, "ok", "ChangeValue", "1", v[0], w.Respelt)
					r.does(w, "ok", "ChangeValue", "1", w.Respelt, v[0])
				}
				w.sound()
				r.does(w, "ok", "DeleteAccount", "1", v[0])
				w.sound()
				other, err := w.Old("4", v[0])
				if err != nil {
					t.Fatal(err)
				}
				w.Put(w.Accounts, other)
				r.does(w, "ok", "SignUp", "5", v[0]) // before Verify, an old account has no lock
				r.does(w, "LockMismatch", "DeleteAccount", "4", v[0])
				r.does(w, "ok", "DeleteAccount", "5", v[0])
				r.does(w, "ok", "DeleteAccount", "4", v[0])
				w.sound()
				r.does(w, "NoValue", "SignUp", "6", "")
				w.normalises(t, r)
			})
		}
	}
}

// normalises compares the normaliser of the code with the layout's.
func (w *world) normalises(t *testing.T, r *runner) {
	if w.Number {
		for text, want := range map[string]string{"0": "=0", "-0.5": "=-0.5", "120": "=120", "1.50": "NoValue", "007": "NoValue", "1e3": "NoValue", "-0": "NoValue"} {
			if got := r.call("LockValue", nil, text); got != want && !(want == "NoValue" && r.command != "" && strings.HasSuffix(r.command, "runner")) {
				t.Errorf("%q becomes %s, not %s", text, got, want)
			}
		}
		return
	}
	for _, text := range odd {
		want := "=" + layout.Normalise(w.rule.Constraint.Normalise, text)
		if got := r.call("LockValue", nil, text); got != want {
			t.Errorf("%q becomes %q, not %q", text, got, want)
		}
	}
}

// Strict code requires the lock of the old value.
func TestStrictCodeRuns(t *testing.T) {
	w := begin(t, protocol.Cases()[1])
	for language, command := range languages(t, []*world{w}, true) {
		t.Run(string(language), func(t *testing.T) {
			w := begin(t, w.Case)
			r, v := start(t, command(w, serve(t, w))...), w.Values
			r.does(w, "LockMismatch", "ChangeValue", "1", v[0], v[1])
			r.does(w, "LockMismatch", "ChangeValue", "1", v[0], w.Respelt)
			r.does(w, "LockMismatch", "DeleteAccount", "1", v[0])
			r.does(w, "ok", "SignUp", "2", v[1])
			r.does(w, "ok", "ChangeValue", "2", v[1], v[2])
			r.does(w, "ok", "DeleteAccount", "2", v[2])
		})
	}
}
