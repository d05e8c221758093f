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
		e := w.Expressions()
		out = append(out, Write{string(w.Verb), w.Key.String(), spelledOut(e, e.Update), spelledOut(e, e.Condition)})
	}
	return out
}

// alias is what an expression calls an attribute or a value.
var alias = regexp.MustCompile(`[#:]\w+`)

// spelledOut is an expression with the names and values that it stands for.
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
