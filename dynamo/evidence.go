package dynamo

import (
	"fmt"
	"strings"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// LineEvidence is the evidence for one line of a layout.
type LineEvidence struct {
	// Section and Setting name the line as config.Layout.Annotated does.
	Section, Setting string
	Text             string
	// Unsure is set if the evidence is weak or contradicts the line, or if the line is a guess.
	Unsure bool
}

// LinesOf lists the evidence for the lines of a table's layout, in the layout's order. It leaves out
// lines without evidence.
func LinesOf(t *Table) []LineEvidence {
	var all []LineEvidence
	for n, a := range t.Layout.Accounts {
		section := fmt.Sprintf("account[%d]", n)
		all = append(all, accountLines(t, section, a)...)
		for m, c := range a.Constraints {
			section := fmt.Sprintf("%s.constraint[%d]", section, m)
			all = append(all, constraintLines(section, c, t.Fit.Of(c))...)
			if _, _, said := c.Answers.All(); said {
				all = append(all, nowhereElseLine(t, section, c))
			}
		}
		for m := range a.Unlocked {
			section := fmt.Sprintf("%s.constraint[%d]", section, len(a.Constraints)+m)
			all = append(all, LineEvidence{section, "unique", "no locks: only a check can show whether the values are unique", false})
		}
	}
	for n, c := range t.Layout.Counters {
		if c.Evidence == "" {
			continue // a person has described the counter
		}
		section := fmt.Sprintf("counter[%d]", n)
		seen, meaning, _ := strings.Cut(c.Evidence, "; "+string(c.Semantics)+", ")
		all = append(all, LineEvidence{section, "attribute", seen, false},
			LineEvidence{section, "semantics", meaning, c.Guess})
	}
	return all
}

// accountLines returns the evidence for the lines of one kind of account. Its counts come from one constraint
// of that kind: the one for which the most accounts were sampled.
func accountLines(t *Table, section string, a *layout.Account) []LineEvidence {
	if len(a.Constraints) == 0 {
		n := sampledOf(t, a)
		seen := fmt.Sprintf("tallylock read %s: %s have such keys", phrase.Count(len(t.Sample.own.items), "item"), phrase.Number(n))
		return []LineEvidence{{section, "pk", seen, n == 0}}
	}
	var e layout.Evidence
	unsure := true
	for _, c := range a.Constraints {
		fit := t.Fit.Of(c)
		if fit.Accounts >= e.Accounts {
			e = fit.Evidence
		}
		if fit.Rule.Standing == layout.Supported {
			unsure = false
		}
	}
	if e.Items == 0 {
		return notRead(section)
	}
	seen := fmt.Sprintf("tallylock read %s: %s have such keys", phrase.Count(e.Items, "item"), phrase.Number(e.Accounts))
	if e.Kinds > 1 {
		seen += ", including other kinds of account"
	}
	lines := []LineEvidence{{section, "pk", seen, unsure}}
	if !a.SK.Empty() {
		lines = append(lines, LineEvidence{section, "sk", "the same items show this", unsure})
	}
	if a.Is.Attribute != "" {
		lines = append(lines, LineEvidence{section, "is", "the same items have this attribute", unsure})
	}
	return lines
}

func sampledOf(t *Table, a *layout.Account) (n int) {
	for _, item := range t.Sample.own.items {
		if t.Classify(t.Name, item).Account == a {
			n++
		}
	}
	return n
}

// nowhereElseLine returns the text beside the setting nowhere_else. This setting is a person's word, so no item
// proves it. The text describes the effect of the setting, or the reason why it has none.
func nowhereElseLine(t *Table, section string, c *layout.Constraint) LineEvidence {
	if why := t.Answers.WhySearch(c); why != "" {
		return LineEvidence{section, "nowhere_else", "no effect: " + why, true}
	}
	return LineEvidence{section, "nowhere_else", "a release by owner reads only the owner's account", false}
}

func notRead(section string) []LineEvidence {
	return []LineEvidence{{section, "pk", "no item that was read shows this", true}}
}

func constraintLines(section string, c *layout.Constraint, fit layout.Fit) []LineEvidence {
	e := fit.Evidence
	if e.Items == 0 {
		return notRead(section)
	}
	unsure := fit.Rule.Standing != layout.Supported
	var lines []LineEvidence
	add := func(given bool, setting, format string, args ...any) {
		if given {
			lines = append(lines, LineEvidence{section, setting, fmt.Sprintf(format, args...), unsure})
		}
	}
	if e.Claims == e.Values {
		add(true, "attribute", "tallylock read %s", phrase.Count(e.Values, "different value"))
	} else {
		add(true, "attribute", "tallylock read %s: %s different ones", phrase.Count(e.Claims, "value"),
			phrase.Number(e.Values))
	}
	if fit.Better.Line != "" {
		lines[0].Text += "; a hint: " + fit.Better.String()
	}
	add(c.Table != "", "table", "%s of this table are such locks", phrase.Count(e.Locks, "item"))
	add(true, "pk", "%s of %s have such a lock; tallylock read %s", phrase.Number(e.Locked), phrase.Count(e.Values, "value"),
		phrase.Count(e.Locks, "such lock"))
	add(!c.SK.Empty(), "sk", "the same locks show this")
	add(c.Is.Attribute != "", "is", "the same locks have this attribute")
	add(len(c.Normalise) > 0, "normalise", "with this rule, %s of %s have their lock", phrase.Number(e.Locked),
		phrase.Count(e.Values, "value"))
	if c.Owner != "" {
		owner := LineEvidence{section, "owner", "no lock that was read names an account", true}
		if e.Named > 0 {
			owner.Text = fmt.Sprintf("tallylock looked up the owners of %s: %s exist and hold the value",
				phrase.Count(e.Named, "lock"), phrase.Number(e.Right))
			owner.Unsure = fit.Owner.Standing != layout.Supported
		} else if e.Met > 0 { // several kinds of accounts: a lock does not show the kind of its account
			owner.Text = fmt.Sprintf("tallylock read %s of values in use: %s name the account of the value",
				phrase.Count(e.Met, "lock"), phrase.Number(e.MetRight))
		}
		lines = append(lines, owner)
	}
	if c.Index != "" {
		lines = append(lines, LineEvidence{section, "index", "the table has this index on the attribute", false})
	}
	return lines
}

// EvidenceOf returns the evidence for a constraint, as sentences.
func EvidenceOf(t *Table, c *layout.Constraint) []string {
	fit := t.Fit.Of(c)
	var all []string
	for _, text := range []string{fit.Rule.Text, fit.Owner.Text} {
		if text != "" {
			all = append(all, text)
		}
	}
	if len(all) == 0 && !c.Lockless() {
		all = append(all, "no item that was read shows whether the layout fits")
	}
	return all
}
