package find

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/keymap"
	"tallylock/ui/dialog/change"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/screen"
)

// above draws the answer as a sentence, its consequence, and the keys.
func (s *Screen) above(d *kit.Block) {
	main := mainOf(s.answer)
	wide := s.Size.Wide()
	if wide {
		d.Gap()
	}
	if main == nil {
		d.Para(1, kit.Heading, say.NowhereKept(s.Table))
		d.Gap()
		return
	}
	sign := say.Verdict(main.Verdict, main.Provisional)
	col := kit.VerdictColumn(sign)
	for n, row := range kit.AtMost(3, kit.Wrap(sentence(s.answer), d.Width-col-1)) {
		d.Row(func(l *kit.Line) {
			if n == 0 {
				l.To(1)
				sign.Draw(l)
			}
			l.To(col)
			l.Words(kit.Heading, row, l.Width-l.At-1)
		})
	}
	accountsOf(d, col, main, s.Now())
	if wide {
		d.Gap()
	}
	for _, row := range kit.AtMost(3, kit.Wrap(consequence(s.answer, main), d.Width-col-1)) {
		d.Words(col, kit.Text, row)
	}
	if said := cmp.Or(s.freed, s.moved()); said != "" {
		d.Para(col, kit.Strong, said)
	}
	if note := s.answer.Note(); note != "" {
		d.Words(col, kit.Strong, say.Sentence(note))
	}
	d.Gap()
	s.presses(d, col)
	if why := cmp.Or(change.WhyRelease(s.Session, main), s.Connection().WhyReadOnly()); stuck(main) && why != "" &&
		main == s.selected() {
		d.Words(col, kit.Muted, "release: "+why)
	}
	d.Gap()
}

// accountsOf lists the accounts of a value with several holders, each with the creation time in its id. For a single
// holder it draws only the creation time.
func accountsOf(d *kit.Block, col int, main *verdict.Relation, now time.Time) {
	const most = 2
	for _, a := range main.Claimants[:min(len(main.Claimants), most)] {
		made := say.Made(a.Key, now)
		if len(main.Claimants) == 1 {
			if made != "" {
				d.Para(col, kit.Muted, "made "+made)
			}
			return
		}
		d.Row(func(l *kit.Line) {
			l.To(col)
			l.Middle(kit.Text, a.Key.Hash.Value.Display(), 44)
			if made != "" {
				l.Words(kit.Muted, ", made "+made, l.Width-l.At-1)
			}
		})
	}
	if more := main.ClaimantCount() - most; more > 0 {
		d.Para(col, kit.Muted, "and "+phrase.Count(more, "more account"))
	}
}

// stuck reports whether a lock blocks a value that no account holds.
func stuck(r *verdict.Relation) bool {
	return r.Lock.Exists && (r.Verdict == verdict.Orphaned || r.Verdict == verdict.Stale)
}

// consequence says what the answer means for people.
func consequence(a *find.Answer, main *verdict.Relation) string {
	switch {
	case a.Whole != nil && main.Verdict == verdict.Unknown:
		return say.Sentence(main.Why)
	case accountInOrder(a) != nil:
		return ""
	case stuck(main):
		return say.Sentence(say.Consequence(main)) + " Releasing the lock frees the " + main.Constraint.Name + " and changes no account."
	}
	if main.Constraint.Lockless() {
		return strings.Join(say.Consequences(main), " ")
	}
	return say.Sentence(say.Consequence(main))
}

// presses draws the keys of the selected row's commands, in at most two lines. If the selected row is not the main
// answer, the first line begins with its value.
func (s *Screen) presses(d *kit.Block, col int) {
	at := screen.ValueRow{Relation: s.selected()}
	commands := slices.Concat(s.answering(at), change.Changes(s.Session, s.Table, at))
	commands.Change(keymap.DeleteAccount, func(c *screen.Command) { c.Words = c.Full })
	var keys [][2]string
	for _, c := range commands {
		key := s.Keys.Key(c.Action)
		if key != "" && c.Words != "" && c.Full != "" && c.Refuses() == "" && (c.Action != keymap.Open || s.Size.Wide()) {
			keys = append(keys, [2]string{key, c.Full})
		}
	}
	for line := 0; line < 2 && (line == 0 || len(keys) > 0); line++ {
		d.Row(func(l *kit.Line) {
			l.To(col)
			if r := at.Relation; r != nil && r != mainOf(s.answer) && line == 0 {
				l.Fit(kit.Strong, r.Shown(), 20)
				l.Put(kit.Text, ":  ")
			}
			for len(keys) > 0 && l.At+kit.Width(keys[0][0]+" "+keys[0][1]) < l.Width {
				l.Put(kit.Key, keys[0][0])
				l.Put(kit.Text, " "+keys[0][1])
				l.To(l.At + 4)
				keys = keys[1:]
			}
		})
	}
}

// evidence draws one line for each read.
func evidence(d *kit.Block, reads []client.Read) {
	found := 38
	for _, r := range reads {
		found = max(found, 13+kit.ValueWidth(r.What)+2)
	}
	found = min(found, d.Width-12-27)
	for n, r := range reads {
		if n == d.Height-1 && len(reads) > d.Height {
			d.Truncated = true
			d.Head(3, fmt.Sprintf("and %d more reads", len(reads)-n))
			return
		}
		d.Row(func(l *kit.Line) {
			l.To(3)
			l.Put(kit.Muted, phrase.Clock(r.At)+"  ")
			l.Fit(kit.Text, r.What, found-l.At-1)
			l.To(found)
			how := d.Width - 12
			l.Words(kit.Muted, r.Found, how-found-1)
			l.To(how)
			l.Words(kit.Muted, r.How, 11)
		})
	}
}

// belowNeeds is the number of rows below the list that the usual cause and the journal's records need.
const belowNeeds = 10

// besides draws the selected relation's items, and everything that was read.
func (s *Screen) besides(d *kit.Block) {
	d.Gap()
	if r := s.selected(); r != nil {
		if r.Lock.Exists {
			d.Head(1, "LOCK")
			screen.DrawLock(d, r)
			d.Gap()
		}
		screen.DrawAccounts(d, "ACCOUNT", s.Table.Layout, r.Claimants[:min(len(r.Claimants), 2)]...)
		if r.OwnerAccount != nil {
			screen.DrawAccounts(d, "THE OWNER IT NAMES", s.Table.Layout, *r.OwnerAccount)
		}
	}
	d.Row(func(l *kit.Line) {
		l.To(1)
		l.Put(kit.Muted, "WHAT WAS READ")
		l.Ends(kit.Muted, "RU", l.Width-2)
	})
	screen.DrawReads(d, s.answer.Reads)
	shared(d, s.answer)
	if r := s.selected(); r != nil && !s.rows().rows[s.list.Cursor].near && change.WhyRelease(s.Session, r) == "" {
		releasing(d, s.Table, r, s.answer.At)
	}
	if below := s.list.Height - s.rows().Len(); d.Whole && below < belowNeeds {
		s.after(d, 1)
	}
}

// after draws the usual cause and the journal's records. If there is little room, it draws one line about the journal.
func (s *Screen) after(d *kit.Block, col int) {
	if d.Height < belowNeeds {
		s.past.Line(d, col, s.Now())
		return
	}
	how(d, col, mainOf(s.answer))
	s.past.Draw(d, col, s.Now())
}

// shared draws the read units of the reads that have no units of their own, because one request
// read several items.
func shared(d *kit.Block, a *find.Answer) {
	rest, some := a.ReadUnits, 0
	for _, r := range a.Reads {
		rest -= r.Units
		if r.Units == 0 {
			some++
		}
	}
	if some == 0 || rest <= 0 {
		return
	}
	d.Row(func(l *kit.Line) {
		l.To(10)
		l.Words(kit.Muted, "the "+phrase.Count(some, "other")+" together", l.Width-l.At-8)
		l.Ends(kit.Muted, say.Units(rest), l.Width-2)
	})
}

// how names the usual cause of a verdict.
func how(d *kit.Block, col int, main *verdict.Relation) {
	if main == nil || say.Cause(main) == "" {
		return
	}
	d.Gap()
	d.Gap()
	d.Head(col, "USUAL CAUSE")
	d.Para(col, kit.Text, say.Cause(main))
}

// releasing says what a release of a lock would do. at is the time when the lock was read.
func releasing(d *kit.Block, t *dynamo.Table, r *verdict.Relation, at time.Time) {
	would, err := planner.ReleaseAsOf(t, r, at, true)
	if err != nil { // the release itself shows the error
		return
	}
	d.Gap()
	d.Head(1, "RELEASING WILL")
	for _, l := range would.Lines {
		d.LongFact(1, string(l.Label), l.Text)
	}
}
