package adopt

import (
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

// Fill returns the actions of an operation with the texts filled in. Send them in one client.Transaction. If the new
// value has the lock of the old one, Fill returns the actions of Respell in place of Change. It returns an error that
// wraps layout.ErrValue if no lock key can be made of a value, or if a transaction would have too many actions.
func (p *Protocol) Fill(op Operation, in Inputs) ([]client.Action, error) {
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
	writes, err := p.fill(op, func(f Field, hash string) (attr.Value, error) {
		if f.Raw {
			return valueOf(f.Kind, raw[f.Of])
		}
		return render(f, vars[f.Of], hash)
	})
	for n := range writes {
		add(&writes[n], p.transaction(op).Actions[n], in.Other)
	}
	return writes, err
}

// add adds other attributes to a new account.
func add(w *client.Action, a Action, others attr.Item) {
	if a.Role != AccountItem || w.Item == nil {
		return
	}
	for name, v := range others {
		if _, made := w.Item[name]; !made {
			w.Item[name] = v
		}
	}
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
func (p *Protocol) fillSeveral(op Operation, in Inputs) ([]client.Action, error) {
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
	var writes []client.Action
	for _, a := range p.transaction(op).Actions {
		for _, normal := range a.Each.of(locks) {
			vars := maps.Clone(in.Parts)
			if vars == nil {
				vars = map[string]string{}
			}
			vars[layout.ValueVariable] = normal
			w, err := p.write(a, func(f Field, hash string) (attr.Value, error) {
				if f.Raw {
					return all[f.Of], nil
				}
				return render(f, vars, hash)
			})
			if err != nil {
				return nil, err
			}
			add(&w, a, in.Other)
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
