package scan

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"

	"tallylock/dynamo/attr"
)

// Page is one response to a Scan. The next Decode reuses its memory.
//
// Decode parses a whole response and notes the positions of the wanted values. Each then makes these values.
// Each wanted attribute has a column: the index of its name in names.
type Page struct {
	names []string // the wanted attributes
	whole bool     // keep also the attributes without a column

	Items int // the number of items on the page
	// Units is the number of read units that the page consumed. Priced is false if the endpoint did not
	// report this number.
	Units  float64
	Priced bool
	// Last is the LastEvaluatedKey; nil on the last page. The caller may keep it.
	Last attr.Item

	body   []byte
	spans  []span       // for each item, one span for each column
	plain  []byte       // texts decoded from escapes or from base 64
	sets   []string     // the members of sets
	nested []attr.Value // sets, lists and maps
	rest   []other      // the attributes without a column, item by item
	ends   []int        // for each item, the end of its attributes in rest
	leads  []leads      // leads[c] are the leads of the attributes that follow column c in an item
	others []string     // names of attributes without a column; see otherColumn
	seen   []string     // names of the members of maps that are being skipped
	row    Row
	mixed  []bool // true for each value of the row that uses fields besides Kind and Text
	have   byte   // the members of the response that were parsed so far, as bits

	valid, validEnd int // see lines

	changes []changeAt // see DecodeChanges
}

// span is the place of a value in the page's memory, and its kind.
type span struct {
	at, end uint32
	kind    kind
}

// other is an attribute without a column.
type other struct {
	name string
	span
}

// kind is the type of a value, with the part of the page's memory that has the value.
type kind uint8

const (
	absent kind = iota
	textS       // the text is in Page.body
	textN
	plainS // the text is in Page.plain
	plainN
	plainB
	yes // BOOL
	no
	null
	nested // at is an index of Page.nested
)

// NewPage returns a page that has a column for each of the given top-level attributes. No name may occur
// twice.
func NewPage(names []string) *Page {
	return &Page{
		names: names,
		sets:  []string{},
		leads: make([]leads, len(names)+1),
		row:   make(Row, len(names)),
		mixed: make([]bool, len(names)),
	}
}

// NewWholePage returns a page for whole items. The given attributes have columns. All other attributes of
// an item are in its Rest.
func NewWholePage(names []string) *Page {
	p := NewPage(names)
	p.whole = true
	return p
}

// Decode parses a response. It writes into the spare capacity of body, and keeps body until the next
// Decode. After an error the page has no items.
func (p *Page) Decode(body []byte) error { return p.decode(body, p.answer) }

// DecodeLines is Decode for the lines of an export. Each line is {"Item":{…}}.
func (p *Page) DecodeLines(body []byte) error { return p.decode(body, p.lines) }

func (p *Page) decode(body []byte, read func(end int) error) error {
	p.Items, p.Units, p.Priced, p.Last = 0, 0, false, nil
	p.spans, p.plain = p.spans[:0], p.plain[:0]
	p.sets, p.nested, p.have = p.sets[:0], p.nested[:0], 0
	p.rest, p.ends, p.changes = p.rest[:0], p.ends[:0], p.changes[:0]
	if len(body) > math.MaxInt32 {
		return errAt(0, "too long")
	}
	n := len(body)
	p.body = append(body, make([]byte, padding)...)
	if err := read(n); err != nil {
		p.Items, p.Last = 0, nil
		return err
	}
	return nil
}

// Each calls visit with each item of the page, in order. Rest has the item's attributes without a column. It is empty
// unless the page keeps whole items.
func (p *Page) Each(visit func(Row, Rest)) {
	if len(p.rest) == 0 { // the loop below is a tenth slower
		for item := range p.Items {
			p.fill(item)
			visit(p.row, Rest{})
		}
		return
	}
	first := 0
	for item := range p.Items {
		p.fill(item)
		visit(p.row, Rest{p, p.rest[first:p.ends[item]]})
		first = p.ends[item]
	}
}

// Rest has the attributes of an item that have no column. It is valid as long as the item's Row.
type Rest struct {
	page *Page
	list []other
}

// Len returns the number of attributes in Rest.
func (r Rest) Len() int { return len(r.list) }

// At returns the attribute with index n.
func (r Rest) At(n int) (name string, v attr.Value) {
	switch o := r.list[n]; o.kind {
	case textS:
		return o.name, attr.String(stringOf(r.page.body[o.at:o.end]))
	case textN:
		return o.name, attr.Number(stringOf(r.page.body[o.at:o.end]))
	default:
		return o.name, r.page.value(o.span)
	}
}

// fill sets the row to the item with this index.
func (p *Page) fill(item int) {
	columns := len(p.names)
	for n, s := range p.spans[item*columns : (item+1)*columns] {
		// Most values are texts, which use only the fields Kind and Text. If the value of the previous
		// item used other fields, clear them first.
		v := &p.row[n]
		if p.mixed[n] {
			*v, p.mixed[n] = attr.Value{}, false
		}
		switch s.kind {
		case textS:
			v.Kind, v.Text = attr.S, stringOf(p.body[s.at:s.end])
		case textN:
			v.Kind, v.Text = attr.N, stringOf(p.body[s.at:s.end])
		case absent:
			v.Kind, v.Text = "", ""
		default:
			*v, p.mixed[n] = p.value(s), true
		}
	}
}

// value returns the value of a span. It does not handle the kinds textS, textN and absent.
func (p *Page) value(s span) attr.Value {
	switch s.kind {
	case plainS:
		return attr.String(stringOf(p.plain[s.at:s.end]))
	case plainN:
		return attr.Number(stringOf(p.plain[s.at:s.end]))
	case plainB:
		return attr.Binary(stringOf(p.plain[s.at:s.end]))
	case yes, no:
		return attr.Value{Kind: attr.BOOL, Bool: s.kind == yes}
	case null:
		return attr.Value{Kind: attr.NULL}
	default:
		return p.nested[s.at]
	}
}

// stringOf returns bytes as a string without a copy. The bytes must not change while the string is used.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// The members of a response. Each may occur once.
const (
	memberItems = 1 << iota
	memberCount
	memberLast
	memberCapacity
)

// answer parses a response. Its text ends at n.
func (p *Page) answer(n int) error {
	count, last := -1, 0 // last is the beginning of the current member's value
	i := p.members(0, func(name string, i int) int {
		last = i
		switch name {
		case "Items":
			return p.once(memberItems, i, p.items)
		case "Count":
			return p.once(memberCount, i, func(i int) int { count, i = p.int(i); return i })
		case "LastEvaluatedKey":
			return p.once(memberLast, i, p.key)
		case "ConsumedCapacity":
			return p.once(memberCapacity, i, p.capacity)
		}
		return skip(p.body, i)
	})
	switch {
	case i == broken:
		return errAt(last, "a member is wrong")
	case space(p.body, i) != n:
		return errAt(i, "more than one object")
	case p.have&memberItems == 0:
		return errAt(i, "no items")
	case count < 0:
		return errAt(i, "no count of items")
	case count != p.Items:
		return errAt(i, strconv.Itoa(p.Items)+" items, but the count is "+strconv.Itoa(count))
	}
	return nil
}

// name parses the name of a member and the colon after the name.
func (p *Page) name(i int) (string, int) {
	if i = punct(p.body, i, '"'); i == broken {
		return "", broken
	}
	s, i := p.text(i)
	if i == broken {
		return "", broken
	}
	return s, punct(p.body, i, ':')
}

// text parses a string. The first byte after the opening quote is at i. The result shares the page's
// memory.
func (p *Page) text(i int) (string, int) {
	end, escaped := text(p.body, i)
	if end == broken {
		return "", broken
	}
	if !escaped {
		return stringOf(p.body[i:end]), end + 1
	}
	at := len(p.plain)
	plain, err := jsontext.AppendUnquote(p.plain, p.body[i-1:end+1])
	if err != nil {
		return "", broken
	}
	p.plain = plain
	return stringOf(plain[at:]), end + 1
}

func (p *Page) once(member byte, i int, read func(int) int) int {
	if p.have&member != 0 {
		return broken
	}
	p.have |= member
	return read(space(p.body, i))
}

func (p *Page) int(i int) (int, int) {
	end := skip(p.body, i)
	if end == broken {
		return 0, broken
	}
	n, err := strconv.Atoi(string(p.body[i:end]))
	if err != nil || n < 0 || n > math.MaxInt32 {
		return 0, broken
	}
	return n, end
}

func (p *Page) key(i int) int {
	if p.body[i] == 'n' {
		return literal(p.body, i, "null")
	}
	m, i := p.object(i, 0)
	if i != broken && len(m) > 0 {
		p.Last = CloneMap(m)
	}
	return i
}

// capacity parses the consumed capacity: {"CapacityUnits":128.5,…}.
func (p *Page) capacity(i int) int {
	b := p.body
	if b[i] == 'n' {
		return literal(b, i, "null")
	}
	return p.members(i, func(name string, i int) int {
		i = space(b, i)
		end := skip(b, i)
		if name != "CapacityUnits" || end == broken {
			return end
		}
		units, err := strconv.ParseFloat(string(b[i:end]), 64)
		if err != nil || units < 0 {
			return broken
		}
		p.Units, p.Priced = units, true
		return end
	})
}

// padding is the number of zero bytes that Decode appends to the text. JSON contains no zero byte, so
// every loop ends there. Also, eight bytes can be read at any position of the text.
const padding = 16

// broken is the result of a parsing function that finds wrong JSON. All other results are positions, and
// no position is negative.
const broken = -1

var errBroken = errors.New("the text is not JSON as DynamoDB writes it")

// errAt returns the error for a page that could not be parsed. The error quotes no part of the page, so
// that no value gets into a log.
func errAt(i int, why string) error { return fmt.Errorf("%w: %s at byte %d", errBroken, why, i) }

// space skips white space.
func space(b []byte, i int) int {
	for b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r' {
		i++
	}
	return i
}

// punct skips white space and the given punctuation mark.
func punct(b []byte, i int, mark byte) int {
	if b[i] != mark {
		if i = space(b, i); b[i] != mark {
			return broken
		}
	}
	return i + 1
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// text returns the position of a string's closing quote. i is the position of the first byte after the
// opening quote. escaped is true if the string has escapes, which text does not check. Control characters
// and invalid UTF-8 are errors.
func text(b []byte, i int) (end int, escaped bool) {
	for {
		x := binary.LittleEndian.Uint64(b[i:])
		// Search eight bytes at once for special bytes: quotes, backslashes, control characters, and bytes
		// that are not ASCII. Each special byte gets its high bit set:
		//  1. In the variable quote, a quote is 0x20, and control characters are below 0x20. Subtracting
		//     0x21 sets the high bit of these bytes.
		//  2. In the variable slash, a backslash is 0. Subtracting 1 sets its high bit.
		//  3. A byte that is not ASCII keeps its high bit in one of the two results.
		// A subtraction can wrongly set a high bit only after a special byte. So the first high bit is right.
		quote, slash := x^(2*ones), x^('\\'*ones)
		special := ((quote - 0x21*ones) | (slash - ones)) & highs
		if special == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(special) / 8
		switch c := b[i]; {
		case c == '"':
			return i, escaped
		case c == '\\':
			escaped = true
			i += 2
			if b[i-1] == 0 {
				return broken, false
			}
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && size == 1 {
				return broken, false
			}
			i += size
		case c < ' ':
			return broken, false
		default:
			i++
		}
	}
}

// maxDepth limits the nesting of values. DynamoDB allows 32 levels, each with two levels of JSON.
const maxDepth = 100

// skip returns the end of the JSON value at i. White space may come before the value. skip is slow, so it
// is only for values outside the items.
func skip(b []byte, i int) int {
	d := jsontext.NewDecoder(bytes.NewBuffer(b[i:len(b)-padding]), jsontext.AllowDuplicateNames(true))
	for {
		if _, err := d.ReadToken(); err != nil || d.StackDepth() > maxDepth {
			return broken
		}
		if d.StackDepth() == 0 {
			return i + int(d.InputOffset())
		}
	}
}

func literal(b []byte, i int, word string) int {
	if end := i + len(word); string(b[i:min(end, len(b))]) == word {
		return end
	}
	return broken
}
