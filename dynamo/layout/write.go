package layout

import (
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"slices"

	"github.com/pelletier/go-toml/v2"
)

// Config is the layout as a config file has it, for the tables named: what Build
// makes of it is this layout again, but that a person has described it.
func (l *Layout) Config(tables ...string) Config {
	c := Config{Name: l.Name, Tables: tables, WrittenIn: l.WrittenIn, Ignore: l.Ignore}
	for _, a := range l.Accounts {
		ac := AccountConfig{Model: a.Model, PK: a.PK.String(), SK: a.SK.String(), Is: a.Is.config(), Version: a.Version}
		for _, con := range slices.Concat(a.Constraints, a.Unlocked) {
			cc := ConstraintConfig{
				Unique: con.Lockless(), Name: con.Name, Attribute: con.Attribute, Table: con.Table, PK: con.PK.String(),
				SK: con.SK.String(),
				Is: con.Is.config(), Owner: con.Owner, OwnerForm: con.OwnerForm.String(), Scope: con.Within, Lapses: con.Lapses,
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
			ac.Derived = append(ac.Derived, d.config())
		}
		c.Accounts = append(c.Accounts, ac)
	}
	for _, counter := range l.Counters {
		cc := CounterConfig{
			Name: counter.Name, PK: counter.PK.String(), SK: counter.SK.String(), Is: counter.Is.config(),
			Attribute: counter.Attribute, Semantics: string(counter.Semantics),
			Start: unlike(counter.Start, 0), Step: unlike(counter.Step, 1), Offset: unlike(counter.Offset, 0),
			Max: unlike(counter.Max, 0), Modulo: unlike(counter.Modulo, 0),
			Resets: string(counter.Resets),
		}
		for _, ids := range slices.Concat(counter.IDs, counter.uncompared) {
			cc.IDs = append(cc.IDs, ids.config())
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
func (l *Layout) Hash() string {
	if l.Empty() {
		return ""
	}
	c := l.Config().unanswered()
	c.Name = ""
	for n := range c.Accounts {
		c.Accounts[n].Derived = nil
	}
	return c.hash()
}

// HashOf is the hash that changes of one constraint carry: it covers the constraint and its account.
// Of a change without a constraint it covers all accounts. Counters, and other constraints, may
// change meanwhile.
func (l *Layout) HashOf(constraint string) string {
	_, c := l.Constraint(constraint)
	if c == nil {
		return (&Layout{Accounts: l.Accounts}).Hash()
	}
	of := l.Only(c)
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

// config is nil where every item is of the kind.
func (d Discriminator) config() *DiscriminatorConfig {
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
