package layout

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"slices"

	"github.com/pelletier/go-toml/v2"
)

// Of returns the layout as a config file has it, for the tables named: what Build
// makes of it is this layout again, but that a person has described it.
func Of(l *Layout, tables ...string) Config {
	c := Config{Name: l.Name, Tables: tables, WrittenIn: l.WrittenIn, Ignore: l.Ignore}
	for _, a := range l.Accounts {
		ac := AccountConfig{Model: a.Model, PK: a.PK.String(), SK: a.SK.String(), Is: discriminatorConfig(a.Is), Version: a.Version}
		for _, con := range slices.Concat(a.Constraints, a.Unlocked) {
			cc := ConstraintConfig{
				Unique: con.Lockless(), Name: con.Name, Attribute: con.Attribute, Table: con.Table, PK: con.PK.String(),
				SK: con.SK.String(),
				Is: discriminatorConfig(con.Is), Owner: con.Owner, OwnerForm: con.OwnerForm.String(), Scope: con.Within, Lapses: con.Lapses,
				Index: con.Index, Moves: con.Moves, TwoSteps: con.TwoSteps,
				Shared:      con.Shared,
				ReservedFor: con.Reserved.Words(), ReservedSince: con.Reserved.Since,
			}
			for _, form := range con.Also {
				cc.Also = append(cc.Also, LockKeyConfig{form.PK.String(), form.SK.String()})
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
		cc := CounterConfig{
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

// answered writes what people have said of other items that hold the values.
func (cc *ConstraintConfig) answered(con *Constraint) {
	holders, others, nowhereElse := con.Answers.All()
	for _, h := range holders {
		cc.Holders = append(cc.Holders, HolderConfig{h.Table, h.Items, h.Attribute, h.PutsLock, h.Exact})
	}
	cc.NoHolders, cc.NowhereElse = others, nowhereElse
	if con.AlsoIn != nil {
		cc.AlsoIn = &con.AlsoIn
	}
}

// Hash tells one layout from another. Its name, derived keys, and what a person has said of single
// shapes of items, are no part of it: no lock is judged by those.
func Hash(l *Layout) string {
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

// HashOf is the hash that changes of one constraint carry: it covers the constraint and its account.
// Of a change without a constraint it covers all accounts. Counters, and other constraints, may
// change meanwhile.
func HashOf(l *Layout, constraint string) string {
	_, c := l.Constraint(constraint)
	if c == nil {
		return Hash(&Layout{Accounts: l.Accounts})
	}
	of := Only(l, c)
	of.Name = ""
	return of.hash()
}

func (c Config) hash() string {
	return HashSettings(struct {
		Layouts []Config `toml:"layout"`
	}{[]Config{c}})
}

// HashSettings is a hash of settings. It does not rest on how Config.TOML writes them: that may change,
// and journals keep hashes.
func HashSettings(settings any) string {
	text, err := toml.Marshal(settings)
	if err != nil {
		return "" // a Config has nothing that TOML cannot say
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// discriminatorConfig is nil where every item is of the kind.
func discriminatorConfig(d Discriminator) *DiscriminatorConfig {
	if d.Attribute == "" {
		return nil
	}
	c := DiscriminatorConfig(d)
	return &c
}

// unlike writes a number where it is not the default.
func unlike(n *big.Int, common int64) string {
	if n == nil || n.Cmp(big.NewInt(common)) == 0 {
		return ""
	}
	return n.String()
}

// Only returns the config of one constraint with its account: what a person accepts. It has no
// answers about other items.
func Only(l *Layout, c *Constraint) Config {
	one := &Layout{Name: cmp.Or(l.Name, c.Name)}
	for _, a := range l.Accounts {
		switch {
		case slices.Contains(a.Constraints, c):
			one.Accounts = []*Account{a.With([]*Constraint{c}, nil)}
		case slices.Contains(a.Unlocked, c):
			one.Accounts = []*Account{a.With(nil, []*Constraint{c})}
		}
	}
	return Of(one).unanswered()
}

// OnlyCounter returns the config of one counter: what a person accepts.
func OnlyCounter(l *Layout, c *Counter) Config {
	return Of(&Layout{Name: cmp.Or(l.Name, c.Name, c.Attribute), Counters: []*Counter{c}})
}

// unanswered returns the config without what people say of other items.
func (c Config) unanswered() Config {
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
