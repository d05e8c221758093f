package layout

import (
	"cmp"
	"slices"
)

// Only returns the config of one constraint with its account: what a person accepts. It has no
// answers about other items.
func (l *Layout) Only(c *Constraint) Config {
	one := &Layout{Name: cmp.Or(l.Name, c.Name)}
	for _, a := range l.Accounts {
		switch {
		case slices.Contains(a.Constraints, c):
			one.Accounts = []*Account{a.only([]*Constraint{c}, nil)}
		case slices.Contains(a.Unlocked, c):
			one.Accounts = []*Account{a.only(nil, []*Constraint{c})}
		}
	}
	return one.Config().unanswered()
}

// OnlyCounter returns the config of one counter: what a person accepts.
func (l *Layout) OnlyCounter(c *Counter) Config {
	return (&Layout{Name: cmp.Or(l.Name, c.Name, c.Attribute), Counters: []*Counter{c}}).Config()
}

// only returns the account with other constraints, and without its derived keys.
func (a *Account) only(constraints, unlocked []*Constraint) *Account {
	one := *a
	one.Constraints, one.Unlocked, one.Derived = constraints, unlocked, nil
	return &one
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

// Put puts the constraints and counters of an accepted layout into l, in place of those of the
// same name or with the same keys.
func (l *Layout) Put(accepted *Layout) {
	for _, a := range accepted.Accounts {
		for _, c := range slices.Concat(a.Constraints, a.Unlocked) {
			l.put(a, c)
		}
	}
	for _, c := range accepted.Counters {
		l.putCounter(c)
	}
	l.Name = cmp.Or(l.Name, accepted.Name)
}

func (l *Layout) put(a *Account, c *Constraint) {
	same := func(other *Constraint) bool {
		return other != c && (other.Name == c.Name || !c.Lockless() && other.PK.text == c.PK.text &&
			other.SK.text == c.SK.text && other.Table == c.Table)
	}
	at := slices.IndexFunc(l.Accounts, func(other *Account) bool {
		return other.PK.text == a.PK.text && other.SK.text == a.SK.text && other.Is == a.Is
	})
	if at < 0 {
		at, l.Accounts = len(l.Accounts), append(l.Accounts, a.only(nil, nil))
	}
	to := l.Accounts[at]
	to.Model, to.Version = a.Model, a.Version
	list := &to.Constraints
	if c.Lockless() {
		list = &to.Unlocked
	}
	if n := slices.IndexFunc(*list, same); n >= 0 {
		(*list)[n] = c
	} else {
		*list = append(*list, c)
	}
	for _, other := range l.Accounts {
		other.Constraints = slices.DeleteFunc(other.Constraints, same)
		other.Unlocked = slices.DeleteFunc(other.Unlocked, same)
	}
	l.Accounts = slices.DeleteFunc(l.Accounts, func(other *Account) bool {
		return other != to && len(other.Constraints)+len(other.Unlocked) == 0
	})
}

func (l *Layout) putCounter(c *Counter) {
	n := slices.IndexFunc(l.Counters, func(other *Counter) bool {
		return other.PK.text == c.PK.text && other.SK.text == c.SK.text && other.Attribute == c.Attribute
	})
	if n < 0 {
		l.Counters = append(l.Counters, c)
		return
	}
	l.Counters[n] = c
}

// Clone returns a copy of the layout whose constraints and counters can be changed. It has no
// answers about other items.
func (l *Layout) Clone() *Layout {
	n := &Layout{
		Name: l.Name, Preset: l.Preset, Keyed: l.Keyed, WrittenIn: l.WrittenIn, Configured: l.Configured, Ignore: l.Ignore,
	}
	clone := func(all []*Constraint) (out []*Constraint) {
		for _, c := range all {
			one := *c
			one.Answers = new(Answers)
			out = append(out, &one)
		}
		return out
	}
	for _, a := range l.Accounts {
		one := *a
		one.Constraints, one.Unlocked = clone(a.Constraints), clone(a.Unlocked)
		n.Accounts = append(n.Accounts, &one)
	}
	for _, c := range l.Counters {
		one := *c
		n.Counters = append(n.Counters, &one)
	}
	return n
}
