package check

import (
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// keyCodec writes keys of locks as bytes and reads them back. Most locks' keys are
// plain: of such a key only the value is written, and which plain key it is. That is
// half of the key or less, and a sketch is the faster for it. Each key is written in one
// way only, whoever writes it.
type keyCodec struct {
	sources []*source
	plain   []plainKey
	// odd are all constraints, where of one of them a key alone does not tell how it is spelt.
	odd []*layout.Constraint
	of  string // the table of the accounts
}

// plainKey is how the locks of a constraint, or of several, are keyed.
type plainKey struct {
	layout.Plain
	from *source
	// alone: no other plain key can be equal to one of these.
	alone bool
}

// The first byte of a key says which plain key or which table it is of. The flags with
// it say that the key is plain, that an owner follows it, and, of a key that is not
// plain, that its two parts are the same.
const (
	isPlain   = 0x80
	withOwner = 0x40
	sameParts = 0x20
	keyFlags  = isPlain | withOwner | sameParts
	mostPlain = sameParts // that can be told apart
)

// keyHead is how many bytes come before the parts of a key that is not plain: the
// first, and the length of the partition key.
const keyHead = 3

// add has plain keys of a table written short, and answers which they are; −1 where
// they are not.
func (k *keyCodec) add(from *source, p layout.Plain) int {
	for n, have := range k.plain {
		if have.from == from && have.Plain == p {
			return n
		}
	}
	if len(k.plain) == mostPlain {
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

// appendValue writes the plain key of a value. text may be changed by it.
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

// append writes a key.
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

// parts reads back what a key was written of.
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

// key reads a key back.
func (k *keyCodec) key(b string) (*source, attr.Key) {
	from, hash, sort, ok := k.parts(b)
	if !ok {
		return nil, attr.Key{}
	}
	return from, keyWith(from.schema, hash, sort)
}

// appendOwner writes a key together with the account that the lock names.
func appendOwner(b, key []byte, owner string) []byte {
	first := len(b)
	b = append(append(b, key...), owner...)
	b[first] |= withOwner
	return append(b, byte(len(owner)>>8), byte(len(owner)))
}

// splitOwner takes what appendOwner has written apart. Of a key alone the owner is
// empty.
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

// keyText is a key's text in the one form that DynamoDB compares.
func keyText(v attr.Value) string {
	if v.Kind == attr.N {
		return attr.CanonicalNumber(v.Text)
	}
	return v.Text
}

// byTable are candidates by the table that their locks are in.
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

// appendFolded appends a key, however it is spelt.
func (k *keyCodec) appendFolded(b []byte, key string) []byte {
	from, hash, sort, _ := k.parts(key)
	for _, c := range k.odd {
		if from == nil || c.LockTable(k.of) != from.name {
			continue
		}
		// Whoever calls for the key, or has it: the first that it fits says how it is spelt.
		one := keyWith(from.schema, hash, sort)
		if _, _, ok := c.ParseLock(from.schema, one); ok {
			return append(b, c.FoldKey(one)...)
		}
	}
	b = append(append(b, layout.FoldPart(hash)...), 0)
	return append(b, layout.FoldPart(sort)...)
}
