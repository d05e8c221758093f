package state

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"

	"tallylock/dynamo/attr"
)

// Version is the version of the file. A program reads only files of its own version.
const Version = 2

// header is the first line of the file.
type header struct {
	Version int `json:"tallylock_state"`
	Keys    int `json:"keys"`
	State
}

// footer is the last line of the file: the SHA-256 of all lines before.
type footer struct {
	SHA256 string `json:"sha256"`
}

// VersionError is the error of a file that another version of the program wrote.
type VersionError struct{ Version int }

// Error implements error.
func (e *VersionError) Error() string {
	return fmt.Sprintf("the state has the version %d, but this program reads only version %d", e.Version, Version)
}

// SizeError is the error of a file that does not fit in memory.
type SizeError struct{ Most int64 }

// Error implements error.
func (e *SizeError) Error() string {
	return fmt.Sprintf("the state is larger than %d bytes", e.Most)
}

// errNoState is the error of a file that is no state.
var errNoState = errors.New("the file is not the state of a check")

// Encode writes the state: a header, a line for each open key, and a checksum.
func (s *State) Encode(w io.Writer) error {
	if err := s.verify(); err != nil {
		return err
	}
	sum, out := sha256.New(), bufio.NewWriter(w)
	both, total := io.MultiWriter(out, sum), int64(0)
	if err := writeLine(both, header{Version, s.Keys.Len(), *s}); err != nil {
		return err
	}
	for k := range s.Keys.All() {
		if err := s.verifyKey(k, &total); err != nil {
			return err
		}
		if err := writeLine(both, k); err != nil {
			return err
		}
	}
	if err := writeLine(out, footer{hex.EncodeToString(sum.Sum(nil))}); err != nil {
		return err
	}
	return out.Flush()
}

// Decode reads a state. most limits its size in bytes. The state then needs about as much memory.
func Decode(r io.Reader, most int64) (*State, error) {
	d := &decoder{in: bufio.NewReaderSize(r, 1<<16), left: most, most: most, sum: sha256.New()}
	line, err := d.line()
	if err != nil {
		return nil, err
	}
	var version struct {
		Version *int `json:"tallylock_state"`
	}
	if json.Unmarshal(line, &version) != nil || version.Version == nil {
		return nil, errNoState
	}
	if *version.Version != Version {
		return nil, &VersionError{*version.Version}
	}
	var h header
	if err := attr.Strict(line, &h); err != nil {
		return nil, fmt.Errorf("the state is damaged: line 1: %w", err)
	}
	s := &h.State
	if err := s.verify(); err != nil {
		return nil, fmt.Errorf("the state is damaged: %w", err)
	}
	if err := d.keys(s, h.Keys); err != nil {
		return nil, err
	}
	return s, nil
}

// lines are open keys as lines of a file, which need a small part of the memory of a Key. Decode has verified each.
type lines [][]byte

// Len returns the number of keys.
func (l lines) Len() int { return len(l) }

// All yields all keys in order.
func (l lines) All() iter.Seq[*Key] {
	return func(yield func(*Key) bool) {
		for _, line := range l {
			var k Key
			if err := attr.Strict(line, &k); err != nil {
				panic(err) // Decode has read the line
			}
			if !yield(&k) {
				return
			}
		}
	}
}

// decoder reads a file line by line.
type decoder struct {
	in         *bufio.Reader
	left, most int64
	sum        hash.Hash
	text       []byte
}

// keys reads the open keys, and then the checksum.
func (d *decoder) keys(s *State, n int) error {
	total, all := int64(0), lines{}
	for at := range n {
		line, err := d.line()
		if err != nil {
			return err
		}
		var k Key
		if err := attr.Strict(line, &k); err != nil {
			return fmt.Errorf("the state is damaged: line %d: %w", at+2, err)
		}
		if err := s.verifyKey(&k, &total); err != nil {
			return fmt.Errorf("the state is damaged: line %d: %w", at+2, err)
		}
		all = append(all, bytes.Clone(line))
	}
	s.Keys = all
	want := hex.EncodeToString(d.sum.Sum(nil))
	line, err := d.line()
	if err != nil {
		return err
	}
	var f footer
	if err := attr.Strict(line, &f); err != nil || f.SHA256 != want {
		return errors.New("the state is damaged: its checksum differs")
	}
	if _, err := d.in.ReadByte(); err != io.EOF {
		return errors.New("the state is damaged: something follows its checksum")
	}
	return nil
}

// line returns the next line with its line break. It adds the line to the checksum. The line is valid until the next
// call.
func (d *decoder) line() ([]byte, error) {
	d.text = d.text[:0]
	for {
		part, err := d.in.ReadSlice('\n')
		if d.left -= int64(len(part)); d.left < 0 {
			return nil, &SizeError{d.most}
		}
		d.text = append(d.text, part...)
		switch {
		case err == nil:
			_, _ = d.sum.Write(d.text) // a hash returns no error
			return d.text, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return nil, errors.New("the state is damaged: it ends early")
		default:
			return nil, err
		}
	}
}

func writeLine(w io.Writer, v any) error {
	text, err := attr.JSON(v)
	if err == nil {
		_, err = w.Write(append(text, '\n'))
	}
	return err
}
