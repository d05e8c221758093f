package find

import (
	"cmp"
	"slices"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/relation"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// above is the sentence, the consequence, and the key to press.
func (s *Screen) above(d *kit.Block) {
	main := mainOf(s.answer)
	wide := s.Size.Wide()
	if wide {
		d.Gap()
	}
	if main == nil {
		withoutLocks(d, s.Session, s.answer)
		return
	}
	sign := words.Verdict(main.Verdict, main.Provisional)
	col := max(13, 1+2+kit.Width(sign.Word)+2)
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
	commands := s.answering(relation.Row{Relation: main})
	if !wide || main != s.selected() { // what is opened is what is selected
		commands = slices.DeleteFunc(commands, func(c screen.Command) bool { return c.Action == keymap.Open })
	}
	d.Row(func(l *kit.Line) {
		l.To(col)
		presses(s.Session, l, commands)
	})
	if why := cmp.Or(s.WhyRelease(main), s.Connection().WhyReadOnly()); stuck(main) && why != "" {
		d.Row(func(l *kit.Line) {
			l.To(col)
			l.Words(kit.Muted, "release: "+why, l.Width-l.At-1)
		})
	}
	d.Gap()
}

// accountsOf names the accounts that the sentence only counts, and says when those that hold a
// value were made, where their ids tell.
func accountsOf(d *kit.Block, col int, main *dynamo.Relation, now time.Time) {
	const most = 2
	for _, a := range main.Claimants[:min(len(main.Claimants), most)] {
		made := words.Made(a.Key, now)
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
	if more := len(main.Claimants) - most; more > 0 {
		d.Para(col, kit.Muted, "and "+phrase.Count(more, "more account"))
	}
}

// stuck reports whether a lock keeps a value that it should not.
func stuck(r *dynamo.Relation) bool {
	return r.Lock.Exists && (r.Verdict == dynamo.Orphaned || r.Verdict == dynamo.Stale)
}

// consequence is what an answer means to people.
func consequence(a *dynamo.Answer, main *dynamo.Relation) string {
	switch {
	case a.Whole != nil && main.Verdict == dynamo.Unknown:
		return words.Sentence(main.Why)
	case byID(a) != nil && main.Verdict == dynamo.Held:
		return ""
	case stuck(main):
		return words.Sentence(words.Consequence(main)) + " Releasing the lock frees the " + main.Constraint.Name + "; no account is changed by that."
	}
	return words.Sentence(words.Consequence(main))
}

// withoutLocks says what is known of values that no locks keep. A key reads the whole table.
func withoutLocks(d *kit.Block, s *session.Session, a *dynamo.Answer) {
	if len(a.Unlocked) == 0 {
		d.Para(1, kit.Heading, words.NowhereKept(s.Table))
	}
	for _, u := range a.Unlocked {
		d.Para(1, kit.Heading, u.Sentence())
		for _, so := range slices.Compact([]string{words.Consequence(u), u.Why}) {
			if so != "" {
				d.Para(1, kit.Text, words.Sentence(so))
			}
		}
	}
	d.Gap()
	if whole := s.Keys.Key(keymap.Pause); len(a.Unlocked) > 0 && whyWhole(a) == "" && whole != "" {
		d.Row(func(l *kit.Line) {
			l.To(1)
			l.Put(kit.Key, whole)
			l.Put(kit.Text, " read the whole table")
		})
		d.Gap()
	}
}

// presses are the keys of the answer itself that have a hint, in full.
func presses(s *session.Session, l *kit.Line, commands screen.Commands) {
	for _, c := range commands {
		key := s.Keys.Key(c.Action)
		if key == "" || c.Words == "" || c.Full == "" || c.Refuses() != "" ||
			kit.Width(key)+1+kit.Width(c.Full) >= l.Width-l.At {
			continue
		}
		l.Put(kit.Key, key)
		l.Put(kit.Text, " "+c.Full)
		l.To(l.At + 4)
	}
}
