package dynamo

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"tallylock/dynamo/attr"
)

// document parses a text that is JSON, or lines of it, as a list: an item that keeps its attributes
// so holds them all the same.
func document(text string) (attr.Value, bool) {
	text = strings.TrimSpace(text)
	if len(text) < 2 {
		return attr.Value{}, false
	}
	switch text[:1] + text[len(text)-1:] {
	case "{}", "[]", `""`:
	default:
		return attr.Value{}, false
	}
	var all []attr.Value
	for d := newDecoder(text); ; {
		var parsed any
		switch err := d.Decode(&parsed); {
		case err == nil:
			all = append(all, documentValue(parsed))
		case errors.Is(err, io.EOF):
			return attr.Value{Kind: attr.L, List: all}, true
		default:
			return attr.Value{}, false
		}
	}
}

// newDecoder reads one value of JSON after the other, as in JSON lines, and rounds no number.
func newDecoder(text string) *json.Decoder {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return d
}

func documentValue(parsed any) attr.Value {
	switch v := parsed.(type) {
	case string:
		return attr.String(v)
	case json.Number:
		return attr.Number(v.String())
	case []any:
		list := attr.Value{Kind: attr.L}
		for _, e := range v {
			list.List = append(list.List, documentValue(e))
		}
		return list
	case map[string]any:
		fields := attr.Value{Kind: attr.M, Map: map[string]attr.Value{}}
		for name, e := range v {
			fields.Map[name] = documentValue(e)
		}
		return fields
	}
	return attr.Value{} // true, false or null
}
