package example

import (
	"cmp"
	"context"
	"fmt"
	"slices"

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

	config   config.Layout
	evidence []string // the evidence for the counters
	choices  []Choice
	groups   []group
	pairOf   map[string]int // the first pair of each constraint, from 1, by its section
}

// group is one constraint. It has the pairs that belong to the constraint, and the rules that explain all these pairs.
type group struct {
	pairs []int
	rules []rule
}

// addExamples adds the items of the lesson to the samples. So the same samples explain every pair.
func (d *deriving) addExamples() {
	add := func(table string, item attr.Item) {
		s := &d.own
		for n := range d.others {
			if d.others[n].Name == table {
				s = &d.others[n]
			}
		}
		k, ok := s.Schema.KeyOf(item)
		if known := slices.ContainsFunc(s.Items, func(have attr.Item) bool {
			own, whole := s.Schema.KeyOf(have)
			return whole && own.Equal(k)
		}); ok && !known {
			s.Items = append(slices.Clip(s.Items), item)
		}
	}
	for _, p := range d.Pairs {
		add(d.own.Name, p.Account)
		add(p.LockTable, p.Lock)
	}
	for _, n := range d.Numbers {
		add(d.own.Name, n.Counter)
		add(n.IDTable, n.ID)
	}
}

// sample returns the sample of a table. An empty name means the accounts' table.
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
		if _, err := d.twoKeys(two{"account", p.Account}, two{"lock", p.Lock}, p.LockTable); err != nil {
			return err
		}
		rules, err := guess.Explain(ctx, d.own, d.others,
			guess.Pair{Account: p.Account, Lock: p.Lock, LockTable: cmp.Or(p.LockTable, d.own.Name)}, d.probe)
		if err != nil {
			return err
		}
		all := rules
		rules = slices.DeleteFunc(slices.Clone(all), func(x rule) bool {
			return x.Repeats || slices.ContainsFunc(all, func(y rule) bool {
				return y.TakesAccounts && (x.TakesAccounts || x.PartOf(y))
			})
		})
		if len(rules) == 0 {
			return d.unexplained(p, all)
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

// place adds a pair to the first group with a rule that also explains this pair. The group keeps only such rules.
// Without such a group, place starts a new group.
func (d *deriving) place(pair int, rules []rule) {
	for n := range d.groups {
		g := &d.groups[n]
		both := slices.DeleteFunc(slices.Clone(g.rules), func(x rule) bool {
			return !slices.ContainsFunc(rules, func(y rule) bool { return same(x, y) })
		})
		if len(both) > 0 {
			g.rules, g.pairs = both, append(g.pairs, pair)
			return
		}
	}
	d.groups = append(d.groups, group{[]int{pair}, rules})
}

// same reports whether two rules have the same kind of account, lock keys, attribute and normalisers.
func same(x, y rule) bool {
	return sameKind(x.Account, y.Account) && samePlace(x, y) && constraintOf(x).Attribute == constraintOf(y).Attribute &&
		slices.Equal(constraintOf(x).Normalise, constraintOf(y).Normalise)
}

func sameKind(a, b config.Account) bool { return a.PK == b.PK && a.SK == b.SK && sameIs(a.Is, b.Is) }

func sameIs(a, b *config.Discriminator) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// samePlace reports whether the locks of two rules have the same table, keys and discriminator.
func samePlace(x, y rule) bool {
	a, b := constraintOf(x), constraintOf(y)
	return a.Table == b.Table && a.PK == b.PK && a.SK == b.SK && sameIs(a.Is, b.Is)
}

// add adds the constraint of a group to the layout, and records its open choices.
func (d *deriving) add(g *group) error {
	at, rules := d.kindFor(g.rules)
	section := fmt.Sprintf("account[%d]", at)
	fresh := at == len(d.config.Accounts)
	c := d.chooserOf(rules)
	if fresh {
		c.lines(section, accountLines)
		d.config.Accounts = append(d.config.Accounts, config.Account{})
	}
	a := &d.config.Accounts[at]
	if joined, err := d.joins(section, a, c.rules[0], g); joined || err != nil {
		return err
	}
	constraint := fmt.Sprintf("%s.constraint[%d]", section, len(a.Constraints))
	d.move(g, constraint)
	c.lines(constraint, constraintLines)
	best := c.rules[0]
	if fresh {
		a.PK, a.SK, a.Is = best.Account.PK, best.Account.SK, best.Account.Is
	}
	a.Constraints = append(a.Constraints, d.constraint(constraint, best))
	return nil
}

// move records the section of a group's constraint, also in the answers about this constraint.
func (d *deriving) move(g *group, section string) {
	d.pairOf[section] = g.pairs[0] + 1
	for n := range d.Answers {
		switch a := &d.Answers[n]; {
		case a.pair == 0:
		case slices.Contains(g.pairs, a.pair-1):
			a.Section = section
		case a.Section == section:
			a.Section = "" // the answer is about a constraint that has moved, or that has joined another one
		}
	}
}

// joins adds the lock key of a group to an earlier constraint, as a second form (Also). Both must have the same
// attribute, table and normalisers. If a person has said that the two are separate constraints, joins adds nothing. If
// the earlier constraint has the same lock key, joins returns an error: the pairs need different normalisers.
func (d *deriving) joins(section string, a *config.Account, x rule, g *group) (bool, error) {
	best := constraintOf(x)
	for n := range a.Constraints {
		con := &a.Constraints[n]
		if con.Attribute != best.Attribute || con.Table != best.Table {
			continue
		}
		if con.PK == best.PK && con.SK == best.SK {
			return false, d.contradicts(g, *con, best)
		}
		form := config.LockKey{PK: best.PK, SK: best.SK}
		if !slices.Equal(con.Normalise, best.Normalise) || slices.Contains(con.Also, form) || !joinable(*con, form) {
			continue
		}
		at := fmt.Sprintf("%s.constraint[%d]", section, n)
		d.choices = slices.DeleteFunc(d.choices, func(c Choice) bool { return c.Section == at && c.Setting == alsoSetting })
		text := formText(form)
		said := d.choose(Choice{
			Section: at, Setting: alsoSetting, Chosen: text, Candidates: []Candidate{{Text: text}, {}},
			Question: "Is a value locked if only one of the two locks exists?",
		})
		con.Also = nil
		if said == text {
			con.Also = []config.LockKey{form}
			return true, nil
		}
	}
	return false, nil
}

// joinable reports whether locks of the constraint may also have this form of the key.
func joinable(con config.Constraint, form config.LockKey) bool {
	con.Also = []config.LockKey{form}
	_, err := config.Layout{Name: "joined", Accounts: []config.Account{{
		PK: "{id}", Constraints: []config.Constraint{con},
	}}}.Build()
	return err == nil
}

// kindFor returns the index of an earlier kind of account that fits some of the rules, and these rules. Without such a
// kind, it returns the index of a new kind, and all rules.
func (d *deriving) kindFor(rules []rule) (int, []rule) {
	for n, a := range d.config.Accounts {
		of := slices.DeleteFunc(slices.Clone(rules), func(x rule) bool { return !sameKind(x.Account, a) })
		if len(of) > 0 {
			return n, of
		}
	}
	return len(d.config.Accounts), rules
}

// finish gives names to kinds and constraints, applies the answers, and checks the layout.
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
		if len(d.Answers) > 0 {
			return refuse(fmt.Sprintf("these answers make no layout: %v", err), "correct the answer")
		}
		return refuse(fmt.Sprintf("these examples make no layout: %v", err), "choose other items")
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

// applyAnswers sets the answered lines. An answer may be a text that no candidate has.
func (d *deriving) applyAnswers() error {
	var sections []string
	for _, part := range d.config.Parts() {
		sections = append(sections, part.Path)
	}
	for _, a := range d.Answers {
		if a.Setting == alsoSetting || !slices.Contains(sections, a.Section) {
			continue // only a choice sets this line, or a person has removed the example of the answer
		}
		changed, err := d.config.With(a.Section, a.Setting, a.Text)
		if err != nil {
			return refuse(err.Error(), "correct the answer")
		}
		d.config = changed
	}
	return nil
}

// verify checks that the layout explains each pair. A typed answer may break this.
func (d *deriving) verify(l *layout.Layout) error {
	v := schema.NewView(l, d.own.Name, d.schemas())
	for n, p := range d.Pairs {
		table := cmp.Or(p.LockTable, d.own.Name)
		k, _ := v.SchemaOf(table).KeyOf(p.Lock)
		kind, _ := v.AccountOf(p.Account)
		role := v.Classify(table, p.Lock)
		claimed := v.Claims(p.Account, schema.Lock{Table: table, Key: k})
		if kind == nil || role.Constraint == nil || role.Malformed || !claimed {
			return refuse(d.conflict(n), d.remedy())
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

// conflict says which pair does not fit the layout. It lists all answers.
func (d *deriving) conflict(pair int) string {
	var said []string
	for _, a := range d.Answers {
		said = append(said, a.Setting+" = "+phrase.Quote(a.Text))
	}
	if len(said) == 0 {
		return fmt.Sprintf("the %s pair does not fit the layout of the other pairs", ordinal(pair))
	}
	return fmt.Sprintf("the %s pair does not fit the answer %s", ordinal(pair), phrase.List(said))
}

// remedy returns the next step after a pair that does not fit.
func (d *deriving) remedy() string {
	if len(d.Answers) == 0 {
		return "remove one pair"
	}
	return "correct the answer, or remove the pair"
}

// contradicts refuses a pair whose lock has the same key form as an earlier constraint, but another normalisation.
func (d *deriving) contradicts(g *group, con, other config.Constraint) error {
	earlier := 0
	for _, one := range d.groups {
		if constraintOf(one.rules[0]).PK == con.PK {
			earlier = one.pairs[0]
			break
		}
	}
	return refuse(fmt.Sprintf("the %s pair needs normalise = [%s], but the %s pair needs normalise = [%s]",
		ordinal(earlier), normaliseText(con.Normalise), ordinal(g.pairs[0]), normaliseText(other.Normalise)),
		"remove one pair: its lock may have a spelling that your application no longer writes")
}

func ordinal(n int) string {
	names := []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"}
	if n < len(names) {
		return names[n]
	}
	return fmt.Sprintf("%dth", n+1)
}
