package layout

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
)

// Config is a layout as the config file and the presets write it.
type Config struct {
	Name   string   `toml:"name"`             // what --layout takes
	Tables []string `toml:"tables,omitempty"` // account tables; empty: only where --layout names it
	// WrittenIn is the only Region in which a table with replicas is written.
	WrittenIn string          `toml:"written_in,omitempty"`
	Accounts  []AccountConfig `toml:"account,omitempty"`
	Counters  []CounterConfig `toml:"counter,omitempty"`
}

// AccountConfig is one kind of account item.
type AccountConfig struct {
	Model       string               `toml:"model,omitempty"`
	PK          string               `toml:"pk"`
	SK          string               `toml:"sk,omitempty"`
	Is          *DiscriminatorConfig `toml:"is,inline,omitempty"`
	Version     string               `toml:"version,omitempty"`
	Constraints []ConstraintConfig   `toml:"constraint,omitempty"`
}

// DiscriminatorConfig is an attribute that tells items of a kind from others.
type DiscriminatorConfig struct {
	Attribute string `toml:"attribute"`
	Value     string `toml:"value"`
}

func (d *DiscriminatorConfig) discriminator() Discriminator {
	if d == nil {
		return Discriminator{}
	}
	return Discriminator(*d)
}

// ConstraintConfig is one uniqueness rule.
type ConstraintConfig struct {
	Name      string               `toml:"name"`
	Attribute string               `toml:"attribute"`
	Table     string               `toml:"table,omitempty"`
	PK        string               `toml:"pk"`
	SK        string               `toml:"sk,omitempty"`
	Is        *DiscriminatorConfig `toml:"is,inline,omitempty"`
	Normalise []string             `toml:"normalise,omitempty"`
	Owner     string               `toml:"owner,omitempty"`
	Index     string               `toml:"index,omitempty"`
	Moves     bool                 `toml:"moves,omitempty"`
	TwoSteps  bool                 `toml:"two_steps,omitempty"`
}

// CounterConfig is one counter. Numbers are text, so that none is rounded.
type CounterConfig struct {
	Name      string               `toml:"name,omitempty"`
	PK        string               `toml:"pk"`
	SK        string               `toml:"sk,omitempty"`
	Is        *DiscriminatorConfig `toml:"is,inline,omitempty"`
	Attribute string               `toml:"attribute"`
	Semantics string               `toml:"semantics"`
	Start     string               `toml:"start,omitempty"`
	Step      string               `toml:"step,omitempty"`
	Offset    string               `toml:"offset,omitempty"`
	IDs       []IDsConfig          `toml:"ids,omitempty"`
}

// region is what Regions are called.
var region = regexp.MustCompile(`^[a-z]{2,}(-[a-z]+)+-[0-9]+$`)

// Build checks a config and makes the layout of it.
func (c Config) Build() (*Layout, error) {
	l := &Layout{Name: c.Name, WrittenIn: c.WrittenIn, Configured: true}
	if c.Name == "" {
		return nil, errors.New("a layout needs a name")
	}
	if len(c.Accounts) == 0 && len(c.Counters) == 0 {
		return nil, fmt.Errorf("layout %s: it has neither an account nor a counter", c.Name)
	}
	if c.WrittenIn != "" && !region.MatchString(c.WrittenIn) {
		return nil, fmt.Errorf("layout %s: written_in: %q is no Region: write it as eu-west-1", c.Name, c.WrittenIn)
	}
	for _, ac := range c.Accounts {
		a, err := ac.build()
		if err != nil {
			return nil, fmt.Errorf("layout %s: %w", c.Name, err)
		}
		l.Accounts = append(l.Accounts, a)
	}
	seen := map[string]bool{}
	for _, con := range l.Constraints() {
		if seen[con.Name] {
			return nil, fmt.Errorf("layout %s: two constraints are called %q, give them names of their own", c.Name, con.Name)
		}
		seen[con.Name] = true
	}
	for _, cc := range c.Counters {
		counter, err := cc.build()
		if err != nil {
			return nil, fmt.Errorf("layout %s: counter %s: %w", c.Name, cc.Attribute, err)
		}
		l.Counters = append(l.Counters, counter)
	}
	return l, nil
}

func (ac AccountConfig) build() (*Account, error) {
	a := &Account{Model: ac.Model, Is: ac.Is.discriminator(), Version: ac.Version}
	if a.Model == "" {
		a.Model = "account"
	}
	if ac.PK == "" {
		return nil, fmt.Errorf("account %s: pk, the template of its partition key, is missing", a.Model)
	}
	var err error
	if a.PK, a.SK, err = keyTemplates(ac.PK, ac.SK); err != nil {
		return nil, fmt.Errorf("account %s: %w", a.Model, err)
	}
	for _, cc := range ac.Constraints {
		con, err := cc.build()
		if err != nil {
			return nil, fmt.Errorf("constraint %s: %w", cmp.Or(cc.Name, cc.Attribute), err)
		}
		if con.Attribute == a.Version {
			return nil, fmt.Errorf("account %s: version and the constraint %s have one attribute, %s", a.Model, con.Name, con.Attribute)
		}
		a.Constraints = append(a.Constraints, con)
	}
	return a, nil
}

func (cc ConstraintConfig) build() (*Constraint, error) {
	con := &Constraint{
		Name: cc.Name, Attribute: cc.Attribute, Table: cc.Table, Is: cc.Is.discriminator(),
		Owner: cc.Owner, Index: cc.Index, Moves: cc.Moves, TwoSteps: cc.TwoSteps,
	}
	if con.Attribute == "" {
		return nil, errors.New("attribute, where the account holds the value, is missing")
	}
	if con.Name == "" {
		con.Name = con.Attribute
	}
	var err error
	if con.PK, con.SK, err = keyTemplates(cc.PK, cc.SK); err != nil {
		return nil, err
	}
	if !con.PK.Uses(value) && !con.SK.Uses(value) {
		return nil, fmt.Errorf("neither pk %q nor sk %q says {v}, where the value stands", cc.PK, cc.SK)
	}
	con.Normalise, err = parseNormalisers(cc.Normalise)
	return con, err
}

func (cc CounterConfig) build() (*Counter, error) {
	c := &Counter{Name: cc.Name, Is: cc.Is.discriminator(), Attribute: cc.Attribute, Semantics: Semantics(cc.Semantics)}
	if c.Attribute == "" {
		return nil, errors.New("attribute, where the number stands, is missing")
	}
	switch c.Semantics {
	case Last, Next, Tally:
	case "":
		c.Semantics = Last
	default:
		return nil, fmt.Errorf("unknown semantics %q: use last, next or tally", cc.Semantics)
	}
	if cc.PK == "" {
		return nil, errors.New("pk, the template of its partition key, is missing")
	}
	var err error
	if c.PK, c.SK, err = keyTemplates(cc.PK, cc.SK); err != nil {
		return nil, err
	}
	if c.Start, err = number(cc.Start, "0"); err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	if c.Step, err = number(cc.Step, "1"); err != nil {
		return nil, fmt.Errorf("step: %w", err)
	}
	if c.Step.Sign() <= 0 {
		return nil, fmt.Errorf("step %s: it must be at least 1, a counter only rises", c.Step)
	}
	if c.Offset, err = number(cc.Offset, "0"); err != nil {
		return nil, fmt.Errorf("offset: %w", err)
	}
	for _, ic := range cc.IDs {
		ids, err := ic.build(c)
		if err != nil {
			return nil, fmt.Errorf("ids: %w", err)
		}
		c.IDs = append(c.IDs, ids)
	}
	if len(c.IDs) > 0 && c.Semantics == Tally {
		return nil, errors.New("ids: a tally mints none")
	}
	return c, nil
}

func keyTemplates(pk, sk string) (Template, Template, error) {
	p, err := ParseTemplate(pk)
	if err != nil {
		return p, p, fmt.Errorf("pk: %w", err)
	}
	s, err := ParseTemplate(sk)
	if err != nil {
		return p, s, fmt.Errorf("sk: %w", err)
	}
	if n := len(p.Variables()) + len(s.Variables()); n > room-2 {
		return p, s, fmt.Errorf("pk %q and sk %q have %d variables together, and %d is all that they may have", pk, sk, n, room-2)
	}
	return p, s, nil
}
