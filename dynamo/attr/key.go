package attr

import "strings"

// Attribute is a named value.
type Attribute struct {
	Name  string
	Value Value
}

// Key is the primary key of an item. Hash is the partition key. Range is the sort key; its name is
// empty if the table has no sort key.
type Key struct {
	Hash, Range Attribute
}

// Schema has the names and types (S, N or B) of a table's key attributes. RangeName is empty if the
// table has no sort key.
type Schema struct {
	HashName, RangeName string
	HashKind, RangeKind Kind
}

// Index is a secondary index of a table. Its Schema has the keys of the index, not the keys of the
// table.
type Index struct {
	Name   string
	Schema Schema
	// Local is true if the index shares the table's partition key. Such an index allows strongly
	// consistent reads.
	Local bool
	// Part is true if the index may lack some attributes of the items.
	Part bool
}

// KeyOf returns the primary key of an item. It returns false if a part of the key is missing or has
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

// KeyFrom makes a key from the texts of its two parts. If the table has no sort key, the second
// text is ignored.
func (s Schema) KeyFrom(hash, sort string) Key {
	k := Key{Hash: Attribute{s.HashName, Value{Kind: s.HashKind, Text: hash}}}
	if s.RangeName != "" {
		k.Range = Attribute{s.RangeName, Value{Kind: s.RangeKind, Text: sort}}
	}
	return k
}

// IsKey reports whether the attribute with this name is a part of the primary key.
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

// Equal reports whether both keys identify the same item of a table.
func (k Key) Equal(other Key) bool {
	return k.Hash.Name == other.Hash.Name && k.Hash.Value.Equal(other.Hash.Value) &&
		k.Range.Name == other.Range.Name && k.Range.Value.Equal(other.Range.Value)
}

// Clone returns the key with copies of its texts. A text may be a part of a larger text, such as a
// page of a scan. Without the copies, the key would keep the larger text in memory.
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

// Printed is the reverse of Key.String: it lists the keys that Key.String writes as this text.
// There may be several keys, since a part of a key may contain " / ". Printed omits keys that
// contain bytes.
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

// printed is the reverse of Display for one part of a key. It returns false if no value of this
// type has this text. It always returns false for bytes.
func printed(kind Kind, text string) (Value, bool) {
	switch n, isNumber := Decimal(text); {
	case text == "" || kind == B:
		return Value{}, false
	case kind == N:
		return Number(n), isNumber
	}
	return String(text), true
}
