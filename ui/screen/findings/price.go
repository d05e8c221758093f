package findings

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/check"
	"tallylock/keymap"
	"tallylock/ui/words"
)

// A check that reads more than a question may by itself begins only once its price was on the
// screen.

// sayPrice says what checking again costs, and the key that does so.
func (c *checks) sayPrice() tea.Cmd {
	key, cost := c.Keys.Key(keymap.Reload), check.Estimate(c.Table, c.Options.Check)
	c.run().priced = true
	if cost.Uncounted {
		return c.Say(key + " checks again. What that costs is not known.")
	}
	return c.Say(key + " checks again, for about " + words.ReadUnits(words.RoundUnits(cost.Units())) + ".")
}

// offers reports whether the price of a check is on the screen: none was made yet, or it was
// stopped before it found anything.
func (c *checks) offers() bool {
	r := c.run()
	return r == nil || !r.running && !r.summary.Complete && len(r.all) == 0 && !r.failed()
}

// cheap reports whether checking the open table costs no more than a question may by itself.
func (c *checks) cheap() bool {
	cost := check.Estimate(c.Table, c.Options.Check)
	return !cost.Uncounted && cost.Units() <= c.Table.Connection().AutoReadUnits()
}

// whyCheck says why the table is not checked.
func (c *checks) whyCheck() string {
	switch r := c.run(); {
	case r != nil && r.running:
		return "it is being checked"
	case c.Table != nil && !check.Checkable(c.Table):
		return "no layout tells what to check it by"
	}
	return ""
}

// check begins a check that was asked for.
func (c *checks) check() tea.Cmd { return c.start(true) }

// again is check, once the price was on the screen.
func (c *checks) again() tea.Cmd {
	if r := c.run(); r == nil || c.offers() || r.priced || c.cheap() {
		return c.check()
	}
	return c.sayPrice()
}
