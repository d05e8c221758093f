package adopt

import (
	"maps"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// Shown returns the transaction of an operation with placeholders in place of the application's texts. A placeholder is
// in braces, and a literal brace is written twice, as in the templates of a layout.
func (p *Protocol) Shown(op Operation) client.Transaction {
	writes, _ := p.fill(op, func(f Field, _ string) (attr.Value, error) {
		name := "value"
		switch {
		case p.Several && f.Raw && op == Change:
			return allOf(f.Kind, "{"+string(f.Of)+" values}"), nil
		case p.Several && f.Raw:
			return allOf(f.Kind, "{values}"), nil
		case !p.Several && (op == Change || op == Respell):
			name = string(f.Of)
		}
		if f.Raw {
			return attr.Value{Kind: f.Kind, Text: "{" + name + "}"}, nil
		}
		if len(p.Constraint.Normalise) > 0 {
			name = "normalised " + name
		}
		return attr.Value{Kind: f.Kind, Text: shown(f.Text, name)}, nil
	}) // no field fails
	return client.Transaction{Actions: writes}
}

// allOf returns a set or a list with one placeholder for all values.
func allOf(kind attr.Kind, text string) attr.Value {
	if kind == attr.L {
		return attr.Value{Kind: attr.L, List: []attr.Value{attr.String(text)}}
	}
	return attr.Value{Kind: kind, Set: []string{text}}
}

// shown writes a template with another name for the value.
func shown(t layout.Template, value string) string {
	text := ""
	for _, piece := range t.Pieces() {
		switch {
		case piece.Length != nil:
			text += "{len:" + shown(*piece.Length, value) + "}"
		case piece.Digest != nil:
			text += "{sha256:" + shown(*piece.Digest, value) + "}"
		case piece.Variable == layout.ValueVariable:
			text += "{" + value + "}"
		case piece.Variable != "":
			text += "{" + piece.Variable + "}"
		default:
			text += layout.Literal(piece.Literal)
		}
	}
	return text
}

// fill makes the actions of an operation. The function value makes the value of a field. hash is the partition key, if
// the field is in a sort key.
func (p *Protocol) fill(op Operation, value func(f Field, hash string) (attr.Value, error)) ([]client.Action, error) {
	var writes []client.Action
	for _, a := range p.transaction(op).Actions {
		w, err := p.write(a, value)
		if err != nil {
			return nil, err
		}
		writes = append(writes, w)
	}
	return writes, nil
}

func (p *Protocol) transaction(op Operation) Transaction {
	return p.Transactions[slices.IndexFunc(p.Transactions, func(t Transaction) bool { return t.Operation == op })]
}

// write makes one action.
func (p *Protocol) write(a Action, value func(f Field, hash string) (attr.Value, error)) (client.Action, error) {
	out := client.Action{
		Verb: a.Verb, Table: a.Table, Condition: a.Condition, Update: a.Update, Names: a.Names,
		Key: attr.Item{}, Values: map[string]attr.Value{},
	}
	hash := ""
	for _, f := range a.Key {
		v, err := value(f, hash)
		if err != nil {
			return out, err
		}
		out.Key[f.Path[0]], hash = v, v.Text
	}
	for alias, f := range a.Values {
		v, err := value(f, "")
		if err != nil {
			return out, err
		}
		out.Values[alias] = v
	}
	if a.Verb != client.Put {
		return out, nil
	}
	out.Item = maps.Clone(out.Key)
	for _, f := range a.Item {
		v, err := value(f, "")
		if err != nil {
			return out, err
		}
		assign(out.Item, f.Path, v)
	}
	return out, nil
}

// assign sets an attribute, or an entry of a map, in an item.
func assign(item attr.Item, path []string, v attr.Value) {
	if len(path) > 1 {
		inner := maps.Clone(item[path[0]].Map)
		if inner == nil {
			inner = map[string]attr.Value{}
		}
		assign(inner, path[1:], v)
		v = attr.Value{Kind: attr.M, Map: inner}
	}
	item[path[0]] = v
}
