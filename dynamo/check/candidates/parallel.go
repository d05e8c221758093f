package candidates

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
)

// chunk has some lines of the file, and their rows.
type chunk struct {
	first int // the number of the first line
	lines [][]byte
	rows  []Row // the row of a damaged line is zero
	done  chan struct{}
	err   error // the error after the lines; io.EOF at the end of the file
}

// chunkBytes is the size of a chunk.
const chunkBytes = 256 << 10

// parallel parses the lines on all cores, and calls visit with the rows in their order.
func parallel(lines func() ([]byte, error), visit func(Row) error) error {
	most := 2 * runtime.GOMAXPROCS(0) // enough for the cores while this goroutine reads and visits
	last := &chunk{first: 1}
	var queue []*chunk
	defer func() { // after an error, chunks are still parsed
		for _, c := range queue {
			<-c.done
		}
	}()
	for last.err == nil || len(queue) > 0 {
		if last.err == nil && len(queue) < most {
			last = nextChunk(last.first+len(last.lines), lines)
			go last.parse()
			queue = append(queue, last)
			continue
		}
		if err := queue[0].visit(visit); err != nil {
			return err
		}
		queue = queue[1:]
	}
	if errors.Is(last.err, io.EOF) {
		return nil
	}
	return fmt.Errorf("row %d: %w", last.first+len(last.lines), last.err)
}

func nextChunk(first int, lines func() ([]byte, error)) *chunk {
	c := &chunk{first: first, done: make(chan struct{})}
	for size := 0; size < chunkBytes && c.err == nil; {
		var text []byte
		if text, c.err = lines(); c.err == nil {
			c.lines, size = append(c.lines, text), size+len(text)
		}
	}
	return c
}

func (c *chunk) parse() {
	defer close(c.done)
	c.rows = make([]Row, len(c.lines))
	for n, text := range c.lines {
		if len(text) > 0 && json.Unmarshal(text, &c.rows[n]) != nil {
			c.rows[n] = Row{}
		}
	}
}

// visit waits until the lines are parsed.
func (c *chunk) visit(visit func(Row) error) error {
	<-c.done
	for n, text := range c.lines {
		var err error
		switch {
		case len(text) == 0:
		case c.rows[n].Table == "":
			err = errors.New("it is not a candidate")
		default:
			err = visit(c.rows[n])
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", c.first+n, err)
		}
	}
	return nil
}
