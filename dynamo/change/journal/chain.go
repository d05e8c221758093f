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
	"tallylock/dynamo/remedy"
)

// Each line of the journal begins with a hash: {"chain":"…",. The hash covers the rest of the line and the whole
// previous line, which includes the previous hash. So the hashes detect an edited, inserted or removed line. They do
// not detect that the whole journal was rewritten, or that lines at its end were removed. White space around a line
// does not count.
const (
	chainBegin = `{"chain":"`
	chainEnd   = `",`
)

// chainHash returns the hash of a line. before is the previous line. rest is the line without its hash and its
// opening brace.
func chainHash(before, rest []byte) string {
	h := sha256.New()
	for _, part := range [][]byte{before, []byte("\n{"), rest} {
		_, _ = h.Write(part) // never fails
	}
	return hex.EncodeToString(h.Sum(nil))
}

// splitHash splits the hash off a line. chained is false if the line has no hash.
func splitHash(line []byte) (hash string, rest []byte, chained bool) {
	const size = 2 * sha256.Size
	rest, chained = bytes.CutPrefix(line, []byte(chainBegin))
	if !chained || len(rest) < size || !bytes.HasPrefix(rest[size:], []byte(chainEnd)) {
		return "", bytes.TrimPrefix(line, []byte("{")), false
	}
	return string(rest[:size]), rest[size+len(chainEnd):], true
}

// withHash returns a line with its hash and a newline. before is the previous line.
func withHash(before, line []byte) []byte {
	_, rest, _ := splitHash(content(line))
	return fmt.Appendf(nil, "%s%s%s%s\n", chainBegin, chainHash(before, rest), chainEnd, rest)
}

// content returns a line without the additions of editors at its ends: spaces, a carriage return, or a byte
// order mark before the first line.
func content(line []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
}

// lastContent returns the last non-blank line of a file.
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

// Chain is the result of verifying the hash chain of a journal.
type Chain struct {
	// Lines is the number of lines, without blank ones. Unread is the number of unreadable lines among them: a
	// crash tears the line that is being written.
	Lines, Unread int
	// Broken is the number, from 1, of the first line whose hash does not match, and Why is the reason. Broken
	// is 0 if all hashes match.
	Broken int
	Why    string
}

// Verify reads the whole journal and verifies its hash chain.
func (j *Journal) Verify() (Chain, error) {
	var c Chain
	f, err := openFile(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, j.wrap("reading", err)
	}
	defer f.Close()
	var before []byte
	at := 0
	for line, err := range lines(f) {
		if err != nil {
			return c, j.wrap("reading", err)
		}
		at++
		if line = content(line); len(line) == 0 {
			continue
		}
		c.Lines++
		hash, rest, chained := splitHash(line)
		_, ours := parseEntry(line)
		follows := chained && hash == chainHash(before, rest)
		before = append(before[:0], line...)
		switch {
		case follows:
		case !ours: // a crash tore the line; the hash of the next line covers the torn line
			c.Unread++
		case c.Broken == 0:
			c.Broken, c.Why = at, "somebody changed one of these two lines"
			if !chained {
				c.Why = "the line has no hash"
			}
		}
	}
	return c, nil
}

// Trust makes CheckChain accept a broken chain. Call it only if a person says so.
func (j *Journal) Trust() { j.trusted = true }

// CheckChain returns an error if the hash chain is broken and Trust was not called.
func (j *Journal) CheckChain(op string) error {
	c, err := j.Verify()
	if err != nil || c.Broken == 0 || j.trusted {
		return err
	}
	return &client.Error{
		Kind: client.Usage, Op: op,
		Why:    fmt.Sprintf("line %d of the journal %s does not match the line before it: %s", c.Broken, j.path, c.Why),
		Remedy: remedy.Of(remedy.TrustJournal),
	}
}
