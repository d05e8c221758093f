package adopt

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// Inputs has the texts that an application fills into a transaction.
type Inputs struct {
	// Parts has the variables of the keys, such as "id": see Protocol.Parts.
	Parts map[string]string
	// Old is the value that the account holds, and New is its next value, both in the account's spelling. A sign-up has no
	// Old, and a deletion has no New.
	Old, New string
	// OldAll and NewAll replace Old and New if an account may hold several values. Each is the whole attribute.
	OldAll, NewAll attr.Value
	// Other has the other attributes of a new account.
	Other attr.Item
}

// Write is one action with its texts filled in.
type Write struct {
	Verb              client.Verb
	Table             string
	Key               attr.Item
	Item              attr.Item // the whole item of a Put
	Condition, Update string
	Names             map[string]string
	Values            map[string]attr.Value
}

// Fill returns the actions of an operation with the texts filled in. Send them in one TransactWriteItems: see
// Request. If the new value has the lock of the old one, Fill returns the actions of Respell in place of Change. It
// returns an error that wraps layout.ErrValue if no lock key can be made of a value, or if a transaction would have too
// many actions.
func (p *Protocol) Fill(op Operation, in Inputs) ([]Write, error) {
	if p.Several {
		return p.fillSeveral(op, in)
	}
	parts := map[string]string{}
	maps.Copy(parts, in.Parts)
	vars := map[Moment]map[string]string{"": parts}
	keys := map[Moment]attr.Key{}
	for of, raw := range map[Moment]string{Old: in.Old, New: in.New} {
		if of == Old && op == SignUp || of == New && op == Delete {
			continue
		}
		key, normal, err := p.lockKey(raw, parts)
		if err != nil {
			return nil, err
		}
		keys[of], vars[of] = key, maps.Clone(parts)
		vars[of][layout.ValueVariable] = normal
	}
	if op == Change && keys[Old].Equal(keys[New]) {
		op = Respell
	}
	raw := map[Moment]string{Old: in.Old, New: in.New}
	return p.fill(op, in.Other, func(f Field, hash string) (attr.Value, error) {
		if f.Raw {
			return valueOf(f.Kind, raw[f.Of])
		}
		return render(f, vars[f.Of], hash)
	})
}

// render renders the template of a field. hash is the partition key, if the field is in a sort key.
func render(f Field, vars map[string]string, hash string) (attr.Value, error) {
	if hash != "" {
		vars = maps.Clone(vars)
		vars[layout.HashVariable] = hash
	}
	text, err := f.Text.Render(vars)
	if err != nil {
		return attr.Value{}, fmt.Errorf("%w: %w", layout.ErrValue, err)
	}
	return valueOf(f.Kind, text)
}

// fillSeveral is Fill for accounts with several values.
func (p *Protocol) fillSeveral(op Operation, in Inputs) ([]Write, error) {
	all := map[Moment]attr.Value{Old: in.OldAll, New: in.NewAll}
	if op == SignUp {
		all[Old] = attr.Value{}
	} else if op == Delete {
		all[New] = attr.Value{}
	}
	locks := map[Moment]map[string]string{} // the normalised values, by the keys of their locks
	for of, v := range all {
		locks[of] = map[string]string{}
		for _, raw := range layout.Texts(v) {
			key, normal, err := p.lockKey(raw, in.Parts)
			if err != nil {
				return nil, err
			}
			locks[of][key.ID()] = normal
		}
	}
	var writes []Write
	for _, a := range p.transaction(op).Actions {
		for _, normal := range a.Each.of(locks) {
			vars := maps.Clone(in.Parts)
			if vars == nil {
				vars = map[string]string{}
			}
			vars[layout.ValueVariable] = normal
			w, err := p.write(a, in.Other, func(f Field, hash string) (attr.Value, error) {
				if f.Raw {
					return all[f.Of], nil
				}
				return render(f, vars, hash)
			})
			if err != nil {
				return nil, err
			}
			writes = append(writes, w)
		}
	}
	if len(writes) > client.MaxActions {
		return nil, fmt.Errorf("%w: a transaction has at most %d actions, but these values need %d", layout.ErrValue,
			client.MaxActions, len(writes))
	}
	return writes, nil
}

// of lists the normalised values for which an action is repeated, sorted by the keys of their locks. locks has the
// normalised values by these keys. For an action that is not repeated, of returns one empty text.
func (e Each) of(locks map[Moment]map[string]string) []string {
	from, other, want := locks[New], locks[Old], e == EachKept
	switch e {
	case "":
		return []string{""}
	case EachRemoved:
		from, other = locks[Old], locks[New]
	case EachValue:
		if len(from) == 0 {
			from, other = other, from
		}
	}
	var values []string
	for _, id := range slices.Sorted(maps.Keys(from)) {
		if _, both := other[id]; both == want {
			values = append(values, from[id])
		}
	}
	return values
}

// Shown returns the actions of an operation with placeholders in place of the application's texts. A placeholder is in
// braces, and a literal brace is written twice, as in the templates of a layout.
func (p *Protocol) Shown(op Operation) []Write {
	writes, _ := p.fill(op, nil, func(f Field, _ string) (attr.Value, error) {
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
	return writes
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

// lockKey returns the key of the value's lock, and the normalised value.
func (p *Protocol) lockKey(raw string, parts map[string]string) (attr.Key, string, error) {
	c := p.Constraint
	if p.Kind == attr.N {
		raw = attr.CanonicalNumber(raw)
	}
	normal := c.Normalised(raw)
	key, err := c.LockKey(p.View.LockSchema(c), normal, parts)
	return key, normal, err
}

// valueOf returns a text as a value of a type.
func valueOf(kind attr.Kind, text string) (attr.Value, error) {
	if kind != attr.N {
		return attr.Value{Kind: kind, Text: text}, nil
	}
	n, ok := attr.Decimal(text)
	if !ok {
		return attr.Value{}, fmt.Errorf("%w: %q is not a number", layout.ErrValue, text)
	}
	return attr.Number(n), nil
}

// fill makes the actions of an operation. The function value makes the value of a field. hash is the partition key, if
// the field is in a sort key.
func (p *Protocol) fill(
	op Operation, other attr.Item, value func(f Field, hash string) (attr.Value, error),
) ([]Write, error) {
	var writes []Write
	for _, a := range p.transaction(op).Actions {
		w, err := p.write(a, other, value)
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
func (p *Protocol) write(
	a Action, other attr.Item, value func(f Field, hash string) (attr.Value, error),
) (Write, error) {
	out := Write{
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
	if a.Role == AccountItem {
		out.Item = maps.Clone(other)
		if out.Item == nil {
			out.Item = attr.Item{}
		}
		maps.Copy(out.Item, out.Key)
	}
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

// action is a Write in the body of TransactWriteItems.
type action struct {
	TableName                 string
	Key                       attr.Item             `json:",omitempty"`
	Item                      attr.Item             `json:",omitempty"`
	UpdateExpression          string                `json:",omitempty"`
	ConditionExpression       string                `json:",omitempty"`
	ExpressionAttributeNames  map[string]string     `json:",omitempty"`
	ExpressionAttributeValues map[string]attr.Value `json:",omitempty"`
}

// transaction is the body of TransactWriteItems.
type transaction struct {
	TransactItems      []map[string]action
	ClientRequestToken string `json:",omitempty"`
}

var verbs = map[client.Verb]string{
	client.Put: "Put", client.Update: "Update", client.Delete: "Delete", client.Check: "ConditionCheck",
}

// Request returns the body of a TransactWriteItems request with these actions. The request token tells DynamoDB
// that a second request is a retry.
func Request(token string, writes []Write) ([]byte, error) {
	t := transaction{ClientRequestToken: token}
	for _, w := range writes {
		a := action{w.Table, w.Key, w.Item, w.Update, w.Condition, w.Names, w.Values}
		if w.Verb == client.Put {
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
