package corpus_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/embedded/sdk"
)

// describe parses "name PK SK:N +GSI1PK/GSI1SK" into the parameters of CreateTable.
func describe(description string) tableJSON {
	words := strings.Fields(description)
	t := tableJSON{create: map[string]any{"TableName": words[0], "BillingMode": "PAY_PER_REQUEST"}}
	var defined []string
	var definitions, indexes []any
	schema := func(keys []string) (schema []any) {
		for n, key := range keys {
			name, kind, _ := strings.Cut(key, ":")
			if kind == "" {
				kind = "S"
			}
			if !slices.Contains(defined, name) {
				defined = append(defined, name)
				definitions = append(definitions, map[string]any{"AttributeName": name, "AttributeType": kind})
			}
			schema = append(schema, map[string]any{"AttributeName": name, "KeyType": []string{"HASH", "RANGE"}[n]})
		}
		return schema
	}
	own := slices.DeleteFunc(slices.Clone(words[1:]), func(w string) bool { return strings.HasPrefix(w, "+") })
	t.create["KeySchema"] = schema(own)
	for _, w := range words[1:] {
		if index, is := strings.CutPrefix(w, "+"); is {
			keys := strings.Split(index, "/")
			name, _, _ := strings.Cut(keys[0], ":")
			indexes = append(indexes, map[string]any{"IndexName": name + "-index", "KeySchema": schema(keys), "Projection": map[string]any{"ProjectionType": "ALL"}})
		}
	}
	if len(indexes) > 0 {
		t.create["GlobalSecondaryIndexes"] = indexes
	}
	t.create["AttributeDefinitions"] = definitions
	t.keys = keysOf(t.create)
	return t
}

// keysOf lists the names of a table's keys.
func keysOf(create map[string]any) (names []string) {
	for _, part := range create["KeySchema"].([]any) {
		names = append(names, part.(map[string]any)["AttributeName"].(string))
	}
	return names
}

func (t tableJSON) name() string { return t.create["TableName"].(string) }

// id returns a text with the table and key of an item.
func (t tableJSON) id(item jsonItem) string {
	id := t.name()
	for _, name := range t.keys {
		for kind, text := range item[name].(map[string]any) {
			id += fmt.Sprintf(" %s=%s:%s", name, kind, text)
		}
	}
	return id
}

// place returns the same text as id, for a key of the program.
func (w *world) place(table string, key attr.Item) string {
	for _, t := range w.tables {
		if t.name() != table {
			continue
		}
		id := table
		for _, name := range t.keys {
			id += fmt.Sprintf(" %s=%s:%s", name, key[name].Kind, key[name].Text)
		}
		return id
	}
	return table
}

// engine returns an engine with the tables. Each table has its items in the order of their keys.
func (w *world) engine(t testing.TB) *embedded.Engine {
	t.Helper()
	e := embedded.New()
	post := func(operation string, body any) {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		if status, answer, err := sdk.Post(t.Context(), e.Transport(), operation, string(text)); err != nil || status != 200 {
			t.Fatalf("%s: %d %s %v", operation, status, answer, err)
		}
	}
	for _, table := range w.tables {
		post("CreateTable", table.create)
		seen := map[string]bool{}
		for some := range slices.Chunk(table.items, 25) {
			var puts []any
			for _, item := range some {
				if id := table.id(item); seen[id] {
					t.Fatalf("two items have one key: %s", id)
				} else {
					seen[id] = true
				}
				puts = append(puts, map[string]any{"PutRequest": map[string]any{"Item": item}})
			}
			post("BatchWriteItem", map[string]any{"RequestItems": map[string]any{table.name(): puts}})
		}
	}
	return e
}
