package attr

import "strings"

// Attribute is a named value.
type Attribute struct {
	Name  string
	Value Value
}

// Key is the primary key of an item. Range has no name if the table has no sort key.
type Key struct {
	Hash, Range Attribute
}

// Schema has the names and types (S, N or B) of a table's key attributes. RangeName is empty if the
// table has no sort key.
type Schema struct {
	HashName, RangeName string
	HashKind, RangeKind Kind
}

// Index is a secondary index of a table. It has keys of its own, and sorts the items by them.
type Index struct {
	Name   string
	Schema Schema
	// Local: the index shares the table's partition key, and allows strongly consistent reads.
	Local bool
	// Part: the index does not have all attributes of the items.
	Part bool
}

// KeyOf returns the primary key of an item. It reports false if a part of the key is missing or has
// a wrong type.
func (s Schema) KeyOf(item Fields) (Key, bool) {
	k := Key{Hash: Attribute{s.HashName, item.At(s.HashName)}}
	if k.Hash.Value.Kind != s.HashKind {
		return Key{}, false
	}
	if s.RangeName != "" {
		k.Range = Attribute{s.RangeName, item.At(s.RangeName)}
		if k.Range.Value.Kind != s.RangeKind {
			return Key{}, false
		}
	}
	return k, true
}

// KeyFrom makes a key of two texts. It ignores sort if the table has no sort key.
func (s Schema) KeyFrom(hash, sort string) Key {
	k := Key{Hash: Attribute{s.HashName, Value{Kind: s.HashKind, Text: hash}}}
	if s.RangeName != "" {
		k.Range = Attribute{s.RangeName, Value{Kind: s.RangeKind, Text: sort}}
	}
	return k
}

// IsKey reports whether the attribute name is a part of the primary key.
func (s Schema) IsKey(name string) bool {
	return name == s.HashName || (s.RangeName != "" && name == s.RangeName)
}

// Item returns the key as an item of one or two attributes.
func (k Key) Item() Item {
	item := Item{k.Hash.Name: k.Hash.Value}
	if k.Range.Name != "" {
		item[k.Range.Name] = k.Range.Value
	}
	return item
}

// Equal reports whether both keys are the key of one item in a table.
func (k Key) Equal(other Key) bool {
	return k.Hash.Name == other.Hash.Name && k.Hash.Value.Equal(other.Hash.Value) &&
		k.Range.Name == other.Range.Name && k.Range.Value.Equal(other.Range.Value)
}

// Clone copies the texts of the key, so that the key keeps no larger text in memory.
func (k Key) Clone() Key {
	k.Hash.Value.Text, k.Range.Value.Text = strings.Clone(k.Hash.Value.Text), strings.Clone(k.Range.Value.Text)
	return k
}

// ID returns a string that identifies the key in its table, for use in a map.
func (k Key) ID() string {
	hash, rng := idText(k.Hash.Value), idText(k.Range.Value)
	return string(k.Hash.Value.Kind) + lengthPrefix(hash) + hash + string(k.Range.Value.Kind) + rng
}

func idText(v Value) string {
	if v.Kind == N {
		return CanonicalNumber(v.Text)
	}
	return v.Text
}

func lengthPrefix(s string) string {
	n := len(s)
	return string([]byte{byte(n >> 16), byte(n >> 8), byte(n)})
}

// String writes the key for people: "UNIQ#HANDLE#alan / LOCK". The result may contain control
// characters, so sanitise it before it reaches a terminal.
func (k Key) String() string {
	if k.Range.Name == "" {
		return k.Hash.Value.Display()
	}
	return k.Hash.Value.Display() + " / " + k.Range.Value.Display()
}

// Printed lists the keys that Key.String writes as text. There may be several, since a part of a
// key may contain " / ".
func (s Schema) Printed(text string) []Key {
	if s.RangeName == "" {
		if hash, ok := printed(s.HashKind, text); ok {
			return []Key{{Hash: Attribute{s.HashName, hash}}}
		}
		return nil
	}
	var keys []Key
	for n := range text {
		rest, ok := strings.CutPrefix(text[n:], " / ")
		if !ok {
			continue
		}
		hash, hashed := printed(s.HashKind, text[:n])
		rng, ranged := printed(s.RangeKind, rest)
		if hashed && ranged {
			keys = append(keys, Key{Hash: Attribute{s.HashName, hash}, Range: Attribute{s.RangeName, rng}})
		}
	}
	return keys
}

// printed returns the part of a key that Display writes as text. It reports false if the part is
// bytes.
func printed(kind Kind, text string) (Value, bool) {
	switch n, isNumber := Decimal(text); {
	case text == "" || kind == B:
		return Value{}, false
	case kind == N:
		return Number(n), isNumber
	}
	return String(text), true
}
