package words

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/client"
)

// PrettyJSON lays JSON out for people: what fits into a row of w cells stands in one.
func PrettyJSON(data []byte, w int) string {
	var b strings.Builder
	layOut(&b, data, 0, w)
	return b.String()
}

// layOut writes one value that begins at a column.
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
	_, _ = dec.Token() // the bracket
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

// Write is one write of a step, in words.
type Write struct{ Verb, Key, Update, Condition string }

// Writes are the writes of a step, in words.
func Writes(s change.Step) []Write {
	out := make([]Write, 0, len(s.Writes))
	for _, w := range s.Writes {
		out = append(out, Write{string(w.Verb), keyWords(w), spelledOut(w, w.Update), spelledOut(w, w.Condition)})
	}
	return out
}

// alias is what an expression calls an attribute or a value.
var alias = regexp.MustCompile(`[#:]\w+`)

// spelledOut is an expression with the names and values that it stands for.
func spelledOut(w client.Write, expression string) string {
	return alias.ReplaceAllStringFunc(expression, func(a string) string {
		if name, ok := w.Names[a]; ok {
			return name
		}
		if v, ok := w.Values[a]; ok {
			if v.Kind == attr.S {
				return "\"" + v.Text + "\""
			}
			return v.Display()
		}
		return a
	})
}

// keyWords is the key that a write is about.
func keyWords(w client.Write) string {
	key := w.Key
	if hash := w.Names["#pk"]; key == nil && hash != "" { // a Put has its key in the item
		key = attr.Item{hash: w.Item[hash]}
	} else if key == nil {
		key = w.Item
	}
	var parts []string
	for _, name := range key.Names() {
		parts = append(parts, key[name].Display())
	}
	return strings.Join(parts, " / ")
}

// Requests is a plan as the bodies of its requests: DynamoDB JSON, one a step.
func Requests(p *change.Plan) (string, error) {
	var b strings.Builder
	for _, s := range p.Steps {
		body, err := s.Request()
		if err != nil {
			return "", err
		}
		b.WriteString(PrettyJSON(body, 100) + "\n")
	}
	return b.String(), nil
}
