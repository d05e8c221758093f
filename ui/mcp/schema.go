package mcp

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/google/jsonschema-go/jsonschema"

	"tallylock/docs/schema"
	"tallylock/ui/safe"
)

// outputSchema is the schema of a result.
func (t tool) outputSchema() (any, error) {
	data, err := t.data()
	if err != nil {
		return nil, err
	}
	price, err := jsonschema.For[cost](nil)
	if err != nil {
		return nil, err
	}
	defs := data["$defs"]
	delete(data, "$defs")
	return map[string]any{
		"type": "object", "additionalProperties": false, "$defs": defs,
		"required": []string{"notice", "masked", "cost", "table_data"},
		"properties": map[string]any{
			"notice": map[string]any{"type": "string"}, "masked": map[string]any{"type": "boolean"},
			"cost": price, "table_data": data,
		},
	}, nil
}

// printed returns the schema of a printed document, by its name in docs/schema. It leaves out descriptions, which are
// for people.
func printed(name string) (map[string]any, error) {
	text, err := schema.Files.ReadFile(name + ".json")
	if err != nil {
		return nil, err
	}
	var of map[string]any
	if err := json.Unmarshal(text, &of); err != nil {
		return nil, fmt.Errorf("docs/schema/%s.json: %w", name, err)
	}
	for _, key := range []string{"$id", "$schema", "title"} {
		delete(of, key)
	}
	undescribed(of)
	return of, nil
}

// undescribed removes the descriptions from a schema.
func undescribed(part any) {
	switch p := part.(type) {
	case []any:
		for _, each := range p {
			undescribed(each)
		}
	case map[string]any:
		if _, text := p["description"].(string); text {
			delete(p, "description")
		}
		for _, each := range p {
			undescribed(each)
		}
	}
}

// object is the schema of an object. Its fields may use definitions.
func object(required []string, fields, definitions map[string]any) map[string]any {
	return map[string]any{
		"type": "object", "additionalProperties": false, "required": required, "properties": fields, "$defs": definitions,
	}
}

// partOf takes the definitions out of a schema of a printed document, and adds them to others.
func partOf(name string, definitions map[string]any) (map[string]any, error) {
	of, err := printed(name)
	if err != nil {
		return nil, err
	}
	defs, _ := of["$defs"].(map[string]any)
	maps.Copy(definitions, defs)
	delete(of, "$defs")
	return of, nil
}

// visible makes each text in a JSON value visible: control, bidirectional and zero-width characters become escapes.
func visible(v any) any {
	switch of := v.(type) {
	case string:
		return safe.Text(of)
	case []any:
		for n, each := range of {
			of[n] = visible(each)
		}
	case map[string]any:
		out := make(map[string]any, len(of))
		for name, each := range of {
			out[safe.Text(name)] = visible(each)
		}
		return out
	}
	return v
}
