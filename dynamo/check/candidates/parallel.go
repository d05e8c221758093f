package candidates

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
)

// chunk has some lines of the file, and their rows.
type chunk struct {
	first int // the number of the first line
	lines [][]byte
	rows  []Row
	bad   []bool // whether a line is damaged
	done  chan struct{}
	err   error // the error after the lines; io.EOF at the end of the file
}

// chunkBytes is the size of a chunk.
const chunkBytes = 256 << 10

// parallel parses the lines on all cores, and calls visit with the rows in their order.
func parallel(lines func() ([]byte, error), visit func(Row) error) error {
	cores := runtime.GOMAXPROCS(0)
	parse, inOrder := make(chan *chunk, cores), make(chan *chunk, cores)
	stop := make(chan struct{})
	var all sync.WaitGroup
	for range cores {
		all.Go(func() {
			for c := range parse {
				c.parse()
				close(c.done)
			}
		})
	}
	all.Go(func() {
		defer close(parse)
		defer close(inOrder)
		for n := 1; ; {
			c := nextChunk(n, lines)
			n += len(c.lines)
			select {
			case inOrder <- c:
			case <-stop:
				return
			}
			parse <- c
			if c.err != nil {
				return
			}
		}
	})
	defer all.Wait()
	defer close(stop)
	for c := range inOrder {
		<-c.done
		if err := c.visit(visit); err != nil {
			return err
		}
		if c.err != nil && !errors.Is(c.err, io.EOF) {
			return fmt.Errorf("row %d: %w", c.first+len(c.lines), c.err)
		}
	}
	return nil
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
	c.rows, c.bad = make([]Row, len(c.lines)), make([]bool, len(c.lines))
	for n, text := range c.lines {
		if len(text) > 0 {
			c.bad[n] = json.Unmarshal(text, &c.rows[n]) != nil || c.rows[n].Table == ""
		}
	}
}

func (c *chunk) visit(visit func(Row) error) error {
	for n, text := range c.lines {
		var err error
		switch {
		case len(text) == 0:
		case c.bad[n]:
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
