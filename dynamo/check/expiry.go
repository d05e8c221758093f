package check

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// expiries asks by which attributes items expire.
func (c *checker) expiries(ctx context.Context) error {
	for _, from := range c.sources {
		attribute, err := c.witness.TimeToLive(ctx, from.name)
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

// expires reports whether anything of the tables does.
func (c *checker) expires() bool {
	for _, from := range c.sources {
		if from.expiry != "" && c.o.wants(ExpiringAccount) {
			return !c.allExpire
		}
	}
	return false
}

// expiring is what is left over of locks and accounts that expire: one does, and the
// other does not. It is not whole, and all says how much that is, where it is more than
// can be told apart; if that is the rule rather than the exception it is how the
// application works, and one finding says it of all.
func (c *checker) expiring(p *pass, most int) (left []remainder, all load, whole bool) {
	if p.expiry == nil {
		return nil, load{0, true}, true
	}
	sum := p.expiry.sum()
	all = sum.load()
	if left, whole = sum.decode(); whole {
		return left, load{len(left), true}, true
	}
	if all.keys <= most || !p.share.all() || 100*int64(all.keys) <= tooMany*p.count.expiring {
		return nil, all, false
	}
	c.allExpire = true
	c.emit(Finding{Kind: ExpiringAccount, Detail: fmt.Sprintf(
		"%s of %s accounts expire, and their locks do not, or not with them: too many to be listed one by one. DynamoDB will delete these accounts and leave their locks for ever.",
		phrase.Group(fmt.Sprint(p.count.expiring)), phrase.Group(fmt.Sprint(p.count.accounts)))})
	return nil, load{0, true}, true
}

// uneven reports whether the account of a held lock will expire and the lock will
// not, or the reverse.
func (c *checker) uneven(rel *dynamo.Relation) (sentence string, uneven bool) {
	if len(rel.Claimants) != 1 {
		return "", false
	}
	account, lock := c.expiryOf(c.t.Name, rel.Claimants[0].Item), c.expiryOf(rel.Lock.Table, rel.Lock.Item)
	who := rel.Claimants[0].Key.Hash.Value.Display()
	switch {
	case account.Exists() == lock.Exists():
		return "", false
	case account.Exists():
		return fmt.Sprintf("%s expires %s, and its lock on %q does not: it will stay for ever.", who, when(account), rel.Value), true
	}
	return fmt.Sprintf("The lock on %q expires %s, and %s does not: others can take the value then.", rel.Value, when(lock), who), true
}

// turns are groups in the order in which they are judged. An account makes one finding
// with all its locks that expire otherwise than it does: in turn, the first of them that
// is held gives it its value, and chance does not.
func (l *look) turns(groups map[spelling][]*suspect) [][][]*suspect {
	turns := make([][][]*suspect, 1)
	for _, group := range groups {
		at := 0
		for _, s := range group {
			at = max(at, l.turn(s))
		}
		for len(turns) <= at {
			turns = append(turns, nil)
		}
		turns[at] = append(turns[at], group)
	}
	return turns
}

// turn is which of its account's locks one is that expires otherwise; 0 for all others.
func (l *look) turn(s *suspect) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.expiry || len(s.claimants) != 1 {
		return 0
	}
	kind := l.c.t.Layout.KindOf(l.c.t.Schema, s.claimants[0].Item)
	if kind == nil {
		return 0
	}
	claims := kind.Claims(l.c.t.Name, l.c.t.SchemaOf, s.claimants[0].Item)
	return max(0, slices.IndexFunc(claims, func(claim layout.Claim) bool {
		return claim.Err == nil && claim.Constraint.LockTable(l.c.t.Name) == s.from.name && claim.Key.Equal(s.key)
	}))
}

// once reports whether it is asked of an account for the first time. Of more accounts
// than memory remembers it is not asked: see unlisted.
func (c *checker) once(account attr.Key) bool {
	print := maphash.String(c.secret.seed, account.ID())
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.lopsided[print]:
		return false
	case len(c.lopsided) == mostLopsided(c.o.Memory):
		c.unlisted = true
		return false
	}
	if c.lopsided == nil {
		c.lopsided = map[uint64]bool{}
	}
	c.lopsided[print] = true
	return true
}

// mostLopsided is how many accounts that expire otherwise than their locks are
// remembered in so much memory: a sixteenth of it, at about 32 bytes each, and some in
// any.
func mostLopsided(memory int64) int { return max(int(memory/16/32), 64) }

// expiryOf is when an item of a table expires; no value where it does not.
func (c *checker) expiryOf(table string, item attr.Item) attr.Value {
	for _, from := range c.sources {
		if from.name == table && from.expiry != "" && item[from.expiry].Kind == attr.N {
			return item[from.expiry]
		}
	}
	return attr.Value{}
}

// past says of accounts whose time is over that they are still there.
func (c *checker) past(accounts []dynamo.Account) string {
	text, n := "", 0
	for _, a := range accounts {
		at, ok := moment(c.expiryOf(c.t.Name, a.Item))
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
