package ui

import (
	"fmt"
	"time"

	"tallylock/dynamo"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/relation"
	"tallylock/ui/screen"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

func (s *findScreen) Content() screen.Content {
	a := s.app
	c := screen.Content{List: &s.list, Rows: s.rows(), Hints: s.hints(), Blurred: s.typing}
	top, end := s.question()
	c.Top = &screen.Heading{Line: top, From: 1, To: end}
	c.Cover = &kit.Coverage{Part: 1, Working: -1}
	since, busy := a.Tasks.Since(task.Finding)
	switch {
	case busy:
		c.Cover.Working = a.Phase(since)
		c.Cover.Right = []kit.Span{kit.Muted.Of(words.Lasts(a.Now().Sub(since).Truncate(100 * time.Millisecond)))}
		c.Instead = func(d *kit.Block) {
			d.Row(func(l *kit.Line) {
				l.Put(kit.Muted, " Looking for who holds ")
				l.Value(kit.Strong, s.asked)
				l.Put(kit.Muted, ".")
			})
		}
	case s.err != nil:
		c.Instead = func(d *kit.Block) { screen.Failed(a.Session, d, s.err) }
	case s.answer == nil:
		c.Instead = s.intro
	default:
		s.picture(&c)
	}
	return c
}

// question is row 1: the field, or what was asked and how it was answered.
func (s *findScreen) question() (string, int) {
	a := s.app
	l := kit.NewLine(a.Styles, a.Size.Width, a.Ground())
	l.Put(kit.Text, " ")
	l.Put(kit.Key, a.Keys.Key(keymap.Find))
	l.Put(kit.Text, " ")
	if s.typing {
		s.field.Draw(l, kit.Heading, a.Size.Width-l.At-1, "an e-mail, a handle or an account id", true)
		return l.Done(), min(4+max(kit.ValueWidth(s.field.Value()), 1), a.Size.Width)
	}
	_, busy := a.Tasks.Since(task.Finding)
	text := "answered in " + words.Lasts(s.took) + " · "
	from := a.Size.Width - 1 - kit.Width(text) - 10
	l.Fit(kit.Heading, s.asked, from-3-l.At)
	end := l.At
	if s.answer != nil && s.err == nil && !busy {
		l.To(from)
		l.Put(kit.Muted, text)
		if s.answer.Complete {
			l.Put(kit.Good, kit.GlyphYes)
			l.Put(kit.Muted, " complete")
		} else {
			l.Put(kit.Warn, "incomplete")
		}
	}
	return l.Done(), end
}

func (s *findScreen) intro(d *kit.Block) {
	t := s.app.Table
	d.Gap()
	var names []string
	for _, c := range t.Layout.Constraints() {
		names = append(names, c.Name)
	}
	for _, c := range t.Layout.Unlocked() {
		names = append(names, c.Name)
	}
	d.Para(4, kit.Text, "Type "+words.AList(append(names, "account id"), "or")+", then enter.")
	d.Gap()
	d.Para(4, kit.Muted, fmt.Sprintf("A few point reads tell who holds it, whether its lock is in order, and which spellings people mix up with it. Where only reading the whole table tells, that is done by itself as far as it costs no more than %s read units.",
		words.Units(t.Connection().AutoReadUnits())))
}

// picture is the answer: the sentence, the readings, and what was read.
func (s *findScreen) picture(c *screen.Content) {
	a := s.app
	main := s.main()
	c.Above = func(d *kit.Block) { s.above(d, main) }
	c.Heads = func(l *kit.Line) {
		cols := findColumnsOf(l.Width)
		kit.Heads(l, kit.Cell{Column: 2, Text: "READ AS"}, kit.Cell{Column: cols.account, Text: "ACCOUNT"}, kit.Cell{Column: cols.lock, Text: "LOCK"}, kit.Cell{Column: cols.verdict, Text: "VERDICT"})
	}
	price := words.Units(s.answer.ReadUnits)
	c.Cover.Left = []kit.Span{kit.Muted.Of("what was read")}
	c.Cover.Right = []kit.Span{kit.Muted.Of(price + " read units")}
	c.More = func(n int) []kit.Span {
		more := []kit.Span{kit.Text.Of(fmt.Sprintf("%d more", n))}
		if a.Size.Wide() {
			return more
		}
		return append(more, kit.Muted.Of(" · what was read"))
	}
	c.Depth = min(max(len(s.answer.Reads), 3), 5)
	c.Beneath = s.evidence
	c.Beside = s.besides
	if a.Size.Wide() {
		c.Cover.Left = s.position()
		complete := "complete"
		if !s.answer.Complete {
			complete = "incomplete"
		}
		c.Cover.Right = []kit.Span{kit.Muted.Of(price + " read units · " + complete)}
		c.Below = func(d *kit.Block) {
			s.how(d, 2, main)
			s.journal(d, 2)
		}
	}
}

// position is the number of the selected row among those that can be selected.
func (s *findScreen) position() []kit.Span {
	rows := s.rows()
	at, of := 0, 0
	for n := range rows.Len() {
		if _, _, ok := rows.Row(n); ok {
			of++
			if n <= s.list.Cursor {
				at = of
			}
		}
	}
	return []kit.Span{kit.Muted.Of(words.Position(at, of, false))}
}

// above is the sentence, the consequence, and the key to press.
func (s *findScreen) above(d *kit.Block, main *dynamo.Relation) {
	a := s.app
	wide := a.Size.Wide()
	if wide {
		d.Gap()
	}
	if main == nil {
		s.withoutLocks(d)
		return
	}
	sign := words.Verdict(main.Verdict, main.Provisional)
	col := max(13, 1+2+kit.Width(sign.Word)+2)
	for n, row := range kit.AtMost(3, kit.Wrap(s.sentence(main), d.Width-col-1)) {
		d.Row(func(l *kit.Line) {
			if n == 0 {
				l.To(1)
				sign.Draw(l)
			}
			l.To(col)
			l.Words(kit.Heading, row, l.Width-l.At-1)
		})
	}
	if wide {
		d.Gap()
	}
	so := words.Sentence(main.Consequence())
	stuck := main.Lock.Exists && (main.Verdict == dynamo.Orphaned || main.Verdict == dynamo.Stale)
	if stuck {
		so += " Releasing the lock frees the " + main.Constraint.Name + "; no account is changed by that."
	}
	if s.byID() != nil && main.Verdict == dynamo.Held {
		so = ""
	}
	if s.answer.Whole != nil && main.Verdict == dynamo.Unknown {
		so = words.Sentence(main.Why)
	}
	for _, row := range kit.AtMost(3, kit.Wrap(so, d.Width-col-1)) {
		d.Row(func(l *kit.Line) {
			l.To(col)
			l.Words(kit.Text, row, l.Width-l.At-1)
		})
	}
	if note := s.answer.Note(); note != "" {
		d.Row(func(l *kit.Line) {
			l.To(col)
			l.Words(kit.Strong, words.Sentence(note), l.Width-l.At-1)
		})
	}
	d.Gap()
	d.Row(func(l *kit.Line) {
		l.To(col)
		s.presses(l, main)
	})
	if why := a.WhyRelease(main); stuck && why != "" {
		d.Row(func(l *kit.Line) {
			l.To(col)
			l.Words(kit.Muted, "release: "+why, l.Width-l.At-1)
		})
	}
	d.Gap()
}

// withoutLocks says what is known of values that no locks keep.
func (s *findScreen) withoutLocks(d *kit.Block) {
	if len(s.answer.Unlocked) == 0 {
		d.Para(1, kit.Heading, "This layout keeps no values.")
	}
	for _, u := range s.answer.Unlocked {
		d.Para(1, kit.Heading, u.Sentence())
		for _, so := range []string{u.Consequence(), u.Why} {
			if so != "" {
				d.Para(1, kit.Text, words.Sentence(so))
			}
		}
	}
	d.Gap()
	if key := s.app.Keys.Key(keymap.Pause); s.answer.Whole != nil && key != "" {
		d.Row(func(l *kit.Line) {
			l.To(1)
			l.Put(kit.Key, key)
			l.Put(kit.Text, " read the whole table")
		})
		d.Gap()
	}
}

// presses are the keys of the answer itself.
func (s *findScreen) presses(l *kit.Line, main *dynamo.Relation) {
	a := s.app
	put := func(action keymap.Action, text string) {
		if key := a.Keys.Key(action); key != "" && kit.Width(key)+1+kit.Width(text) < l.Width-l.At {
			l.Put(kit.Key, key)
			l.Put(kit.Text, " "+text)
			l.To(l.At + 4)
		}
	}
	releases := main.Lock.Exists && a.WhyRelease(main) == ""
	if releases {
		put(keymap.Release, "release the lock")
	}
	if word := a.MendWord(main); a.WhyMend(main) == "" && (!releases || word != "mend") {
		put(keymap.Mend, word+" it")
	}
	if s.answer.Whole != nil {
		put(keymap.Pause, "read the whole table")
	}
	put(keymap.Copy, "copy this answer")
	if s.app.Size.Wide() && main == s.selected() && s.Why(keymap.Open) == "" {
		what := "open the lock"
		if main.Account != nil {
			what = "open the account"
		}
		put(keymap.Open, what)
	}
}

// evidence lists what was read in one line each.
func (s *findScreen) evidence(d *kit.Block) {
	reads := s.answer.Reads
	found := 38
	for _, r := range reads {
		found = max(found, 13+kit.ValueWidth(r.What)+2)
	}
	found = min(found, d.Width-12-27)
	for n, r := range reads {
		if n == d.Height-1 && len(reads) > d.Height {
			d.Lacks = true
			d.Row(func(l *kit.Line) {
				l.To(3)
				l.Put(kit.Muted, fmt.Sprintf("and %d more reads", len(reads)-n))
			})
			return
		}
		d.Row(func(l *kit.Line) {
			l.To(3)
			l.Put(kit.Muted, words.Clock(r.At)+"  ")
			l.Fit(kit.Text, r.What, found-l.At-1)
			l.To(found)
			how := d.Width - 12
			l.Words(kit.Muted, r.Found, how-found-1)
			l.To(how)
			l.Words(kit.Muted, r.How, 11)
		})
	}
}

// belowNeeds is how many rows below the list show how an answer comes about, and
// what was done to the lock.
const belowNeeds = 10

func (s *findScreen) besides(d *kit.Block) {
	a := s.app
	d.Gap()
	if r := s.selected(); r != nil {
		if r.Lock.Exists {
			d.Head(1, "LOCK")
			relation.Lock(d, r)
			d.Gap()
		}
		for n := range r.Claimants[:min(len(r.Claimants), 2)] {
			d.Head(1, "ACCOUNT")
			relation.Account(d, a.Table, &r.Claimants[n])
			d.Gap()
		}
		if r.OwnerAccount != nil {
			d.Head(1, "THE OWNER IT NAMES")
			relation.Account(d, a.Table, r.OwnerAccount)
			d.Gap()
		}
	}
	d.Row(func(l *kit.Line) {
		l.To(1)
		l.Put(kit.Muted, "WHAT WAS READ")
		l.Ends(kit.Muted, "RU", l.Width-2)
	})
	relation.Reads(d, 1, s.answer.Reads)
	s.releasing(d)
	if below := a.list.height - s.rows().Len(); !a.Size.Wide() || d.Whole && below < belowNeeds {
		s.how(d, 1, s.main())
		s.journal(d, 1)
	}
}

// how says how such a thing comes about, where there is room for it.
func (s *findScreen) how(d *kit.Block, col int, main *dynamo.Relation) {
	if main == nil {
		return
	}
	text := ""
	switch main.Verdict {
	case dynamo.Orphaned:
		text = "Most often an account was deleted, or its " + main.Constraint.Name + " changed, by something that did not know of the lock: a clean-up job, a restore, an expiry date."
	case dynamo.Stale:
		text = "Most often the " + main.Constraint.Name + " was changed by two requests at once, or by something that wrote the new lock and left the old."
	case dynamo.Reserved:
		text = "A sign-up locks its " + main.Constraint.Name + " first and writes the account later. One that is never finished leaves the lock behind."
	case dynamo.Missing:
		text = "Most often the account was written by an import or a restore that put no lock, or somebody else's deletion took the lock with it."
	case dynamo.Duplicate:
		text = "Most often one of the accounts was written without a look at the lock: an import, a merge, an overwriting put."
	}
	if text == "" {
		return
	}
	d.Gap()
	d.Gap()
	d.Head(col, "HOW THIS COMES ABOUT")
	d.Para(col, kit.Text, text)
}
