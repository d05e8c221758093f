package embedded

import (
	"encoding/binary"
	"math/bits"
	"strings"
)

const (
	maxPartitionKey = 2048
	maxSortKey      = 1024
)

// keyAttribute is an attribute that is part of a key.
type keyAttribute struct {
	name string
	kind kind
}

// keySchema is the key of a table or of an index.
type keySchema struct {
	partition keyAttribute
	sort      keyAttribute // without a sort key, its name is empty
}

func (k keySchema) attributes() []keyAttribute {
	if k.sort.name == "" {
		return []keyAttribute{k.partition}
	}
	return []keyAttribute{k.partition, k.sort}
}

func (k keySchema) has(name string) bool {
	return name == k.partition.name || name == k.sort.name && name != ""
}

// encode returns the stored key of an item. The item must have a valid key. The order of stored keys is the
// order of a scan:
//
//	hash of the partition key (8 bytes) · length of the partition key (2) · partition key · sort key
//
// A partition is a range of keys, ordered by sort key. A segment is a range of hashes. In an
// index, the item's key in the table follows.
func (k keySchema) encode(it item) string {
	pk, _ := it.get(k.partition.name)
	key := partitionKey(pk)
	if k.sort.name != "" {
		sk, _ := it.get(k.sort.name)
		key = appendSortKey(key, sk)
	}
	return string(key)
}

// partitionKey returns the prefix that all keys of a partition share.
func partitionKey(pk value) []byte {
	key := make([]byte, 0, 10+len(pk.text)+48)
	key = binary.BigEndian.AppendUint64(key, hash(pk.text))
	key = binary.BigEndian.AppendUint16(key, uint16(len(pk.text)))
	return append(key, pk.text...)
}

// appendSortKey appends the bytes of a sort key. The order of the bytes is the order of the values. The
// bytes end with a mark, because in an index the key of the table follows them.
func appendSortKey(dst []byte, sk value) []byte {
	if sk.kind == kindN {
		return appendNumberKey(dst, sk.text)
	}
	return append(appendSortPrefix(dst, sk.text), 0, 1)
}

// appendSortPrefix appends the text s, with its zero bytes escaped: the end mark begins with a zero byte.
// The result is the prefix of all sort keys that begin with s.
func appendSortPrefix(dst []byte, s string) []byte {
	for {
		i := strings.IndexByte(s, 0)
		if i < 0 {
			return append(dst, s...)
		}
		dst = append(append(dst, s[:i]...), 0, 0xff)
		s = s[i+1:]
	}
}

// after returns the first key after all keys with the prefix. It returns "" if no key can come after them.
func after(prefix string) string {
	last := len(prefix) - 1
	for last >= 0 && prefix[last] == 0xff {
		last--
	}
	if last < 0 {
		return ""
	}
	return prefix[:last] + string([]byte{prefix[last] + 1})
}

// hashBasis is the start value of each hash. Any number works. With this one, the demo's table begins with an
// account without problems, and the first problem is the orphaned lock.
const hashBasis uint64 = 14695981039346677262

// hash is FNV-1a with the finalizer of MurmurHash3. Every run gives the same hashes. They spread well over
// the segments of a scan.
func hash(s string) uint64 {
	h := hashBasis
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// segmentBounds returns the range of keys of one segment. Each segment has the same number of hashes.
func segmentBounds(segment, total uint64) (from, to string) {
	return segmentStart(segment, total), segmentStart(segment+1, total)
}

func segmentStart(segment, total uint64) string {
	if segment == 0 || segment >= total {
		return ""
	}
	start, _ := bits.Div64(segment, 0, total) // segment × 2⁶⁴ / total
	return string(binary.BigEndian.AppendUint64(nil, start))
}

// check returns an error if v is invalid as the value of this key attribute. limit is the greatest length
// of the value in bytes.
func (a keyAttribute) check(v value, limit int) error {
	if v.kind != a.kind {
		return invalid("One or more parameter values were invalid: Type mismatch for key %s expected: %s actual: %s", a.name,
			a.kind, v.kind)
	}
	if v.text == "" {
		empty := invalid(
			"One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: %s",
			a.name,
		)
		empty.early = true
		return empty
	}
	if v.kind != kindN && len(v.text) > limit {
		return invalid(
			"One or more parameter values were invalid: Size of key %s has exceeded the maximum size limit of %d bytes",
			a.name, limit,
		)
	}
	return nil
}

// checkItem returns an error for an item without a valid key.
func (k keySchema) checkItem(it item) error {
	for i, a := range k.attributes() {
		v, ok := it.get(a.name)
		if !ok {
			return invalid("One or more parameter values were invalid: Missing the key %s in the item", a.name)
		}
		limit := maxPartitionKey
		if i == 1 {
			limit = maxSortKey
		}
		if err := a.check(v, limit); err != nil {
			return err
		}
	}
	return nil
}

// checkKey returns an error if the item is not a valid key, or has attributes besides the key.
func (k keySchema) checkKey(it item) error {
	if len(it) != len(k.attributes()) {
		return invalid("The provided key element does not match the schema")
	}
	for _, a := range k.attributes() {
		if v, ok := it.get(a.name); !ok || v.kind != a.kind {
			return invalid("The provided key element does not match the schema")
		}
	}
	return k.checkItem(it)
}

// of returns the key attributes of an item, as an item.
func (k keySchema) of(it item) item {
	var key item
	for _, a := range it {
		if k.has(a.name) {
			key = append(key, a)
		}
	}
	return key
}

// parseKeyCondition parses "pk = :a", or "pk = :a AND" one condition on the sort key. It returns the range
// of keys to read.
func parseKeyCondition(text string, key keySchema, subs *substitutions) (span, error) {
	c, err := parseCondition("KeyConditionExpression", text, subs)
	if err != nil {
		return span{}, err
	}
	parts := []condition{c}
	if both, ok := c.(and); ok {
		parts = []condition{both.left, both.right}
	}
	var partition, sort condition
	for _, part := range parts {
		switch name := keyOf(part); {
		case name != "" && name == key.partition.name && partition == nil:
			partition = part
		case name != "" && name == key.sort.name && sort == nil:
			sort = part
		default:
			return span{}, invalid(
				"Invalid KeyConditionExpression: it must have one equality on %s, and may have one condition on the sort key",
				key.partition.name,
			)
		}
	}
	equality, ok := partition.(comparison)
	if !ok || equality.operator != "=" {
		return span{}, invalid("Query condition missed key schema element: %s", key.partition.name)
	}
	pk, err := boundOf(key.partition, equality.right, maxPartitionKey)
	if err != nil {
		return span{}, err
	}
	prefix := string(partitionKey(pk))
	if sort == nil {
		return span{prefix, after(prefix)}, nil
	}
	return sortSpan(prefix, key.sort, sort)
}

// keyOf returns the name of the attribute that c tests. c is a part of a key condition. The name is empty
// if a key condition may not contain c.
func keyOf(c condition) string {
	var of operand
	switch c := c.(type) {
	case comparison:
		if c.operator != "<>" {
			of = c.left
		}
	case between:
		of = c.of
	case beginsWith:
		of = c.of
	}
	if p, ok := of.(path); ok && len(p) == 1 {
		return p[0].name
	}
	return ""
}

// boundOf returns the value with which a key condition compares the key attribute a. It returns an error if
// the operand is not a valid value of this attribute. limit is the greatest length of the value in bytes.
func boundOf(a keyAttribute, o operand, limit int) (value, error) {
	l, ok := o.(literal)
	if !ok {
		return value{}, invalid("Invalid condition in KeyConditionExpression: a key can be compared with a value only")
	}
	return value(l), a.check(value(l), limit)
}

// sortSpan returns the range of the keys in a partition that satisfy a condition on the sort key. prefix is
// the prefix of the partition's keys.
func sortSpan(prefix string, a keyAttribute, c condition) (span, error) {
	var bounds []operand
	switch c := c.(type) {
	case comparison:
		bounds = []operand{c.right}
	case between:
		bounds = []operand{c.low, c.high}
	case beginsWith:
		bounds = []operand{c.prefix}
	}
	var at []string
	for _, o := range bounds {
		v, err := boundOf(a, o, maxSortKey)
		if err != nil {
			return span{}, err
		}
		if _, ok := c.(beginsWith); ok && a.kind == kindN {
			return span{}, invalid("Invalid KeyConditionExpression: begins_with needs a string or a binary")
		} else if ok {
			from := string(appendSortPrefix([]byte(prefix), v.text))
			return span{from, after(from)}, nil
		}
		at = append(at, string(appendSortKey([]byte(prefix), v)))
	}
	if len(at) == 2 {
		return span{at[0], after(at[1])}, nil
	}
	switch c.(comparison).operator {
	case "<":
		return span{prefix, at[0]}, nil
	case "<=":
		return span{prefix, after(at[0])}, nil
	case ">":
		return span{after(at[0]), after(prefix)}, nil
	case ">=":
		return span{at[0], after(prefix)}, nil
	}
	return span{at[0], after(at[0])}, nil
}
