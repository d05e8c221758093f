package dynamo

import (
	"encoding/json"
	"strings"

	"tallylock/dynamo/attr"
)

// document is a text that is JSON, as a map or list would be: an item that keeps its
// attributes so holds them all the same.
func document(text string) (attr.Value, bool) {
	text = strings.TrimSpace(text)
	if len(text) < 2 || (text[0] != '{' || text[len(text)-1] != '}') && (text[0] != '[' || text[len(text)-1] != ']') {
		return attr.Value{}, false
	}
	var parsed any
	if json.Unmarshal([]byte(text), &parsed) != nil {
		return attr.Value{}, false
	}
	return documentValue(parsed), true
}

func documentValue(parsed any) attr.Value {
	switch v := parsed.(type) {
	case string:
		return attr.String(v)
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
	return attr.Value{} // numbers would be rounded, and no others are values
}
