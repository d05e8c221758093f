package sql

import (
	"encoding/json"
	"strings"

	"tallylock/dynamo/attr"
)

// field is a member of a result's row, with its value as JSON. It is omitted if that is NULL.
type field struct {
	name  string
	value expr
}

// jsonText writes a text as JSON, with no more escapes than necessary.
func jsonText(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil {
		return `""` // no text fails
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// quoted writes a text of the engine as JSON.
func quoted(e expr) expr { return of("quote", e) }

// truth writes a condition as JSON.
func truth(e expr) expr { return choose(when{e, str("true")}, when{yes(), str("false")}) }

// row is a row of the result, a line of JSON. Each has its table and layout.
func (c *Check) row(fields ...field) expr {
	t := c.Tables[0]
	said := []expr{
		str(`"table":` + jsonText(t.Name)),
		str(`"table_id":` + jsonText(t.ID)),
		str(`"layout":` + jsonText(c.Hash)),
	}
	all := []expr{}
	for _, f := range fields {
		all = append(all, join(str(jsonText(f.name)+":"), f.value))
	}
	return join(str("{"), of("concat_ws", append([]expr{str(",")}, append(all, said...)...)...), str("}"))
}

// keyJSON is a key of a table as DynamoDB JSON.
func (c *Check) keyJSON(at int, hash, sort expr) expr {
	s := c.Tables[at].Schema
	parts := []expr{str("{"), keyPart(s.HashName, s.HashKind), quoted(hash), str("}")}
	if s.RangeName != "" {
		parts = append(parts, str(","), keyPart(s.RangeName, s.RangeKind), quoted(sort), str("}"))
	}
	return join(append(parts, str("}"))...)
}

func keyPart(name string, kind attr.Kind) expr {
	return str(jsonText(name) + ":{" + jsonText(string(kind)) + ":")
}

// perTable chooses by the table in the column tbl.
func (c *Check) perTable(tbl expr, of func(at int) expr) expr {
	if len(c.Tables) == 1 {
		return of(0)
	}
	var cases []when
	for n := range c.Tables {
		cases = append(cases, when{eq(tbl, num(n)), of(n)})
	}
	return choose(cases...)
}
