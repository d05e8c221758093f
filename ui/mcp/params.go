package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"tallylock/dynamo/mistake"
	"tallylock/ui/safe"
)

// param is a parameter of a tool.
type param struct {
	name     string
	schema   *jsonschema.Schema
	want     string // completes "it must be" in an error
	required bool
}

// Limits of parameters, in characters.
const (
	longestValue  = 2048 // the longest key in DynamoDB
	longestReason = 1000
	longestID     = 64
)

// textParam is a parameter with a text that must not be empty.
func textParam(name, about string, most int) param {
	return param{
		name: name, required: true, want: fmt.Sprintf("a text of 1 to %d characters", most),
		schema: &jsonschema.Schema{
			Type: "string", Description: about, MinLength: new(1), MaxLength: new(most),
		},
	}
}

// oneOf is a parameter with a fixed set of texts.
func oneOf(name, about string, texts []string) param {
	p := param{
		name: name, want: "one of: " + strings.Join(texts, ", "),
		schema: &jsonschema.Schema{Type: "string", Description: about},
	}
	for _, text := range texts {
		p.schema.Enum = append(p.schema.Enum, text)
	}
	return p
}

// someOf is a parameter with a list of texts from a fixed set.
func someOf(name, about string, texts []string) param {
	each := oneOf(name, "", texts)
	return param{
		name: name, want: "a list with any of: " + strings.Join(texts, ", "),
		schema: &jsonschema.Schema{
			Type: "array", Description: about, Items: each.schema, MaxItems: new(len(texts)),
		},
	}
}

// numberParam is a parameter with a whole number.
func numberParam(name, about string, least, most int) param {
	return param{
		name: name, want: fmt.Sprintf("a whole number from %d to %d", least, most),
		schema: &jsonschema.Schema{
			Type: "integer", Description: about,
			Minimum: new(float64(least)), Maximum: new(float64(most)),
		},
	}
}

// inputSchema is the schema of the parameters of a tool.
func inputSchema(params []param) *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type: "object", Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
	for _, p := range params {
		s.Properties[p.name] = p.schema
		if p.required {
			s.Required = append(s.Required, p.name)
		}
	}
	return s
}

// decode checks the arguments of a call, and stores them in the value of the parameter into. The schema makes the same
// checks, but its errors are not one clear line.
func decode(tool string, params []param, arguments json.RawMessage, into any) error {
	op := "reading the parameters of " + tool
	var given map[string]json.RawMessage
	if len(arguments) > 0 && json.Unmarshal(arguments, &given) != nil {
		return &failure{Op: op, Why: "the parameters are not an object", Do: "send a JSON object"}
	}
	var names []string
	for _, p := range params {
		names = append(names, p.name)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(names, name) {
			return &failure{
				Op: op, Why: "there is no parameter " + brief(name) + mistake.Meant(name, names...),
				Do: "use only: " + strings.Join(names, ", "),
			}
		}
	}
	for _, p := range params {
		text, has := given[p.name]
		if !has && !p.required {
			continue
		}
		if !has {
			return &failure{Op: op, Why: "the parameter " + p.name + " is missing", Do: "add it: " + p.want}
		}
		var value any
		resolved, err := p.schema.Resolve(nil)
		if err == nil {
			err = json.Unmarshal(text, &value)
		}
		if err == nil {
			err = resolved.Validate(value)
		}
		if err != nil {
			return &failure{Op: op, Why: "the parameter " + p.name + " is wrong", Do: "it must be " + p.want}
		}
	}
	if len(arguments) == 0 {
		return nil
	}
	if json.Unmarshal(arguments, into) != nil {
		return &failure{Op: op, Why: "a parameter has the wrong form", Do: "write whole numbers without a point"}
	}
	return nil
}

// brief quotes a text of the assistant for an error. It cuts a long text.
func brief(text string) string {
	const most = 40
	if all := []rune(text); len(all) > most {
		text = string(all[:most]) + "…"
	}
	return `"` + safe.Text(text) + `"`
}

// scopeParam is the parameter for parts of a key besides the value.
func scopeParam() param {
	return param{
		name: "scope", want: "an object of at most 10 short texts",
		schema: &jsonschema.Schema{
			Type: "object", Description: "parts of the key besides the value, such as {\"tenant\": \"acme\"}",
			AdditionalProperties: &jsonschema.Schema{Type: "string", MaxLength: new(longestValue)},
			MaxProperties:        new(10),
		},
	}
}
