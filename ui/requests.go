package ui

import (
	"regexp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/client"
)

// written is one write of a step, in words.
type written struct{ verb, key, update, condition string }

func writeWords(s change.Step) []written {
	out := make([]written, 0, len(s.Writes))
	for _, w := range s.Writes {
		out = append(out, written{string(w.Verb), keyWords(w), spelledOut(w, w.Update), spelledOut(w, w.Condition)})
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

// requests is a plan as the bodies of its requests: DynamoDB JSON, one a step.
func requests(p *change.Plan) (string, error) {
	var b strings.Builder
	for _, s := range p.Steps {
		body, err := s.Request()
		if err != nil {
			return "", err
		}
		b.WriteString(pretty(body, 100) + "\n")
	}
	return b.String(), nil
}

// copyRequests copies a plan as DynamoDB JSON.
func (a *app) copyRequests(p *change.Plan) tea.Cmd {
	if p == nil {
		return a.say("The journal does not say what was sent.")
	}
	text, err := requests(p)
	if err != nil {
		return a.complain("Copying the request: " + err.Error() + ".")
	}
	return a.copy("the request as DynamoDB JSON", text)
}
