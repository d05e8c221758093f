package scan

import (
	"bufio"
	"bytes"
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// Scan reads an export, as Table reads a table. Each file is one segment. Scan consumes no read units. It
// may notice only at the end of a file that the file is damaged, after it has visited the items. So after
// an error the caller must discard all visited items.
func (e *TableExport) Scan(ctx context.Context, o Options, visitor func() Visitor) (Totals, error) {
	if o.Progress == nil {
		o.Progress = new(Progress)
	}
	o.Segments = len(e.files)
	o.Workers = min(e.workers, o.Segments)
	err := eachSegment(ctx, o, visitor, func(page *Page, visit func()) func(context.Context, int) error {
		r := &fileReader{at: e.place, page: page, visit: visit, progress: o.Progress}
		return func(ctx context.Context, n int) error {
			r.segment = n
			o.Progress.ask(n)
			ctx = client.Again(ctx, func(throttled bool, reasons []string) { o.Progress.again(n, throttled, reasons) })
			return r.read(ctx, e.files[n])
		}
	})
	if err != nil && ctx.Err() != nil {
		err = &client.Error{
			Kind: client.Cancelled,
			Op:   "reading the export in " + e.dir,
			Why:  "stopped before it was finished",
			Err:  err,
		}
	}
	return o.Progress.Totals(), err
}

// fileReader reads files of an export, one at a time.
type fileReader struct {
	at        place
	page      *Page
	visit     func()
	progress  *Progress
	buf, rest []byte
	segment   int
}

// linesAtOnce is the number of bytes of a file that are decoded at once. It is small, so that the text is
// still in the processor's caches when it is parsed: with 1 MB a check needs a sixth more CPU time.
// longestLine is the greatest length of a line, which has one item. An item has at most 400 KB, but its JSON
// may be many times longer: {"a":{"NULL":true}} counts as two bytes.
const (
	linesAtOnce = 1 << 16
	longestLine = 16 << 20
)

// read reads a file to its end, and compares the file with the manifest.
func (r *fileReader) read(ctx context.Context, f dataFile) error {
	file, err := r.at.Open(ctx, f.path)
	if err != nil {
		return r.at.missing(f, err)
	}
	defer file.Close()
	sum := md5.New() //nolint:gosec // the manifest's checksum
	items, err := r.unpack(ctx, bufio.NewReaderSize(io.TeeReader(file, sum), 1<<16), f)
	_, told := errors.AsType[*client.Error](err)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case told: // the request failed, so the file may be fine
		return r.at.unread(f.path, err)
	}
	if wrong := f.differs(file, items, err, base64.StdEncoding.EncodeToString(sum.Sum(nil))); wrong != "" {
		return r.at.damaged(f.path, wrong)
	}
	return nil
}

// differs says in words how a file differs from the manifest; empty if the file matches. err is the error
// that occurred while the file was read.
func (f dataFile) differs(file io.Reader, items int64, err error, md5 string) string {
	wrong := ""
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		wrong = "it ends early, after " + phrase.Count(items, "item")
	case err != nil:
		wrong = phrase.WithoutPath(err) + ", after " + phrase.Count(items, "item")
	case f.items >= 0 && items != f.items:
		wrong = fmt.Sprintf("it has %s, but the manifest says %s", phrase.Count(items, "item"),
			phrase.Group(fmt.Sprint(f.items)))
	case f.md5 != "" && f.md5 != md5:
		wrong = "its MD5 is not the one in the manifest"
	case f.md5 != "":
		return "" // the MD5 is enough: a copy or a new encryption changes the ETag
	}
	is, tagged := file.(interface{ ETag() string })
	if !tagged || f.etag == "" || is.ETag() == f.etag {
		return wrong
	}
	if wrong != "" {
		wrong += "; "
	}
	return wrong + fmt.Sprintf("it is not the exported object: its ETag is %s, but the manifest says %s", is.ETag(),
		f.etag)
}

// unpack reads the items of a file, and returns their number. The file may be compressed.
func (r *fileReader) unpack(ctx context.Context, in io.Reader, f dataFile) (items int64, err error) {
	if !strings.HasSuffix(f.path, ".gz") {
		return r.lines(ctx, in)
	}
	z, err := gzip.NewReader(in)
	if ended(err) && f.items == 0 {
		return 0, nil // an empty partition has an empty file
	}
	if ended(err) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return 0, err
	}
	return r.lines(ctx, z)
}

// ended reports whether err is the end of a file. If a connection to S3 breaks, the error wraps io.EOF,
// too. Such an error must not match, so ended does not unwrap.
func ended(err error) bool { return err == io.EOF } //nolint:errorlint // see above

// lines reads the items of a file, one per line, and returns their number.
func (r *fileReader) lines(ctx context.Context, in io.Reader) (items int64, err error) {
	r.rest = r.rest[:0]
	for last := false; !last; {
		if ctx.Err() != nil {
			return items, context.Cause(ctx)
		}
		if len(r.rest) >= longestLine {
			return items, fmt.Errorf("a line is longer than any item")
		}
		r.progress.ask(r.segment)
		have := len(r.rest)
		most := max(linesAtOnce, 2*have)
		r.buf = slices.Grow(append(r.buf[:0], r.rest...), most+padding-have)
		n, err := fill(in, r.buf[have:most])
		r.buf = r.buf[:have+n]
		if last = ended(err); err != nil && !last {
			return items, err
		}
		end := len(r.buf)
		if !last {
			end = bytes.LastIndexByte(r.buf, '\n') + 1
		}
		r.rest = append(r.rest[:0], r.buf[end:]...) // copied, since DecodeLines overwrites the bytes after its text
		if err := r.page.DecodeLines(r.buf[:end]); err != nil {
			return items, err
		}
		r.visit()
		r.progress.page(r.segment, r.page)
		items += int64(r.page.Items)
	}
	return items, nil
}

// fill reads until the destination is full or an error occurs. Unlike io.ReadFull, it returns io.EOF at
// the end of the input even after some bytes. It returns io.ErrUnexpectedEOF only if the input does.
func fill(in io.Reader, to []byte) (n int, err error) {
	for n < len(to) && err == nil {
		var m int
		m, err = in.Read(to[n:])
		n += m
	}
	return n, err
}

// headFiles is the greatest number of files from which Head reads items.
const headFiles = 32

// Head reads a sample of the export: the first items of up to headFiles files. most limits the number of
// items.
func (e *TableExport) Head(ctx context.Context, most int) ([]attr.Item, error) {
	some := slices.DeleteFunc(slices.Clone(e.files), func(f dataFile) bool { return f.items == 0 })
	if n := len(some); n > headFiles {
		for k := range headFiles {
			some[k] = some[k*n/headFiles]
		}
		some = some[:headFiles]
	}
	var all []attr.Item
	for _, f := range some {
		items, err := e.head(ctx, f, max(most/len(some), 1))
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return nil, err
		}
		if all = append(all, items...); len(all) >= most {
			break
		}
	}
	return all, nil
}

// head reads the first items of a file. most limits the number of items.
func (p place) head(ctx context.Context, f dataFile, most int) ([]attr.Item, error) {
	file, err := p.Open(ctx, f.path)
	if err != nil {
		return nil, p.missing(f, err)
	}
	defer file.Close()
	in := io.Reader(file)
	if strings.HasSuffix(f.path, ".gz") {
		z, err := gzip.NewReader(file)
		if ended(err) {
			return nil, nil // an empty partition has an empty file
		}
		if err != nil {
			return nil, p.unread(f.path, err)
		}
		in = z
	}
	var items []attr.Item
	for lines := json.NewDecoder(in); len(items) < most; {
		var line struct{ Item attr.Item }
		if err := lines.Decode(&line); err == io.EOF {
			break
		} else if err != nil {
			return nil, p.unread(f.path, fmt.Errorf("%w, after %s", err, phrase.Count(len(items), "item")))
		}
		items = append(items, line.Item)
	}
	return items, nil
}

// missing returns the error for a file that the manifest lists but that cannot be opened.
func (p place) missing(f dataFile, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return p.damaged(f.path, "the manifest names this file, but it does not exist")
	}
	return p.unread(f.path, err)
}
