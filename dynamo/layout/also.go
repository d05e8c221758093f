package layout

import (
	"fmt"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/mistake"
)

// schemaOf is what a key says of its table's schema.
func schemaOf(k attr.Key) attr.Schema {
	return attr.Schema{
		HashName: k.Hash.Name, HashKind: k.Hash.Value.Kind, RangeName: k.Range.Name, RangeKind: k.Range.Value.Kind,
	}
}

// FirstForm returns the key that the lock with the key k would have in the first form. It is k
// itself if k has that form, or none.
func (l *LockKeys) FirstForm(k attr.Key) attr.Key {
	if len(l.Also) == 0 {
		return k
	}
	return l.Forms(k)[0]
}

// Forms returns the keys of all locks that may keep the value of the lock with the key k, the
// first form first. It is k alone if k has no form of the constraint.
func (l *LockKeys) Forms(k attr.Key) []attr.Key {
	if len(l.Also) == 0 {
		return []attr.Key{k}
	}
	s := schemaOf(k)
	v, vars, ok := l.ParseLock(s, k)
	if !ok {
		return []attr.Key{k}
	}
	all := bindingsOf(vars)
	all.set(value, v)
	var keys []attr.Key
	for _, form := range append([]LockKeys{*l}, l.Also...) {
		if key, err := renderKey(s, form.PK, form.SK, &all); err == nil {
			keys = append(keys, key)
		}
	}
	return keys
}

// also reads the other forms of a lock's key.
func (cc ConstraintConfig) also(con *Constraint) ([]LockKeys, error) {
	var all []LockKeys
	for n, key := range cc.Also {
		at := fmt.Sprintf("also[%d]", n)
		pk, sk, err := keyTemplates(key.PK, key.SK)
		if err != nil {
			return nil, mistake.At(at, within("", "also", err))
		}
		form := LockKeys{PK: pk, SK: sk}
		switch {
		case key.PK == "":
			err = mistake.Errorf(at, "also: pk, the template of the partition key, is missing")
		case con.digested() != nil || form.digested() != nil:
			err = mistake.Errorf(at, "also: no value can be read from a digest, so a lock with {sha256:…} has one form only")
		case !pk.Uses(value) && !sk.Uses(value):
			err = mistake.Errorf(at, "also: neither pk %q nor sk %q says {v}, where the value stands", key.PK, key.SK)
		case !sameNames(con.Scope(), form.Scope()):
			err = mistake.Errorf(at, "also: each form needs the same variables besides {v}: these are of another scope")
		case slices.ContainsFunc(append(all, con.LockKeys), func(have LockKeys) bool {
			return have.PK.text == pk.text && have.SK.text == sk.text
		}):
			err = mistake.Errorf(at, "also: pk %q and sk %q are given twice", key.PK, key.SK)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, form)
	}
	return all, nil
}

// sameNames reports whether two lists have the same names, however often.
func sameNames(a, b []string) bool {
	lacks := func(all []string) func(string) bool {
		return func(name string) bool { return !slices.Contains(all, name) }
	}
	return !slices.ContainsFunc(a, lacks(b)) && !slices.ContainsFunc(b, lacks(a))
}
