package findings

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/check"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// repairs are what puts a finding in order: it is mended, or its lock is released where that
// is all that can be done.
func repairs(s *session.Session, r *run, x *row) screen.Commands {
	if x == nil {
		none := r.none()
		all := none
		if len(r.groups) > 0 {
			all += ", or mark all with " + s.Keys.Key(keymap.Mark)
		}
		return screen.Commands{
			{Action: keymap.Mend, Why: screen.WhyIf(true, all)},
			{Action: keymap.Release, Why: screen.WhyIf(true, none)},
		}
	}
	one := func() tea.Cmd { return mend(s, r, x) }
	c := screen.Commands{
		{Action: keymap.Mend, Words: "mend", Full: "mend it", Why: func() string { return whyMend(s, x) }, Run: one},
		{Action: keymap.Release, Why: func() string { return whyRelease(s, x) }, Run: one},
	}
	if c[0].Refuses() != "" {
		c[1].Words, c[1].Full = "release", "release the lock"
	}
	return c
}

// mending mends all findings that are marked.
func mending(s *session.Session, r *run) screen.Command {
	marked := phrase.Number(len(r.marked))
	return screen.Command{
		Action: keymap.Mend, Words: "mend " + marked, Full: "mend the " + marked + " marked",
		Why:    func() string { return s.WhyPlan(r.table.Name) },
		Marked: true,
		Run:    func() tea.Cmd { return mend(s, r, r.markedRows()...) },
	}
}

// whyNothing says why nothing is done about a finding at all; empty where something may be.
func whyNothing(x *row) string {
	if x.done() {
		return "it is " + x.mended.sign.Word
	}
	return ""
}

// whyMend says why a finding is not mended from here; empty where it is.
func whyMend(s *session.Session, x *row) string {
	if why := whyNothing(x); why != "" {
		return why
	}
	if why := words.ByHand(x.f); why != "" {
		switch x.f.Kind {
		case check.DuplicateValue:
			why += ": " + s.Keys.Key(keymap.ChangeValue) + " on accounts"
		case check.MalformedLock:
			why += "; " + s.Keys.Key(keymap.Release) + " releases the lock"
		}
		return why
	}
	return s.WhyPlan(lockTableOf(x.f), change.MendVerbs(x.f.Kind, x.f.Owner)...)
}

// whyRelease says why the lock of a finding is not released from here.
func whyRelease(s *session.Session, x *row) string {
	if why := whyNothing(x); why != "" {
		return why
	}
	if x.f.Kind.Rests() != check.OnAbsence {
		return "only a lock whose value no account uses is released"
	}
	return s.WhyPlan(lockTableOf(x.f), change.ReleaseVerbs(x.f.Owner)...)
}

// mend asks for what mends findings. What became of each stands in its row; one that was
// stopped is left as it is.
func mend(s *session.Session, r *run, rows ...*row) tea.Cmd {
	m := message.MendFindings{Table: r.table, After: func(n int, receipt change.Receipt) {
		if words.Stopped(receipt) {
			return
		}
		rows[n].mended = outcomeOf(receipt)
		delete(r.marked, rows[n])
		r.recount()
	}}
	for _, x := range rows {
		m.Findings = append(m.Findings, x.f)
	}
	return s.Send(m)
}

// outcome is what became of a finding that was to be mended.
type outcome struct {
	sign kit.Sign
	why  string
	done bool // there is nothing to mend any more
}

// outcomeOf puts into words what became of the change that was to mend a finding.
func outcomeOf(r change.Receipt) *outcome {
	now := &outcome{}
	switch {
	case r.Outcome == change.Applied:
		now.sign, now.done = kit.Sign{Glyph: kit.GlyphYes, Style: kit.Good, Word: "mended", Quiet: true}, true
		now.why = words.Sentence(words.Done(r.Plan, r))
		if r.Plan.Counter != "" { // which is the first word, as it is spelt
			now.why = words.Done(r.Plan, r) + "."
		}
		now.why += " Receipt " + r.ID + "."
	case words.InOrder(r):
		now.sign, now.done = kit.Sign{Glyph: kit.GlyphYes, Style: kit.Good, Word: "in order", Quiet: true}, true
	case r.Outcome == change.Unknown:
		now.sign = kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: "not known"}
	case words.Stopped(r):
		now.sign = kit.Sign{Glyph: kit.GlyphNo, Style: kit.Muted, Word: "stopped"}
	default:
		now.sign = kit.Sign{Glyph: kit.GlyphNo, Style: kit.Bad, Word: "refused"}
	}
	if why := words.WhyReceipt(r); len(why) > 0 {
		now.why = why[0]
	}
	return now
}
