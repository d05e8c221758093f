package findings

import (
	"fmt"

	"tallylock/dynamo/check"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/words"
)

// before says what a check would cost, where none was made yet.
func (s *Screen) before(d *kit.Block) {
	t := s.Table
	if err := s.unread(); t != nil && t.Layout.Empty() && err != nil {
		screen.Failed(s.Session, d, err) // why nothing tells the layout
		return
	}
	d.Gap()
	if t == nil {
		screen.NoTable(s.Session, d)
		return
	}
	if !check.Checkable(t) {
		why := "No layout that we know fits this table, so there is nothing to check it by."
		if t.Sample.Unread() {
			unread, _ := t.Connection().WhyUnread()
			why = "Nothing was read to recognise the layout by, since " + unread + "."
		}
		d.Verdict(kit.Sign{Glyph: "!", Style: kit.Warn, Word: "no layout"}, why)
		d.Gap()
		d.Para(14, kit.Text, "Name one with --layout, or describe its keys under [[layout]] in the config.")
		return
	}
	what := "every lock against every account, every counter against the ids in use."
	if t.Layout.Empty() {
		what = "keys of indexes against the attributes that they are made of. No accounts or locks were recognised."
	}
	d.Para(4, kit.Heading, "Check this table: "+what)
	s.offer(d)
}

// offer says what is known without a check, what that would cost, and the key that begins it.
func (s *Screen) offer(d *kit.Block) {
	d.Gap()
	if n := s.known(); n > 0 {
		d.Fact("seen", (kit.Bad | kit.Bold).Of(phrase.Count(n, "problem")), kit.Text.Of(" while listing accounts and locks"))
	}
	cost := check.Estimate(s.Table, s.Options.Check)
	price(d, cost)
	if cost.Beyond != "" {
		d.LongFact(3, "can cost", "more if very many values are broken or keep changing ("+s.Keys.Key(keymap.Detail)+")")
	}
	d.Fact("writes", kit.Text.Of("nothing"))
	d.Gap()
	if other := s.elsewhere(); other != nil {
		d.Para(4, kit.Warn, other.table.Name+" is being checked. One table is checked at a time.")
		return
	}
	d.Keys(4, s.Hint(keymap.Open, "check it"))
}

// beyond says what the price of a check does not count.
func beyond(s *Screen, d *kit.Block) {
	if s.Table == nil || !check.Checkable(s.Table) {
		return
	}
	if beyond := check.Estimate(s.Table, s.Options.Check).Beyond; beyond != "" {
		d.LongFact(3, "can add", beyond)
	}
}

// price says what a check costs at most.
func price(d *kit.Block, c check.Cost) {
	if c.Uncounted {
		d.LongFact(3, "costs",
			"not known: the endpoint does not say yet how large the table is. What is used is shown all the time, and it can be stopped.")
		return
	}
	d.Fact("items", kit.Text.Of("about "+phrase.Number(c.Items)))
	d.LongFact(3, "costs", words.CheckCost(c))
	switch {
	case c.Time > 0:
		d.LongFact(
			3,
			"takes",
			fmt.Sprintf("about %s, at %s read units a second, which leaves the application the rest", words.Roughly(c.Time),
				words.Units(words.RoundUnits(c.Pace))),
		)
	default:
		d.LongFact(3, "takes", "as long as the endpoint does: it names no capacity to keep to")
	}
}

// nothing stands in place of findings that are not there.
func (r report) nothing(d *kit.Block) {
	switch {
	case len(r.all) > 0:
		screen.NoneFits(r.Session, d, "finding")
	case r.running:
		d.Para(1, kit.Muted, "Broken locks are listed once the table has been read twice.")
		suspected(d, r.state.Suspects)
	case r.summary.Complete:
		d.Gap()
		if n := r.summary.Unsettled; n > 0 {
			d.Para(4, kit.Warn|kit.Bold, "? Nothing was found, but "+phrase.Count(n, "value")+" could not be judged.")
			d.Gap()
			d.Para(4, kit.Text, r.wasRead())
			return
		}
		said, good := words.CheckOutcome(r.summary)
		if good {
			d.Para(4, kit.Good|kit.Bold, kit.GlyphHeld+" "+said)
		} else {
			d.Para(4, kit.Warn|kit.Bold, "? "+said)
		}
		d.Gap()
		d.Para(4, kit.Text, r.wasRead())
		for _, line := range words.Checked(r.summary) {
			d.Para(4, kit.Text, line)
		}
		if r.summary.Locks == 0 || !good {
			return
		}
		belongs := "Each lock belongs to the account that uses its value"
		if r.summary.Reserved > 0 {
			belongs += ", or is reserved"
		}
		d.Para(4, kit.Text, belongs+", and each value has its lock.")
	case r.failed():
		screen.Failed(r.Session, d, r.err)
	}
}

// wasRead says what a check has read.
func (r report) wasRead() string {
	s := r.summary
	said := "Read " + phrase.Count(int(s.Items), "item") + " by " + words.Clock(r.ended)
	if s.Locks == 0 {
		return said + "; this table has no locks."
	}
	return said + ": " + phrase.Count(int(s.Accounts), "account") + ", " + phrase.Count(int(s.Locks), "lock") + "."
}

// suspected are locks that no account was met for, before they are looked at again: quiet,
// and with a question mark, since each may still turn out to be in order.
func suspected(d *kit.Block, all []check.Suspect) {
	if len(all) == 0 {
		return
	}
	sign := words.Kind(check.OrphanedLock)
	d.Gap()
	d.Para(1, kit.Heading, "Suspected, not confirmed yet: no account was found so far for")
	for _, one := range all {
		d.Row(func(l *kit.Line) {
			l.Put(kit.Muted, "   "+sign.Glyph+"? ")
			l.Fit(kit.Muted, one.Constraint, 10)
			l.To(17)
			l.Fit(kit.Text, one.Value, l.Width-l.At-1)
		})
	}
}
