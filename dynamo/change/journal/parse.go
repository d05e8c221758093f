package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"sync"

	jsonv2 "github.com/go-json-experiment/json" // encoding/json/v2, from Go 1.27 on
	"github.com/go-json-experiment/json/jsontext"
)

// chunkSize is the number of bytes of a journal that are read at once and decoded on all processors.
const chunkSize = 1 << 20

// parsed is a decoded line.
type parsed struct {
	entry Entry // without its plan
	ok    bool  // the line is a valid entry
	torn  bool  // the line looks torn by a crash
	blank bool
	size  int
}

// parseEntry decodes a line. ok is false if the line is no valid journal entry.
func parseEntry(line []byte, options ...jsonv2.Options) (e Entry, ok bool) {
	if jsonv2.Unmarshal(content(line), &e, options...) != nil || e.Receipt == "" {
		return Entry{}, false
	}
	return e, true
}

// parse calls visit with each line of a journal, in order.
func parse(f io.Reader, visit func(*parsed)) error {
	buf, parts := make([]byte, 0, chunkSize), make([][]parsed, runtime.GOMAXPROCS(0))
	for {
		n, err := io.ReadFull(f, buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		end := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !end {
			return err
		}
		whole := len(buf)
		if !end {
			whole = bytes.LastIndexByte(buf, '\n') + 1
		}
		decode(buf[:whole], parts)
		for _, part := range parts {
			for n := range part {
				visit(&part[n])
			}
		}
		if end {
			return nil
		}
		if buf = buf[:copy(buf, buf[whole:])]; len(buf) == cap(buf) { // the line is longer than the buffer
			buf = append(make([]byte, 0, 2*cap(buf)), buf...)
		}
	}
}

// decode decodes lines concurrently, with one goroutine for each element of parts. It fills parts in the order
// of the lines.
func decode(lines []byte, parts [][]parsed) {
	var wg sync.WaitGroup
	share := len(lines)/len(parts) + 1
	for n := range parts {
		end := min(share, len(lines))
		if more := bytes.IndexByte(lines[end:], '\n'); more >= 0 {
			end += more + 1
		} else {
			end = len(lines)
		}
		part := lines[:end]
		lines = lines[end:]
		wg.Go(func() {
			parts[n] = parts[n][:0]
			for line := range bytes.Lines(part) {
				one := parsed{blank: len(content(line)) == 0, torn: tornLine(line), size: len(line)}
				one.entry, one.ok = parseEntry(line, withoutPlans)
				parts[n] = append(parts[n], one)
			}
		})
	}
	wg.Wait()
}

// withoutPlans makes parseEntry skip the plan of a line, which is faster than decoding it. The plan must still
// be valid JSON.
var withoutPlans = jsonv2.WithUnmarshalers(
	jsonv2.UnmarshalFromFunc(func(from *jsontext.Decoder, _ *json.RawMessage) error { return from.SkipValue() }),
)
