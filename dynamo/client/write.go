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

// Action is one action of a TransactWriteItems request.
type Action struct {
	Verb      Verb                  `json:"-"`
	Table     string                `json:"TableName"`
	Key       attr.Item             `json:",omitempty"` // left out of the request of a Put: Item has the key
	Item      attr.Item             `json:",omitempty"` // the whole item of a Put
	Update    string                `json:"UpdateExpression,omitempty"`
	Condition string                `json:"ConditionExpression,omitempty"`
	Names     map[string]string     `json:"ExpressionAttributeNames,omitempty"`
	Values    map[string]attr.Value `json:"ExpressionAttributeValues,omitempty"`
	Return    string                `json:"ReturnValuesOnConditionCheckFailure,omitempty"`
}

// Transaction is a TransactWriteItems request. The token tells DynamoDB that a second request is a retry. It may be
// empty, and so may Capacity, the kind of consumed capacity to return.
type Transaction struct {
	Actions  []Action
	Token    string
	Capacity string
}

// transaction is the body of a TransactWriteItems request.
type transaction struct {
	TransactItems          []map[string]Action
	ClientRequestToken     string `json:",omitempty"`
	ReturnConsumedCapacity string `json:",omitempty"`
}

// Body returns the body of the request. Equal transactions have equal bytes.
func (t Transaction) Body() ([]byte, error) {
	body := transaction{nil, t.Token, t.Capacity}
	for _, a := range t.Actions {
		if a.Verb == Put {
			a.Key = nil
		}
		body.TransactItems = append(body.TransactItems, map[string]Action{verbs[a.Verb]: a})
	}
	line, err := attr.Line(body, "")
	if err != nil {
		return nil, fmt.Errorf("encoding the request: %w", err)
	}
	return bytes.TrimSpace(line), nil
}

// Request returns the body of a TransactWriteItems request. The same token and writes always give the
// same bytes.
func Request(token string, writes []Write) ([]byte, error) {
	t := Transaction{Token: token, Capacity: "TOTAL"}
	for _, w := range writes {
		e := w.Expressions()
		t.Actions = append(t.Actions,
			Action{w.Verb, w.Table, w.Key.Item(), w.Item, e.Update, e.Condition, e.Names, e.Values, "ALL_OLD"})
	}
	return t.Body()
}
