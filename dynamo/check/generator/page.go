package generator

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// template is the JSON of a page with holes for page numbers: it is copied, and they are
// filled in.
type template struct {
	only  []string // the wanted attributes; nil for all
	text  []byte
	ends  []int             // where each item ends, after its comma
	holes [everySerie][]int // where the numbers of pages go
}

// mainSeries are the items that every account has.
var mainSeries = []series{account, emailLock, handleLock}

func (t *Table) template(only []string) *template {
	p := &template{only: only}
	healthy := &Table{Pages: t.Pages, PerPage: t.PerPage, Filler: t.Filler, Owners: t.Owners}
	blank := healthy.number(0)[:8] // page 0, which is 0000000 and a dot
	for place := range t.PerPage {
		for _, s := range mainSeries {
			from := len(p.text)
			p.text = append(render(p.text, healthy.item(s, place), only), ',')
			for at := from; ; at += len(blank) {
				n := bytes.Index(p.text[at:], []byte(blank))
				if n < 0 {
					break
				}
				at += n
				p.holes[s] = append(p.holes[s], at)
			}
			p.ends = append(p.ends, len(p.text))
		}
	}
	return p
}

// render appends an item as DynamoDB JSON.
func render(b []byte, item []attribute, only []string) []byte {
	b = append(b, '{')
	first := len(b)
	for _, a := range item {
		if only != nil && !slices.Contains(only, a.name) {
			continue
		}
		kind := `":{"S":"`
		if a.name == expires {
			kind = `":{"N":"`
		}
		if len(b) > first {
			b = append(b, ',')
		}
		b = append(append(append(append(append(b, '"'), a.name...), kind...), a.value...), `"}`...)
	}
	return append(b, '}')
}

// shifted returns the page whose items of a series are on this page: locks are far from their
// accounts.
func (t *Table) shifted(s series, page int) int {
	return (page + int(s)*(t.Pages/3)) % t.Pages
}

// items appends the items of a page, from one account's place to another's, and returns how
// many there are.
func (t *Table) items(b []byte, p *template, page, from, to int) ([]byte, int) {
	begin := 0
	if from > 0 {
		begin = p.ends[len(mainSeries)*from-1]
	}
	offset := len(b) - begin // of the template's positions in b
	b = append(b, p.text[begin:p.ends[len(mainSeries)*to-1]]...)
	var edits []edit
	for _, s := range mainSeries {
		of := t.shifted(s, page)
		digits := fmt.Appendf(nil, "%07d.", of)
		for _, at := range p.holes[s] {
			if at+offset >= 0 && at+offset+len(digits) <= len(b) && at >= begin {
				copy(b[at+offset:], digits)
			}
		}
		for n := range t.anomalous(of*t.PerPage+from, of*t.PerPage+to) {
			edits = append(edits, edit{item: len(mainSeries)*(n%t.PerPage) + int(s), series: s, n: n})
		}
	}
	count := len(mainSeries) * (to - from)
	if len(edits) == 0 {
		return b, count
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.item - b.item })
	scratch, _ := t.bodies.Get().(*[]byte)
	if scratch == nil {
		scratch = new([]byte)
	}
	defer t.bodies.Put(scratch)
	plain := append((*scratch)[:0], b[begin+offset:]...)
	*scratch = plain
	b = b[:begin+offset]
	done := begin
	for _, e := range edits {
		start, end := begin, p.ends[e.item]
		if e.item > 0 {
			start = p.ends[e.item-1]
		}
		b = append(b, plain[done-begin:start-begin]...)
		done = end
		count--
		for _, s := range e.instead() {
			if item := t.item(s, e.n); item != nil {
				b = append(render(b, item, p.only), ',')
				count++
			}
		}
	}
	return append(b, plain[done-begin:]...), count
}

// edit is an item of a page that differs from the template.
type edit struct {
	item   int
	series series
	n      int
}

// instead returns what replaces it: an account comes with the items that only accounts with
// an anomaly have.
func (e edit) instead() []series {
	if e.series == account {
		return []series{account, duplicate, movedLock, strayLock}
	}
	return []series{e.series}
}

// scan returns the response to a Scan.
func (a *answer) scan(b []byte) []byte {
	segments := max(a.in.TotalSegments, 1)
	page, last := a.in.Segment*a.Pages/segments, (a.in.Segment+1)*a.Pages/segments
	from := 0
	if start := a.in.ExclusiveStartKey.key(); start.PK != "" {
		n, _ := a.parse(strings.TrimPrefix(start.PK, "ACCT#"))
		page, from = (n+1)/a.PerPage, (n+1)%a.PerPage
	}
	if page >= last {
		return fmt.Appendf(
			b,
			`{"Count":0,"Items":[],"ScannedCount":0,"ConsumedCapacity":{"TableName":%q,"CapacityUnits":0.5}}`,
			a.Name,
		)
	}
	to := a.PerPage
	if a.in.Limit > 0 {
		to = min(to, from+max(a.in.Limit/len(mainSeries), 1))
	}
	b = append(b, `{"Items":[`...)
	head := len(b)
	b, count := a.items(b, a.templateFor(a.in.only()), page, from, to)
	size := len(b) - head
	if b[len(b)-1] == ',' {
		b = b[:len(b)-1]
	}
	b = append(b, ']')
	if to < a.PerPage || page+1 < last {
		key := a.key(account, page*a.PerPage+to-1)
		b = fmt.Appendf(b, `,"LastEvaluatedKey":{"PK":{"S":%q},"SK":{"S":%q}}`, key.PK, key.SK)
	}
	units := float64((size+4095)/4096) / 2
	if a.in.ConsistentRead {
		units *= 2
	}
	return fmt.Appendf(
		b,
		`,"Count":%d,"ScannedCount":%d,"ConsumedCapacity":{"TableName":%q,"CapacityUnits":%.1f}}`,
		count,
		count,
		a.Name,
		units,
	)
}
