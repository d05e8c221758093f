package layout

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/answers"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// detail draws the selected line in full. all is set beside the list, where there is room for
// everything.
func (s *Screen) detail(d *kit.Block, at row, all bool) {
	var facts []kit.Fact
	switch {
	case at.shape != nil:
		facts = s.shapeFacts(d, at.shape)
	case at.near != nil:
		facts = nearFacts(d, at.near, s.Keys)
	case at.place != nil:
		facts = placeFacts(d, at.place, s.Keys)
	case at.setting.Name != "":
		facts = s.settingFacts(d, at, all || d.Whole)
	}
	d.Facts(facts...)
}

// written draws the layout as TOML below the lines, if all of it fits.
func (s *Screen) written(d *kit.Block) {
	lines := strings.Split(strings.TrimSpace(string(s.config.TOML())), "\n")
	if len(lines)+2 > d.Height {
		return
	}
	d.Gap()
	d.Head(2, "AS TOML, FOR THE CONFIG")
	for _, text := range lines {
		d.Words(4, kit.Text, text)
	}
}

// settingFacts draws the heading of a line's detail, and returns its facts.
func (s *Screen) settingFacts(d *kit.Block, at row, value bool) []kit.Fact {
	d.Row(func(l *kit.Line) {
		l.Put(kit.Heading, " "+at.setting.Name)
		l.Put(kit.Muted, " of the "+at.part.Kind+" ")
		l.Fit(kit.Text, called(at.part), l.Width-l.At-1)
	})
	seen := at.text
	if seen == "" && at.setting.Set {
		seen = "nothing: a table does not show it"
	}
	var facts []kit.Fact
	if at.setting.Set && value {
		facts = append(facts, kit.Strong.Says("value", at.setting.Text))
	}
	if seen != "" {
		look := kit.Text
		if at.unsure {
			look = kit.Warn
		}
		facts = append(facts, look.Says("seen", seen))
	}
	if c := s.constraint(at.part); c != nil {
		if fit := s.table.Fit.Of(c); fit.Why() != "" {
			facts = append(facts, kit.Text.Says("but", fit.Why()))
		}
	}
	if means := meaning(at.part.Kind, at.setting.Name); means != "" {
		facts = append(facts, kit.Muted.Says("means", means))
	}
	return facts
}

// called returns a part's own name; empty if it has none.
func called(part config.Part) string {
	if part.Name == part.Kind {
		return ""
	}
	return part.Name
}

func (s *Screen) shapeFacts(d *kit.Block, sh *guess.ItemShape) []kit.Fact {
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
	have := ": " + strings.Join(names, ", ")
	if len(names) == 0 {
		have = ", and nothing but keys: locks look like that"
	}
	facts := []kit.Fact{kit.Text.Says("have", phrase.Count(sh.Items, "item")+have)}
	facts = append(facts, kit.Muted.Says(s.Keys.Key(keymap.Open), "says that these are accounts"))
	if len(s.config.Accounts) > 0 {
		facts = append(facts, kit.Muted.Says(s.Keys.Key(keymap.Bump), "says that these are locks of a value"))
	}
	return facts
}

// placeFacts returns the facts about items that hold values outside the layout.
func placeFacts(d *kit.Block, p *answers.PlaceLine, keys *keymap.Map) []kit.Fact {
	d.Row(func(l *kit.Line) {
		l.Put(kit.Heading, " "+strings.Replace(p.Items, "/", " / ", 1))
		l.Fit(kit.Muted, " items of "+p.Table+" hold values of "+p.Constraint.Name+" in "+p.Attribute, l.Width-l.At-1)
	})
	facts := []kit.Fact{kit.Text.Says("seen", p.Seen())}
	if len(p.Words) > 0 {
		facts = append(facts, kit.Text.Says("words", strings.Join(p.Words, ", ")))
	}
	switch e := p.Said(); {
	case p.Answer == layout.NoAnswer:
		return append(facts, kit.Muted.Says(keys.Key(keymap.Mend),
			"answers whether they hold the values; until then their locks stay"))
	case e != nil:
		said := p.AnswerWords() + " (" + e.Said.Local().Format(time.DateOnly) + "); " +
			keys.Key(keymap.OtherSide) + " takes it back"
		return append(facts, kit.Text.Says("said", said))
	}
	return append(facts, kit.Text.Says("said", p.AnswerWords()+", says the config"))
}

func nearFacts(d *kit.Block, near *guess.Candidate, keys *keymap.Map) []kit.Fact {
	con := near.Account.Constraints[0]
	d.Row(func(l *kit.Line) {
		l.Put(kit.Heading, " nearest for ")
		l.Fit(kit.Text, con.Attribute, l.Width-l.At-1)
	})
	name := func(pk, sk string) string { return strings.TrimSuffix(pk+" / "+sk, " / ") }
	facts := []kit.Fact{kit.Text.Says("accounts", name(near.Account.PK, near.Account.SK))}
	if !con.Unique {
		facts = append(facts, kit.Text.Says("locks", name(con.PK, con.SK)))
	}
	if near.Why != "" {
		facts = append(facts, kit.Warn.Says("not taken", near.Why+"; "+keys.Key(keymap.Open)+" takes it anyway"))
	}
	return facts
}

// lines returns the rows of the draft, and of the other items in the table.
func (s *Screen) lines() (out rows) {
	seen := map[[2]string]dynamo.LineEvidence{}
	for _, line := range dynamo.LinesOf(s.table) {
		seen[[2]string{line.Section, line.Setting}] = line
	}
	for _, part := range s.config.Parts() {
		out = append(out, s.heading(part))
		for _, setting := range part.Settings {
			if !s.all && !usual(part, setting, s.table) {
				continue
			}
			line := seen[[2]string{part.Path, setting.Name}]
			out = append(out, row{part: part, setting: setting, text: line.Text, unsure: line.Unsure})
		}
	}
	out = append(out, s.places()...)
	if s.near == nil {
		return append(out, s.shapes("OTHER ITEMS")...)
	}
	if !s.Corrected() {
		for n := range s.near.Nearest {
			if n == 0 {
				out = append(out, row{head: "WHAT CAME NEAREST"})
			}
			out = append(out, row{near: &s.near.Nearest[n]})
		}
	}
	title := "OTHER ITEMS"
	if s.table.Layout.Empty() {
		title = "ITEMS"
	}
	return append(out, s.shapes(title)...)
}

// places returns the rows for items that hold values outside the layout, by constraint.
func (s *Screen) places() (out rows) {
	lines := s.table.Answers.PlaceLines()
	slices.SortStableFunc(lines, func(a, b answers.PlaceLine) int {
		return strings.Compare(a.Constraint.Name, b.Constraint.Name)
	})
	for n := range lines {
		p := &lines[n]
		if n == 0 || lines[n-1].Constraint != p.Constraint {
			out = append(out, row{head: "ITEMS THAT HOLD VALUES OF", name: p.Constraint.Name})
		}
		text := cmp.Or(p.AnswerWords(), "do they count?") + " " + p.Seen()
		out = append(out, row{place: p, text: text, unsure: p.Answer == layout.NoAnswer})
	}
	return out
}

// mostShapes limits how many kinds of other items are listed.
const mostShapes = 20

// shapes returns the rows for items that the layout does not cover.
func (s *Screen) shapes(title string) (out rows) {
	others := s.table.Sample.Others()
	for n := range others[:min(len(others), mostShapes)] {
		if n == 0 {
			out = append(out, row{head: title})
		}
		out = append(out, row{shape: &others[n]})
	}
	return out
}

// usual reports whether to show a setting: one that is set, or one that most layouts have.
func usual(part config.Part, setting config.Setting, t *dynamo.Table) bool {
	switch setting.Name {
	case "sk":
		return setting.Set || t.Schema.RangeName != ""
	case "normalise", "owner":
		return setting.Set || part.Kind == "constraint"
	case "name", "model": // the heading shows it
		return false
	}
	return setting.Set || setting.Name == "pk"
}

// heading returns a part's heading, with how well its rule fits.
func (s *Screen) heading(part config.Part) row {
	out := row{head: strings.ToUpper(part.Kind), name: called(part)}
	if part.Kind != "constraint" {
		return out
	}
	c := s.constraint(part)
	if c == nil {
		out.text = "no locks: a check tells which values come twice"
		return out
	}
	fit := s.table.Fit.Of(c)
	out.sign = standingSign(fit)
	if fit.Values > 0 {
		out.text = phrase.Number(fit.Locked) + " of " + phrase.Count(fit.Values, "value") + " have their lock"
		if miss := fit.Values - fit.Locked; miss > 0 {
			out.text += ", " + say.Plural(miss, "has", "have") + " none"
		}
	}
	return out
}

// standingSign returns the sign for how a rule fits.
func standingSign(f layout.Fit) kit.Sign {
	switch f.Standing() {
	case layout.Supported:
		return kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Good, Word: "supported", Quiet: true}
	case layout.Contradicted:
		return kit.Sign{Glyph: kit.GlyphNo, Style: kit.Bad, Word: "contradicted"}
	}
	return guessed
}

// meaning explains a setting.
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
		return "What the application does to a value before it locks it, in its order: " +
			strings.Join(layout.Normalisers(), ", ") + "."
	case "constraint.owner":
		return "The lock's attribute that names the account, by its id or its partition key."
	case "constraint.table":
		return "The locks' table, where it is not the accounts' own."
	case "constraint.index":
		return "An index on the attribute. It finds holders sooner, and never proves that there are none."
	case "constraint.unique":
		return "No locks keep the values, and no two accounts may hold one: true."
	case "constraint.nowhere_else":
		return "Nothing outside the layout holds the values: true. Then a release by owner reads only the owner's account."
	case "counter.semantics":
		return "last: the last number handed out. next: the next one. tally: how many there are."
	}
	return ""
}
