package script

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/rogpeppe/go-internal/testscript"
)

// checkJSON is the command "json PATH WANT". Standard output must be one JSON text with WANT at PATH, such as
// 0.locks.1.verdict. WANT is a text, or JSON. Without PATH, standard output must only be one JSON text.
func checkJSON(ts *testscript.TestScript, neg bool, args []string) {
	check(ts, neg, args, ts.ReadFile("stdout"))
}

// checkLines is the command "jsonl", which works like json for output with one object in each line.
func checkLines(ts *testscript.TestScript, neg bool, args []string) {
	lines := strings.Split(strings.TrimSuffix(ts.ReadFile("stdout"), "\n"), "\n")
	check(ts, neg, args, "["+strings.Join(lines, ",")+"]")
}

// keep is the command "keep NAME PATH". It sets the environment variable NAME to the JSON at PATH in standard output.
func keep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: keep NAME PATH")
	}
	ts.Setenv(args[0], lookUp(ts, args[1], ts.ReadFile("stdout")))
}

func check(ts *testscript.TestScript, neg bool, args []string, text string) {
	switch len(args) {
	case 0:
		lookUp(ts, "", text)
	case 2:
		if got := lookUp(ts, args[0], text); (got == args[1]) == neg {
			ts.Fatalf("%s is %s", args[0], got)
		}
	default:
		ts.Fatalf("usage: [!] json [PATH WANT]")
	}
}

// lookUp returns the value at a path of a JSON text: a string as text, and other values as JSON.
func lookUp(ts *testscript.TestScript, path, text string) string {
	var at any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	ts.Check(dec.Decode(&at))
	if _, err := dec.Token(); err != io.EOF {
		ts.Fatalf("something follows the JSON text: %v", err)
	}
	for step := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '.' }) {
		switch v := at.(type) {
		case map[string]any:
			found, ok := v[step]
			if !ok {
				ts.Fatalf("there is no %s in %v", step, v)
			}
			at = found
		case []any:
			n, err := strconv.Atoi(step)
			if err != nil || n >= len(v) {
				ts.Fatalf("there is no %s in %v", step, v)
			}
			at = v[n]
		default:
			ts.Fatalf("there is no %s in %v", step, v)
		}
	}
	got, isText := at.(string)
	if !isText {
		data, err := json.Marshal(at)
		ts.Check(err)
		got = string(data)
	}
	return got
}

// printable is a command that fails if standard output or standard error has unprintable characters.
func printable(ts *testscript.TestScript, _ bool, _ []string) {
	for _, stream := range []string{"stdout", "stderr"} {
		for n, line := range bytes.Split([]byte(ts.ReadFile(stream)), []byte("\n")) {
			if i := bytes.IndexFunc(line, func(r rune) bool {
				return r == unicode.ReplacementChar ||
					!unicode.IsPrint(r)
			}); i >= 0 {
				ts.Fatalf("%s", fmt.Sprintf("%s, line %d: %q", stream, n+1, line[i:]))
			}
		}
	}
}
