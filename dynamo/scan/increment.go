package scan

import (
	"context"
	"errors"
	"math"
	"strconv"
	"time"

	"tallylock/dynamo/client"
)

// An Increment is an incremental export of one table: the items that changed in a window of time. It has
// the net change of each item, so an item that was written and deleted in the window may be missing.
// Its Items are the changed items, and its Bytes are those of the table. Head does not read it.
type Increment struct{ TableExport }

// NewAndOldImages is the view of an incremental export that has the old and the new image of each item. The
// other views have only the new one.
const NewAndOldImages = "NEW_AND_OLD_IMAGES"

// OpenExports finds the full and the incremental exports in a directory and in its subdirectories. It finds an
// export by a manifest; only the manifest of the files is required. If dir is the data folder of an export,
// OpenExports uses the manifests in the folder above. If there are no manifests at all, all data files together
// are one full export. OpenExports reads no items. The result full is nil if there are only incremental exports.
func OpenExports(dir string) (full *Export, increments []*Increment, err error) {
	all, err := openAll(dir)
	if err != nil {
		return nil, nil, err
	}
	return all.split()
}

// OpenExportsIn opens the full or incremental export in a folder of a bucket. It needs the manifests: it cannot
// list the bucket's objects, and only the manifests say which objects belong to the export. It reads no items.
func OpenExportsIn(
	ctx context.Context, objects Objects, bucket, folder string,
) (full *Export, increments []*Increment, err error) {
	all, err := openAllIn(ctx, objects, bucket, folder)
	if err != nil {
		return nil, nil, err
	}
	return all.split()
}

// split separates full from incremental exports. An incremental export must name its table and its window.
// Otherwise split returns it with an error, so that a caller who needs a full export can refuse it as incremental.
func (e *Export) split() (full *Export, increments []*Increment, err error) {
	tables := e.Tables
	e.Tables = nil
	for _, one := range tables {
		if one.view == "" {
			e.Tables = append(e.Tables, one)
			continue
		}
		increments = append(increments, &Increment{*one})
		if one.Table == "" || one.From.IsZero() || !one.From.Before(one.To) {
			return nil, increments, &client.Error{
				Kind: client.Failed, Op: "reading the export in " + one.dir,
				Why: "its summary manifest lacks the table or the window, or the window ends before it begins", Do: one.again,
			}
		}
	}
	if len(e.Tables) == 0 {
		return nil, increments, nil
	}
	return e, increments, nil
}

// NeedsOldImages returns an error if the export has only the new images of items, or if its summary does not
// state the view.
func (x *Increment) NeedsOldImages() error {
	if x.view == NewAndOldImages {
		return nil
	}
	why := "its view is " + x.view + ": it has only the new image of each item, and the old image is needed"
	if x.view == unstated {
		why = "its summary does not state the view, and the old image of each item is needed"
	}
	return &client.Error{
		Kind: client.Usage, Op: "reading the export in " + x.dir, Why: why,
		Do: "export the same window again with the view type " + NewAndOldImages,
	}
}

// A Change is the net change of one item in the window of an incremental export. Like a Row, it is valid only
// until the visitor returns.
type Change struct {
	// Keys has the key attributes of the item.
	Keys WholeRow
	// Old is the item before its first write in the window, and New is the item after its last one. Old is nil
	// if the item did not exist, and New is nil if the item was deleted. If the export lacks old images, Old is
	// always nil.
	Old, New *WholeRow
	// At is the time of the item's last write in the window. A deletion is a write.
	At time.Time
}

// ChangeVisitor gets the changes of an incremental export. Each worker has its own visitor. The caller
// combines the visitors after the scan.
type ChangeVisitor interface{ VisitChange(*Change) }

// Scan reads an incremental export, as TableExport.Scan reads a full one. It checks each file against the
// manifest: its MD5 and its number of changes. It visits the changes of a file before it can compare the whole
// file with the manifest. So after an error the caller must discard all visited changes.
func (x *Increment) Scan(ctx context.Context, o Options, visitor func() ChangeVisitor) (Totals, error) {
	e := &x.TableExport
	if o.Progress == nil {
		o.Progress = new(Progress)
	}
	o.Segments = len(e.files)
	o.Workers = min(e.workers, o.Segments)
	sums := e.checksums()
	readers := make([]func(context.Context, int) error, o.Workers)
	for n := range readers {
		page := NewPage(o.Attributes)
		page.whole = o.Whole
		visit := visitor().VisitChange
		r := &fileReader{
			at: e.place, page: page, decode: page.DecodeChanges, wrong: errNoChange, longest: 2 * longestLine,
			progress: o.Progress, sums: sums, visit: func() { page.Changes(visit) },
		}
		readers[n] = r.files(e.files)
	}
	err := e.stopped(ctx, inParallel(ctx, o, readers))
	return o.Progress.Totals(), err
}

var errNoChange = errors.New("a line is not a change of an incremental export")

// changeAt is one line of an incremental export. Its keys and images are indexes of items of the page, or
// noImage.
type changeAt struct {
	keys, before, after int
	micros              int64
}

// noImage is the index of an image that a change lacks.
const noImage = -1

// DecodeChanges is Decode for the lines of an incremental export. Each line has the members Metadata, Keys,
// NewImage and OldImage, in any order. Items is then the number of changes.
func (p *Page) DecodeChanges(body []byte) error {
	return p.decode(body, func(n int) error {
		return p.eachLine(n, "a line is not a change of an incremental export", p.change)
	})
}

// Changes calls visit with each change of the page, in order.
func (p *Page) Changes(visit func(*Change)) {
	var keys, before, after image
	var c Change
	for _, at := range p.changes[:p.Items] {
		c = Change{At: time.UnixMicro(at.micros).UTC(), Keys: *keys.show(p, at.keys)}
		if at.before != noImage {
			c.Old = before.show(p, at.before)
		}
		if at.after != noImage {
			c.New = after.show(p, at.after)
		}
		visit(&c)
	}
}

// image has the memory of one row, so that a visitor can use several items of a page at the same time.
type image struct {
	row   Row
	mixed []bool
	whole WholeRow
}

// show returns the item of the page with this index.
func (m *image) show(p *Page, item int) *WholeRow {
	if m.row == nil {
		m.row, m.mixed = make(Row, len(p.names)), make([]bool, len(p.names))
	}
	p.row, m.row, p.mixed, m.mixed = m.row, p.row, m.mixed, p.mixed
	p.fill(item)
	p.row, m.row, p.mixed, m.mixed = m.row, p.row, m.mixed, p.mixed
	first := 0
	if item > 0 {
		first = p.ends[item-1]
	}
	m.whole = WholeRow{Names: p.names, Row: m.row, Rest: Rest{p, p.rest[first:p.ends[item]]}}
	return &m.whole
}

// The members of a line. Each may occur once.
const (
	memberKeys = 1 << iota
	memberOld
	memberNew
	memberMetadata
)

// change parses one line of an incremental export.
func (p *Page) change(i int) int {
	at := changeAt{before: noImage, after: noImage, micros: -1}
	p.have = 0
	i = p.members(i, func(name string, i int) int {
		switch name {
		case "Keys":
			return p.once(memberKeys, i, func(i int) int { return p.imageAt(i, &at.keys) })
		case "OldImage":
			return p.once(memberOld, i, func(i int) int { return p.imageAt(i, &at.before) })
		case "NewImage":
			return p.once(memberNew, i, func(i int) int { return p.imageAt(i, &at.after) })
		case "Metadata":
			return p.once(memberMetadata, i, func(i int) int { return p.metadata(i, &at.micros) })
		}
		return skip(p.body, i)
	})
	if i == broken || p.have&memberKeys == 0 || at.keys == noImage || at.micros < 0 {
		return broken
	}
	p.changes = append(p.changes, at)
	return i
}

// imageAt parses an item or null, and sets index to the item's index in the page. An item without attributes
// is wrong: every item has a key.
func (p *Page) imageAt(i int, index *int) int {
	*index = noImage
	if p.body[i] == 'n' {
		return literal(p.body, i, "null")
	}
	if inside := punct(p.body, i, '{'); inside == broken || p.body[space(p.body, inside)] == '}' {
		return broken
	}
	*index = len(p.ends)
	i = p.item(i)
	p.ends = append(p.ends, len(p.rest))
	return i
}

// metadata parses {"WriteTimestampMicros":{"N":"1695097218000000"}}. The time may also be a plain number or
// text.
func (p *Page) metadata(i int, micros *int64) int {
	return p.members(i, func(name string, i int) int {
		i = space(p.body, i)
		if name != "WriteTimestampMicros" {
			return skip(p.body, i)
		}
		if *micros >= 0 {
			return broken
		}
		var text string
		switch begin := i; p.body[i] {
		case '{':
			v, end := p.any(i, 0)
			text, i = v.Text, end
		case '"':
			text, i = p.quoted(i)
		default:
			if i = skip(p.body, i); i == broken {
				return broken
			}
			text = string(p.body[begin:i])
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if i == broken || err != nil || n < 0 || n == math.MaxInt64 {
			return broken
		}
		*micros = n
		return i
	})
}
