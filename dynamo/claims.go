package dynamo

import (
	"context"
	"fmt"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
)

// Claims are what a scan has seen of one lock, and of the value that it keeps. Nothing was
// where the scan was not asked about it.
type Claims struct {
	s     *ClaimScan
	rel   *Relation
	of    *target
	owner *Account // that the lock names; nil where it is gone, or was not read
}

// Claimant is a lock and an account that calls for it.
type Claimant struct {
	Lock    Lock
	Account attr.Key
}

// Of is what was seen of the relation's lock.
func (s *ClaimScan) Of(rel *Relation) Claims {
	g := s.targets.of(s.t, rel.Lock.Table, rel.Lock.Key)
	if g == nil {
		g = s.inAnyScope(rel)
	}
	return Claims{s, rel, g, rel.OwnerAccount}
}

// naming is the same of a lock that names an account, as it was read.
func (c Claims) naming(owner *Account) Claims {
	c.owner = owner
	return c
}

// Claimants are the accounts seen that call for the lock.
func (c Claims) Claimants() []Account {
	if c.of == nil {
		return nil
	}
	return c.of.seen().claimants
}

// Mentions is how many longer texts contain the value, where that was counted: they
// never keep a lock from being released.
func (c Claims) Mentions() int {
	if c.of == nil {
		return 0
	}
	return c.of.seen().mentions
}

// SeenDoubt says why nothing may be concluded from no account calling for the lock, by
// what was taken in alone; it is empty where nothing speaks against it.
func (c Claims) SeenDoubt() string {
	if c.of == nil {
		return ""
	}
	if doubt := c.of.seen().doubt; doubt != "" {
		return doubt
	}
	if h := Undecided(c.Sightings()); h != nil {
		return h.String()
	}
	return ""
}

// Doubt is SeenDoubt, and reads the account that the lock names, and the locks of values that
// differ in spelling or scope only, but for those of the accounts that are judged.
func (c Claims) Doubt(ctx context.Context, judged ...attr.Key) (string, error) {
	r := c.s.t.conn.Reader()
	owners, err := r.Get(ctx, c.s.t.Name, c.s.t.Match.OwnerKeys(c.rel), true)
	if err != nil {
		return "", err
	}
	for _, item := range owners { // as they are now, and not when the lock was planned to go
		if _, a := c.s.t.Match.account(item); a != nil {
			if doubt, err := c.naming(a).ownersForm(ctx, r, judged); doubt != "" || err != nil {
				return doubt, err
			}
		}
	}
	return c.naming(nil).readDoubt(ctx, r, judged)
}

func (c Claims) readDoubt(ctx context.Context, r *client.Reader, judged []attr.Key) (string, error) {
	if doubt := c.SeenDoubt(); c.of == nil || doubt != "" {
		return doubt, nil
	}
	if doubt, err := c.ownersForm(ctx, r, judged); doubt != "" || err != nil {
		return doubt, err
	}
	locks := map[string][]attr.Key{}
	for _, one := range c.of.seen().spellings {
		k := one.claimant(c.s.t)
		locks[k.Lock.Table] = append(locks[k.Lock.Table], k.Lock.Key)
	}
	found, err := r.GetTables(ctx, locks, true)
	if err != nil {
		return "", err
	}
	for _, one := range c.of.seen().spellings {
		k := one.claimant(c.s.t)
		if slices.ContainsFunc(judged, k.Account.Equal) {
			continue
		}
		if fit := c.s.t.Fit.Of(c.rel.Constraint); one.exact && !fit.Trusted && !fit.Accepted {
			return fmt.Sprintf("%s holds exactly this value: does the application keep it as %s, as the layout does?",
				k.Account, k.Lock.Key), nil
		}
		if found[k.Lock.Table][k.Lock.Key.ID()] == nil {
			return fmt.Sprintf(
				"%s holds it in another spelling or scope and has no lock of its own: the application may not keep those apart, as the layout does",
				k.Account,
			), nil
		}
	}
	return "", nil
}

// anyScopeDoubt is why it is not known whether a value, of which no lock was seen in any
// scope, is free; empty where nothing speaks against that.
func (c Claims) anyScopeDoubt() string {
	if c.of == nil {
		return "it was not looked for in every scope"
	}
	con, scope := c.rel.Constraint, map[string]string{}
	for _, name := range con.Scope() {
		scope[name] = "1"
	}
	if _, err := con.LockKey(c.s.t.SchemaOf(con.LockTable(c.s.t.Name)), c.rel.Value, scope); err != nil {
		return "a lock of it may read as one of another value: " + err.Error()
	}
	return c.of.seen().doubt
}

// Otherwise is an account that holds the value in another spelling or scope.
func (c Claims) Otherwise() (Claimant, bool) {
	if c.of == nil || len(c.of.seen().spellings) == 0 {
		return Claimant{}, false
	}
	return c.of.seen().spellings[0].claimant(c.s.t), true
}
