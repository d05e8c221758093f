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
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// Scan reads an export, as Table reads a table. Each file is one segment. Scan consumes no read units. It
// visits the items of a file before it can compare the whole file with the manifest. So after an error the
// caller must discard all visited items.
func (e *TableExport) Scan(ctx context.Context, o Options, visitor func() Visitor) (Totals, error) {
	if o.Progress == nil {
		o.Progress = new(Progress)
	}
	o.Segments = len(e.files)
	o.Workers = min(e.workers, o.Segments)
	sums := e.checksums()
	err := eachSegment(ctx, o, visitor, func(page *Page, visit func()) func(context.Context, int) error {
		r := &fileReader{
			at: e.place, page: page, decode: page.DecodeLines, wrong: errNoItem, longest: longestLine, visit: visit,
			progress: o.Progress, sums: sums,
		}
		return r.files(e.files)
	})
	return o.Progress.Totals(), e.stopped(ctx, err)
}

// stopped returns err, or the error of a cancelled reading.
func (e *TableExport) stopped(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return &client.Error{
		Kind: client.Cancelled,
		Op:   "reading the export in " + e.dir,
		Why:  "stopped before it was finished",
		Err:  err,
	}
}

// files returns a function that reads the file with the given index. This index is also the number of the segment.
func (r *fileReader) files(files []dataFile) func(context.Context, int) error {
	return func(ctx context.Context, n int) error {
		r.segment = n
		r.progress.ask(n)
		ctx = client.Again(ctx, func(throttled bool, reasons []string) { r.progress.again(n, throttled, reasons) })
		return r.read(ctx, files[n])
	}
}

// checksums maps the MD5 of each file with items to the file's path. It knows the MD5s of the manifest,
// and learns those of the files that were read. Two files with one MD5 have the same items.
type checksums struct {
	mu    sync.Mutex
	files map[string]string
}

func (e *TableExport) checksums() *checksums {
	c := &checksums{files: map[string]string{}}
	for _, f := range e.files {
		if f.md5 != "" && f.items > 0 {
			c.files[f.md5] = f.path
		}
	}
	return c
}

// other returns the path of another file with this MD5; empty if there is none. If the MD5 is unknown, other records it
// for the file at path.
func (c *checksums) other(path, sum string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	have, known := c.files[sum]
	if !known {
		c.files[sum] = path
	}
	if have == path {
		return ""
	}
	return have
}

// fileReader reads files of an export, one at a time.
type fileReader struct {
	at        place
	page      *Page
	decode    func(text []byte) error // decodes whole lines into the page
	wrong     error                   // the error for a line that decode refuses
	longest   int                     // the greatest length of a line
	visit     func()
	progress  *Progress
	sums      *checksums
	in        *bufio.Reader
	unzip     *gzip.Reader
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
	items, err := r.unpack(ctx, io.TeeReader(file, sum), f)
	_, told := errors.AsType[*client.Error](err)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case told: // the request failed, and the file may be sound
		return r.at.unread(f.path, err)
	}
	wrong := r.differs(f, file, items, err, base64.StdEncoding.EncodeToString(sum.Sum(nil)))
	if wrong == "" {
		return nil
	}
	e := r.at.damaged(f.path, wrong)
	switch {
	case r.at.bucket != "":
	case errors.Is(err, errNotPacked):
		e.Do = "rename the file to " + strings.TrimSuffix(filepath.Base(f.path), packedSuffix) + " if it was unpacked, or " + e.Do
	case errors.Is(err, errNoItem) && f.items < 0:
		e.Do = "move the file elsewhere if it is not a file of the export, or " + e.Do
	}
	return e
}

// differs describes the difference between a file and the manifest; empty if the file matches. err is the error
// that occurred while the file was read.
func (r *fileReader) differs(f dataFile, file io.Reader, items int64, err error, sum string) string {
	var wrong []string
	switch {
	case err != nil:
		wrong = append(wrong, damage(err, items))
	case f.items >= 0 && items != f.items:
		wrong = append(wrong, fmt.Sprintf("the file has %s, but the manifest says %s", phrase.Count(items, "item"),
			phrase.Group(fmt.Sprint(f.items))))
	case f.md5 != "" && f.md5 != sum:
		wrong = append(wrong, "the file's MD5 differs from the MD5 in the manifest")
	}
	if items > 0 && err == nil {
		if other := r.sums.other(f.path, sum); other != "" {
			wrong = append(wrong, "the file has the same content as "+path.Base(filepath.ToSlash(other)))
		}
	}
	if len(wrong) == 0 && f.md5 != "" {
		return "" // the MD5 is enough: a copy or a new encryption changes the ETag
	}
	if is, tagged := file.(interface{ ETag() string }); tagged && f.etag != "" && is.ETag() != f.etag {
		wrong = append(wrong, fmt.Sprintf("this is not the exported object: its ETag is %s, but the manifest says %s",
			is.ETag(), f.etag))
	}
	return strings.Join(wrong, "; ")
}

// damage returns the reason why a file could be read only in part. items is the number of items before the
// damage.
func damage(err error, items int64) string {
	after := ", after " + phrase.Count(items, "item")
	switch {
	case errors.Is(err, errEmpty), errors.Is(err, errNotPacked):
		return err.Error()
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the file ends early" + after
	}
	return phrase.WithoutPath(err) + after
}

var (
	errEmpty     = errors.New("the file is empty")
	errNotPacked = errors.New("the file is not compressed, although its name ends in " + packedSuffix)
	errNoItem    = errors.New("a line is not an item of an export")
	errLongLine  = errors.New("a line is longer than an item can be")
)

// packedSuffix ends the names of compressed files.
const packedSuffix = ".gz"

// unpack reads the items of a file, and returns their number. The first bytes of a file show whether it is
// compressed.
func (r *fileReader) unpack(ctx context.Context, file io.Reader, f dataFile) (items int64, err error) {
	if r.in == nil {
		r.in = bufio.NewReaderSize(file, 1<<16)
	}
	r.in.Reset(file)
	first, err := r.in.Peek(2)
	switch {
	case len(first) == 0 && ended(err) && f.items == 0:
		return 0, nil // an empty partition has an empty file
	case len(first) == 0 && ended(err):
		return 0, errEmpty
	case err != nil && !ended(err):
		return 0, err
	case string(first) == "\x1f\x8b", string(first) == "\x1f":
		return r.gunzip(ctx)
	case strings.HasSuffix(f.path, packedSuffix):
		return 0, errNotPacked
	}
	return r.lines(ctx, r.in)
}

func (r *fileReader) gunzip(ctx context.Context) (items int64, err error) {
	if r.unzip == nil {
		r.unzip = new(gzip.Reader)
	}
	if err := r.unzip.Reset(r.in); ended(err) {
		return 0, io.ErrUnexpectedEOF
	} else if err != nil {
		return 0, err
	}
	return r.lines(ctx, r.unzip)
}

// ended reports whether err is the end of a file. If a connection to S3 breaks, the error wraps io.EOF,
// too. Such an error must not match, so ended does not unwrap.
func ended(err error) bool { return err == io.EOF } //nolint:errorlint // see above

// lines reads the items of a file, one per line, and returns their number. If the file is damaged, this is
// the number of items before the damage.
func (r *fileReader) lines(ctx context.Context, in io.Reader) (items int64, err error) {
	r.rest = r.rest[:0]
	for last := false; !last; {
		if ctx.Err() != nil {
			return items, context.Cause(ctx)
		}
		if len(r.rest) >= r.longest {
			return items, errLongLine
		}
		r.progress.ask(r.segment)
		have := len(r.rest)
		most := max(linesAtOnce, 2*have)
		r.buf = slices.Grow(append(r.buf[:0], r.rest...), most+padding-have)
		n, err := fill(in, r.buf[have:most])
		r.buf = r.buf[:have+n]
		last = ended(err)
		end := len(r.buf)
		if !last {
			end = bytes.LastIndexByte(r.buf, '\n') + 1
		}
		r.rest = append(r.rest[:0], r.buf[end:]...) // copied, since decode overwrites the bytes after its text
		if wrong := r.decode(r.buf[:end]); wrong != nil {
			items += int64(r.page.valid)
			if last && cutOff(r.buf[r.page.validEnd:end]) {
				return items, io.ErrUnexpectedEOF
			}
			return items, r.wrong
		}
		items += int64(r.page.Items)
		if err != nil && !last {
			return items, err
		}
		r.visit()
		r.progress.page(r.segment, r.page)
	}
	return items, nil
}

// cutOff reports whether a text is the beginning of JSON.
func cutOff(text []byte) bool {
	var value json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(text)).Decode(&value), io.ErrUnexpectedEOF)
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
func (p place) head(ctx context.Context, f dataFile, most int) (items []attr.Item, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	page := NewWholePage(nil)
	r := &fileReader{
		at: p, page: page, decode: page.DecodeLines, wrong: errNoItem, longest: longestLine,
		progress: new(Progress), sums: &checksums{files: map[string]string{}},
	}
	r.progress.begin(1)
	r.visit = func() {
		page.Each(func(row Row, rest Rest) {
			if len(items) < most {
				items = append(items, WholeItem(row, nil, rest))
			}
		})
		if len(items) == most {
			stop()
		}
	}
	err = r.read(ctx, f)
	if len(items) == most {
		return items, nil
	}
	return items, err
}

// missing returns the error for a file that the manifest lists but that cannot be opened.
func (p place) missing(f dataFile, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return p.damaged(f.path, "the manifest names this file, but the file does not exist")
	}
	return p.unread(f.path, err)
}
