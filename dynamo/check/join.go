package check

import (
	"math"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// keyCodec encodes keys of locks as bytes. Most locks' keys are plain: of such a key only its
// plainKey's index and the value are written, which makes it half as long or less, and the
// sketch faster. Every key has one encoding only.
type keyCodec struct {
	sources []*source
	plain   []plainKey
	// foldBy are all constraints, if the keys of any do not show how the value is spelt;
	// otherwise nil.
	foldBy   []*layout.Constraint
	accounts string // the table of the accounts
}

// plainKey is the plain key of the locks of one or several constraints.
type plainKey struct {
	layout.Plain
	from *source
	// alone: no other plain key can be equal to one of these.
	alone bool
}

// The first byte of a key is the index of its plain key or of its table, with these flags:
// the key is plain, an owner follows, and, unless it is plain, partition and sort key are the
// same.
const (
	isPlain   = 0x80
	withOwner = 0x40
	sameParts = 0x20
	keyFlags  = isPlain | withOwner | sameParts
	maxPlain  = sameParts // as many as the first byte has room for
)

// keyHead is the length of the head of a key that is not plain: the first byte, and the
// length of the partition key.
const keyHead = 3

// add registers a plain key of a table, and returns its index; −1 if there are too many.
func (k *keyCodec) add(from *source, p layout.Plain) int {
	for n, have := range k.plain {
		if have.from == from && have.Plain == p {
			return n
		}
	}
	if len(k.plain) == maxPlain {
		return -1
	}
	one := plainKey{p, from, true}
	for n := range k.plain {
		other := &k.plain[n]
		if other.from == from && (strings.HasPrefix(other.Prefix, p.Prefix) || strings.HasPrefix(p.Prefix, other.Prefix)) {
			one.alone, other.alone = false, false
		}
	}
	k.plain = append(k.plain, one)
	return len(k.plain) - 1
}

// appendValue appends the plain key of a value.
func (k *keyCodec) appendValue(b []byte, plain int, value string) []byte {
	p := &k.plain[plain]
	if !p.alone {
		hash := p.Prefix + value
		sort := p.Sort
		if p.Same {
			sort = hash
		}
		return k.append(b, p.from, hash, sort)
	}
	return append(append(b, isPlain|byte(plain)), value...)
}

// append appends a key.
func (k *keyCodec) append(b []byte, from *source, hash, sort string) []byte {
	for n := range k.plain {
		if p := &k.plain[n]; p.from == from {
			if v, ok := p.Read(hash, sort); ok {
				return append(append(b, isPlain|byte(n)), v...)
			}
		}
	}
	first := from.index
	if from.schema.RangeName != "" && sort == hash {
		first, sort = first|sameParts, ""
	}
	b = append(b, first, byte(len(hash)>>8), byte(len(hash)))
	return append(append(b, hash...), sort...)
}

// parts decodes a key. It reports false for bytes that are none.
func (k *keyCodec) parts(b string) (from *source, hash, sort string, ok bool) {
	if len(b) == 0 {
		return nil, "", "", false
	}
	at := int(b[0] &^ keyFlags)
	if b[0]&isPlain != 0 {
		if at >= len(k.plain) {
			return nil, "", "", false
		}
		p := &k.plain[at]
		hash, sort = p.Prefix+b[1:], p.Sort
		if p.Same {
			sort = hash
		}
		return p.from, hash, sort, true
	}
	if at >= len(k.sources) || len(b) < keyHead || len(b)-keyHead < int(b[1])<<8+int(b[2]) {
		return nil, "", "", false
	}
	n := keyHead + int(b[1])<<8 + int(b[2])
	hash, sort = b[keyHead:n], b[n:]
	if b[0]&sameParts != 0 {
		sort = hash
	}
	return k.sources[at], hash, sort, true
}

// key decodes a key; the source is nil if the bytes are none.
func (k *keyCodec) key(b string) (*source, attr.Key) {
	from, hash, sort, ok := k.parts(b)
	if !ok {
		return nil, attr.Key{}
	}
	return from, from.schema.KeyFrom(hash, sort)
}

// appendOwner appends a key together with the owner that the lock names.
func appendOwner(b, key []byte, owner string) []byte {
	first := len(b)
	b = append(append(b, key...), owner...)
	b[first] |= withOwner
	return append(b, byte(len(owner)>>8), byte(len(owner)))
}

// splitOwner splits what appendOwner has written; the owner of a key alone is empty.
func splitOwner(b []byte) (key []byte, owner string) {
	if len(b) < keyHead || b[0]&withOwner == 0 {
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

// keyText returns a key attribute's text; numbers are canonical, as DynamoDB compares them.
func keyText(v attr.Value) string {
	if v.Kind == attr.N {
		return attr.CanonicalNumber(v.Text)
	}
	return v.Text
}

// byTable returns the wanted candidates by the table of their locks.
func (k *keyCodec) byTable(all map[uint64]*candidate, wanted func(*candidate) bool) map[*source][]*candidate {
	byTable := map[*source][]*candidate{}
	for _, c := range all {
		if !wanted(c) {
			continue
		}
		if from, _, _, ok := k.parts(c.key); ok {
			byTable[from] = append(byTable[from], c)
		}
	}
	return byTable
}

// appendFolded appends a key in the one form that all its spellings have.
func (k *keyCodec) appendFolded(b []byte, key string) []byte {
	from, hash, sort, _ := k.parts(key)
	for _, c := range k.foldBy {
		if from == nil || c.LockTable(k.accounts) != from.name {
			continue
		}
		// The first constraint that the key fits decides: whoever claims the key is folded
		// alike.
		one := from.schema.KeyFrom(hash, sort)
		if _, _, ok := c.ParseLock(from.schema, one); ok {
			return append(b, c.FoldKey(one)...)
		}
	}
	b = append(append(b, layout.FoldPart(hash)...), 0)
	return append(b, layout.FoldPart(sort)...)
}

// partition is a part of all locks' keys, with the accounts that claim them: what a check is
// restricted to if more is wrong than memory holds. The zero partition is all keys. It is
// chosen by a keyed hash of the folded key, so that all spellings of a value are in one
// partition.
type partition struct{ below uint64 }

// partitionOf returns a partition with about that fraction of all keys.
func partitionOf(fraction float64) partition {
	if fraction >= 1 {
		return partition{}
	}
	return partition{max(uint64(fraction*math.MaxUint64), 1)}
}

// fullness is how full memory should be: how much is left over is only estimated.
const fullness = 0.9

func (p partition) all() bool { return p.below == 0 }

func (p partition) has(hash uint64) bool { return p.all() || hash < p.below }

// fraction returns how much of all keys it is, above 0 and at most 1.
func (p partition) fraction() float64 {
	if p.all() {
		return 1
	}
	return float64(p.below) / math.MaxUint64
}

// scaled returns about how many there are among all keys if the partition has n.
func (p partition) scaled(n int) int { return int(float64(n) / p.fraction()) }

// about returns the word before a number that was scaled.
func (p partition) about() string {
	if p.all() {
		return ""
	}
	return "about "
}
