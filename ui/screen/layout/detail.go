package layout

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/infer"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/words"
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

// evidence is a draft with what was seen of the table, as rows and in sentences.
type evidence struct {
	draft
	near *dynamo.UnknownTable // what came near, where no accounts were recognised
	all  bool                 // settings that are not set are shown, too
}

// lines makes the rows of the draft, and of what else was seen of the table.
func (e *evidence) lines() (out rows) {
	seen := map[[2]string]dynamo.LineEvidence{}
	for _, line := range dynamo.LinesOf(e.table) {
		seen[[2]string{line.Section, line.Setting}] = line
	}
	for _, part := range e.config.Parts() {
		out = append(out, e.heading(part))
		for _, setting := range part.Settings {
			if !e.all && !usual(part, setting, e.table) {
				continue
			}
			line := seen[[2]string{part.Path, setting.Name}]
			out = append(out, row{part: part, setting: setting, text: line.Text, unsure: line.Unsure})
		}
	}
	out = append(out, e.places()...)
	if e.near == nil {
		return append(out, e.shapes("OTHER ITEMS")...)
	}
	if !e.Corrected() {
		for n := range e.near.Nearest {
			if n == 0 {
				out = append(out, row{head: "WHAT CAME NEAREST"})
			}
			out = append(out, row{near: &e.near.Nearest[n]})
		}
	}
	title := "OTHER ITEMS"
	if e.table.Layout.Empty() {
		title = "ITEMS"
	}
	return append(out, e.shapes(title)...)
}

// places are the items that hold values where the layout does not say so, by constraint.
func (e *evidence) places() (out rows) {
	lines := e.table.PlaceLines()
	slices.SortStableFunc(lines, func(a, b dynamo.PlaceLine) int {
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

// mostShapes is how many kinds of other items are listed.
const mostShapes = 20

// shapes are the items that are nothing in the layout.
func (e *evidence) shapes(title string) (out rows) {
	others := e.table.Sample.Others()
	for n := range others[:min(len(others), mostShapes)] {
		if n == 0 {
			out = append(out, row{head: title})
		}
		out = append(out, row{shape: &others[n]})
	}
	return out
}

// usual reports whether a setting is shown: one that says something, or that most layouts
// have.
func usual(part layout.Part, setting layout.Setting, t *dynamo.Table) bool {
	switch setting.Name {
	case "sk":
		return setting.Set || t.Schema.RangeName != ""
	case "normalise", "owner":
		return setting.Set || part.Kind == "constraint"
	case "name", "model": // the heading has it
		return false
	}
	return setting.Set || setting.Name == "pk"
}

// heading says what a part is, and how it stands.
func (e *evidence) heading(part layout.Part) row {
	out := row{head: strings.ToUpper(part.Kind), name: called(part)}
	if part.Kind != "constraint" {
		return out
	}
	c := e.constraint(part)
	if c == nil {
		out.text = "no locks: a check tells which values come twice"
		return out
	}
	fit := e.table.Fit.Of(c)
	out.sign = standingSign(fit)
	if fit.Values > 0 {
		out.text = phrase.Number(fit.Locked) + " of " + phrase.Count(fit.Values, "value") + " have their lock"
		if miss := fit.Values - fit.Locked; miss > 0 {
			out.text += ", " + words.Plural(miss, "has", "have") + " none"
		}
	}
	return out
}

// standingSign is how a rule fits, as a sign.
func standingSign(f layout.Fit) kit.Sign {
	switch f.Standing() {
	case layout.Supported:
		return kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Good, Word: "supported", Quiet: true}
	case layout.Contradicted:
		return kit.Sign{Glyph: kit.GlyphNo, Style: kit.Bad, Word: "contradicted"}
	}
	return guessed
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
	case "constraint.nowhere_else":
		return "Nothing outside the layout holds the values: true. Then a release by owner reads only the owner's account."
	case "counter.semantics":
		return "last: the last number handed out. next: the next one. tally: how many there are."
	}
	return ""
}
