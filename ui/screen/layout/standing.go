package layout

import (
	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// guessed is the sign of what nobody answers for.
var guessed = kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: "guessed"}

// standing is how the whole layout stands: the worst of it first.
func (e *evidence) standing(keys *keymap.Map) (kit.Sign, string) {
	t := e.table
	key := func(action keymap.Action, text string) string { return " " + keys.Key(action) + " " + text + "." }
	if t.Layout.Empty() {
		if leases := t.Sample.Leases(); leases != "" {
			return kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Text, Word: "leases"}, "This table keeps " + leases + ": they come and go, and keep no value unique."
		}
		text := "No layout was recognised."
		if e.near != nil && len(e.near.Nearest) > 0 {
			text += key(keymap.Open, "starts from the nearest one")
		} else {
			text += key(keymap.Open, "on items says that they are the accounts")
		}
		return kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: "unknown"}, text
	}
	worst := e.against()
	switch {
	case worst != "":
		return kit.Sign{Glyph: kit.GlyphNo, Style: kit.Bad, Word: "contradicted"}, words.Sentence(worst)
	case len(t.Layout.Rules()) == 0 && len(t.Layout.Accounts) > 0:
		return kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: "no rules"}, "No rule says yet which values are unique." + key(keymap.Bump, "on items that look like locks adds one")
	case e.Corrected():
		return guessed, e.lacking() + key(keymap.Accept, "accepts it") + key(keymap.Save, "writes it to the config")
	case !t.Layout.State().Sure():
		return guessed, "Nothing is written by a guess." + key(keymap.Accept, "accepts one constraint or counter") +
			key(keymap.Save, "writes the layout to the config")
	case len(t.Layout.Rules()) == 0:
		return kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Text, Word: "counters"}, "This table keeps counters, and no accounts that we know."
	case len(t.Layout.Constraints()) == 0:
		return kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Text, Word: "no locks"}, "The config says which values are unique. Without locks, nothing in the table shows whether that is right."
	}
	return kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Good, Word: "supported"}, "What was seen of the table supports this layout."
}

// lacking says that a draft fits, and what would be found broken by it.
func (e *evidence) lacking() string {
	most, text := 0, "It fits."
	for _, c := range e.table.Layout.Constraints() {
		fit := e.table.Fit.Of(c)
		if fit.Rule.Standing == layout.Thin {
			return words.Sentence(fit.Rule.Text)
		}
		if miss := fit.Values - fit.Locked; miss > most {
			most = miss
			text = "It fits. " + phrase.Number(miss) + " of " + phrase.Number(fit.Values) + " " + c.Name + " values have no lock."
		}
	}
	return text
}

// nothing says why there is nothing to show.
func nothing(s *session.Session, d *kit.Block, t *dynamo.Table) {
	if _, busy := s.Tasks.Since(task.Describing); busy {
		screen.Skeleton(d)
		return
	}
	if t.Sample.Vacant() {
		d.Gap()
		d.Para(4, kit.Heading, "This table is empty: nothing shows what its layout is.")
		d.Gap()
		d.Keys(4, s.Hint(keymap.Bump, "describe it all the same"), s.Hint(keymap.Reload, "read it again"))
		return
	}
	if err := dynamo.Unrecognised(t, "recognising the layout of "+t.Name); err != nil {
		var here []kit.Hint
		if client.KindOf(err) == client.NoLayout {
			here = append(here, s.Hint(keymap.Bump, "describe it here"))
		}
		screen.Failed(s, d, err, here...)
		return
	}
	d.Gap()
	d.Para(4, kit.Heading, "No layout was recognised, and no items were seen to describe one by.")
	d.Gap()
	d.Keys(4, s.Hint(keymap.Bump, "describe it all the same"))
}
