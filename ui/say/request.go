package say

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// AWSCommands returns the steps of a plan as AWS CLI commands for a POSIX shell, one for each step, with the same
// tokens. The command of a step that needs a reading of the table first is commented out, so that nobody deletes a lock
// by pasting all commands.
func AWSCommands(conn *dynamo.Connection, steps plan.Steps) (string, error) {
	profile, url, ok := conn.Reach()
	if !ok {
		return "", &client.Error{
			Kind: client.Unsupported,
			Op:   "writing a command",
			Why:  "the demo's tables are inside the program",
			Do:   "run: tallylock demo --serve 127.0.0.1:8000, and use its tables",
		}
	}
	flags := []string{"--region", conn.Region()}
	if profile != "" {
		flags = append(flags, "--profile", profile)
	}
	if url != "" {
		flags = append(flags, "--endpoint-url", url)
	}
	var out strings.Builder
	for _, one := range steps {
		request, err := one.Body()
		if err != nil {
			return "", err
		}
		if one.Only != "" {
			fmt.Fprintf(&out, "# %s, only if %s:\n# ", one.Name, one.Only)
		}
		out.WriteString("aws dynamodb transact-write-items")
		for _, flag := range flags {
			out.WriteString(" " + phrase.ShellWord(flag))
		}
		out.WriteString(" --cli-input-json " + phrase.ShellWord(string(request)) + "\n")
	}
	return out.String(), nil
}

// Write describes one write of a step in words.
type Write struct{ Verb, Key, Update, Condition string }

// Writes describes the writes of a step in words.
func Writes(s plan.Step) []Write {
	out := make([]Write, 0, len(s.Writes))
	for _, w := range s.Writes {
		e := w.Expressions()
		out = append(out, Write{string(w.Verb), w.Key.String(), spelledOut(e, e.Update), spelledOut(e, e.Condition)})
	}
	return out
}

// alias matches the placeholder of an attribute's name or a value in an expression.
var alias = regexp.MustCompile(`[#:]\w+`)

// spelledOut replaces the placeholders in an expression by names and values.
func spelledOut(e client.Expressions, expression string) string {
	return alias.ReplaceAllStringFunc(expression, func(a string) string {
		if name, ok := e.Names[a]; ok {
			return name
		}
		if v := e.Values[a]; v.Kind == attr.S {
			return "\"" + v.Text + "\""
		}
		return e.Values[a].Display()
	})
}

// Requests returns the bodies of a plan's requests as DynamoDB JSON, one for each step.
func Requests(p *plan.Plan) (string, error) {
	var b strings.Builder
	for _, s := range p.Steps {
		body, err := s.Body()
		if err != nil {
			return "", err
		}
		b.WriteString(PrettyJSON(body, 100) + "\n")
	}
	return b.String(), nil
}

// PrettyJSON formats JSON for people. A value that fits into w cells is on one line.
func PrettyJSON(data []byte, w int) string {
	var b strings.Builder
	layOut(&b, data, 0, w)
	return b.String()
}

// layOut writes one JSON value. Its first line begins at column col.
func layOut(b *strings.Builder, data []byte, col, w int) {
	var flat bytes.Buffer
	if err := json.Compact(&flat, data); err != nil {
		b.Write(data)
		return
	}
	data = flat.Bytes()
	if col+len(data) <= w || len(data) < 3 || (data[0] != '{' && data[0] != '[') {
		b.Write(data)
		return
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	_, _ = dec.Token() // the opening bracket or brace
	indent := strings.Repeat(" ", col+2)
	b.WriteByte(data[0])
	for first := true; dec.More(); first = false {
		if !first {
			b.WriteByte(',')
		}
		b.WriteString("\n" + indent)
		at := len(indent)
		if data[0] == '{' {
			from := dec.InputOffset()
			if _, err := dec.Token(); err != nil {
				return
			}
			name := bytes.TrimPrefix(data[from:dec.InputOffset()], []byte(","))
			b.Write(name)
			b.WriteString(": ")
			at += len(name) + 2
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return
		}
		if at+len(value) > w {
			at = len(indent)
		}
		layOut(b, value, at, w)
	}
	b.WriteString("\n" + strings.Repeat(" ", col))
	b.WriteByte(data[len(data)-1])
}
