package words

import (
	"regexp"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/client"
)

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
		body, err := s.Body()
		if err != nil {
			return "", err
		}
		b.WriteString(PrettyJSON(body, 100) + "\n")
	}
	return b.String(), nil
}
