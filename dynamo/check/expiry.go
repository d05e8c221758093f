package check

import (
	"context"
	"fmt"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/sketch"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// expiry finds accounts that expire otherwise than their locks.
type expiry struct {
	*run
	// allExpire: it has been said of all accounts that they expire without their
	// locks; else mismatched are those of which it has been said. unlisted: they are
	// more than memory remembers.
	allExpire, unlisted bool
	mismatched          map[uint64]bool
}

// ask asks by which attributes items expire.
func (c *expiry) ask(ctx context.Context) error {
	for _, from := range c.sources {
		attribute, err := c.consistent.TimeToLive(ctx, from.name)
		switch client.KindOf(err) {
		case client.Denied:
			c.remark("whether accounts expire and their locks do not was not looked for: the permission dynamodb:DescribeTimeToLive is missing")
			return nil
		case client.Unsupported:
			return nil
		}
		if err != nil {
			return err
		}
		from.expiry = attribute
	}
	return nil
}

// wanted reports whether anything of the tables expires, and that is looked for.
func (c *expiry) wanted() bool {
	for _, from := range c.sources {
		if from.expiry != "" && c.o.wants(ExpiringAccount) {
			return !c.allExpire
		}
	}
	return false
}

// leftOver is what is left over of locks and accounts that expire: one does, and the
// other does not. It is not whole, and all says about how much that is, where it is more
// than can be told apart; if that is the rule rather than the exception it is how the
// application works, and one finding says it of all.
func (c *expiry) leftOver(p *pass) (left []sketch.Remainder, all int, whole bool) {
	if p.expiry == nil {
		return nil, 0, true
	}
	sum := p.expiry.sum()
	all = sum.Load()
	if left, whole = sum.Decode(); whole {
		return left, len(left), true
	}
	if all <= mostKeys(c.o.Memory) || !p.part.all() || 100*int64(all) <= tooMany*p.count.expiring {
		return nil, all, false
	}
	c.allExpire = true
	c.emit(Finding{Kind: ExpiringAccount, Detail: fmt.Sprintf(
		"%s of %s accounts expire, and their locks do not, or not with them: too many to be listed one by one. DynamoDB will delete these accounts and leave their locks for ever.",
		phrase.Number(p.count.expiring), phrase.Number(p.count.accounts))})
	return nil, 0, true
}

// mismatch reports whether the account of a held lock will expire and the lock will
// not, or the reverse.
func (c *expiry) mismatch(rel *dynamo.Relation) (sentence string, mismatch bool) {
	if len(rel.Claimants) != 1 {
		return "", false
	}
	account, lock := c.at(c.t.Name, rel.Claimants[0].Item), c.at(rel.Lock.Table, rel.Lock.Item)
	who := rel.Claimants[0].Key.Hash.Value.Display()
	switch {
	case account.Exists() == lock.Exists():
		return "", false
	case account.Exists():
		return fmt.Sprintf("%s expires %s, and its lock on %q does not: it will stay for ever.", who, when(account), rel.Value), true
	}
	return fmt.Sprintf("The lock on %q expires %s, and %s does not: others can take the value then.", rel.Value, when(lock), who), true
}

// once reports whether it is asked of an account for the first time. Of more accounts
// than memory remembers it is not asked: see unlisted.
func (c *expiry) once(account attr.Key) bool {
	print := c.seed.Hash([]byte(account.ID()))
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.mismatched[print]:
		return false
	case len(c.mismatched) == mostTTLMismatches(c.o.Memory):
		c.unlisted = true
		return false
	}
	if c.mismatched == nil {
		c.mismatched = map[uint64]bool{}
	}
	c.mismatched[print] = true
	return true
}

// mostTTLMismatches is how many accounts that expire otherwise than their locks are
// remembered in so much memory: a sixteenth of it, at about 32 bytes each, and some in
// any.
func mostTTLMismatches(memory int64) int { return max(int(memory/16/32), 64) }

// at is when an item of a table expires; no value where it does not.
func (c *expiry) at(table string, item attr.Item) attr.Value {
	for _, from := range c.sources {
		if from.name == table && from.expiry != "" && item[from.expiry].Kind == attr.N {
			return item[from.expiry]
		}
	}
	return attr.Value{}
}

// past says of accounts whose time is over that they are still there.
func (c *expiry) past(accounts []dynamo.Account) string {
	text, n := "", 0
	for _, a := range accounts {
		at, ok := moment(c.at(c.t.Name, a.Item))
		if !ok || !at.Before(time.Now()) {
			continue
		}
		if n++; n <= mostPast {
			text += fmt.Sprintf(" %s has expired %s and is still there: DynamoDB may delete it at any time.", a.Key.Hash.Value.Display(), at.UTC().Format("2006-01-02 15:04:05 UTC"))
		}
	}
	if n > mostPast {
		text += fmt.Sprintf(" So have %s more.", phrase.Group(fmt.Sprint(n-mostPast)))
	}
	return text
}

// mostPast is how many accounts of one finding are said to be past their time.
const mostPast = 3

func when(v attr.Value) string {
	if at, ok := moment(v); ok {
		return at.UTC().Format("2006-01-02 15:04:05 UTC")
	}
	return "at " + v.Text
}

// moment reads a time to live: seconds since 1970.
func moment(v attr.Value) (time.Time, bool) {
	n, ok := attr.Integer(v.Text)
	if v.Kind != attr.N || !ok || !n.IsInt64() {
		return time.Time{}, false
	}
	return time.Unix(n.Int64(), 0), true
}
