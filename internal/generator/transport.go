package generator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Faults has the share of Scan requests that fail in each way, from 0 to 1.
type Faults struct {
	Throttled float64 // answered with a throttling error
	Corrupted float64 // a byte of the response is changed
	Cut       float64 // the connection breaks in the middle of the response
}

// wire has the templates and buffers with which a Table answers requests.
type wire struct {
	requests  atomic.Uint64
	mu        sync.Mutex
	templates map[string]*template
	bodies    sync.Pool
}

// request is the body of a request.
type request struct {
	Segment, TotalSegments   int
	Limit                    int
	ConsistentRead           bool
	ExclusiveStartKey        wireKey
	ProjectionExpression     string
	ExpressionAttributeNames map[string]string
	Key                      wireKey
	RequestItems             map[string]struct {
		Keys           []wireKey
		ConsistentRead bool
	}
	TransactItems []struct{ Get struct{ Key wireKey } }
}

type wireKey map[string]struct{ S string }

func (k wireKey) key() Key { return Key{k["PK"].S, k["SK"].S} }

// only returns the requested attributes, sorted; nil means all.
func (r request) only() []string {
	if r.ProjectionExpression == "" {
		return nil
	}
	names := strings.Split(r.ProjectionExpression, ",")
	for n, name := range names {
		if named, ok := r.ExpressionAttributeNames[strings.TrimSpace(name)]; ok {
			names[n] = named
		}
	}
	slices.Sort(names)
	return names
}

func (t *Table) templateFor(only []string) *template {
	id := "*"
	if only != nil {
		id = strings.Join(only, "\x00")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.templates == nil {
		t.templates = map[string]*template{}
	}
	if t.templates[id] == nil {
		t.templates[id] = t.template(only)
	}
	return t.templates[id]
}

// RoundTrip answers a request as DynamoDB does. It implements http.RoundTripper.
func (t *Table) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	var in request
	if r.Body != nil {
		defer r.Body.Close()
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			return nil, err
		}
	}
	b, _ := t.bodies.Get().(*[]byte)
	if b == nil {
		b = new([]byte)
	}
	*b = (*b)[:0]
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	status, faults := (&answer{t, in}).to(operation, b)
	response := &http.Response{
		StatusCode: status, Status: strconv.Itoa(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Request: r, ContentLength: int64(len(*b)),
		Header: http.Header{
			"Content-Type":     {"application/x-amz-json-1.0"},
			"X-Amz-Crc32":      {strconv.FormatUint(uint64(crc32.ChecksumIEEE(*b)), 10)},
			"X-Amzn-Requestid": {"MADEUP"},
		},
	}
	body := &body{table: t, whole: b, rest: *b}
	if faults.corrupted {
		(*b)[faults.at%uint64(len(*b))] ^= byte(1 << (faults.at % 7))
	}
	if faults.cut {
		body.rest, body.cut = body.rest[:faults.at%uint64(len(*b))], true
	}
	response.Body = body
	return response, nil
}

// answer builds the response to one request.
type answer struct {
	*Table
	in request
}

// to appends the response for an operation to b.
func (a *answer) to(operation string, b *[]byte) (status int, faults faults) {
	status = http.StatusOK
	switch operation {
	case "Scan":
		if faults = a.faults(); faults.throttled {
			status = http.StatusBadRequest
			*b = append(
				*b,
				`{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"too fast","ThrottlingReasons":[{"reason":"TableReadProvisionedThroughputExceeded","resource":"`+a.Name+`"}]}`...)
			break
		}
		*b = a.scan(*b)
	case "DescribeTable":
		*b = a.describe(*b)
	case "DescribeTimeToLive":
		*b = append(*b, `{"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED","AttributeName":"`+expires+`"}}`...)
	case "ListTables":
		*b = fmt.Appendf(*b, `{"TableNames":[%q]}`, a.Name)
	case "GetItem":
		*b = append(append(append(*b, '{'), a.read(`"Item":`, a.in.Key)...), '}')
		*b = consumed(*b, `{"CapacityUnits":%.1f}`, 1)
	case "BatchGetItem":
		wanted := 0.0
		for _, of := range a.in.RequestItems {
			each := 0.5
			if of.ConsistentRead {
				each = 1
			}
			wanted += each * float64(len(of.Keys))
		}
		*b = consumed(append(a.batch(*b), '}'), `[{"CapacityUnits":%.1f}]`, wanted)
	case "TransactGetItems":
		*b = append(*b, `{"Responses":[`...)
		for n, i := range a.in.TransactItems {
			if n > 0 {
				*b = append(*b, ',')
			}
			*b = append(append(append(*b, '{'), a.read(`"Item":`, i.Get.Key)...), '}')
		}
		*b = consumed(append(*b, `]}`...), `[{"CapacityUnits":%.1f}]`, float64(2*len(a.in.TransactItems)))
	default:
		status, *b = http.StatusBadRequest, append(*b, `{"__type":"com.amazon.coral.service#UnknownOperationException"}`...)
	}
	return status, faults
}

// consumed adds ConsumedCapacity to a response. Its callers compute the read units as if every item were smaller than 4
// KB.
func consumed(answer []byte, format string, units float64) []byte {
	answer = answer[:len(answer)-1]
	if answer[len(answer)-1] != '{' {
		answer = append(answer, ',')
	}
	return append(fmt.Appendf(answer, `"ConsumedCapacity":`+format, float64(units)), '}')
}

// batch appends the response to a BatchGetItem, without its last brace.
func (a *answer) batch(b []byte) []byte {
	b = append(b, `{"UnprocessedKeys":{},"Responses":{`...)
	for name, wanted := range a.in.RequestItems {
		b = fmt.Appendf(b, "%q:[", name)
		first := len(b)
		for _, k := range wanted.Keys {
			if item := a.read("", k); item != nil {
				if len(b) > first {
					b = append(b, ',')
				}
				b = append(b, item...)
			}
		}
		b = append(b, "],"...)
	}
	return append(bytes.TrimSuffix(b, []byte(",")), '}')
}

// read returns an item as JSON, with a prefix before it; nil if the item does not exist.
func (a *answer) read(prefix string, k wireKey) []byte {
	item := a.at(k.key())
	if item == nil {
		return nil
	}
	return render([]byte(prefix), item, nil)
}

func (a *answer) describe(b []byte) []byte {
	page := len(a.templateFor(nil).text)
	return fmt.Appendf(
		b,
		`{"Table":{"TableName":%q,"TableId":"00000000-0000-4000-8000-%012d","TableStatus":"ACTIVE","ItemCount":%d,"TableSizeBytes":%d,`+
			`"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],`+
			`"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"}],`+
			`"WarmThroughput":{"ReadUnitsPerSecond":%d,"WriteUnitsPerSecond":4000,"Status":"ACTIVE"}}}`,
		a.Name,
		a.Seed%1e12,
		a.Items(),
		page*a.Pages,
		a.ReadUnits,
	)
}

// faults are the failures of one request. at is a random number, from which the place of a failure in the
// response is computed.
type faults struct {
	throttled, corrupted, cut bool
	at                        uint64
}

func (t *Table) faults() faults {
	dice := rand.New(rand.NewPCG(t.Seed, t.requests.Add(1)))
	return faults{
		throttled: dice.Float64() < t.Faults.Throttled,
		corrupted: dice.Float64() < t.Faults.Corrupted,
		cut:       dice.Float64() < t.Faults.Cut,
		at:        dice.Uint64(),
	}
}

// body is the body of a response. Close returns its memory to the table.
type body struct {
	table *Table
	whole *[]byte
	rest  []byte
	cut   bool
}

func (b *body) Read(to []byte) (int, error) {
	if len(b.rest) == 0 {
		if b.cut {
			return 0, io.ErrUnexpectedEOF
		}
		return 0, io.EOF
	}
	n := copy(to, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

func (b *body) Close() error {
	if b.whole != nil {
		b.table.bodies.Put(b.whole)
		b.whole, b.rest = nil, nil
	}
	return nil
}

// template is the JSON of a page, with holes for page numbers. A page is a copy of the template with filled holes.
type template struct {
	only  []string // the requested attributes; nil for all attributes
	text  []byte
	ends  []int             // where each item ends, after its comma
	holes [everySerie][]int // the positions of the page numbers, for each kind of item
}

// mainSeries are the kinds of items that every account without an anomaly has.
var mainSeries = []series{account, emailLock, handleLock}

func (t *Table) template(only []string) *template {
	p := &template{only: only}
	healthy := &Table{Pages: t.Pages, PerPage: t.PerPage, Filler: t.Filler, Owners: t.Owners}
	blank := healthy.number(0)[:8] // the number of page 0 and the dot: "0000000."
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

// shifted returns the page of the accounts whose items are on the given page. s is the kind of these items.
// A lock is a third or two thirds of the table away from its account, so that a check does not read them
// together.
func (t *Table) shifted(s series, page int) int {
	return (page + int(s)*(t.Pages/3)) % t.Pages
}

// items appends the items of a page to b, for the places from…to−1. It returns their number. Each place has an account,
// a lock of a second account, and a lock of a third account.
func (t *Table) items(b []byte, p *template, page, from, to int) ([]byte, int) {
	begin := 0
	if from > 0 {
		begin = p.ends[len(mainSeries)*from-1]
	}
	offset := len(b) - begin // the position in b, minus the position in the template
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

// edit is an item of a page that differs from the template. item is its index on the page, series is its
// kind, and n is the number of its account.
type edit struct {
	item   int
	series series
	n      int
}

// instead returns the kinds of items that replace the template's item. An account with an anomaly may get
// extra items after it.
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
