package example

import (
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo/guess"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// chooser determines the lines of one constraint, one after the other. After each line, only rules with the
// chosen text remain.
type chooser struct {
	*deriving
	rules   []guess.Explanation
	choices []Choice
}

// line is a setting, how a rule has it, and the question about it.
type line struct {
	setting  string
	of       func(guess.Explanation) string
	question string
}

var accountLines = []line{
	{"pk", func(x guess.Explanation) string { return x.Account.PK }, "Which part of the account's partition key is its id?"},
	{"sk", func(x guess.Explanation) string { return x.Account.SK }, "Which part of the account's sort key varies?"},
	{"is", func(x guess.Explanation) string { return isText(x.Account.Is) }, "Which attribute do only such accounts have?"},
}

var constraintLines = []line{
	{"attribute", func(x guess.Explanation) string { return constraintOf(x).Attribute }, "Which attribute holds the value?"},
	{"pk", func(x guess.Explanation) string { return constraintOf(x).PK }, "Which parts of the lock's partition key vary?"},
	{"sk", func(x guess.Explanation) string { return constraintOf(x).SK }, "Which parts of the lock's sort key vary?"},
	{"is", func(x guess.Explanation) string { return isText(constraintOf(x).Is) }, "Which attribute do only such locks have?"},
	{"normalise", func(x guess.Explanation) string { return normaliseText(constraintOf(x).Normalise) }, "What does your application do to a value before it locks it?"},
}

func isText(is *config.Discriminator) string {
	if is == nil {
		return ""
	}
	return is.Attribute + " = " + is.Value
}

func normaliseText(steps []string) string { return strings.Join(steps, ", ") }

// best returns the likeliest of the remaining rules.
func (c *chooser) best() guess.Explanation {
	return slices.MinFunc(c.rules, func(a, b guess.Explanation) int { return b.Compare(a) })
}

// lines determines the lines of a section. A line on which the likely rules differ is a choice.
func (c *chooser) lines(section string, lines []line) {
	for _, ln := range lines {
		best := c.best()
		chosen := ln.of(best)
		said, answered := c.answer(section, ln.setting)
		if answered && slices.ContainsFunc(c.rules, func(x guess.Explanation) bool { return ln.has(x, said) }) {
			chosen = said
		}
		var candidates []Candidate
		for _, x := range c.rules {
			text := ln.of(x)
			if (text == chosen || best.Undecided(x)) &&
				!slices.ContainsFunc(candidates, func(one Candidate) bool { return one.Text == text }) {
				candidates = append(candidates, Candidate{text, x.Hits, x.Values})
			}
		}
		if ln.setting == "normalise" {
			candidates = append(candidates, otherCase(best, candidates)...)
		}
		if len(candidates) > 1 || answered {
			c.choices = append(c.choices, Choice{
				Section: section, Setting: ln.setting, Chosen: chosen, Candidates: candidates, Question: ln.question,
				Answered: answered,
			})
			if answered {
				c.choices[len(c.choices)-1].Chosen = said
			}
		}
		c.rules = slices.DeleteFunc(slices.Clone(c.rules), func(x guess.Explanation) bool { return !ln.has(x, chosen) })
	}
}

// has reports whether a rule has the text on the line. A normalisation may also be one that changes no sampled
// value differently.
func (ln line) has(x guess.Explanation, text string) bool {
	return ln.of(x) == text || ln.setting == "normalise" &&
		slices.ContainsFunc(x.Alike, func(steps []string) bool { return normaliseText(steps) == text })
}

// otherCase returns the normalisation that also changes the case, if no sampled value tells whether the
// application does so.
func otherCase(best guess.Explanation, known []Candidate) (more []Candidate) {
	own := constraintOf(best).Normalise
	cased := func(steps []string) bool {
		return slices.ContainsFunc(steps, func(step string) bool {
			return step == string(layout.Lower) || step == string(layout.Upper) || step == string(layout.DynamoFlow)
		})
	}
	if cased(own) {
		return nil
	}
	for _, steps := range best.Alike {
		rest := slices.DeleteFunc(slices.Clone(steps), func(step string) bool {
			return step == string(layout.Lower) || step == string(layout.Upper)
		})
		text := normaliseText(steps)
		if len(rest) < len(steps) && slices.Equal(rest, own) &&
			!slices.ContainsFunc(known, func(one Candidate) bool { return one.Text == text }) {
			more = append(more, Candidate{text, best.Hits, best.Values})
		}
	}
	if len(more) > 1 { // the values have no letters
		return nil
	}
	return more
}

// finish chooses the owner of the constraint con.
func (c *chooser) finish(section string, con *config.Constraint, best guess.Explanation) {
	con.Owner, con.OwnerForm = "", ""
	if strings.Contains(con.PK+con.SK, "{"+layout.IDVariable+"}") || len(best.Owners) == 0 {
		return
	}
	first := best.Owners[0]
	con.Owner, con.OwnerForm = first.Attribute, first.Form
	var candidates []Candidate
	for _, o := range best.Owners {
		if first.Right-o.Right < layout.EnoughBetter {
			candidates = append(candidates, Candidate{o.Attribute, o.Right, o.Locks})
		}
	}
	if first.Right < layout.EnoughBetter {
		candidates = append(candidates, Candidate{Text: ""})
	}
	said, answered := c.answer(section, "owner")
	if answered {
		con.Owner, con.OwnerForm = said, ""
		for _, o := range best.Owners {
			if o.Attribute == said {
				con.OwnerForm = o.Form
			}
		}
	}
	if len(candidates) > 1 || answered {
		c.choices = append(c.choices, Choice{
			Section: section, Setting: "owner", Chosen: con.Owner, Candidates: candidates, Answered: answered,
			Question: "Which attribute of the lock names its account?",
		})
	}
}

func (c Choice) String() string { return fmt.Sprintf("%s.%s", c.Section, c.Setting) }
