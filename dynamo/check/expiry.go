package check

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/check/sketch"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// expiryCheck finds accounts whose TTL differs from that of their locks.
type expiryCheck struct {
	run *run
	// saidOfAll is set if one finding covers all accounts. Otherwise each account has its own finding, and mismatched
	// holds the hashes of these accounts. unlisted is set if some accounts did not fit in memory: they get no finding.
	saidOfAll, unlisted bool
	unknown             string // why the tables' TTL attributes are unknown; empty if they are known

	mu         sync.Mutex
	mismatched map[uint64]bool
}

// describe asks for the TTL attribute of each table. If one request fails, the check compares no TTLs at all. Without a
// known TTL attribute, the items of that table would look as if they never expired.
func (c *expiryCheck) describe(ctx context.Context) error {
	attributes := map[*join.Source]string{}
	for _, from := range c.run.sources {
		attribute, err := c.run.consistent.TimeToLive(ctx, from.Name)
		if failed, ok := errors.AsType[*client.Error](err); ok && failed.Kind != client.Cancelled {
			if c.unknown = failed.Why; failed.Kind == client.Denied {
				c.unknown = "the permission dynamodb:DescribeTimeToLive is missing"
			}
			c.run.report.Note("the check did not search for accounts that expire without their locks: %s", c.unknown)
			return nil
		}
		if err != nil {
			return err
		}
		attributes[from] = attribute
	}
	for from, attribute := range attributes {
		from.Expiry = attribute
	}
	return nil
}

// wanted reports whether the check still looks for TTL mismatches: some table has a TTL, and no finding covers all
// accounts yet.
func (c *expiryCheck) wanted() bool {
	for _, from := range c.run.sources {
		if from.Expiry != "" && c.run.o.Wants(finding.ExpiringAccount) {
			return !c.saidOfAll
		}
	}
	return false
}

// leftOver returns the keys of locks with a TTL mismatch: only the lock or only its account expires. all is the number
// of these keys, approximate if whole is false. whole is false if the sketch is too small to list them. A pass over all
// keys may find more mismatches than memory can hold. If their number is also a large share of the accounts that
// expire, leftOver reports one finding for all accounts: the application probably never lets a lock expire with its
// account. Then no key is left to list, and leftOver returns nil, 0 and true.
func (c *expiryCheck) leftOver(p *pass) (left []sketch.Remainder, all int, whole bool) {
	if p.expiring == nil {
		return nil, 0, true
	}
	sum := p.expiring.Sum()
	all = sum.Load()
	if left, whole = sum.Decode(); whole {
		return left, len(left), true
	}
	if all <= setting.MaxKeys(c.run.o.Memory) || !p.partition.All() || 100*int64(all) <= tooMany*p.count.expiring {
		return nil, all, false
	}
	c.saidOfAll = true
	c.run.report.Emit(finding.Finding{Kind: finding.ExpiringAccount, Detail: fmt.Sprintf(
		"%s of %s accounts expire. For many values, only the account or only the lock expires: too many to list. "+
			"If DynamoDB deletes an account without its lock, the lock stays for ever.",
		phrase.Number(p.count.expiring), phrase.Number(p.count.accounts),
	)})
	return nil, 0, true
}

// mismatch reports whether a held lock expires without its account, or the account without its lock. If so, it also
// returns a sentence about this. If the layout says that locks may lapse, a lock may expire before its account, and
// mismatch reports false.
func (c *expiryCheck) mismatch(rel *verdict.Relation) (sentence string, mismatch bool) {
	if len(rel.Claimants) != 1 || rel.Constraint.Lapses {
		return "", false
	}
	account, lock := c.expiresAt(c.run.t.Name, rel.Claimants[0].Item), c.expiresAt(rel.Lock.Table, rel.Lock.Item)
	who := rel.Claimants[0].Key.Hash.Value.Display()
	switch {
	case account.Exists() == lock.Exists():
		return "", false
	case account.Exists() && rel.Lock.Item[schema.AdoptAttribute].Exists():
		return fmt.Sprintf("%s expires %s, but its lock on %q does not, because a backfill put this lock: release the lock when "+
			"the account is gone.", who, when(account), rel.Value), true
	case account.Exists():
		return fmt.Sprintf("%s expires %s, but its lock on %q does not: the lock will stay for ever.", who, when(account),
			rel.Value), true
	}
	return fmt.Sprintf("The lock on %q expires %s, but %s does not: others can take the value then.", rel.Value,
		when(lock), who), true
}

// firstMention reports whether this is the first finding about an account's TTL, and remembers the account. So an
// account with several locks gets one finding. If memory has no room for the account, firstMention reports false and
// sets unlisted.
func (c *expiryCheck) firstMention(account attr.Key) bool {
	print := c.run.seed.Hash([]byte(account.ID()))
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.mismatched[print]:
		return false
	case len(c.mismatched) == maxTTLMismatches(c.run.o.Memory):
		c.unlisted = true
		return false
	}
	if c.mismatched == nil {
		c.mismatched = map[uint64]bool{}
	}
	c.mismatched[print] = true
	return true
}

// maxTTLMismatches returns the number of accounts that firstMention can remember: at least 64, and otherwise a
// sixteenth of the memory divided by about 32 bytes for each account. memory is in bytes.
func maxTTLMismatches(memory int64) int { return max(int(memory/16/32), 64) }

// expiresAt returns the TTL of an item of a table, or an empty value if the item does not expire.
func (c *expiryCheck) expiresAt(table string, item attr.Item) attr.Value {
	for _, from := range c.run.sources {
		if from.Name == table && from.Expiry != "" && item[from.Expiry].Kind == attr.N {
			return item[from.Expiry]
		}
	}
	return attr.Value{}
}

// pastTTL returns a sentence for each account that has expired but still exists. After maxPast accounts, it only counts
// the others.
func (c *expiryCheck) pastTTL(accounts []schema.Account) string {
	text, n := "", 0
	for _, a := range accounts {
		at, ok := attr.Expiry(c.expiresAt(c.run.t.Name, a.Item))
		if !ok || !at.Before(time.Now()) {
			continue
		}
		if n++; n <= maxPast {
			text += fmt.Sprintf(" %s expired at %s, but still exists: DynamoDB may delete the account at any time.",
				a.Key.Hash.Value.Display(), phrase.UTC(at))
		}
	}
	if n > maxPast {
		text += fmt.Sprintf(" %s more have expired, too.", phrase.Group(fmt.Sprint(n-maxPast)))
	}
	return text
}

// maxPast is the largest number of accounts that pastTTL names in one finding.
const maxPast = 3

func when(v attr.Value) string {
	if at, ok := attr.Expiry(v); ok {
		return phrase.UTC(at)
	}
	return "at " + v.Text
}
