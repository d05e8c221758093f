package embedded

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"tallylock/dynamo/attr"
)

// kind is the type of an attribute value.
type kind byte

const (
	kindNone kind = iota
	kindS
	kindN
	kindB
	kindBool
	kindNull
	kindM
	kindL
	kindSS
	kindNS
	kindBS
)

// String returns the type's name in DynamoDB's protocol.
func (k kind) String() string {
	return [...]string{"", "S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"}[k]
}

// kindOf returns the kind with the given name; kindNone if there is no such kind.
func kindOf(name string) kind {
	switch name {
	case "S":
		return kindS
	case "N":
		return kindN
	}
	for k := kindB; k <= kindBS; k++ {
		if k.String() == name {
			return k
		}
	}
	return kindNone
}

// word returns the type's name in DynamoDB's errors about an empty key.
func (k kind) word() string {
	if k == kindB {
		return "binary"
	}
	return "string"
}

func (k kind) isSet() bool { return k == kindSS || k == kindNS || k == kindBS }

// element returns the kind of a set's elements.
func (k kind) element() kind { return k - kindSS + kindS }

// isScalar reports whether the kind is S, N or B. Only values of these kinds have an order, and can be
// keys.
func (k kind) isScalar() bool { return k == kindS || k == kindN || k == kindB }

// value is one attribute value. Its strings may share memory with the JSON from which it was decoded. A
// value is never changed after it is made.
type value struct {
	kind kind
	yes  bool    // BOOL
	text string  // for S, for N in canonical form, for B as raw bytes
	list []value // the elements of an L, or of a set in ascending order
	m    item    // M
}

// attribute is a named value.
type attribute struct {
	name  string
	value value
}

// item is a list of attributes, sorted by name. Each name occurs once.
type item []attribute

func (it item) find(name string) (int, bool) {
	return slices.BinarySearchFunc(it, name, func(a attribute, name string) int { return strings.Compare(a.name, name) })
}

func (it item) get(name string) (value, bool) {
	if i, ok := it.find(name); ok {
		return it[i].value, true
	}
	return value{}, false
}

// with returns a copy of the item in which the attribute called name has the value v.
func (it item) with(name string, v value) item {
	i, found := it.find(name)
	if found {
		out := slices.Clone(it)
		out[i].value = v
		return out
	}
	out := make(item, 0, len(it)+1)
	out = append(append(out, it[:i]...), attribute{name, v})
	return append(out, it[i:]...)
}

func (it item) without(name string) item {
	i, found := it.find(name)
	if !found {
		return it
	}
	return slices.Delete(slices.Clone(it), i, i+1)
}

// sorted sorts decoded attributes by name. It returns false if a name occurs twice.
func (it item) sorted() (item, bool) {
	for i := 1; i < len(it); i++ {
		switch {
		case it[i-1].name == it[i].name:
			return it, false
		case it[i-1].name > it[i].name:
			slices.SortFunc(it, func(a, b attribute) int { return strings.Compare(a.name, b.name) })
			return it.sorted()
		}
	}
	return it, true
}

func equal(a, b value) bool {
	if a.kind != b.kind || a.yes != b.yes || a.text != b.text {
		return false
	}
	return slices.EqualFunc(a.list, b.list, equal) && equalItems(a.m, b.m)
}

func equalItems(a, b item) bool {
	return slices.EqualFunc(a, b, func(x, y attribute) bool { return x.name == y.name && equal(x.value, y.value) })
}

// compare orders two scalars of one type. Other values are not comparable.
func compare(a, b value) (order int, comparable bool) {
	if a.kind != b.kind || !a.kind.isScalar() {
		return 0, false
	}
	return compareScalars(a, b), true
}

func compareScalars(a, b value) int {
	if a.kind == kindN {
		return compareNumbers(a.text, b.text)
	}
	return strings.Compare(a.text, b.text)
}

// size returns the size of a value in bytes, by DynamoDB's rules.
func (v value) size() int {
	switch v.kind {
	case kindN:
		return numberSize(v.text)
	case kindBool, kindNull:
		return 1
	case kindM:
		return 3 + len(v.m) + v.m.size()
	case kindL:
		n := 3
		for _, e := range v.list {
			n += 1 + e.size()
		}
		return n
	case kindSS, kindNS, kindBS:
		n := 0
		for _, e := range v.list {
			n += e.size()
		}
		return n
	}
	return len(v.text)
}

func (it item) size() int {
	n := 0
	for _, a := range it {
		n += len(a.name) + a.value.size()
	}
	return n
}

// depth counts the levels of maps and lists in a value.
func (v value) depth() int {
	deepest := 0
	switch v.kind {
	case kindM:
		for _, a := range v.m {
			deepest = max(deepest, a.value.depth())
		}
	case kindL:
		for _, e := range v.list {
			deepest = max(deepest, e.depth())
		}
	default:
		return 0
	}
	return 1 + deepest
}

// makeSet returns a set of the elements, in ascending order. An empty set and a duplicate are errors.
func makeSet(k kind, elements []value) (value, error) {
	if len(elements) == 0 {
		return value{}, emptySet(k)
	}
	sorted := elements
	if !slices.IsSortedFunc(elements, compareScalars) { // the sets of stored items are sorted
		sorted = slices.SortedFunc(slices.Values(elements), compareScalars)
	}
	for i := 1; i < len(sorted); i++ {
		if compareScalars(sorted[i-1], sorted[i]) == 0 {
			return value{}, duplicates(k, elements)
		}
	}
	return value{kind: k, list: sorted}, nil
}

// emptySet returns DynamoDB's error for a set without elements. DynamoDB writes the two spaces, too.
func emptySet(k kind) error {
	switch k {
	case kindSS:
		return invalid("One or more parameter values were invalid: An string set  may not be empty")
	case kindNS:
		return invalid("One or more parameter values were invalid: An number set  may not be empty")
	}
	return invalid("One or more parameter values were invalid: Binary sets should not be empty")
}

// duplicates returns DynamoDB's error for a set with two equal elements. DynamoDB forgets a space in the
// error for a binary set.
func duplicates(k kind, elements []value) error {
	if k == kindNS {
		return invalid("Input collection contains duplicates")
	}
	texts := make([]string, len(elements))
	for i, e := range elements {
		if texts[i] = e.text; k == kindBS {
			texts[i] = base64.StdEncoding.EncodeToString([]byte(e.text))
		}
	}
	list := strings.Join(texts, ", ")
	if k == kindBS {
		return invalid("One or more parameter values were invalid: Input collection [%s]of type BS contains duplicates.",
			list)
	}
	return invalid("One or more parameter values were invalid: Input collection [%s] contains duplicates.", list)
}

// canonicalNumber returns the canonical text of a number: without an exponent, a plus sign or a needless
// zero. The engine stores numbers in this form. Equal numbers have equal texts, and no digit is lost.
func canonicalNumber(s string) (string, error) {
	if text, ok := attr.Decimal(s); ok {
		return text, nil
	}
	return "", badNumber(s)
}

// longestNumber limits the texts that badNumber parses.
const longestNumber = 1000

// badNumber returns DynamoDB's error for a text that attr.Decimal refuses.
func badNumber(s string) error {
	if s == "" {
		return invalid("The parameter cannot be converted to a numeric value")
	}
	if len(s) > longestNumber {
		return invalid("The parameter cannot be converted to a numeric value: %s…", s[:64])
	}
	d, _, err := apd.NewFromString(s)
	if err != nil || d.Form != apd.Finite {
		return invalid("The parameter cannot be converted to a numeric value: %s", s)
	}
	switch magnitude := int64(d.Exponent) + d.NumDigits() - 1; {
	case magnitude > maxMagnitude:
		return invalid("Number overflow. Attempting to store a number with magnitude larger than supported range")
	case magnitude < minMagnitude:
		return invalid("Number underflow. Attempting to store a number with magnitude smaller than supported range")
	}
	return invalid("Attempting to store more than 38 significant digits in a Number")
}

// splitNumber splits a canonical number into its sign, its significant digits (none for zero) and
// the power of ten of the first digit.
func splitNumber(s string) (negative bool, digits string, leading int) {
	if strings.HasPrefix(s, "-") {
		negative, s = true, s[1:]
	}
	whole, fraction, _ := strings.Cut(s, ".")
	if whole == "0" {
		digits = strings.TrimLeft(fraction, "0")
		return negative, digits, len(digits) - len(fraction) - 1
	}
	return negative, strings.TrimRight(whole+fraction, "0"), len(whole) - 1
}

// compareNumbers orders two canonical numbers.
func compareNumbers(a, b string) int {
	return bytes.Compare(appendNumberKey(nil, a), appendNumberKey(nil, b))
}

// exact calculates with enough digits for the sum of the largest and the smallest number.
var exact = apd.BaseContext.WithPrecision(300)

// addNumbers returns the exact sum a+b, or a-b if subtract is true. A result of more than 38 digits is an
// error.
func addNumbers(a, b string, subtract bool) (string, error) {
	x, _, errX := apd.NewFromString(a)
	y, _, errY := apd.NewFromString(b)
	if err := cmp.Or(errX, errY); err != nil {
		return "", err // impossible: both are canonical
	}
	add := exact.Add
	if subtract {
		add = exact.Sub
	}
	var sum apd.Decimal
	if _, err := add(&sum, x, y); err != nil {
		return "", err
	}
	return canonicalNumber(sum.String())
}

// The exponents of 1E-130, the smallest number above zero, and of 9.99…E+125, the largest number.
const (
	minMagnitude = -130
	maxMagnitude = 125
)

// appendNumberKey appends a canonical number as bytes: sign, exponent, digits. The order of the bytes is
// the order of the numbers. For this, all bytes of a negative number are inverted, except the sign.
func appendNumberKey(dst []byte, s string) []byte {
	negative, digits, leading := splitNumber(s)
	if digits == "" {
		return append(dst, 1)
	}
	var flip byte
	if negative {
		dst = append(dst, 0)
		flip = 0xff
	} else {
		dst = append(dst, 2)
	}
	dst = append(dst, byte(leading-minMagnitude)^flip)
	for i := range len(digits) {
		dst = append(dst, (digits[i]-'0'+1)^flip)
	}
	return append(dst, flip) // the end sorts below any digit, or above any inverted digit
}

// numberSize returns the size of a number in bytes: one byte for every two digits, one for the exponent,
// and one more for a negative sign.
func numberSize(s string) int {
	negative, digits, _ := splitNumber(s)
	n := 1 + (len(digits)+1)/2
	if negative {
		n++
	}
	return n
}
