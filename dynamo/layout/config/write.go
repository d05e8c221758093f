package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"slices"

	"github.com/pelletier/go-toml/v2"

	"tallylock/dynamo/layout"
)

// Of returns the config of a layout. tables are the account tables that the config names. Build
// converts the config back to the same layout, but with the state Described.
func Of(l *layout.Layout, tables ...string) Layout {
	c := Layout{Name: l.Name, Tables: tables, WrittenIn: l.WrittenIn, Ignore: l.Ignore}
	for _, a := range l.Accounts {
		ac := Account{Model: a.Model, PK: a.PK.String(), SK: a.SK.String(), Is: discriminatorConfig(a.Is), Version: a.Version}
		for _, con := range slices.Concat(a.Constraints, a.Unlocked) {
			cc := Constraint{
				Unique: con.Lockless(), Name: con.Name, Attribute: con.Attribute, Table: con.Table, PK: con.PK.String(),
				SK: con.SK.String(),
				Is: discriminatorConfig(con.Is), Owner: con.Owner, OwnerForm: con.OwnerForm.String(), Scope: con.Within,
				Lapses: con.Lapses,
				Index:  con.Index, Moves: con.Moves, MultiTransaction: con.MultiTransaction,
				Shared:      con.Shared,
				ReservedFor: con.Reserved.Words(), ReservedSince: con.Reserved.Since,
			}
			for _, form := range con.Also {
				cc.Also = append(cc.Also, LockKey{form.PK.String(), form.SK.String()})
			}
			cc.answered(con)
			for _, step := range con.Normalise {
				cc.Normalise = append(cc.Normalise, string(step))
			}
			ac.Constraints = append(ac.Constraints, cc)
		}
		for _, d := range a.Derived {
			ac.Derived = append(ac.Derived, derivedConfig(d))
		}
		c.Accounts = append(c.Accounts, ac)
	}
	for _, counter := range l.Counters {
		cc := Counter{
			Name: counter.Name, PK: counter.PK.String(), SK: counter.SK.String(), Is: discriminatorConfig(counter.Is),
			Attribute: counter.Attribute, Semantics: string(counter.Semantics),
			Start: unlike(counter.Start, 0), Step: unlike(counter.Step, 1), Offset: unlike(counter.Offset, 0),
			Max: unlike(counter.Max, 0), Modulo: unlike(counter.Modulo, 0),
			Resets: counter.Resets,
		}
		for _, ids := range slices.Concat(counter.IDs, counter.Uncompared) {
			cc.IDs = append(cc.IDs, idsConfig(ids))
		}
		c.Counters = append(c.Counters, cc)
	}
	return c
}

// answered copies the answers about items outside the layout and about other tables from con.
func (cc *Constraint) answered(con *layout.Constraint) {
	holders, others, nowhereElse := con.Answers.All()
	for _, h := range holders {
		cc.Holders = append(cc.Holders, Holder{h.Table, h.Items, h.Attribute, h.PutsLock, h.Exact})
	}
	cc.NoHolders, cc.NowhereElse = others, nowhereElse
	if con.AlsoIn != nil {
		cc.AlsoIn = &con.AlsoIn
	}
}

// Hash returns a hash of all settings that can change a verdict. It leaves out the layout's name,
// derived keys, ignored suggestions, and answers about other items and tables.
func Hash(l *layout.Layout) string {
	if l.Empty() {
		return ""
	}
	c := Of(l).unanswered()
	c.Name = ""
	for n := range c.Accounts {
		c.Accounts[n].Derived = nil
	}
	return c.hash()
}

// HashOf returns the hash that plans and findings record for one constraint. If the hash differs
// later, the constraint's settings have changed since then. The hash covers the constraint and its
// kind of account, but no counters and no other constraints. If the layout has no constraint with
// this name, the hash covers all accounts.
func HashOf(l *layout.Layout, constraint string) string {
	_, c := l.Constraint(constraint)
	if c == nil {
		return Hash(&layout.Layout{Accounts: l.Accounts})
	}
	of := Only(l, c)
	of.Name = ""
	return of.hash()
}

// HashOfCounter returns the hash that findings record for one counter. It covers the whole description of the counter.
// It is empty if the counter is only guessed.
func HashOfCounter(c *layout.Counter) string {
	if !c.State.Sure() {
		return ""
	}
	return Of(&layout.Layout{Counters: []*layout.Counter{c}}).hash()
}

// HashOfKey returns the hash that findings record for one derived key of a kind of items. It is empty if the layout is
// only guessed.
func HashOfKey(l *layout.Layout, kind *layout.Account, d *layout.Derived) string {
	if !l.Configured {
		return ""
	}
	one := kind.With(nil, nil)
	one.Derived = []*layout.Derived{d}
	return Of(&layout.Layout{Accounts: []*layout.Account{one}}).hash()
}

// Hashes returns the hashes that findings by this layout may record: of constraints, counters and derived keys.
func Hashes(l *layout.Layout) (all []string) {
	for _, con := range l.Rules() {
		all = append(all, HashOf(l, con.Name))
	}
	for _, c := range l.Counters {
		all = append(all, HashOfCounter(c))
	}
	for _, kind := range slices.Concat(l.Accounts, l.Keyed) {
		for _, d := range kind.Derived {
			all = append(all, HashOfKey(l, kind, d))
		}
	}
	return all
}

func (c Layout) hash() string {
	return HashSettings(struct {
		Layouts []Layout `toml:"layout"`
	}{[]Layout{c}})
}

// HashSettings returns a hash of settings. It does not hash the text of Layout.TOML: that text may
// change in later versions, and journals keep old hashes.
func HashSettings(settings any) string {
	text, err := toml.Marshal(settings)
	if err != nil {
		return "" // impossible: TOML can write all settings
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// discriminatorConfig returns the config of a discriminator; nil if the discriminator is empty.
func discriminatorConfig(d layout.Discriminator) *Discriminator {
	if d.Attribute == "" {
		return nil
	}
	c := Discriminator(d)
	return &c
}

// unlike returns a number as text; "" if the number is the default.
func unlike(n *big.Int, common int64) string {
	if n == nil || n.Cmp(big.NewInt(common)) == 0 {
		return ""
	}
	return n.String()
}

// Only returns the config of one constraint and its kind of account, for a person to accept. It has
// no answers about other items and tables.
func Only(l *layout.Layout, c *layout.Constraint) Layout {
	one := &layout.Layout{Name: cmp.Or(l.Name, c.Name)}
	for _, a := range l.Accounts {
		switch {
		case slices.Contains(a.Constraints, c):
			one.Accounts = []*layout.Account{a.With([]*layout.Constraint{c}, nil)}
		case slices.Contains(a.Unlocked, c):
			one.Accounts = []*layout.Account{a.With(nil, []*layout.Constraint{c})}
		}
	}
	return Of(one).unanswered()
}

// OnlyCounter returns the config of one counter, for a person to accept.
func OnlyCounter(l *layout.Layout, c *layout.Counter) Layout {
	return Of(&layout.Layout{Name: cmp.Or(l.Name, c.Name, c.Attribute), Counters: []*layout.Counter{c}})
}

// unanswered returns a copy of the config without ignored suggestions and without answers about
// other items and tables.
func (c Layout) unanswered() Layout {
	c.Ignore = nil
	c.Accounts = slices.Clone(c.Accounts)
	for n := range c.Accounts {
		c.Accounts[n].Constraints = slices.Clone(c.Accounts[n].Constraints)
		for m := range c.Accounts[n].Constraints {
			con := &c.Accounts[n].Constraints[m]
			con.Holders, con.NoHolders, con.AlsoIn, con.NowhereElse = nil, nil, nil, false
		}
	}
	return c
}
