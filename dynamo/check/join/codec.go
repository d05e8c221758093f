// Package join has the data of the join that compares locks with accounts: the tables and rules of a
// check, the codec of lock keys, the candidates that remain, and the partition of the keys that fits
// into memory. Start at Candidate.
package join

import (
	"math"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// Codec encodes lock keys as bytes. Most keys are plain: a prefix and the value. For a plain key, Codec writes only the
// index of the plain form and the value. This at least halves the length and makes the sketch faster. Each key has
// exactly one encoding.
type Codec struct {
	Sources []*Source
	Plain   []plainKey
	// foldBy has all constraints of the layout if some key must be parsed before it can be folded
	// (SpelledByKey). Otherwise it is nil.
	foldBy   []*layout.Constraint
	accounts string // the name of the accounts' table
}

// plainKey is a plain form of lock keys. Several constraints may share it.
type plainKey struct {
	layout.Plain
	from *Source
	// alone: no key of this form can equal a key of another form.
	alone bool
}

// The first byte of an encoded key holds an index and flags. isPlain: the index is that of a plain form; otherwise it
// is that of a table. withOwner: an owner follows the key. sameParts: the sort key equals the partition key. Plain keys
// do not need sameParts.
const (
	isPlain   = 0x80
	withOwner = 0x40
	sameParts = 0x20
	keyFlags  = isPlain | withOwner | sameParts
	maxPlain  = sameParts // the number of indexes that fit into the first byte
)

// KeyHead is the number of bytes before the text of a key that is not plain: the first byte, and two for the length of
// the partition key.
const KeyHead = 3

// add adds a plain form of a table's keys, and returns the index of the form. It returns −1 if there are too many
// forms.
func (k *Codec) add(from *Source, p layout.Plain) int {
	for n, have := range k.Plain {
		if have.from == from && have.Plain == p {
			return n
		}
	}
	if len(k.Plain) == maxPlain {
		return -1
	}
	one := plainKey{p, from, true}
	for n := range k.Plain {
		other := &k.Plain[n]
		if other.from == from && (strings.HasPrefix(other.Prefix, p.Prefix) || strings.HasPrefix(p.Prefix, other.Prefix)) {
			one.alone, other.alone = false, false
		}
	}
	k.Plain = append(k.Plain, one)
	return len(k.Plain) - 1
}

// AppendValue encodes the lock key of a value, and appends it to b. plain is the index of the key's plain form.
func (k *Codec) AppendValue(b []byte, plain int, value string) []byte {
	p := &k.Plain[plain]
	if !p.alone {
		hash := p.Prefix + value
		sort := p.Sort
		if p.Same {
			sort = hash
		}
		return k.Append(b, p.from, hash, sort)
	}
	return append(append(b, isPlain|byte(plain)), value...)
}

// Append encodes a key, and appends it to b.
func (k *Codec) Append(b []byte, from *Source, hash, sort string) []byte {
	for n := range k.Plain {
		if p := &k.Plain[n]; p.from == from {
			if v, ok := p.Read(hash, sort); ok {
				return append(append(b, isPlain|byte(n)), v...)
			}
		}
	}
	first := from.index
	if from.Schema.RangeName != "" && sort == hash {
		first, sort = first|sameParts, ""
	}
	b = append(b, first, byte(len(hash)>>8), byte(len(hash)))
	return append(append(b, hash...), sort...)
}

// parts decodes a key. It reports false if the bytes are not a key.
func (k *Codec) parts(b string) (from *Source, hash, sort string, ok bool) {
	if len(b) == 0 {
		return nil, "", "", false
	}
	at := int(b[0] &^ keyFlags)
	if b[0]&isPlain != 0 {
		if at >= len(k.Plain) {
			return nil, "", "", false
		}
		p := &k.Plain[at]
		hash, sort = p.Prefix+b[1:], p.Sort
		if p.Same {
			sort = hash
		}
		return p.from, hash, sort, true
	}
	if at >= len(k.Sources) || len(b) < KeyHead || len(b)-KeyHead < int(b[1])<<8+int(b[2]) {
		return nil, "", "", false
	}
	n := KeyHead + int(b[1])<<8 + int(b[2])
	hash, sort = b[KeyHead:n], b[n:]
	if b[0]&sameParts != 0 {
		sort = hash
	}
	return k.Sources[at], hash, sort, true
}

// Key decodes a key. The source is nil if the bytes are not a key.
func (k *Codec) Key(b string) (*Source, attr.Key) {
	from, hash, sort, ok := k.parts(b)
	if !ok {
		return nil, attr.Key{}
	}
	return from, from.Schema.KeyFrom(hash, sort)
}

// AppendOwner appends an encoded key to b, and then the owner that the lock names. The owner is prefix and rest.
func AppendOwner(b, key []byte, prefix, rest string) []byte {
	first := len(b)
	b = append(append(append(b, key...), prefix...), rest...)
	b[first] |= withOwner
	n := len(prefix) + len(rest)
	return append(b, byte(n>>8), byte(n))
}

// splitOwner splits the bytes that AppendOwner writes. If the bytes are only a key, owner is empty.
func splitOwner(b []byte) (key []byte, owner string) {
	if len(b) < KeyHead || b[0]&withOwner == 0 {
		return b, ""
	}
	end := len(b) - 2
	from := end - (int(b[end])<<8 | int(b[end+1]))
	if from < 1 {
		return nil, ""
	}
	b[0] &^= withOwner
	return b[:from], string(b[from:end])
}

// KeyText returns the text of a key attribute. Numbers become canonical, since DynamoDB compares them
// by value.
func KeyText(v attr.Value) string {
	if v.Kind == attr.N {
		return attr.CanonicalNumber(v.Text)
	}
	return v.Text
}

// ByTable groups candidates by the table of their locks. It leaves out candidates for which wanted is false.
func (k *Codec) ByTable(all map[uint64]*Candidate, wanted func(*Candidate) bool) map[*Source][]*Candidate {
	byTable := map[*Source][]*Candidate{}
	for _, c := range all {
		if !wanted(c) {
			continue
		}
		if from, _, _, ok := k.parts(c.Key); ok {
			byTable[from] = append(byTable[from], c)
		}
	}
	return byTable
}

// AppendFolded appends the folded key. All spellings of a value have the same folded key.
func (k *Codec) AppendFolded(b []byte, key string) []byte {
	from, hash, sort, _ := k.parts(key)
	for _, c := range k.foldBy {
		if from == nil || c.LockTable(k.accounts) != from.Name {
			continue
		}
		// The first constraint that fits the key decides, so that all claims on the key fold it in the same way.
		one := from.Schema.KeyFrom(hash, sort)
		if _, _, ok := c.ParseLock(from.Schema, one); ok {
			return append(b, c.FoldKey(one)...)
		}
	}
	b = append(append(b, layout.FoldPart(hash)...), 0)
	return append(b, layout.FoldPart(sort)...)
}

// Partition is a part of all lock keys. A check restricts itself to a partition if the remaining keys do not fit in
// memory. A keyed hash of the folded key decides whether the partition has a key. So all spellings of a value are in
// the same partition. The zero Partition has all keys.
type Partition struct{ below uint64 }

// PartitionOf returns a partition with about this fraction of all keys.
func PartitionOf(fraction float64) Partition {
	if fraction >= 1 {
		return Partition{}
	}
	return Partition{max(uint64(fraction*math.MaxUint64), 1)}
}

// Fullness is the share of memory to plan for. The rest is reserve, since the number of remaining keys
// is only an estimate.
const Fullness = 0.9

// All reports whether the partition has all keys.
func (p Partition) All() bool { return p.below == 0 }

// Has reports whether a key with this hash is in the partition.
func (p Partition) Has(hash uint64) bool { return p.All() || hash < p.below }

// Fraction returns the partition's share of all keys: above 0, and at most 1.
func (p Partition) Fraction() float64 {
	if p.All() {
		return 1
	}
	return float64(p.below) / math.MaxUint64
}

// Scaled estimates a count for all keys. n is the count for the partition.
func (p Partition) Scaled(n int) int { return int(float64(n) / p.Fraction()) }

// About returns the word "about " for a scaled number. It is empty if the partition has all keys.
func (p Partition) About() string {
	if p.All() {
		return ""
	}
	return "about "
}
