package ui

import (
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// standing is how the whole layout stands: the worst of it first.
func (s *layoutScreen) standing() (kit.Sign, string) {
	a, t := s.app, s.table
	key := func(action keymap.Action, text string) string { return " " + a.Keys.Key(action) + " " + text + "." }
	if len(a.differs.of(t)) > 0 {
		return kit.Sign{Glyph: "!", Style: kit.Warn, Word: "differs"}, "A sample shows another layout than the one accepted on " + t.Kept.Day() + ", which is used." + key(keymap.Accept, "keeps it") + key(keymap.OtherSide, "forgets it")
	}
	if t.Layout.Empty() {
		if leases := t.Leases(); leases != "" {
			return kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Text, Word: "leases"}, "This table keeps " + leases + ": they come and go, and keep no value unique."
		}
		text := "No layout was recognised."
		if s.near != nil && len(s.near.Nearest) > 0 {
			text += key(keymap.Open, "takes the one that came nearest over, to be completed")
		} else {
			text += key(keymap.Open, "on items says that they are the accounts")
		}
		return kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: "unknown"}, text
	}
	worst, thin := "", ""
	for _, f := range t.Fit.All() {
		switch f.Standing() {
		case layout.Contradicted:
			worst = f.Why()
		case layout.Thin:
			thin = f.Why()
		}
	}
	switch {
	case worst != "":
		return kit.Sign{Glyph: kit.GlyphNo, Style: kit.Bad, Word: "contradicted"}, words.Sentence(worst)
	case thin != "":
		return kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: "thin"}, words.Sentence(thin)
	case len(t.Layout.Rules()) == 0 && len(t.Layout.Accounts) > 0:
		return kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: "no rules"}, "No rule says yet which values are unique." + key(keymap.Bump, "on items that look like locks adds one")
	case s.corrected():
		return kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Good, Word: "supported"}, "It fits as it is now." + key(keymap.Accept, "accepts it") + key(keymap.Save, "writes it to the config")
	case len(t.Layout.Rules()) == 0:
		return kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Text, Word: "counters"}, "This table keeps counters, and no accounts that we know."
	case len(t.Layout.Constraints()) == 0:
		return kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Text, Word: "no locks"}, "The config says which values are unique. Without locks, nothing in the table shows whether that is right."
	}
	return kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Good, Word: "supported"}, "What was seen of the table supports this layout."
}

// meaning is what a setting says.
func meaning(kind, setting string) string {
	switch kind + "." + setting {
	case "account.pk":
		return "The account's partition key; {id} stands where its id does."
	case "account.sk":
		return "The account's sort key; {pk} repeats the partition key."
	case "account.is", "constraint.is", "counter.is", "ids.is":
		return "An attribute and its value that only these items have: type = user."
	case "constraint.attribute":
		return "Where the account holds the value: a name, or a path as contact.email."
	case "constraint.pk":
		return "The lock's partition key; {v} stands where the value does."
	case "constraint.sk":
		return "The lock's sort key; {pk} repeats the partition key."
	case "constraint.normalise":
		return "What the application does to a value before it locks it, in its order: trim, lower, upper, nfc, nfkc, sha256, base64, base64url, percent, dynamoflow."
	case "constraint.owner":
		return "The lock's attribute that names the account, by its id or its partition key."
	case "constraint.table":
		return "The locks' table, where it is not the accounts' own."
	case "constraint.index":
		return "An index on the attribute. It finds holders sooner, and never proves that there are none."
	case "constraint.unique":
		return "No locks keep the values, and no two accounts may hold one: true."
	case "counter.semantics":
		return "last: the last number handed out. next: the next one. tally: how many there are."
	}
	return ""
}

// beneath is the selected line in full.
func (s *layoutScreen) beneath(d *kit.Block) { s.detail(d, false) }

// beside is the same with what can be done.
func (s *layoutScreen) beside(d *kit.Block) {
	s.detail(d, true)
	d.Gap()
	s.Commands().YouCan(s.app.Session, d, 1)
}

func (s *layoutScreen) detail(d *kit.Block, all bool) {
	row := s.selected()
	switch {
	case row.shape != nil:
		s.shapeDetail(d, row.shape, all)
	case row.near != nil:
		s.nearDetail(d, row, all)
	case row.setting.Name != "":
		s.settingDetail(d, row, all)
	}
}

func (s *layoutScreen) settingDetail(d *kit.Block, row layoutRow, all bool) {
	d.Row(func(l *kit.Line) {
		l.Put(kit.Heading, " "+row.setting.Name)
		l.Put(kit.Muted, " of the "+row.part.Kind+" ")
		l.Fit(kit.Text, called(row.part), l.Width-l.At-1)
	})
	seen := row.text
	if seen == "" && row.setting.Set {
		seen = "nothing: a table does not show it"
	}
	facts := []kit.Fact{}
	if row.setting.Set && (all || d.Whole) {
		facts = append(facts, kit.Fact{Label: "value", Said: []kit.Span{kit.Strong.Of(row.setting.Text)}})
	}
	if seen != "" {
		look := kit.Text
		if row.unsure {
			look = kit.Warn
		}
		facts = append(facts, kit.Fact{Label: "seen", Said: []kit.Span{look.Of(seen)}})
	}
	if c := s.constraint(row.part); c != nil {
		if fit := s.table.Fit.Of(c); fit.Why() != "" {
			facts = append(facts, kit.Fact{Label: "but", Said: []kit.Span{kit.Text.Of(fit.Why())}})
		}
	}
	if means := meaning(row.part.Kind, row.setting.Name); means != "" {
		facts = append(facts, kit.Fact{Label: "means", Said: []kit.Span{kit.Muted.Of(means)}})
	}
	writeFacts(d, all, facts)
}

// writeFacts writes facts: in full where there is room for it.
func writeFacts(d *kit.Block, all bool, facts []kit.Fact) {
	if !all && !d.Whole {
		d.Facts(facts...)
		return
	}
	for _, f := range facts {
		for n, row := range kit.Flow(f.Said, d.Width-14, tall) {
			label := f.Label
			if n > 0 {
				label = ""
			}
			d.FactRow(label, row)
		}
	}
}

// called is a part's name, where it has one of its own.
func called(part layout.Part) string {
	if part.Name == part.Kind {
		return ""
	}
	return part.Name
}

func (s *layoutScreen) shapeDetail(d *kit.Block, sh *dynamo.ItemShape, all bool) {
	d.Row(func(l *kit.Line) {
		l.Put(kit.Heading, " items ")
		l.Fit(kit.Text, strings.Replace(sh.Keys, "/", " / ", 1), l.Width-l.At-1)
	})
	var names []string
	for _, at := range sh.Attributes {
		if 4*at.Items < sh.Items || len(names) == 12 {
			names = append(names, "…")
			break
		}
		names = append(names, at.Name)
	}
	facts := []kit.Fact{{Label: "have", Said: []kit.Span{kit.Text.Of(phrase.Count(sh.Items, "item") + ": " + strings.Join(names, ", "))}}}
	if len(names) == 0 {
		facts[0].Said = []kit.Span{kit.Text.Of(phrase.Count(sh.Items, "item") + ", and nothing but keys: locks look like that")}
	}
	keys := s.app.Keys
	facts = append(facts, kit.Fact{Label: keys.Key(keymap.Open), Said: []kit.Span{kit.Muted.Of("says that these are accounts")}})
	if len(s.draft.Accounts) > 0 {
		facts = append(facts, kit.Fact{Label: keys.Key(keymap.Bump), Said: []kit.Span{kit.Muted.Of("says that these are locks of a value")}})
	}
	writeFacts(d, all, facts)
}

func (s *layoutScreen) nearDetail(d *kit.Block, row layoutRow, all bool) {
	con := row.near.Account.Constraints[0]
	d.Row(func(l *kit.Line) {
		l.Put(kit.Heading, " nearest for ")
		l.Fit(kit.Text, con.Attribute, l.Width-l.At-1)
	})
	keys := func(pk, sk string) string { return strings.TrimSuffix(pk+" / "+sk, " / ") }
	facts := []kit.Fact{{Label: "accounts", Said: []kit.Span{kit.Text.Of(keys(row.near.Account.PK, row.near.Account.SK))}}}
	if !con.Unique {
		facts = append(facts, kit.Fact{Label: "locks", Said: []kit.Span{kit.Text.Of(keys(con.PK, con.SK))}})
	}
	if row.near.Why != "" {
		facts = append(facts, kit.Fact{Label: "not taken", Said: []kit.Span{kit.Warn.Of(row.near.Why)}})
	}
	writeFacts(d, all, facts)
}
