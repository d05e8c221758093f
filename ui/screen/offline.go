package screen

import (
	"fmt"
	"strings"

	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// Offline says what is wrong with the endpoint or the log-in, and what that means for what is shown:
// nothing, where nothing was read yet.
func Offline(s *session.Session, d *kit.Block, nothing bool) {
	o := s.Offline
	kind, _, why, do := words.Explain(o.Err)
	back, first := "it is back", "when the endpoint answers"
	if o.LoggedOut() {
		back, first = "the next log-in", "after the next log-in"
	} else {
		kind = "offline"
	}
	d.Whole = d.Whole || d.Height > 10 // beside a list, or in its place
	d.Verdict(kit.Sign{Glyph: "!", Style: kit.Warn, Word: kind}, words.Sentence(why))
	d.Fact("do", kit.Text.Of(strings.TrimSuffix(do, ".")))
	d.Row(func(l *kit.Line) {
		l.To(3)
		l.Put(kit.Muted, "next")
		l.To(13)
		left := max(o.Next.Sub(s.Now()), 0)
		if left == 0 {
			l.Put(kit.Text, "tries again now   ")
			s.Working(l, s.Trying(), 16)
			return
		}
		l.Put(kit.Text,
			fmt.Sprintf("tries again in %d s, after %s", int(left.Seconds()+0.99), words.Plural(o.Tries, "try", "tries")))
		l.Put(kit.Text, "   ")
		total := o.Next.Sub(o.Began)
		l.Bar(1-float64(left)/float64(max(total, 1)), 16)
	})
	so := "what is shown stays; nothing can be changed until " + back
	if nothing {
		so = "nothing was read yet; reading starts " + first
	}
	d.Fact("so", kit.Text.Of(so))
	if d.Whole {
		waysOn(s, d)
	}
}

// waysOn says what was asked, and what else can be done while it does not answer.
func waysOn(s *session.Session, d *kit.Block) {
	if c := s.Connection().Connection; c != nil {
		d.Gap()
		if c.Profile() != "" {
			d.Fact("profile", kit.Text.Of(c.Profile()))
		}
		d.Fact("Region", kit.Text.Of(c.Region()))
		d.Fact("endpoint", kit.Text.Of(c.Endpoint()))
		if words.NoCommand(c) == "" {
			d.Fact("run", kit.Text.Of(c.Command([]string{"doctor"})), kit.Muted.Of("  says what works here"))
			d.Fact("or", kit.Text.Of("tallylock demo"), kit.Muted.Of("  needs no connection"))
		}
	}
	if len(s.Connections) > 1 {
		d.Gap()
		d.Keys(4, s.Hint(keymap.Tables, "choose another connection"))
	}
}
