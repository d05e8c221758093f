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

// AppendForm appends the form of a text: what is left of it without all that applications take
// off before they compare values. That is case, accents, spaces and signs, the dots and the
// +tag of an e-mail, a scheme, and the zeros and country codes before a number. To an
// application two values with one form may be one, whatever the layout says of it. A text of
// signs alone has no form: nothing is appended.
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

// FormOf is AppendForm of the text that the value of a constraint's lock was made of; empty
// where that cannot be read, or has none.
func FormOf(c *Constraint, value string) string {
	text, ok := c.Text(value)
	if !ok {
		return ""
	}
	return string(AppendForm(nil, text))
}

// cutForm is how long a form is at least that may be the beginning of another: applications
// cut long values off.
const cutForm = 16

// SameForm reports whether two forms may be of one value.
func SameForm(a, b string) bool {
	if min(len(a), len(b)) >= cutForm {
		return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
	}
	return a != "" && a == b
}

// comparedDigits is how many digits of a long number are compared: before them may be a
// country code, or the zero in its place.
const comparedDigits = 8

// appendPlain adds the letters and digits of a text. An e after a, o or u is left out: so
// is an umlaut written.
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

// plainASCII are the letters and digits of ASCII, in lower case; 0 for anything else.
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

// plainLetters are letters that are written with plain ones, and have no accent to be
// taken off.
var plainLetters = map[rune]rune{'æ': 'a', 'œ': 'o', 'ø': 'o', 'đ': 'd', 'ð': 'd', 'ł': 'l', 'ı': 'i', 'ħ': 'h'}

// Forms is an index by the forms of values (AppendForm): it finds those that may be of one
// value with a given form, as SameForm says. The values of a table may all begin alike, so it
// searches the forms in their order. Add all first; then Find is safe for concurrent use.
type Forms struct {
	all []formEntry
	// beginnings are the first bytes of all forms: most texts have another.
	beginnings map[string]bool
	// heads are the first bytes of the forms, up to headLength and to an @.
	heads map[formHead]bool
	sort  sync.Once
}

type formEntry struct {
	form string
	id   int32
}

// Add adds a form with an id to find it by. An empty form is like no other, and not added.
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

// formHead is the first letters and digits of a form, and zeros behind a shorter one.
type formHead [headLength]byte

// headText is how much of a text is read for its head, in bytes.
const headText = 24

// AddSpelling lets Begins find a text that begins as this one does: a number, for one, has another
// form than its beginning.
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

// Begins reports whether a text may begin with a spelling or a form that was added. It is cheaper
// than AppendForm, and rejects most texts.
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

// headOf returns the head of a text's form; false if the first letters and digits do not tell it.
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

// Find calls yield with the id of each form that may be of one value with this one.
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
		default: // any other beginning of the form is no longer than what both share
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
