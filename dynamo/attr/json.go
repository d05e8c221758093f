package attr

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// MarshalJSON writes the value as DynamoDB JSON: {"S":"ada"}, {"N":"42"}.
func (v Value) MarshalJSON() ([]byte, error) {
	if !v.Exists() {
		return []byte("null"), nil
	}
	var inner any
	switch v.Kind {
	case S, N:
		inner = v.Text
	case B:
		inner = base64.StdEncoding.EncodeToString([]byte(v.Text))
	case BOOL:
		inner = v.Bool
	case NULL:
		inner = true
	case SS, NS:
		inner = append([]string{}, v.Set...)
	case BS:
		set := make([]string, len(v.Set))
		for n, b := range v.Set {
			set[n] = base64.StdEncoding.EncodeToString([]byte(b))
		}
		inner = set
	case L:
		inner = append([]Value{}, v.List...) // json writes a nil slice as null
	case M:
		if inner = v.Map; v.Map == nil {
			inner = map[string]Value{}
		}
	default:
		return nil, fmt.Errorf("attribute value of unknown type %q", v.Kind)
	}
	return JSON(map[Kind]any{v.Kind: inner})
}

// JSON writes a value as JSON. People compare keys by eye, so <, > and & stay as they are. json.Marshal would
// escape them.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// UnmarshalJSON reads DynamoDB JSON.
func (v *Value) UnmarshalJSON(data []byte) error {
	var wire map[Kind]json.RawMessage
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	if len(wire) != 1 {
		return errors.New("an attribute value has exactly one type")
	}
	for kind, raw := range wire {
		*v = Value{Kind: kind}
		return v.decode(raw)
	}
	return nil
}

func (v *Value) decode(raw json.RawMessage) error {
	switch v.Kind {
	case S, N:
		return json.Unmarshal(raw, &v.Text)
	case B:
		var b []byte
		err := json.Unmarshal(raw, &b)
		v.Text = string(b)
		return err
	case BOOL:
		return json.Unmarshal(raw, &v.Bool)
	case NULL:
		return nil
	case SS, NS:
		return json.Unmarshal(raw, &v.Set)
	case BS:
		var set [][]byte
		if err := json.Unmarshal(raw, &set); err != nil {
			return err
		}
		for _, b := range set {
			v.Set = append(v.Set, string(b))
		}
		return nil
	case L:
		return json.Unmarshal(raw, &v.List)
	case M:
		return json.Unmarshal(raw, &v.Map)
	}
	return fmt.Errorf("unknown attribute type %q", v.Kind)
}

// MarshalJSON writes the key as DynamoDB JSON, the partition key first:
// {"PK":{"S":"…"},"SK":{"S":"…"}}. The zero Key is null.
func (k Key) MarshalJSON() ([]byte, error) {
	if k.Hash.Name == "" {
		return []byte("null"), nil
	}
	hash, err := json.Marshal(Item{k.Hash.Name: k.Hash.Value})
	if err != nil || k.Range.Name == "" {
		return hash, err
	}
	rest, err := json.Marshal(Item{k.Range.Name: k.Range.Value})
	return slices.Concat(hash[:len(hash)-1], []byte(","), rest[1:]), err
}

// UnmarshalJSON reads a key in the form that MarshalJSON writes.
func (k *Key) UnmarshalJSON(data []byte) error {
	var item Item
	if err := json.Unmarshal(data, &item); err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	_, _ = dec.Token() // the opening brace: data is an object, or null
	first, _ := dec.Token()
	*k = Key{}
	for name, v := range item {
		if name == first {
			k.Hash = Attribute{name, v}
		} else {
			k.Range = Attribute{name, v}
		}
	}
	if len(item) > 2 {
		return errors.New("a key has at most two attributes")
	}
	return nil
}

// Display writes the value for people: a string or number alone, bytes as 0x…, and sets, lists and
// maps as DynamoDB JSON. The result may contain control characters.
func (v Value) Display() string {
	switch v.Kind {
	case "":
		return ""
	case S, N:
		return v.Text
	case B:
		return "0x" + hex.EncodeToString([]byte(v.Text))
	case BOOL:
		return strconv.FormatBool(v.Bool)
	case NULL:
		return "null"
	}
	data, err := v.MarshalJSON()
	if err != nil {
		return string(v.Kind)
	}
	return string(data)
}

// Size returns the size of the item in bytes (Developer Guide, "Item sizes and formats"). Names and
// strings count as UTF-8. Two digits of a number take about one byte. A list or map takes three
// bytes more, and one byte for each entry.
func (i Item) Size() int {
	size := 0
	for name, v := range i {
		size += len(name) + v.size()
	}
	return size
}

func (v Value) size() int {
	switch v.Kind {
	case S, B:
		return len(v.Text)
	case N:
		return (len(CanonicalNumber(v.Text))+1)/2 + 1
	case BOOL, NULL:
		return 1
	case SS, BS:
		size := 0
		for _, s := range v.Set {
			size += len(s)
		}
		return size
	case NS:
		size := 0
		for _, s := range v.Set {
			size += (len(s)+1)/2 + 1
		}
		return size
	case L:
		size := 3
		for _, e := range v.List {
			size += 1 + e.size()
		}
		return size
	case M:
		size := 3
		for name, e := range v.Map {
			size += 1 + len(name) + e.size()
		}
		return size
	}
	return 0
}

// Strict decodes one JSON value into v. Unknown names, and text after the value, are errors.
func Strict(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more text after the JSON")
	}
	return nil
}

// NullIfEmpty returns nil for an empty text. JSON then has null instead of an empty string.
func NullIfEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
