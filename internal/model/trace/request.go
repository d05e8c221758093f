package trace

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Action is one action of a TransactWriteItems request.
type Action struct {
	Verb      string // Put, Update, Delete or ConditionCheck
	TableName string
	Key, Item map[string]Attribute
	// Set and Remove have the changes of an Update.
	Set    map[string]string
	Remove []string
	// Exists and Absent have the attributes that must exist or be absent. Equal has the attributes that must have a
	// given value, with this value.
	Exists, Absent []string
	Equal          map[string]string
}

// Attribute is an attribute value in DynamoDB JSON. The items of a trace have texts and numbers.
type Attribute struct{ S, N string }

func (a Attribute) text() string { return a.S + a.N }

// wire is an action as a request has it.
type wire struct {
	TableName                             string
	Key, Item                             map[string]Attribute
	UpdateExpression, ConditionExpression string
	ExpressionAttributeNames              map[string]string
	ExpressionAttributeValues             map[string]Attribute
}

// Actions returns the actions of a request, and its token.
func Actions(body []byte) (actions []Action, token string, err error) { return actionsOf(body, true) }

// actionsOf is like Actions. If the parameter conditions is false, it ignores conditions: the conditions of an
// application can have any form.
func actionsOf(body []byte, conditions bool) (actions []Action, token string, err error) {
	var request struct {
		ClientRequestToken string
		TransactItems      []map[string]wire
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, "", fmt.Errorf("reading a request of a trace: %w", err)
	}
	for _, slot := range request.TransactItems {
		for verb, w := range slot {
			if !conditions {
				w.ConditionExpression = ""
			}
			a, err := w.action(verb)
			if err != nil {
				return nil, "", err
			}
			actions = append(actions, a)
		}
	}
	return actions, request.ClientRequestToken, nil
}

// action parses the expressions of an action.
func (w wire) action(verb string) (Action, error) {
	a := Action{
		Verb: verb, TableName: w.TableName, Key: w.Key, Item: w.Item, Set: map[string]string{}, Equal: map[string]string{},
	}
	if a.Key == nil {
		a.Key = w.Item
	}
	name := func(alias string) string {
		if full, known := w.ExpressionAttributeNames[alias]; known {
			return full
		}
		return alias
	}
	for term := range strings.SplitSeq(w.ConditionExpression, " AND ") {
		function, argument, isFunction := strings.Cut(strings.TrimSuffix(term, ")"), "(")
		left, right, isEqual := strings.Cut(term, " = ")
		switch {
		case term == "":
		case isFunction && function == "attribute_exists":
			a.Exists = append(a.Exists, name(argument))
		case isFunction && function == "attribute_not_exists":
			a.Absent = append(a.Absent, name(argument))
		case isEqual:
			a.Equal[name(left)] = w.ExpressionAttributeValues[right].text()
		default:
			return a, fmt.Errorf("the condition %q is unknown to traces", term)
		}
	}
	sets, removes, _ := strings.Cut(w.UpdateExpression, "REMOVE ")
	for part := range strings.SplitSeq(strings.TrimPrefix(strings.TrimSpace(sets), "SET "), ", ") {
		if left, right, isSet := strings.Cut(part, " = "); isSet {
			a.Set[name(left)] = w.ExpressionAttributeValues[right].text()
		}
	}
	for part := range strings.SplitSeq(removes, ", ") {
		if part != "" {
			a.Remove = append(a.Remove, name(part))
		}
	}
	return a, nil
}
