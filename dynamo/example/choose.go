package example

import (
	"slices"
)

// chooser determines the lines of one constraint or counter, one after the other. After each line, only rules
// with the chosen text remain. X is a rule.
type chooser[X any] struct {
	*deriving
	rules []X // the likeliest first
	// undecided reports whether the sample hardly distinguishes the likeliest rule from another rule.
	undecided func(best, x X) bool
	// candidate makes a candidate from the text of a rule.
	candidate func(x X, text string) Candidate
}

// line is a setting, its text in a rule, and the question about it. The function alike lists other texts that fit the
// sample as well as the rule's own text; it may be nil. The function asked lists texts that become candidates, too; it
// may be nil.
type line[X any] struct {
	setting  string
	of       func(X) string
	question string
	alike    func(X) []string
	asked    func(X) []string
}

// lines determines the lines of a section. If the likely rules differ in a line, the line is a choice.
func (c *chooser[X]) lines(section string, lines []line[X]) {
	for _, ln := range lines {
		best := c.rules[0]
		chosen := ln.of(best)
		said, answered := c.answer(section, ln.setting)
		if answered && slices.ContainsFunc(c.rules, func(x X) bool { return ln.has(x, said) }) {
			chosen = said
		}
		var candidates []Candidate
		add := func(x X, text string) {
			if !slices.ContainsFunc(candidates, func(one Candidate) bool { return one.Text == text }) {
				candidates = append(candidates, c.candidate(x, text))
			}
		}
		for _, x := range c.rules {
			if text := ln.of(x); text == chosen || c.undecided(best, x) {
				add(x, text)
			}
		}
		if ln.asked != nil {
			for _, text := range ln.asked(best) {
				add(best, text)
			}
		}
		c.choose(Choice{Section: section, Setting: ln.setting, Chosen: chosen, Candidates: candidates, Question: ln.question})
		c.rules = slices.DeleteFunc(slices.Clone(c.rules), func(x X) bool { return !ln.has(x, chosen) })
	}
}

// has reports whether a rule has the text on the line, or fits the sample equally well with this text.
func (ln line[X]) has(x X, text string) bool {
	return ln.of(x) == text || ln.alike != nil && slices.Contains(ln.alike(x), text)
}

// choose records a choice, unless there is only one candidate. It returns the chosen text.
func (d *deriving) choose(c Choice) string {
	if said, answered := d.answer(c.Section, c.Setting); answered {
		c.Chosen, c.Answered = said, true
	}
	if len(c.Candidates) > 1 || c.Typed || c.Answered {
		d.choices = append(d.choices, c)
	}
	return c.Chosen
}

// String names the line of a choice.
func (c Choice) String() string { return c.Section + "." + c.Setting }
