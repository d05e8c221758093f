package example

import (
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo/guess"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
)

type (
	rule     = guess.Explanation
	ruleLine = line[rule]
)

var accountLines = []ruleLine{
	{
		setting: "pk", of: func(x rule) string { return x.Account.PK },
		question: "Which part of the account's partition key is the account's id?",
	},
	{
		setting: "sk", of: func(x rule) string { return x.Account.SK },
		question: "Which part of the account's sort key varies?",
	},
	{
		setting: "is", of: func(x rule) string { return isText(x.Account.Is) },
		question: "Which attribute is only in these accounts?",
	},
}

var constraintLines = []ruleLine{
	{
		setting: "attribute", of: func(x rule) string { return constraintOf(x).Attribute },
		question: "Which attribute of the account holds the value?",
	},
	{
		setting: "pk", of: func(x rule) string { return constraintOf(x).PK },
		question: "Which parts of the lock's partition key vary?",
	},
	{
		setting: "sk", of: func(x rule) string { return constraintOf(x).SK },
		question: "Which parts of the lock's sort key vary?",
	},
	{
		setting: "is", of: func(x rule) string { return isText(constraintOf(x).Is) },
		question: "Which attribute is only in these locks?",
	},
	{
		setting: "normalise", of: func(x rule) string { return normaliseText(constraintOf(x).Normalise) },
		question: "How does your application change a value before it puts the lock?",
		alike:    alikeTexts, asked: otherCase,
	},
}

func constraintOf(x rule) config.Constraint { return x.Account.Constraints[0] }

func isText(is *config.Discriminator) string {
	if is == nil {
		return ""
	}
	return is.Attribute + " = " + is.Value
}

func normaliseText(steps []string) string { return strings.Join(steps, ", ") }

func alikeTexts(x rule) (all []string) {
	for _, steps := range x.Alike {
		all = append(all, normaliseText(steps))
	}
	return all
}

// otherCase lists the normalisation that also changes the case, if no sampled value tells whether the application
// does so.
func otherCase(x rule) (all []string) {
	own := constraintOf(x).Normalise
	for _, steps := range x.Alike {
		rest := slices.DeleteFunc(slices.Clone(steps), func(step string) bool {
			return step == string(layout.Lower) || step == string(layout.Upper)
		})
		if len(rest) < len(steps) && slices.Equal(rest, own) {
			all = append(all, normaliseText(steps))
		}
	}
	if len(all) > 1 { // the values have no letters, so no value shows the case
		return nil
	}
	return all
}

// chooserOf returns a chooser among the rules of a pair.
func (d *deriving) chooserOf(rules []rule) *chooser[rule] {
	return &chooser[rule]{
		deriving: d, rules: rules, undecided: rule.Undecided,
		candidate: func(x rule, text string) Candidate { return Candidate{text, x.Hits, x.Values} },
	}
}

// constraint returns the constraint of a rule, with the lines in which equal rules may differ: the owner, other forms
// of the key, and the time that locks may exist before their accounts.
func (d *deriving) constraint(section string, best rule) config.Constraint {
	con := constraintOf(best)
	d.owner(section, &con, best)
	d.also(section, &con, best)
	d.reserved(section, &con, best)
	return con
}

// owner chooses the attribute in which locks name their account. Locks whose key has the account's id need no owner.
func (d *deriving) owner(section string, con *config.Constraint, best rule) {
	con.Owner, con.OwnerForm = "", ""
	if strings.Contains(con.PK+con.SK, "{"+layout.IDVariable+"}") || len(best.Owners) == 0 {
		return
	}
	first := best.Owners[0]
	var candidates []Candidate
	for _, o := range best.Owners {
		if first.Right-o.Right < layout.EnoughBetter {
			candidates = append(candidates, Candidate{o.Attribute, o.Right, o.Locks})
		}
	}
	if first.Right < max(first.Locks, layout.EnoughBetter) {
		candidates = append(candidates, Candidate{})
	}
	con.Owner = d.choose(Choice{
		Section: section, Setting: "owner", Chosen: first.Attribute, Candidates: candidates,
		Question: "Which attribute of the lock names the account?",
	})
	for _, o := range best.Owners {
		if o.Attribute == con.Owner {
			con.OwnerForm = o.Form
		}
	}
}

// alsoSetting is the setting with the other forms of a lock's key. A person cannot type it.
const alsoSetting = "also"

// also asks for other forms of the lock's key, if values without a lock have an item of that form.
func (d *deriving) also(section string, con *config.Constraint, best rule) {
	if len(best.Also) == 0 {
		return
	}
	candidates := []Candidate{{"", best.Hits, best.Values}}
	for _, f := range best.Also {
		candidates = append(candidates, Candidate{formText(f.LockKey), best.Hits + f.Hits, best.Values})
	}
	said := d.choose(Choice{
		Section: section, Setting: alsoSetting, Candidates: candidates,
		Question: "Are items with the other keys also locks of these values?",
	})
	for _, f := range best.Also {
		if formText(f.LockKey) == said {
			con.Also = []config.LockKey{f.LockKey}
		}
	}
}

// formText writes a form of a lock's key for people.
func formText(f config.LockKey) string {
	if f.SK == "" {
		return f.PK
	}
	return f.PK + " / " + f.SK
}

// reserved asks how long a lock may exist before its account. It asks only if locks have a time, and if some locks have
// no account.
func (d *deriving) reserved(section string, con *config.Constraint, best rule) {
	if len(best.Times) == 0 || best.Unclaimed == 0 {
		return
	}
	con.ReservedFor = d.choose(Choice{
		Section: section, Setting: "reserved_for", Candidates: []Candidate{{}}, Typed: true,
		Question: fmt.Sprintf("The sample has %s without an account. "+
			"How long may a lock exist before its account, such as 48h?",
			phrase.Count(best.Unclaimed, "lock")),
	})
	if con.ReservedFor == "" {
		return
	}
	var candidates []Candidate
	for _, name := range best.Times {
		candidates = append(candidates, Candidate{Text: name})
	}
	con.ReservedSince = d.choose(Choice{
		Section: section, Setting: "reserved_since", Chosen: best.Times[0], Candidates: candidates,
		Question: "Which attribute has the time when the lock was put?",
	})
}
