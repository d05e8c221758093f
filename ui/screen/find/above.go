package find

import (
	"tallylock/dynamo"
	"tallylock/keymap"
	"tallylock/ui/kit"
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
		withoutLocks(d, s.answer, s.Keys.Key(keymap.Pause))
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
	if wide {
		d.Gap()
	}
	so := words.Sentence(words.Consequence(main))
	stuck := main.Lock.Exists && (main.Verdict == dynamo.Orphaned || main.Verdict == dynamo.Stale)
	if stuck {
		so += " Releasing the lock frees the " + main.Constraint.Name + "; no account is changed by that."
	}
	if byID(s.answer) != nil && main.Verdict == dynamo.Held {
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
		presses(s.Session, l, s.answering(main))
	})
	if why := s.WhyRelease(main); stuck && why != "" {
		d.Row(func(l *kit.Line) {
			l.To(col)
			l.Words(kit.Muted, "release: "+why, l.Width-l.At-1)
		})
	}
	d.Gap()
}

// withoutLocks says what is known of values that no locks keep. A key reads the whole table.
func withoutLocks(d *kit.Block, a *dynamo.Answer, whole string) {
	if len(a.Unlocked) == 0 {
		d.Para(1, kit.Heading, "This layout keeps no values.")
	}
	for _, u := range a.Unlocked {
		d.Para(1, kit.Heading, u.Sentence())
		for _, so := range []string{words.UseConsequence(u), u.Why} {
			if so != "" {
				d.Para(1, kit.Text, words.Sentence(so))
			}
		}
	}
	d.Gap()
	if a.Whole != nil && whole != "" {
		d.Row(func(l *kit.Line) {
			l.To(1)
			l.Put(kit.Key, whole)
			l.Put(kit.Text, " read the whole table")
		})
		d.Gap()
	}
}

// presses are the keys of the answer itself.
func presses(s *session.Session, l *kit.Line, answering screen.Commands) {
	for _, c := range answering {
		key := s.Keys.Key(c.Action)
		if key == "" || c.Full == "" || c.Refuses() != "" || kit.Width(key)+1+kit.Width(c.Full) >= l.Width-l.At {
			continue
		}
		l.Put(kit.Key, key)
		l.Put(kit.Text, " "+c.Full)
		l.To(l.At + 4)
	}
}
