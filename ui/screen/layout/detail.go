package layout

import (
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/infer"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
)

// detail is the selected line in full: as much as there is room for beneath the list, all of
// it beside.
func (e *evidence) detail(d *kit.Block, at row, keys *keymap.Map, all bool) {
	var facts []kit.Fact
	switch {
	case at.shape != nil:
		facts = e.shapeFacts(d, at.shape, keys)
	case at.near != nil:
		facts = nearFacts(d, at.near, keys)
	case at.place != nil:
		facts = placeFacts(d, at.place, keys)
	case at.setting.Name != "":
		facts = e.settingFacts(d, at, all || d.Whole)
	}
	if !all && !d.Whole {
		d.Facts(facts...)
		return
	}
	for _, f := range facts {
		label := f.Label
		for _, text := range kit.Flow(f.Said, d.Width-14, 1<<16) {
			d.FactRow(label, text)
			label = ""
		}
	}
}

// written is the layout as the config would have it, below its lines where there is room for
// all of it.
func (e *evidence) written(d *kit.Block) {
	lines := strings.Split(strings.TrimSpace(string(e.config.TOML())), "\n")
	if len(lines)+2 > d.Height {
		return
	}
	d.Gap()
	d.Head(2, "AS TOML, FOR THE CONFIG")
	for _, text := range lines {
		d.Row(func(l *kit.Line) {
			l.To(4)
			l.Words(kit.Text, text, l.Width-l.At-1)
		})
	}
}

// settingFacts heads the detail of a line, and answers what is to be said of it.
func (e *evidence) settingFacts(d *kit.Block, at row, value bool) []kit.Fact {
	d.Row(func(l *kit.Line) {
		l.Put(kit.Heading, " "+at.setting.Name)
		l.Put(kit.Muted, " of the "+at.part.Kind+" ")
		l.Fit(kit.Text, called(at.part), l.Width-l.At-1)
	})
	seen := at.text
	if seen == "" && at.setting.Set {
		seen = "nothing: a table does not show it"
	}
	facts := []kit.Fact{}
	if at.setting.Set && value {
		facts = append(facts, kit.Fact{Label: "value", Said: []kit.Span{kit.Strong.Of(at.setting.Text)}})
	}
	if seen != "" {
		look := kit.Text
		if at.unsure {
			look = kit.Warn
		}
		facts = append(facts, kit.Fact{Label: "seen", Said: []kit.Span{look.Of(seen)}})
	}
	if c := e.constraint(at.part); c != nil {
		if fit := e.table.Fit.Of(c); fit.Why() != "" {
			facts = append(facts, kit.Fact{Label: "but", Said: []kit.Span{kit.Text.Of(fit.Why())}})
		}
	}
	if means := meaning(at.part.Kind, at.setting.Name); means != "" {
		facts = append(facts, kit.Fact{Label: "means", Said: []kit.Span{kit.Muted.Of(means)}})
	}
	return facts
}

// called is a part's name, where it has one of its own.
func called(part layout.Part) string {
	if part.Name == part.Kind {
		return ""
	}
	return part.Name
}

func (e *evidence) shapeFacts(d *kit.Block, sh *dynamo.ItemShape, keys *keymap.Map) []kit.Fact {
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
	facts := []kit.Fact{
		{Label: "have", Said: []kit.Span{kit.Text.Of(phrase.Count(sh.Items, "item") + ": " + strings.Join(names, ", "))}},
	}
	if len(names) == 0 {
		facts[0].Said = []kit.Span{
			kit.Text.Of(phrase.Count(sh.Items, "item") + ", and nothing but keys: locks look like that"),
		}
	}
	facts = append(facts,
		kit.Fact{Label: keys.Key(keymap.Open), Said: []kit.Span{kit.Muted.Of("says that these are accounts")}})
	if len(e.config.Accounts) > 0 {
		facts = append(facts,
			kit.Fact{Label: keys.Key(keymap.Bump), Said: []kit.Span{kit.Muted.Of("says that these are locks of a value")}})
	}
	return facts
}

// placeFacts are about items that hold values where the layout does not say so.
func placeFacts(d *kit.Block, p *dynamo.PlaceLine, keys *keymap.Map) []kit.Fact {
	d.Row(func(l *kit.Line) {
		l.Put(kit.Heading, " "+strings.Replace(p.Items, "/", " / ", 1))
		l.Fit(kit.Muted, " items of "+p.Table+" hold values of "+p.Constraint.Name+" in "+p.Attribute, l.Width-l.At-1)
	})
	facts := []kit.Fact{{Label: "seen", Said: []kit.Span{kit.Text.Of(p.Seen())}}}
	if len(p.Words) > 0 {
		facts = append(facts, kit.Fact{Label: "words", Said: []kit.Span{kit.Text.Of(strings.Join(p.Words, ", "))}})
	}
	switch e := p.Said(); {
	case p.Answer == layout.NoAnswer:
		return append(facts, kit.Fact{Label: keys.Key(keymap.Mend), Said: []kit.Span{
			kit.Muted.Of("answers whether they hold the values; until then their locks stay"),
		}})
	case e != nil:
		said := p.AnswerWords() + " (" + e.Said.Local().Format(time.DateOnly) + "); " +
			keys.Key(keymap.OtherSide) + " takes it back"
		return append(facts, kit.Fact{Label: "said", Said: []kit.Span{kit.Text.Of(said)}})
	}
	return append(facts, kit.Fact{Label: "said", Said: []kit.Span{kit.Text.Of(p.AnswerWords() + ", says the config")}})
}

func nearFacts(d *kit.Block, near *infer.Candidate, keys *keymap.Map) []kit.Fact {
	con := near.Account.Constraints[0]
	d.Row(func(l *kit.Line) {
		l.Put(kit.Heading, " nearest for ")
		l.Fit(kit.Text, con.Attribute, l.Width-l.At-1)
	})
	name := func(pk, sk string) string { return strings.TrimSuffix(pk+" / "+sk, " / ") }
	facts := []kit.Fact{{Label: "accounts", Said: []kit.Span{kit.Text.Of(name(near.Account.PK, near.Account.SK))}}}
	if !con.Unique {
		facts = append(facts, kit.Fact{Label: "locks", Said: []kit.Span{kit.Text.Of(name(con.PK, con.SK))}})
	}
	if near.Why != "" {
		facts = append(
			facts,
			kit.Fact{
				Label: "not taken",
				Said:  []kit.Span{kit.Warn.Of(near.Why + "; " + keys.Key(keymap.Open) + " takes it anyway")},
			},
		)
	}
	return facts
}
