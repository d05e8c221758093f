package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"unicode"

	"tallylock/dynamo/client"
)

// A line of the journal begins with a hash of itself and of the line before it, which
// has one, too: {"chain":"…",. So a line that was edited, put in or taken out is found.
// It does not stop anybody from writing a whole new journal, nor tell that lines at
// its end were taken away. White space around lines does not count.
const (
	chainBegin = `{"chain":"`
	chainEnd   = `",`
)

// link is the hash of a line that follows another; rest is the line without its hash
// and the brace that it begins with.
func link(before, rest []byte) string {
	h := sha256.New()
	for _, part := range [][]byte{before, []byte("\n{"), rest} {
		_, _ = h.Write(part) // it never fails
	}
	return hex.EncodeToString(h.Sum(nil))
}

// unlink takes the hash off a line. It reports false where the line has none.
func unlink(line []byte) (hash string, rest []byte, chained bool) {
	const size = 2 * sha256.Size
	rest, chained = bytes.CutPrefix(line, []byte(chainBegin))
	if !chained || len(rest) < size || !bytes.HasPrefix(rest[size:], []byte(chainEnd)) {
		return "", bytes.TrimPrefix(line, []byte("{")), false
	}
	return string(rest[:size]), rest[size+len(chainEnd):], true
}

// linked is a line, and its end, with the hash that it has after another.
func linked(before, line []byte) []byte {
	_, rest, _ := unlink(content(line))
	return fmt.Appendf(nil, "%s%s%s%s\n", chainBegin, link(before, rest), chainEnd, rest)
}

// content is a line without what editors and copies do to its ends: spaces, a carriage
// return, or a byte order mark before the first.
func content(line []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
}

// lastContent is the last line of a file that is not empty.
func lastContent(f *os.File, size int64) ([]byte, error) {
	const chunk = 1 << 16
	var tail []byte
	for end := size; end > 0; {
		more := make([]byte, min(end, chunk))
		end -= int64(len(more))
		if _, err := f.ReadAt(more, end); err != nil {
			return nil, err
		}
		tail = bytes.TrimRightFunc(append(more, tail...), unicode.IsSpace)
		if at := bytes.LastIndexByte(tail, '\n'); at >= 0 {
			return content(tail[at+1:]), nil
		}
	}
	return content(tail), nil
}

// Chain is how the lines of a journal follow from each other.
type Chain struct {
	// Lines is how many there are, Unchained how many of them an older version wrote,
	// without a hash, before the first that has one, and Unread how many cannot be read:
	// a crash tears the line that is being written.
	Lines, Unchained, Unread int
	// Broken is the first line that does not follow from the one before it, counted from
	// 1, and Why says what is wrong with it; 0 where all follow.
	Broken int
	Why    string
}

// Verify reads the whole journal, and reports whether its lines are as they were written.
func (j *Journal) Verify() (Chain, error) {
	var c Chain
	f, err := os.Open(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, j.wrap("reading", err)
	}
	defer f.Close()
	var before []byte
	at, begun := 0, false
	for line, err := range lines(f) {
		if err != nil {
			return c, j.wrap("reading", err)
		}
		at++
		if line = content(line); len(line) == 0 {
			continue
		}
		c.Lines++
		hash, rest, chained := unlink(line)
		_, ours := j.parser.entry(line)
		follows := chained && hash == link(before, rest)
		before = append(before[:0], line...)
		switch {
		case follows:
			begun = true
		case ours && !chained && !begun:
			c.Unchained++
		case !ours: // as a crash leaves it; whatever follows it knows it so
			c.Unread++
		case c.Broken == 0:
			c.Broken, c.Why = at, "it, or the line before it, is not as it was written"
			if !chained {
				c.Why = "it has no hash, and lines before it have one"
			}
		}
	}
	return c, nil
}

// Trust has the journal acted on although its chain is broken: a person said so.
func (j *Journal) Trust() { j.trusted = true }

// Intact answers an error where the chain of the journal is broken, and nobody has said
// that it is to be acted on all the same.
func (j *Journal) Intact(op string) error {
	c, err := j.Verify()
	if err != nil || c.Broken == 0 || j.trusted {
		return err
	}
	return &client.Error{
		Kind: client.Usage, Op: op,
		Why: fmt.Sprintf("line %d of the journal %s does not follow from the one before it: %s", c.Broken, j.path, c.Why),
		Do:  "compare the keys that it shows with what was meant; to act on it as it is, add --trust-journal; nothing was sent",
	}
}
