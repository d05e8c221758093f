package client

import (
	"bytes"
	"fmt"
	"strings"

	"tallylock/dynamo/attr"
)

// Verb is the action of a Write on its item.
type Verb string

// The four actions of a transaction.
const (
	Put    Verb = "put"
	Update Verb = "update"
	Delete Verb = "delete"
	Check  Verb = "check" // a condition only
)

// Write is one action of a transaction.
type Write struct {
	Verb  Verb      `json:"verb"`
	Table string    `json:"table"`
	Key   attr.Key  `json:"key"`
	Item  attr.Item `json:"item,omitempty"` // the item of a Put
	// Absent requires that the item does not exist. If Absent is false, the item must exist. The field If
	// has more conditions: the item must match all its terms.
	Absent bool   `json:"absent,omitempty"`
	If     []Term `json:"if,omitempty"`
	// Set has the changes of an Update. A term with a value sets its attribute. A term without a value
	// removes its attribute.
	Set []Term `json:"set,omitempty"`
}

// WriteUnits returns the price to write or to check an item of the given size in a transaction: two write units for
// each started KB (Developer Guide, "Read/write capacity mode").
func WriteUnits(bytes int) float64 { return 2 * float64(max(1, (bytes+1023)/1024)) }

// A Term pairs an attribute, or an entry of a map, with a value. A term without a value stands for an
// absent attribute.
type Term struct {
	Path  []string   `json:"path"`
	Value attr.Value `json:"value,omitzero"`
}

// Attribute returns the path of the term as text: "contact.email".
func (t Term) Attribute() string { return strings.Join(t.Path, ".") }

// Expressions has the expressions of an action, with the names and values of their placeholders.
type Expressions struct {
	Condition, Update string
	Names             map[string]string
	Values            map[string]attr.Value
}

// Expressions returns the expressions of the action.
func (w Write) Expressions() Expressions {
	e := Expressions{
		Condition: "attribute_exists(#pk)",
		Names:     map[string]string{"#pk": w.Key.Hash.Name},
		Values:    map[string]attr.Value{},
	}
	if w.Absent {
		e.Condition = "attribute_not_exists(#pk)"
	}
	for _, t := range w.If {
		if t.Value.Exists() {
			e.Condition += " AND " + e.assign(t)
		} else {
			e.Condition += " AND attribute_not_exists(" + e.path(t) + ")"
		}
	}
	var sets, removes []string
	for _, t := range w.Set {
		if t.Value.Exists() {
			sets = append(sets, e.assign(t))
		} else {
			removes = append(removes, e.path(t))
		}
	}
	if len(sets) > 0 {
		e.Update = "SET " + strings.Join(sets, ", ")
	}
	if len(removes) > 0 {
		e.Update = strings.TrimSpace(e.Update + " REMOVE " + strings.Join(removes, ", "))
	}
	return e
}

// assign returns "attribute = value" with placeholders. In a condition this compares; in an update it
// sets.
func (e *Expressions) assign(t Term) string {
	path, alias := e.path(t), fmt.Sprintf(":v%d", len(e.Values))
	e.Values[alias] = t.Value
	return path + " = " + alias
}

// path returns the path of a term with placeholders.
func (e *Expressions) path(t Term) string {
	parts := make([]string, len(t.Path))
	for n, name := range t.Path {
		parts[n] = e.name(name)
	}
	return strings.Join(parts, ".")
}

func (e *Expressions) name(attribute string) string {
	for alias, known := range e.Names {
		if known == attribute && alias != "#pk" {
			return alias
		}
	}
	alias := fmt.Sprintf("#n%d", len(e.Names))
	e.Names[alias] = attribute
	return alias
}

// action is a Write in the body of TransactWriteItems.
type action struct {
	TableName                           string
	Key                                 attr.Item             `json:",omitempty"`
	Item                                attr.Item             `json:",omitempty"`
	UpdateExpression                    string                `json:",omitempty"`
	ConditionExpression                 string                `json:",omitempty"`
	ExpressionAttributeNames            map[string]string     `json:",omitempty"`
	ExpressionAttributeValues           map[string]attr.Value `json:",omitempty"`
	ReturnValuesOnConditionCheckFailure string
}

// transaction is the body of a TransactWriteItems request.
type transaction struct {
	TransactItems          []map[string]action
	ClientRequestToken     string
	ReturnConsumedCapacity string
}

// Request returns the body of a TransactWriteItems request. The same token and writes always give the
// same bytes.
func Request(token string, writes []Write) ([]byte, error) {
	t := transaction{ClientRequestToken: token, ReturnConsumedCapacity: "TOTAL"}
	for _, w := range writes {
		e := w.Expressions()
		a := action{
			w.Table, w.Key.Item(), w.Item, e.Update, e.Condition, e.Names, e.Values, "ALL_OLD",
		}
		if w.Verb == Put {
			a.Key = nil
		}
		t.TransactItems = append(t.TransactItems, map[string]action{verbs[w.Verb]: a})
	}
	body, err := attr.Line(t, "")
	if err != nil {
		return nil, fmt.Errorf("encoding the request: %w", err)
	}
	return bytes.TrimSpace(body), nil
}
