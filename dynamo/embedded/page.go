package embedded

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const (
	maxPage     = 1 << 20
	maxSegments = 1_000_000
)

// page reads one page of a Query or a Scan.
type page struct {
	request    *pageRequest
	subs       *substitutions
	table      *table
	index      *index // nil for a page of the table itself
	key        keySchema
	source     store
	base       store // the table's entries; set if a local index lacks a requested attribute
	span       span
	backward   bool
	filter     condition
	filtered   map[string]bool // the attributes that the filter reads
	projection *pathTree

	count   int
	scanned int
	size    int
	fetched halfUnits // capacity consumed by reads of base
	last    entry
	more    bool
}

func scan(e *Engine, r *scanRequest, w *writer) error {
	p, err := e.open(&r.pageRequest)
	if err != nil {
		return err
	}
	if err := r.checkSegment(); err != nil {
		return err
	}
	parts := 1
	outside := "The provided starting key is invalid"
	if r.TotalSegments != nil {
		parts = *r.TotalSegments
		p.span.from, p.span.to = segmentBounds(uint64(*r.Segment), uint64(parts))
		outside = "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment."
	}
	if r.Limit == nil && p.filter == nil && p.projection == nil && r.Select != "COUNT" {
		// Allocate room for all items at once: twice the size that DynamoDB counts, because the JSON of an
		// item is longer.
		w.buf = slices.Grow(w.buf, 2*min(maxPage, int(p.source.bytes)/parts))
	}
	return p.answer(w, outside)
}

// checkSegment returns an error if the request does not name one of its segments.
func (r *scanRequest) checkSegment() error {
	segment, total := r.Segment, r.TotalSegments
	switch {
	case segment == nil && total == nil:
		return nil
	case segment != nil && *segment < 0:
		return outOfRange("segment", *segment, "greater than or equal to 0")
	case total != nil && *total < 1:
		return outOfRange("totalSegments", *total, "greater than or equal to 1")
	case total != nil && *total > maxSegments:
		return outOfRange("totalSegments", *total, fmt.Sprintf("less than or equal to %d", maxSegments))
	case total == nil:
		return invalid(
			"The TotalSegments parameter is required but was not present in the request when Segment parameter is present",
		)
	case segment == nil:
		return invalid(
			"The Segment parameter is required but was not present in the request when parameter TotalSegments is present",
		)
	case *segment >= *total:
		return invalid(
			"The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: %d is not less than TotalSegments: %d",
			*segment, *total,
		)
	}
	return nil
}

// outOfRange returns the error for a number that is too small or too large.
func outOfRange(parameter string, n int, allowed string) error {
	return invalid(
		"1 validation error detected: Value '%d' at '%s' failed to satisfy constraint: Member must have value %s",
		n, parameter, allowed,
	)
}

func query(e *Engine, r *queryRequest, w *writer) error {
	p, err := e.open(&r.pageRequest)
	if err != nil {
		return err
	}
	if r.KeyConditionExpression == nil {
		return invalid("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")
	}
	if p.span, err = parseKeyCondition(*r.KeyConditionExpression, p.key, p.subs); err != nil {
		return err
	}
	p.backward = r.ScanIndexForward != nil && !*r.ScanIndexForward
	for _, a := range p.key.attributes() {
		if p.filtered[a.name] {
			return invalid("Filter Expression can only contain non-primary key attributes: Primary key attribute: %s", a.name)
		}
	}
	return p.answer(w, "The provided starting key is outside query boundaries based on provided conditions")
}

// open checks a request and copies the tree of its table or index. So the page can be read without the
// engine's lock.
func (e *Engine) open(r *pageRequest) (*page, error) {
	if err := cmp.Or(r.legacy.refuse(), r.ReturnConsumedCapacity.check()); err != nil {
		return nil, err
	}
	if r.Limit != nil && *r.Limit < 1 {
		return nil, outOfRange("limit", *r.Limit, "greater than or equal to 1")
	}
	subs, err := newSubstitutions(r.ExpressionAttributeNames, r.ExpressionAttributeValues)
	if err != nil {
		return nil, err
	}
	p := &page{request: r, subs: subs}
	if r.FilterExpression != nil {
		parser := conditionParser{newParser("FilterExpression", *r.FilterExpression, subs)}
		if p.filter, err = parser.condition(); err != nil {
			return nil, err
		}
		p.filtered = parser.attributes
	}
	if r.ProjectionExpression != nil {
		if p.projection, err = parseProjection(*r.ProjectionExpression, subs); err != nil {
			return nil, err
		}
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	if p.table, err = e.table(r.TableName); err != nil {
		return nil, err
	}
	p.key = p.table.key
	if r.IndexName != "" {
		if p.index = p.table.index(r.IndexName); p.index == nil {
			return nil, invalid("The table does not have the specified index: %s", r.IndexName)
		}
		p.key = p.index.key
	}
	if p.index != nil && !p.index.local && r.ConsistentRead {
		return nil, invalid("Consistent reads are not supported on global secondary indexes")
	}
	if err := p.selects(); err != nil {
		return nil, err
	}
	source := p.table.store
	if p.index != nil {
		source = p.index.store
	}
	p.source = source.clone()
	return p, nil
}

// selects returns an error if the table or the index does not support the request's Select or projection.
func (p *page) selects() error {
	r := p.request
	if err := oneOf("select", r.Select, "", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "SPECIFIC_ATTRIBUTES",
		"COUNT"); err != nil {
		return err
	}
	switch {
	case p.projection != nil && r.Select != "" && r.Select != "SPECIFIC_ATTRIBUTES":
		return invalid("Cannot specify the ProjectionExpression when choosing to get %s", r.Select)
	case p.projection == nil && r.Select == "SPECIFIC_ATTRIBUTES":
		return invalid("Must specify the ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES")
	case p.index == nil && r.Select == "ALL_PROJECTED_ATTRIBUTES":
		return invalid("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")
	case p.index == nil:
		return nil
	}
	return p.projected()
}

// projected opens the table's entries if a local index lacks a requested attribute. A global index that lacks
// one is an error.
func (p *page) projected() error {
	all := p.request.Select == "ALL_ATTRIBUTES" && p.index.projection.ProjectionType != projectAll
	var lacking []string
	if p.projection != nil {
		lacking = slices.DeleteFunc(p.projection.names(),
			func(name string) bool { return p.index.projects(p.table, name) })
	}
	switch {
	case !all && len(lacking) == 0:
		return nil
	case p.index.local:
		p.base = p.table.store.clone()
		return nil
	case all:
		return invalid(
			"One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index %s because its projection type is not ALL",
			p.index.name,
		)
	}
	return invalid(
		"One or more parameter values were invalid: Global secondary index %s does not project [%s]",
		p.index.name, strings.Join(lacking, ", "),
	)
}

func (p *page) answer(w *writer, outside string) error {
	if err := p.subs.allUsed(); err != nil {
		return err
	}
	if err := p.start(outside); err != nil {
		return err
	}
	r := p.request
	if r.Select != "COUNT" {
		w.key("Items")
		w.buf = append(w.buf, '[')
	}
	p.read(w)
	if r.Select != "COUNT" {
		w.buf = append(w.buf, ']')
	}
	w.int("Count", int64(p.count))
	w.int("ScannedCount", int64(p.scanned))
	if p.more {
		last := p.last.decode(nil)
		w.item("LastEvaluatedKey", slices.DeleteFunc(last, func(a attribute) bool {
			return !p.key.has(a.name) && !p.table.key.has(a.name)
		}))
	}
	c := consumption{table: readCost(p.size, r.ConsistentRead)}
	if p.index != nil {
		c = consumption{table: p.fetched}
		c.addIndex(p.index, readCost(p.size, r.ConsistentRead))
	}
	return w.capacity(p.table.name, c, r.ReturnConsumedCapacity)
}

// start limits the span to the keys after the ExclusiveStartKey. A start key outside the span is an error
// with the text in the parameter outside.
func (p *page) start(outside string) error {
	key := p.request.ExclusiveStartKey
	if key == nil {
		return nil
	}
	for _, a := range key {
		if !p.key.has(a.name) && !p.table.key.has(a.name) {
			return invalid("The provided starting key is invalid")
		}
	}
	if err := p.table.key.checkKey(p.table.key.of(key)); err != nil {
		return invalid("The provided starting key is invalid: %s", asAPIError(err).message)
	}
	at := p.table.key.encode(key)
	if p.index != nil {
		if err := p.index.key.checkItem(key); err != nil {
			return invalid("The provided starting key is invalid: %s", asAPIError(err).message)
		}
		at = p.index.key.encode(key) + at
	}
	if !p.span.contains(at) {
		return invalid("%s", outside)
	}
	if p.backward {
		p.span.to = at
	} else {
		p.span.from = at + "\x00"
	}
	return nil
}

// read fills the page up to Limit items or 1 MB. Both limits also count items that the filter removes.
func (p *page) read(w *writer) {
	limit := -1
	if p.request.Limit != nil {
		limit = *p.request.Limit
	}
	var scratch item
	p.source.walk(p.span, p.backward, func(e entry) bool {
		if p.size+e.size > maxPage {
			p.more = true
			return false
		}
		p.size += e.size
		p.scanned++
		p.last = e
		e = p.whole(e)
		if p.filter != nil || p.projection != nil {
			scratch = e.decode(scratch)
		}
		if p.filter == nil || p.filter.holds(scratch) {
			p.count++
			switch {
			case p.request.Select == "COUNT":
			case p.projection != nil:
				w.element(p.projection.project(scratch))
			default:
				w.raw(e.data)
			}
		}
		p.more = p.scanned == limit
		return !p.more
	})
}

// whole returns the entry that the page filters and returns. This is e, unless a local index lacks a
// requested attribute. In that case, whole reads the item's entry in the table.
func (p *page) whole(e entry) entry {
	if p.base.tree == nil {
		return e
	}
	found, _ := p.base.tree.Get(entry{key: p.table.key.encode(e.decode(nil))})
	p.fetched += readCost(found.size, p.request.ConsistentRead)
	return found
}

// pageRequest has the parameters that Query and Scan share.
type pageRequest struct {
	legacy
	TableName                 string
	IndexName                 string
	Select                    string
	ConsistentRead            bool
	ExclusiveStartKey         item
	Limit                     *int
	FilterExpression          *string
	ProjectionExpression      *string
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues expressionValues
	ReturnConsumedCapacity    capacityDetail
}

type queryRequest struct {
	pageRequest
	KeyConditionExpression *string
	ScanIndexForward       *bool
}

type scanRequest struct {
	pageRequest
	Segment       *int
	TotalSegments *int
}
