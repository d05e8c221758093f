package client

import (
	"fmt"
	"hash/maphash"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/phrase"
)

// Cursors are the keys that an endpoint has said a reading goes on after, so that one
// which leads in a circle is not followed for ever. The zero Cursors is ready.
type Cursors struct {
	seed maphash.Seed
	seen map[uint64]bool // hashes: a reading may have a million pages
}

// Next takes in the LastEvaluatedKey of a page; nil is the end. It answers an error
// where the reading has been there.
func (c *Cursors) Next(what string, last attr.Item) error {
	if last == nil {
		return nil
	}
	if c.seen == nil {
		c.seed, c.seen = maphash.MakeSeed(), map[uint64]bool{}
	}
	at := maphash.Bytes(c.seed, last.AppendCanonical(nil))
	if c.seen[at] {
		return &Error{
			Kind: Failed, Op: "reading " + what,
			Why: fmt.Sprintf(
				"the endpoint leads in a circle: after %s it said for the second time that it goes on after the same key (LastEvaluatedKey)",
				phrase.Count(len(c.seen)+1, "page"),
			),
			Do: "check the endpoint, and whether a proxy or a cache answers for it",
		}
	}
	c.seen[at] = true
	return nil
}
