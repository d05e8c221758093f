package example

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
)

// deriving is one run of Derive.
type deriving struct {
	Lesson
	own    guess.Sample
	others []guess.Sample
	probe  guess.Probe

	config  config.Layout
	choices []Choice
	groups  []group
}

// group is one constraint: the pairs that belong to it, and the rules that explain all of them.
type group struct {
	pairs []int
	rules []guess.Explanation
}

// addExamples adds the items of the lesson to the samples, so that every pair is explained by the same samples.
func (d *deriving) addExamples() {
	add := func(table string, item attr.Item) {
		if table == "" || table == d.own.Name {
			d.own.Items = append(slices.Clip(d.own.Items), item)
			return
		}
		for n := range d.others {
			if d.others[n].Name == table {
				d.others[n].Items = append(slices.Clip(d.others[n].Items), item)
			}
		}
	}
	for _, p := range d.Pairs {
		add("", p.Account)
		add(p.LockTable, p.Lock)
	}
	for _, n := range d.Numbers {
		add("", n.Counter)
		add(n.IDTable, n.ID)
	}
}

// sample returns the sample of a table. An empty name is that of the accounts' table.
func (d *deriving) sample(table string) (guess.Sample, bool) {
	if table == "" || table == d.own.Name {
		return d.own, true
	}
	n := slices.IndexFunc(d.others, func(s guess.Sample) bool { return s.Name == table })
	if n < 0 {
		return guess.Sample{}, false
	}
	return d.others[n], true
}

// accounts derives the accounts and constraints of the lesson's pairs.
func (d *deriving) accounts(ctx context.Context) error {
	for n, p := range d.Pairs {
		if err := d.checkPair(p); err != nil {
			return err
		}
		rules, err := guess.Explain(ctx, d.own, d.others,
			guess.Pair{Account: p.Account, Lock: p.Lock, LockTable: cmp.Or(p.LockTable, d.own.Name)}, d.probe)
		if err != nil {
			return err
		}
		if len(rules) == 0 {
			return d.unexplained(p)
		}
		d.place(n, rules)
	}
	for n := range d.groups {
		if err := d.add(&d.groups[n]); err != nil {
			return err
		}
	}
	return nil
}

// place adds a pair to the group whose rules explain it, too. Otherwise it starts a group.
func (d *deriving) place(pair int, rules []guess.Explanation) {
	for n := range d.groups {
		g := &d.groups[n]
		both := slices.DeleteFunc(slices.Clone(g.rules), func(x guess.Explanation) bool {
			return !slices.ContainsFunc(rules, func(y guess.Explanation) bool { return same(x, y) })
		})
		if len(both) > 0 {
			g.rules, g.pairs = both, append(g.pairs, pair)
			return
		}
	}
	d.groups = append(d.groups, group{[]int{pair}, rules})
}

// same reports whether two rules have the same accounts and locks.
func same(x, y guess.Explanation) bool {
	return sameKind(x.Account, y.Account) && samePlace(x, y) && constraintOf(x).Attribute == constraintOf(y).Attribute &&
		slices.Equal(constraintOf(x).Normalise, constraintOf(y).Normalise)
}

func sameKind(a, b config.Account) bool { return a.PK == b.PK && a.SK == b.SK && sameIs(a.Is, b.Is) }

func sameIs(a, b *config.Discriminator) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// samePlace reports whether two rules have the same lock keys.
func samePlace(x, y guess.Explanation) bool {
	a, b := constraintOf(x), constraintOf(y)
	return a.Table == b.Table && a.PK == b.PK && a.SK == b.SK && sameIs(a.Is, b.Is)
}

func constraintOf(x guess.Explanation) config.Constraint { return x.Account.Constraints[0] }

// add adds the constraint of a group to the layout, and the choices that it leaves.
func (d *deriving) add(g *group) error {
	at, rules := d.kindFor(g.rules)
	section := fmt.Sprintf("account[%d]", at)
	own := 0
	if at < len(d.config.Accounts) {
		own = len(d.config.Accounts[at].Constraints)
	}
	constraint := fmt.Sprintf("%s.constraint[%d]", section, own)
	c := &chooser{deriving: d, rules: rules}
	if at == len(d.config.Accounts) {
		c.lines(section, accountLines)
	}
	c.lines(constraint, constraintLines)
	best := c.best()
	if at == len(d.config.Accounts) {
		d.config.Accounts = append(d.config.Accounts, config.Account{
			PK: best.Account.PK, SK: best.Account.SK, Is: best.Account.Is,
		})
	}
	con := constraintOf(best)
	c.finish(constraint, &con, best)
	d.config.Accounts[at].Constraints = append(d.config.Accounts[at].Constraints, con)
	d.choices = append(d.choices, c.choices...)
	return nil
}

// kindFor returns the index of the kind of account that a group's rules may share with earlier groups, and the
// rules for this kind. Without such a kind, it returns the index of a new one, and all rules.
func (d *deriving) kindFor(rules []guess.Explanation) (int, []guess.Explanation) {
	for n, a := range d.config.Accounts {
		of := slices.DeleteFunc(slices.Clone(rules), func(x guess.Explanation) bool { return !sameKind(x.Account, a) })
		if len(of) > 0 {
			return n, of
		}
	}
	return len(d.config.Accounts), rules
}

// finish gives names to kinds and constraints, applies the answers that no rule has, and checks the layout.
func (d *deriving) finish() error {
	if len(d.config.Accounts) > 1 {
		for n := range d.config.Accounts {
			d.config.Accounts[n].Model = guess.ModelOf(d.config.Accounts[n].PK, d.config.Accounts[n].SK, n)
		}
	}
	d.share()
	d.nameConstraints()
	if err := d.applyAnswers(); err != nil {
		return err
	}
	l, err := d.config.Build()
	if err != nil {
		return refuse(fmt.Sprintf("these examples make no layout: %v", err), "point at other items")
	}
	return d.verify(l)
}

// share marks the constraints of one kind of account that have the same lock keys.
func (d *deriving) share() {
	for n := range d.config.Accounts {
		all := d.config.Accounts[n].Constraints
		for i := range all {
			for j := range all[:i] {
				if all[i].Table == all[j].Table && all[i].PK == all[j].PK && all[i].SK == all[j].SK {
					all[i].Shared, all[j].Shared = true, true
				}
			}
		}
	}
}

func (d *deriving) nameConstraints() {
	names := map[string]bool{}
	for n := range d.config.Accounts {
		a := &d.config.Accounts[n]
		for m := range a.Constraints {
			c := &a.Constraints[m]
			c.Name = c.Attribute
			if names[c.Name] && a.Model != "" {
				c.Name = a.Model + "-" + c.Attribute
			}
			for at := 2; names[c.Name]; at++ {
				c.Name = fmt.Sprintf("%s-%d", c.Attribute, at)
			}
			names[c.Name] = true
		}
	}
}

// applyAnswers sets the lines that a person has answered with a text of no candidate.
func (d *deriving) applyAnswers() error {
	for _, a := range d.Answers {
		changed, err := d.config.With(a.Section, a.Setting, a.Text)
		if err != nil {
			return refuse(err.Error(), "correct the answer")
		}
		d.config = changed
	}
	return nil
}

// verify checks that the layout explains each example. An answer that a person typed may spoil it.
func (d *deriving) verify(l *layout.Layout) error {
	v := schema.NewView(l, d.own.Name, d.schemas())
	for n, p := range d.Pairs {
		table := cmp.Or(p.LockTable, d.own.Name)
		k, _ := v.SchemaOf(table).KeyOf(p.Lock)
		kind, _ := v.AccountOf(p.Account)
		role := v.Classify(table, p.Lock)
		if kind == nil || role.Constraint == nil || role.Malformed || !v.Claims(p.Account, schema.Lock{Table: table, Key: k}) {
			return refuse(d.conflict(l, n), "take one of them back, or answer otherwise")
		}
	}
	return nil
}

func (d *deriving) schemas() map[string]attr.Schema {
	all := map[string]attr.Schema{d.own.Name: d.own.Schema}
	for _, s := range d.others {
		all[s.Name] = s.Schema
	}
	return all
}

// conflict says which examples or answers contradict a pair.
func (d *deriving) conflict(l *layout.Layout, pair int) string {
	if len(d.Answers) > 0 {
		var said []string
		for _, a := range d.Answers {
			said = append(said, a.Setting+" = "+phrase.Quote(a.Text))
		}
		return fmt.Sprintf("%s does not fit %s", ordinal(pair)+" pair", strings.Join(said, " and "))
	}
	return fmt.Sprintf("the %s pair contradicts the others", ordinal(pair))
}

func ordinal(n int) string {
	names := []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"}
	if n < len(names) {
		return names[n]
	}
	return fmt.Sprintf("%dth", n+1)
}
