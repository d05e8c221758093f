package layout

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// AppendForm appends the loose form of a text: the text without differences that applications may
// ignore. These are case, accents, spaces and signs, the dots and the +tag of an e-mail address, a
// URL scheme, and zeros and country codes before a number. An application may treat two values with
// the same form as one value, even if the layout does not say so. A text of signs alone has no
// form: AppendForm appends nothing.
func AppendForm(dst []byte, text string) []byte {
	if !ascii(text) {
		text = norm.NFKD.String(Fold(text))
	}
	text = trimScheme(text)
	name, domain, mail := strings.Cut(text, "@")
	if name == "" || domain == "" {
		return appendPlain(dst, text, true)
	}
	if n := strings.IndexByte(name, '+'); mail && n > 0 {
		name = name[:n]
	}
	if strings.EqualFold(domain, "googlemail.com") {
		domain = "gmail.com"
	}
	dst = append(appendPlain(dst, name, false), '@')
	return appendPlain(dst, domain, false)
}

func trimScheme(text string) string {
	for _, prefix := range [...]string{"https://", "http://", "www."} {
		if len(text) > len(prefix) && strings.EqualFold(text[:len(prefix)], prefix) {
			text = text[len(prefix):]
		}
	}
	return text
}

// FormOf returns the form (AppendForm) of the text in a lock's value. It is empty if the text
// cannot be decoded or has no form.
func FormOf(c *Constraint, value string) string {
	text, ok := c.Text(value)
	if !ok {
		return ""
	}
	return string(AppendForm(nil, text))
}

// cutForm is the least length at which a form also matches a longer form that begins with it.
// Applications truncate long values, so such forms may come from the same value.
const cutForm = 16

// SameForm reports whether two forms may come from the same value. Either the forms are equal, or
// the longer form begins with the shorter one (see cutForm).
func SameForm(a, b string) bool {
	if min(len(a), len(b)) >= cutForm {
		return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
	}
	return a != "" && a == b
}

// comparedDigits is the number of digits that the form keeps at the end of a long number. The
// digits before may be a country code, or a zero in its place.
const comparedDigits = 8

// appendPlain appends the letters and digits of a text. It leaves out an e after a, o or u, since
// ae, oe and ue are spellings of umlauts. If number is true, the text may be a number: then
// appendPlain drops the zeros at the start and keeps only the last digits.
func appendPlain(dst []byte, text string, number bool) []byte {
	first := len(dst)
	for n := 0; n < len(text); {
		if c := text[n]; c < utf8.RuneSelf {
			n++
			c = plainASCII[c]
			if c > '9' {
				number = false
			}
			umlaut := c == 'e' && len(dst) > first && strings.IndexByte("aou", dst[len(dst)-1]) >= 0
			if c != 0 && !umlaut {
				dst = append(dst, c)
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(text[n:])
		n += size
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			continue
		}
		number = false
		if plain, ok := plainLetters[r]; ok {
			r = plain
		}
		dst = utf8.AppendRune(dst, r)
	}
	if !number {
		return dst
	}
	digits := strings.TrimLeft(string(dst[first:]), "0")
	return append(dst[:first], digits[max(0, len(digits)-comparedDigits):]...)
}

// plainASCII maps ASCII letters to lower case, digits to themselves, and other characters to 0.
var plainASCII = func() (plain [utf8.RuneSelf]byte) {
	for c := range plain {
		switch lower := byte(c) | 0x20; {
		case c >= '0' && c <= '9':
			plain[c] = byte(c)
		case lower >= 'a' && lower <= 'z':
			plain[c] = lower
		}
	}
	return plain
}()

// plainLetters maps special letters to plain ones. Unicode does not decompose these letters into a
// plain letter and an accent.
var plainLetters = map[rune]rune{'æ': 'a', 'œ': 'o', 'ø': 'o', 'đ': 'd', 'ð': 'd', 'ł': 'l', 'ı': 'i', 'ħ': 'h'}

// Forms is an index of forms (AppendForm). Find finds the forms that may come from the same value
// (SameForm). The forms are in a sorted list. A hash map by beginning would be slow if all values
// of a table begin alike. Add all forms first. After that, Find is safe for concurrent use.
type Forms struct {
	all []formEntry
	// beginnings has the first cutForm bytes of every form. With it, Find rejects most texts at
	// once.
	beginnings map[string]bool
	// heads has the first headLength bytes of every form. A head ends before an @.
	heads map[formHead]bool
	sort  sync.Once
}

type formEntry struct {
	form string
	id   int32
}

// Add adds a form. Find calls yield with the form's id. Add ignores an empty form, since an empty
// form matches nothing.
func (x *Forms) Add(form string, id int32) {
	if form == "" {
		return
	}
	if x.beginnings == nil {
		x.beginnings = map[string]bool{}
	}
	var head formHead
	name, _, _ := strings.Cut(form, "@")
	copy(head[:], name)
	x.addHead(head)
	x.beginnings[form[:min(len(form), cutForm)]] = true
	x.sort = sync.Once{}
	x.all = append(x.all, formEntry{form, id})
}

const headLength = 3

// formHead has the first letters and digits of a form. If the form is shorter, the rest is zero
// bytes.
type formHead [headLength]byte

// headText is the number of bytes that headOf reads at most.
const headText = 24

// AddSpelling makes Begins accept the beginning of a text. Add alone is not always enough: the form
// of a text may begin with other characters, for example if the text is a number.
func (x *Forms) AddSpelling(text string) {
	if head, ok := headOf(text); ok {
		x.addHead(head)
	}
}

func (x *Forms) addHead(head formHead) {
	if x.heads == nil {
		x.heads = map[formHead]bool{}
	}
	x.heads[head] = true
}

// Begins reports whether a text may begin like an added text or form. Callers use Begins to skip
// most texts, since it is cheaper than AppendForm.
func (x *Forms) Begins(text string) bool {
	head, ok := headOf(text)
	if !ok || x.heads[formHead{}] {
		return true
	}
	var begin formHead
	for n, c := range head {
		if begin[n] = c; x.heads[begin] {
			return true
		}
	}
	return false
}

// headOf returns the head of a text's form. It reports false if the first bytes of the text are not
// enough to know the head.
func headOf(text string) (head formHead, ok bool) {
	length := 0
	for n := range min(len(text), headText) {
		c := text[n]
		if c >= utf8.RuneSelf {
			return head, false
		}
		if c == '@' && length > 0 {
			return head, true
		}
		c = plainASCII[c]
		if umlaut := c == 'e' && length > 0 && strings.IndexByte("aou", head[length-1]) >= 0; c == 0 || umlaut {
			continue
		}
		if length == 0 && (c == '0' || (c == 'h' || c == 'w') && trimScheme(text) != text) {
			return head, false
		}
		head[length] = c
		if length++; length == headLength {
			return head, true
		}
	}
	return head, len(text) <= headText
}

// Find calls yield with the id of each form that may come from the same value as form.
func (x *Forms) Find(form []byte, yield func(id int32)) {
	if !x.beginnings[string(form[:min(len(form), cutForm)])] {
		return
	}
	x.sort.Do(func() {
		slices.SortFunc(x.all, func(a, b formEntry) int {
			return cmp.Or(strings.Compare(a.form, b.form), cmp.Compare(a.id, b.id))
		})
	})
	from := sort.Search(len(x.all), func(at int) bool { return x.all[at].form >= string(form) })
	for _, one := range x.all[from:] {
		if !SameForm(one.form, string(form)) {
			break
		}
		yield(one.id)
	}
	for n := from; n > 0; {
		before := x.all[n-1]
		shared := commonPrefix(before.form, form)
		switch {
		case shared < cutForm:
			return
		case shared == len(before.form):
			yield(before.id)
			n--
		default: // skip to form[:shared]: no form in between is a beginning of form
			n = sort.Search(n, func(at int) bool { return x.all[at].form > string(form[:shared]) })
		}
	}
}

func commonPrefix(a string, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
