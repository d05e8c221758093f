// Package holders finds values in items. An Index finds the texts that contain one of its values, in every spelling and
// form that the layout knows. A Search examines whole items. It finds the accounts that claim each lock, and the other
// items that hold the lock's value. Shape groups these other items by their keys. find, browse, checks, releases and
// questions to people use a Search. The package does no I/O. Start at Search.
//
// The package misses values that are encrypted or compressed, and values that are hashed in a way that the
// layout does not describe.
package holders

import (
	"cmp"
	"hash/maphash"
	"maps"
	"slices"

	"tallylock/dynamo/layout"
)

// An Index finds values in texts. Add all values first. After that, searching is safe for concurrent use,
// with a Finder for each goroutine.
type Index struct {
	seed   maphash.Seed
	values []value
	// spelt finds values by their folded spelling. encoded finds values by their encoded text or digest. locks finds
	// values by the key of their lock.
	spelt, encoded, locks hashIndex
	forms                 layout.Forms
	// pieces lists the possible numbers of pieces (see separators) in a value's spelling, each once, in
	// ascending order.
	pieces []int
	// mostDigits is the number of digits of the longest number among the values. It is 0 if no value is a
	// number.
	mostDigits int
	// encoding has the constraints that encode their values. digesting has the constraints whose values
	// look like digests.
	encoding, digesting []*layout.Constraint
	empty               []int32 // indexes of the empty values
}

// value is one value of the Index, with its constraint.
type value struct {
	con  *layout.Constraint
	text string
	// digits has the digits of a value that is a number. It is empty for any other value.
	digits string
}

// NewIndex makes an empty Index.
func NewIndex() *Index {
	return &Index{seed: maphash.MakeSeed(), spelt: newHashIndex(), encoded: newHashIndex(), locks: newHashIndex()}
}

// AddLock adds the ID of a lock's key, so that ByLock finds the value with the index at.
func (x *Index) AddLock(at int32, id string) { x.locks.add(maphash.String(x.seed, id), at) }

// AddKey adds a part of a lock's key as a spelling of the value with the index at, if the part contains the value
// without separators around it. An example is a part made by the template {v}@x.io. No piece of such a part equals the
// value, so only the whole part shows that a text holds the value.
func (x *Index) AddKey(at int32, part string) {
	if text := x.values[at].text; text != "" && glued(part, text) {
		x.spell(at, layout.Fold(part))
	}
}

// Hash returns a keyed hash of the ID of a lock's key.
func (x *Index) Hash(id string) uint64 { return maphash.String(x.seed, id) }

// ByLock yields the indexes of the values whose lock may have the key with this ID. The caller must compare
// the keys, since hashes may collide.
func (x *Index) ByLock(id string) func(yield func(int32) bool) {
	return x.locks.each(maphash.String(x.seed, id))
}

// Add adds a value, and returns the value's index. text is the value as the lock's key has it. typed is the value as a
// person typed it; empty if unknown. If text is a digest, typed also shows the original text: the Index then finds it
// without a digest.
func (x *Index) Add(c *layout.Constraint, text, typed string) int32 {
	at := int32(len(x.values))
	plain, _ := c.Text(text)
	x.values = append(x.values, value{c, text, digitsOf(plain)})
	if text == "" {
		x.empty = append(x.empty, at)
	}
	x.spell(at, x.spellings(c, text, typed)...)
	x.forms.Add(layout.FormOf(c, text), at)
	x.forms.Add(string(layout.AppendForm(nil, typed)), at)
	x.mostDigits = max(x.mostDigits, len(x.values[at].digits), len(digitsOf(typed)))
	digest := layout.DigestIn(text)
	if digest != "" && !slices.ContainsFunc(x.digesting, c.SameValues) {
		x.digesting = append(x.digesting, c)
	}
	if c.Encodes() || digest != "" {
		for _, one := range slices.Compact([]string{text, cmp.Or(digest, text)}) {
			x.encoded.add(maphash.String(x.seed, one), at)
		}
	}
	if c.Encodes() && !layout.OnlyHashes(c) && !slices.ContainsFunc(x.encoding, c.SameValues) {
		x.encoding = append(x.encoding, c)
	}
	return at
}

// AddTyped adds another text that a person typed for the value with the index at.
func (x *Index) AddTyped(at int32, typed string) {
	if spelling := layout.Fold(typed); spelling != "" {
		x.spell(at, spelling)
	}
	x.forms.Add(string(layout.AppendForm(nil, typed)), at)
	x.mostDigits = max(x.mostDigits, len(digitsOf(typed)))
}

// spell adds folded spellings of the value with the index at.
func (x *Index) spell(at int32, spellings ...string) {
	counts := map[int]bool{}
	for _, spelling := range spellings {
		x.spelt.add(maphash.String(x.seed, spelling), at)
		x.forms.AddSpelling(spelling)
		counts[countPieces(spelling)] = true
	}
	for _, n := range x.pieces {
		counts[n] = true
	}
	x.pieces = slices.Sorted(maps.Keys(counts))
}

// spellings returns the different folded spellings of a value. An empty value has none.
func (x *Index) spellings(c *layout.Constraint, text, typed string) []string {
	var all []string
	for _, spelling := range []string{c.Spelling(text), layout.Fold(text), layout.Fold(typed)} {
		if spelling != "" && !slices.Contains(all, spelling) {
			all = append(all, spelling)
		}
	}
	return all
}

// LongestValue is the greatest length of a value in bytes: DynamoDB's limit for a partition key.
const LongestValue = 2048

// A Finder searches texts for the values of an Index. Each goroutine needs its own.
type Finder struct {
	x     *Index
	yield func(at int32)
	ends  []int  // the ends of the pieces of the present text
	form  []byte // the form of the present text
	// groups has the beginning and the end of each group of digits, in a text that may be one number.
	groups [][2]int
}

// Finder makes a Finder. The Finder calls yield with the index of each value that it finds, perhaps more
// than once.
func (x *Index) Finder(yield func(at int32)) *Finder { return &Finder{x: x, yield: yield} }

// Whole finds the values that are the whole text, apart from white space at the ends. It also finds values
// that are a member of a list, or an e-mail address in the text. Use Whole for the constraint's own
// attribute.
func (f *Finder) Whole(text string) {
	folded := layout.Fold(text)
	if folded == "" {
		for _, at := range f.x.empty {
			f.yield(at)
		}
		return
	}
	f.compare(text, folded)
	f.list(text)
	f.addresses(folded)
}

// Exactly finds the values that are the whole text. It does not search parts of the text.
func (f *Finder) Exactly(text string) {
	if folded := layout.Fold(text); folded != "" {
		f.compare(text, folded)
	}
}

// Anywhere finds the values in any part of the text: a member of a list, a run of pieces between
// separators, an e-mail address, or a number that is written with other signs.
func (f *Finder) Anywhere(text string) {
	folded := layout.Fold(text)
	if folded == "" {
		return
	}
	f.compare(text, folded)
	f.list(text)
	f.pieces(folded)
	f.addresses(folded)
	if f.x.mostDigits > 0 {
		f.numbers(folded)
	}
	if len(f.x.encoding) > 0 || len(f.x.digesting) > 0 {
		f.encodedPieces(text)
	}
}

// compare finds the values that are the whole text. folded is layout.Fold of the text.
func (f *Finder) compare(text, folded string) {
	f.compareSpelling(folded)
	f.compareForm(folded)
	if len(f.x.encoding) > 0 || len(f.x.digesting) > 0 {
		f.compareEncoded(text, folded)
	}
}

func (f *Finder) compareSpelling(folded string) {
	if folded == "" || len(folded) > LongestValue {
		return
	}
	for at := range f.x.spelt.each(maphash.String(f.x.seed, folded)) {
		f.yield(at)
	}
}

func (f *Finder) compareForm(folded string) {
	if folded == "" || len(folded) > LongestValue {
		return
	}
	f.form = layout.AppendForm(f.form[:0], folded)
	digits := digitsOf(folded)
	f.x.forms.Find(f.form, func(at int32) {
		if sameNumber(digits, f.x.values[at].digits) {
			f.yield(at)
		}
	})
}

// compareEncoded normalises and digests the text as the constraints do, and finds the values that equal a
// result.
func (f *Finder) compareEncoded(text, folded string) {
	if text == "" || len(text) > LongestValue {
		return
	}
	encoded := func(made string) {
		for at := range f.x.encoded.each(maphash.String(f.x.seed, made)) {
			f.yield(at)
		}
	}
	for _, c := range f.x.encoding {
		encoded(c.Normalised(text))
		encoded(c.Encoded(text))
		if folded != text {
			encoded(c.Normalised(folded))
			encoded(c.Encoded(folded))
		}
	}
	for _, c := range f.x.digesting {
		for _, digest := range layout.DigestsOf(c, text, folded) {
			encoded(digest)
		}
	}
}

// hashIndex maps a hash to the indexes that were added with it.
type hashIndex struct {
	last  map[uint64]int32 // the newest link of each hash
	links []link
}

// link has the index of a value. before is the index of the earlier link with the same hash, or −1.
type link struct{ at, before int32 }

func newHashIndex() hashIndex { return hashIndex{last: map[uint64]int32{}} }

func (x *hashIndex) add(hash uint64, at int32) {
	before, ok := x.last[hash]
	if !ok {
		before = -1
	}
	x.last[hash] = int32(len(x.links))
	x.links = append(x.links, link{at, before})
}

func (x *hashIndex) each(hash uint64) func(yield func(int32) bool) {
	n, ok := x.last[hash]
	return func(yield func(int32) bool) {
		for ; ok && n >= 0; n = x.links[n].before {
			if !yield(x.links[n].at) {
				return
			}
		}
	}
}
