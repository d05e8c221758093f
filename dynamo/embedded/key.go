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
			"One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty %s value. Key: %s",
			a.kind.word(), a.name,
		)
		empty.early = true
		return empty
	}
	if v.kind != kindN && len(v.text) > limit {
		return tooLong(a, limit, "")
	}
	return nil
}

// fits reports whether check accepts v. It builds no error value, so a write to a table with sparse indexes stays
// cheap.
func (a keyAttribute) fits(v value, limit int) bool {
	return v.kind == a.kind && v.text != "" && (v.kind == kindN || len(v.text) <= limit)
}

func tooLong(a keyAttribute, limit int, of string) error {
	return invalid(
		"One or more parameter values were invalid: Size of key %s has exceeded the maximum size limit of %d bytes%s",
		a.name, limit, of,
	)
}

// keyLimit returns the greatest length in bytes of a key attribute. i is 0 for the partition key, and 1 for
// the sort key.
func keyLimit(i int) int {
	if i == 0 {
		return maxPartitionKey
	}
	return maxSortKey
}

// checkItem returns an error for an item without a valid key.
func (k keySchema) checkItem(it item) error {
	for i, a := range k.attributes() {
		v, ok := it.get(a.name)
		if !ok {
			return invalid("One or more parameter values were invalid: Missing the key %s in the item", a.name)
		}
		if err := a.check(v, keyLimit(i)); err != nil {
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
