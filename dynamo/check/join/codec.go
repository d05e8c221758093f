// Package join holds the parts of a join of locks with accounts: the tables and constraints of a check,
// the codec of lock keys, the candidates that a join leaves over, and the partition of keys that memory
// has room for. Start at Candidate.
package join

import (
	"math"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// Codec encodes keys of locks as bytes. Most keys are plain: the codec writes only the index of
// the plain key and the value. That halves the length at least, and makes the sketch faster.
// Every key has one encoding only.
type Codec struct {
	Sources []*Source
	Plain   []plainKey
	// foldBy are all constraints if the lock keys of at least one of them do not show the
	// spelling of the value; otherwise nil.
	foldBy   []*layout.Constraint
	accounts string // the table of the accounts
}

// plainKey is the plain key of the locks of one or several constraints.
type plainKey struct {
	layout.Plain
	from *Source
	// alone is set if no key of another plain key can equal a key of this one.
	alone bool
}

// The first byte of a key is the index of its plain key or of its table, with these flags: the
// key is plain; an owner follows; partition and sort key are the same (not for a plain key).
const (
	isPlain   = 0x80
	withOwner = 0x40
	sameParts = 0x20
	keyFlags  = isPlain | withOwner | sameParts
	maxPlain  = sameParts // the first byte has room for so many indexes
)

// KeyHead is the length of the head of a key that is not plain: the first byte, and the
// length of the partition key.
const KeyHead = 3

// add registers a plain key of a table, and returns its index; −1 if there are too many.
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

// AppendValue appends the plain key of a value.
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

// Append appends a key.
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

// parts decodes a key. ok is false if the bytes are no key.
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

// Key decodes a key; the source is nil if the bytes are no key.
func (k *Codec) Key(b string) (*Source, attr.Key) {
	from, hash, sort, ok := k.parts(b)
	if !ok {
		return nil, attr.Key{}
	}
	return from, from.Schema.KeyFrom(hash, sort)
}

// AppendOwner appends a key together with the owner that the lock names.
func AppendOwner(b, key []byte, owner string) []byte {
	first := len(b)
	b = append(append(b, key...), owner...)
	b[first] |= withOwner
	return append(b, byte(len(owner)>>8), byte(len(owner)))
}

// splitOwner splits the bytes that AppendOwner has written. The owner is empty if they are only a key.
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

// KeyText returns a key attribute's text; numbers are canonical, as DynamoDB compares them.
func KeyText(v attr.Value) string {
	if v.Kind == attr.N {
		return attr.CanonicalNumber(v.Text)
	}
	return v.Text
}

// ByTable returns the wanted candidates by the table of their locks.
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

// AppendFolded appends the folded form of a key, which is equal for all spellings of the key.
func (k *Codec) AppendFolded(b []byte, key string) []byte {
	from, hash, sort, _ := k.parts(key)
	for _, c := range k.foldBy {
		if from == nil || c.LockTable(k.accounts) != from.Name {
			continue
		}
		// The first constraint that the key fits decides, so that all claims to the key are
		// folded alike.
		one := from.Schema.KeyFrom(hash, sort)
		if _, _, ok := c.ParseLock(from.Schema, one); ok {
			return append(b, c.FoldKey(one)...)
		}
	}
	b = append(append(b, layout.FoldPart(hash)...), 0)
	return append(b, layout.FoldPart(sort)...)
}

// Partition is a part of all locks' keys, with the accounts that claim them. A check is
// restricted to a partition if memory cannot hold all keys that are left over. The zero
// partition has all keys. A keyed hash of the folded key decides whether a key is in it, so
// that all spellings of a value are in one partition.
type Partition struct{ below uint64 }

// PartitionOf returns a partition with about that fraction of all keys.
func PartitionOf(fraction float64) Partition {
	if fraction >= 1 {
		return Partition{}
	}
	return Partition{max(uint64(fraction*math.MaxUint64), 1)}
}

// Fullness is the share of memory to plan for, since the number of remaining keys is only estimated.
const Fullness = 0.9

// All reports whether the partition has all keys.
func (p Partition) All() bool { return p.below == 0 }

// Has reports whether a key with that hash is in the partition.
func (p Partition) Has(hash uint64) bool { return p.All() || hash < p.below }

// Fraction returns the partition's share of all keys, above 0 and at most 1.
func (p Partition) Fraction() float64 {
	if p.All() {
		return 1
	}
	return float64(p.below) / math.MaxUint64
}

// Scaled estimates a number for all keys from the number n for the partition.
func (p Partition) Scaled(n int) int { return int(float64(n) / p.Fraction()) }

// About returns the word to put before a scaled number, with a space; empty if the partition has all keys.
func (p Partition) About() string {
	if p.All() {
		return ""
	}
	return "about "
}
