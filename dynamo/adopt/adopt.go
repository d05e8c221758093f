// Package adopt adopts a unique rule on a table that people already use. The layout describes a constraint that has
// no locks yet, or only some of its locks. An adoption has four phases: a survey, the application's writers, the
// backfill of the locks, and a check that verifies the rule.
//
// This package reads tables and writes none: package change makes the backfill. Start reading at Open and Rule. A
// Record is the file with the phases of one adoption.
package adopt

import (
	"context"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/schema"
)

// Rule is a constraint that can be adopted.
type Rule struct {
	Table      *dynamo.Table
	Constraint *layout.Constraint
	// Kind is the kind of accounts to which the constraint belongs.
	Kind *layout.Account
	// Shared lists all constraints whose locks have the same keys, Constraint first. A value must be unique among all
	// of them.
	Shared []*layout.Constraint
	// LockTable is the table of the locks.
	LockTable string
	// AccountTTL is the TTL attribute of the accounts' table. It is empty if accounts never expire. If TTLUnknown is set,
	// DynamoDB did not say.
	AccountTTL string
	TTLUnknown error
	// Hash identifies the rule's part of the layout. A phase counts only while the hash is the same.
	Hash string
}

// Open returns the rule of a constraint. It returns a *Refusal if the constraint cannot be adopted, and the error of
// Table.CheckSure if no person has confirmed the constraint.
func Open(ctx context.Context, t *dynamo.Table, constraint string) (*Rule, error) {
	if len(t.Layout.Accounts) == 0 {
		return nil, t.NoLayout(op(constraint))
	}
	kind, c := t.Layout.Constraint(constraint)
	if c == nil {
		return nil, unknown(t, constraint)
	}
	r := &Rule{Table: t, Constraint: c, Kind: kind, LockTable: t.LockTable(c), Shared: []*layout.Constraint{c}}
	for _, other := range t.Layout.Constraints() {
		if other != c && t.SharesKeys(other, c) {
			r.Shared = append(r.Shared, other)
		}
	}
	for _, shared := range r.Shared {
		if err := t.CheckSure(op(constraint), shared); err != nil {
			return nil, err
		}
		if code := unfit(shared); code != "" {
			return nil, r.refuse(code, shared)
		}
		if code, at := r.otherOwnerForm(shared); code != "" {
			refusal := r.refuse(code, shared)
			refusal.Lock = at
			return nil, refusal
		}
	}
	if kinds := r.confusable(); kinds != nil {
		refusal := r.refuse(AmbiguousOwner, c)
		refusal.Kinds = kinds
		return nil, refusal
	}
	if why := t.Regions().Unproven(); why != "" {
		refusal := r.refuse(SeveralRegions, c)
		refusal.Why = why
		return nil, refusal
	}
	for _, shared := range r.Shared {
		r.Hash += config.HashOf(t.Layout, shared.Name)
	}
	return r, r.readTTL(ctx)
}

// op is the name of the operation in errors.
func op(constraint string) string { return "adopting the constraint " + constraint }

// unfit returns the code of the reason why the constraint cannot be adopted. It is empty if there is no such reason.
func unfit(c *layout.Constraint) Code {
	switch {
	case c.KeyedByAccount():
		return KeyedByAccount
	case c.Owner == "":
		return Ownerless
	case len(c.Also) > 0:
		return SeveralForms
	case c.Moves:
		return Moves
	case c.MultiTransaction:
		return TwoSteps
	case c.Lapses:
		return Lapses
	case len(c.AlsoIn) > 0:
		return SeveralTables
	}
	if holders, _, _ := c.Answers.All(); len(holders) > 0 {
		return OtherHolders
	}
	return ""
}

// confusable returns the keys of two kinds of accounts that an owner does not tell apart; nil if there are none. Their
// locks share keys, so user 7 could take the lock of organisation 7. Two owner forms tell the kinds apart only if
// neither prefix begins with the other.
func (r *Rule) confusable() (keys []string) {
	type owner struct{ key, prefix string }
	var all []owner
	for _, a := range r.Table.Layout.Accounts {
		for _, c := range a.Constraints {
			if !slices.Contains(r.Shared, c) {
				continue
			}
			one := owner{a.PK.String(), c.OwnerForm.Prefix()}
			if sk := a.SK.String(); sk != "" {
				one.key += " / " + sk
			}
			for _, other := range all {
				like := strings.HasPrefix(one.prefix, other.prefix) || strings.HasPrefix(other.prefix, one.prefix)
				if like && one.key != other.key {
					return []string{other.key, one.key}
				}
			}
			all = append(all, one)
		}
	}
	return nil
}

// otherOwnerForm returns OwnerForm if a sampled lock names its account in another form than new locks would. Then the
// application's condition on the owner would fail for some of the locks. It also returns the key of the sampled lock.
func (r *Rule) otherOwnerForm(c *layout.Constraint) (Code, attr.Key) {
	t := r.Table
	for _, item := range t.Fit.Of(c).HeldLocks {
		key, ok := t.LockSchema(c).KeyOf(item)
		owner := c.OwnerOf(item)
		if !ok || owner == "" {
			continue
		}
		id, ok := c.OwnerForm.ID(owner)
		if !ok && slices.ContainsFunc(r.Shared, func(other *layout.Constraint) bool {
			_, known := other.OwnerForm.ID(owner)
			return known
		}) {
			continue // the lock names an account of another kind: a survey reports it
		}
		if !ok || c.OwnerForm.Empty() && slices.ContainsFunc(t.KindsOf(c), func(a *layout.Account) bool {
			return !a.PK.Constant() && a.PK.Prefix() != "" && a.PK.Fits(id)
		}) {
			return OtherOwnerForm, key
		}
	}
	return "", attr.Key{}
}

// readTTL asks for the TTL attribute of the accounts' table. A missing permission is not an error: then TTLUnknown is
// set.
func (r *Rule) readTTL(ctx context.Context) error {
	attribute, err := r.Table.Connection().Reader().TimeToLive(ctx, r.Table.Name)
	switch client.KindOf(err) {
	case client.Denied, client.Unsupported:
		r.TTLUnknown = err
		return nil
	}
	r.AccountTTL = attribute
	return err
}

// Tables lists the tables with accounts and locks, the accounts' table first.
func (r *Rule) Tables() []string {
	if r.LockTable == r.Table.Name {
		return []string{r.Table.Name}
	}
	return []string{r.Table.Name, r.LockTable}
}

// Wanted is a lock that an account needs.
type Wanted struct {
	// Kind and Account describe the account. Claim is its value, with the key of the lock.
	Kind    *layout.Account
	Account *schema.Account
	Claim   layout.Claim
	// Item is the whole lock: its key, the constants of the layout, and the owner. It has no TTL: the application does
	// not keep a TTL up to date, and a lock must not expire before its account. It has no tallylock_adopt. It is nil if
	// the value cannot have a lock; then Unfit says why.
	Item attr.Item
	// Rests lists the attributes of the account on which Item depends. While they are unchanged, the account needs
	// this lock.
	Rests []string
	Unfit Unfit
}

// Unfit is the code of a reason why a value cannot have a lock. Why is the layout's own description of the error; it
// may be empty.
type Unfit struct {
	Code Code   `json:"code,omitempty"`
	Why  string `json:"why,omitempty"`
}

// Wants lists the locks that an item needs by this rule. It is empty if the item is not an account, or holds no value.
func (r *Rule) Wants(item attr.Item) []Wanted {
	t := r.Table
	kind, a := t.AccountOf(item)
	if a == nil {
		return nil
	}
	var all []Wanted
	for _, c := range r.Shared {
		if !slices.Contains(kind.Constraints, c) {
			continue
		}
		claims := kind.AppendClaimsOf(nil, c, t.Name, t.SchemaOf, item)
		for _, claim := range claims {
			if !slices.ContainsFunc(all, func(w Wanted) bool { return w.Item != nil && w.Claim.Key.Equal(claim.Key) }) {
				all = append(all, r.want(kind, a, claim))
			}
		}
		if code := unreadable(item.At(c.Attribute)); code != "" {
			odd := layout.Claim{Constraint: c, Raw: item.At(c.Attribute).Display(), Err: layout.ErrValue}
			all = append(all, Wanted{Kind: kind, Account: a, Claim: odd, Unfit: Unfit{Code: code}})
		}
	}
	return all
}

// unreadable returns a code if the layout can read no value in an attribute, or in a part of it. An account without the
// attribute, with NULL or with an empty list holds no value, and needs no lock.
func unreadable(v attr.Value) Code {
	switch {
	case v.Kind == attr.S && v.Text == "":
		return Empty
	case v.Kind == attr.BOOL, v.Kind == attr.M, len(layout.Unread(v)) > 0:
		return WrongType
	}
	return ""
}

// want returns the lock for one claim of an account.
func (r *Rule) want(kind *layout.Account, a *schema.Account, claim layout.Claim) Wanted {
	w := Wanted{Kind: kind, Account: a, Claim: claim}
	c := claim.Constraint
	switch {
	case claim.Value == "":
		w.Unfit.Code = Empty
		return w
	case claim.Err != nil:
		w.Unfit = Unfit{NoKey, claim.Err.Error()}
		return w
	case layout.Nonsense(claim.Value):
		w.Unfit.Code = Nonsense
		return w
	}
	owner := r.owner(kind, c, a)
	item := claim.Key.Item()
	if c.Is.Attribute != "" {
		item = plan.WithAttribute(item, c.Is.Attribute, attr.String(c.Is.Value))
	}
	item = plan.WithAttribute(item, c.Owner, owner)
	w.Rests = kind.Rests(r.Table.Schema, a.Item, c)
	if r.AccountTTL != "" {
		w.Rests = append(w.Rests, r.AccountTTL)
	}
	named := schema.LockOf(c, r.LockTable, claim.Key, item)
	if !r.Table.Names(c, named, a) {
		w.Unfit.Code = NoOwner
		return w
	}
	w.Item = item
	return w
}

// owner returns the owner attribute of an account's new lock: the account's id in the form of owner_form, or else the
// id itself.
func (r *Rule) owner(kind *layout.Account, c *layout.Constraint, a *schema.Account) attr.Value {
	text := kind.OwnerLike(c, "", a.ID, a.Key)
	if text == a.Key.Hash.Value.Text {
		return a.Key.Hash.Value
	}
	return attr.String(text)
}

// Lock returns the item as a lock of this rule, with its constraint. It reports false if the item is not a lock of this
// rule.
func (r *Rule) Lock(table string, item attr.Item) (schema.Lock, *layout.Constraint, bool) {
	if table != r.LockTable {
		return schema.Lock{}, nil, false
	}
	c := r.Table.Classify(table, item).Constraint
	if c == nil || !slices.Contains(r.Shared, c) {
		return schema.Lock{}, nil, false
	}
	key, _ := r.Table.SchemaOf(table).KeyOf(item)
	return schema.LockOf(c, table, key, item), c, true
}
