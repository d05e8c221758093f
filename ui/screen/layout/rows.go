package layout

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/answers"
	"tallylock/dynamo/example"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// row is a line of the screen: a heading, a setting, or something seen in the table that could become a setting.
type row struct {
	id   string // identifies the row after the rows are made again
	head string // a heading, which cannot be selected
	name string // the name after the heading
	sign kit.Sign

	label  string // the label; if it is empty, the value begins at its column
	value  kit.Span
	seen   kit.Span // the evidence
	such   string   // an example after the evidence
	unsure bool     // the line of the layout is not sure

	title []kit.Span // the heading of the detail
	facts []kit.Fact

	verb    string // the hint of the key that opens the row; empty for no hint
	part    config.Part
	setting config.Setting
	shape   *guess.ItemShape
	near    *guess.Candidate
	place   *answers.PlaceLine
	// choice is a question that the examples leave open, and candidate is one of its answers.
	choice    *example.Choice
	candidate string
	typed     bool // opening the row asks a person to type the answer
}

// selectable reports whether the cursor can be on the row.
func (r row) selectable() bool { return r.id != "" && r.head == "" }

// rows are the rows of the list.
type rows []row

func (r rows) Len() int { return len(r) }

func (r rows) Row(n int) (int, int, bool) { return n, n, r[n].selectable() }

// Problem reports whether a line is unsure.
func (r rows) Problem(n int) bool { return r[n].unsure }

func (r rows) Name(n int) string { return r[n].id }

// counted says where the cursor is among the selectable rows, and how many lines are unsure.
func (r rows) counted(cursor int) []kit.Span {
	if len(r) == 0 {
		return nil
	}
	at, of := kit.Position(r, cursor)
	out := []kit.Span{kit.Muted.Of(say.Position(at, of, false))}
	if n := r.unsure(); n > 0 {
		out = append(out, kit.Muted.Of(" · "), (kit.Warn | kit.Bold).Of(phrase.Count(n, "line")+" not sure"))
	}
	return out
}

func (r rows) unsure() (n int) {
	for _, row := range r {
		if row.unsure {
			n++
		}
	}
	return n
}

// valueColumn is the column in which the values begin.
const valueColumn = 16

// seenColumn returns the column in which the evidence begins. The values before it get the room that they need.
func (r rows) seenColumn(width int) int {
	wide := 12
	for _, row := range r {
		if row.label != "" {
			wide = max(wide, kit.ValueWidth(row.value.Text))
		}
	}
	return valueColumn + min(wide, (width-18)/2) + 2
}

func (r rows) heads(l *kit.Line) {
	kit.Heads(l, kit.Cell{Column: 2, Text: "LINE"}, kit.Cell{Column: valueColumn, Text: "VALUE"},
		kit.Cell{Column: r.seenColumn(l.Width), Text: "EVIDENCE"})
}

func (r rows) Draw(l *kit.Line, n int, _ bool) {
	at := r[n]
	if at.head != "" {
		at.drawHead(l)
	} else {
		at.drawValue(l, r.seenColumn(l.Width))
	}
	l.Words(at.seen.Style, at.seen.Text, l.Width-l.At-1)
	l.Words(kit.Muted, at.such, l.Width-l.At-1)
}

func (r row) drawHead(l *kit.Line) {
	l.Put(kit.Muted, r.head+" ")
	if r.name != "" {
		l.Fit(kit.Heading, r.name, 30)
		l.Put(kit.Text, "  ")
	}
	if r.sign.Word != "" {
		r.sign.Draw(l)
		l.Put(kit.Text, "  ")
	}
}

// drawValue draws the row up to the column seen, in which the evidence begins.
func (r row) drawValue(l *kit.Line, seen int) {
	if r.unsure || r.near != nil {
		l.Put(kit.Warn|kit.Bold, kit.GlyphUnknown)
	}
	l.To(4)
	if r.label != "" {
		l.Fit(kit.Muted, r.label, valueColumn-5)
		l.To(valueColumn)
	}
	if r.value.Text == "" {
		l.Put(kit.Faint, kit.GlyphAbsent)
	}
	l.Fit(r.value.Style, r.value.Text, seen-l.At-2)
	l.To(seen)
}

// lines returns the rows of the draft, and of the other items in the table.
func (s *Screen) lines() (out rows) {
	seen := map[[2]string]dynamo.LineEvidence{}
	for _, line := range dynamo.LinesOf(s.table) {
		seen[[2]string{line.Section, line.Setting}] = line
	}
	out = append(out, s.choices(false)...)
	for _, part := range s.config.Parts() {
		out = append(out, s.heading(part))
		for _, setting := range part.Settings {
			if s.all || usual(part, setting, s.table) {
				out = append(out, s.settingRow(part, setting, seen[[2]string{part.Path, setting.Name}]))
			}
		}
	}
	out = append(out, s.choices(true)...)
	out = append(out, s.places()...)
	for n := range s.near {
		if s.corrected() {
			break
		}
		if n == 0 {
			out = append(out, headed("NEAREST MATCHES", ""))
		}
		out = append(out, nearRow(&s.near[n], s.Keys))
	}
	others := s.table.Sample.Others()
	for n := range others[:min(len(others), mostShapes)] {
		if n == 0 && s.table.Layout.Empty() {
			out = append(out, headed("ITEMS", ""))
		} else if n == 0 {
			out = append(out, headed("OTHER ITEMS", ""))
		}
		out = append(out, s.shapeRow(&others[n]))
	}
	return out
}

// mostShapes limits how many kinds of other items are listed.
const mostShapes = 20

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

func headed(head, name string) row { return row{id: "head " + head + name, head: head, name: name} }

// heading returns a part's heading, with how well its rule fits.
func (s *Screen) heading(part config.Part) row {
	out := headed(strings.ToUpper(part.Kind), called(part))
	out.seen.Style = kit.Muted
	if part.Kind != "constraint" {
		return out
	}
	c := s.constraint(part)
	if c == nil {
		out.seen.Text = "no locks: a check finds duplicates"
		return out
	}
	fit := s.table.Fit.Of(c)
	out.sign = signOf(fit.Standing())
	if fit.Values > 0 {
		out.seen.Text = phrase.Number(fit.Locked) + " of " + phrase.Count(fit.Values, "value") + " have their lock"
	}
	if miss := fit.Values - fit.Locked; miss > 0 {
		out.seen.Text += ", " + say.Plural(miss, "has", "have") + " none"
	}
	return out
}

// called returns a part's own name; empty if it has none.
func called(part config.Part) string {
	if part.Name == part.Kind {
		return ""
	}
	return part.Name
}

// settingRow returns the row of a setting, with the evidence for it.
func (s *Screen) settingRow(part config.Part, setting config.Setting, seen dynamo.LineEvidence) row {
	out := row{
		id: "line " + part.Path + "." + setting.Name + " ", part: part, setting: setting, verb: "edit",
		label: setting.Name, value: kit.Strong.Of(setting.Text), seen: kit.Muted.Of(seen.Text),
		unsure: seen.Unsure,
		title:  []kit.Span{kit.Heading.Of(" " + setting.Name), kit.Muted.Of(" of the " + part.Kind + " "), kit.Text.Of(called(part))},
	}
	look, text, but := kit.Text, seen.Text, ""
	if seen.Unsure {
		out.seen.Style, look = kit.Text, kit.Warn
	}
	if setting.Set {
		text = cmp.Or(text, "the table has no evidence for this setting")
	}
	if c := s.constraint(part); c != nil {
		but = s.table.Fit.Of(c).Why()
	}
	out.facts = []kit.Fact{
		look.Says("seen", text), kit.Text.Says("but", but), kit.Muted.Says("means", say.Setting(part.Kind, setting.Name)),
	}
	return out
}

// places returns the rows for items that hold values outside the layout, by constraint.
func (s *Screen) places() (out rows) {
	lines := s.table.Answers.PlaceLines()
	slices.SortStableFunc(lines, func(a, b answers.PlaceLine) int {
		return strings.Compare(a.Constraint.Name, b.Constraint.Name)
	})
	for n := range lines {
		if n == 0 || lines[n-1].Constraint != lines[n].Constraint {
			out = append(out, headed("ITEMS THAT HOLD VALUES OF", lines[n].Constraint.Name))
		}
		out = append(out, placeRow(&lines[n], s.Keys))
	}
	return out
}

// choices returns the rows of questions: if answered is true, the questions that a person has answered, otherwise the
// questions that the examples leave open.
func (s *Screen) choices(answered bool) (out rows) {
	if s.taught == nil {
		return nil
	}
	for n := range s.taught.Choices {
		if c := &s.taught.Choices[n]; c.Answered == answered {
			out = append(out, s.choiceRows(c)...)
		}
	}
	return out
}

// choiceRows returns a question that the examples leave open, and its possible answers.
func (s *Screen) choiceRows(c *example.Choice) rows {
	head := headed(kit.GlyphUnknown, "")
	if c.Answered {
		head = headed(kit.GlyphYes, "")
	}
	head.id, head.seen = head.id+c.String(), kit.Strong.Of(c.Question)
	out := rows{head}
	for n, one := range c.Candidates {
		text, seen := cmp.Or(one.Text, "nothing"), "unknown from the sample"
		if one.Values > 0 {
			seen = "fits " + phrase.Number(one.Hits) + " of " + phrase.Count(one.Values, counts(c))
		}
		r := row{
			id: "choice " + c.String() + " " + one.Text, choice: c, candidate: one.Text, verb: "choose it",
			value: kit.Strong.Of(text), seen: kit.Muted.Of(seen), unsure: n == 0 && !c.Answered,
			title: []kit.Span{kit.Heading.Of(" " + c.Setting), kit.Muted.Of(" = "), kit.Text.Of(text)},
		}
		if n == 0 {
			r.label = c.Setting
		}
		switch {
		case one.Text == c.Chosen && c.Answered:
			r.seen = kit.Good.Of("your answer; " + seen)
		case one.Text == c.Chosen:
			r.seen = kit.Text.Of("used now; " + seen)
		}
		r.facts = []kit.Fact{
			kit.Text.Says("question", c.Question), kit.Text.Says("seen", seen),
			kit.Muted.Says(s.Keys.Key(keymap.Open), "chooses this answer"),
			kit.Muted.Says(s.Keys.Key(keymap.Examples), "points at another example, which may answer it"),
		}
		out = append(out, r)
	}
	if c.Typed {
		out = append(out, row{
			id: "choice " + c.String() + " typed", choice: c, typed: true, verb: "type it", value: kit.Text.Of("another text"),
			title: []kit.Span{kit.Heading.Of(" " + c.Setting)},
			facts: []kit.Fact{kit.Muted.Says(s.Keys.Key(keymap.Open), "asks for the answer")},
		})
	}
	return out
}

// counts returns the name of the things that a question counts for each candidate.
func counts(c *example.Choice) string {
	switch {
	case strings.HasPrefix(c.Section, "counter"):
		return "counter"
	case c.Setting == "owner":
		return "lock"
	}
	return "value"
}

func placeRow(p *answers.PlaceLine, keys *keymap.Map) row {
	items := say.Pattern(p.Items)
	out := row{
		id: "place " + p.Constraint.Name + " " + p.Items + " " + p.Attribute, place: p,
		value: kit.Strong.Of(items + " · " + p.Attribute),
		seen:  kit.Text.Of(cmp.Or(p.AnswerWords(), "do they hold the values?") + " " + p.Seen()),
		title: []kit.Span{
			kit.Heading.Of(" " + items),
			kit.Muted.Of(" items of " + p.Table + " with values of " + p.Constraint.Name + " in " + p.Attribute),
		},
	}
	said := kit.Text.Says("said", p.AnswerWords()+", says the config")
	if e := p.Said(); p.Answer == layout.NoAnswer {
		out.unsure = true
		said = kit.Muted.Says(keys.Key(keymap.Answer), "asks whether these items hold the values; until you answer, their locks stay")
	} else if e != nil {
		said = kit.Text.Says("said", p.AnswerWords()+" ("+e.Said.Local().Format(time.DateOnly)+"); "+
			keys.Key(keymap.TakeBack)+" takes the answer back")
	}
	out.facts = []kit.Fact{kit.Text.Says("seen", p.Seen()), kit.Text.Says("words", strings.Join(p.Words, ", ")), said}
	return out
}

func nearRow(near *guess.Candidate, keys *keymap.Map) row {
	con, why := near.Account.Constraints[0], near.Why
	value, seen := kit.Text.Of("no locks"), kit.Muted.Of("indexed: may two accounts have the same value?")
	if !con.Unique {
		value = kit.Strong.Of(con.PK)
		seen = kit.Text.Of(phrase.Number(near.Hits) + " of " + phrase.Count(near.Values, "value") + " have such a lock")
	}
	if why != "" {
		why += "; " + keys.Key(keymap.Open) + " uses it anyway"
	}
	return row{
		id: "near " + con.Attribute, near: near, verb: "use it", label: con.Attribute, value: value, seen: seen,
		title: []kit.Span{kit.Heading.Of(" nearest for "), kit.Text.Of(con.Attribute)},
		facts: []kit.Fact{
			kit.Text.Says("accounts", say.Keys(near.Account.PK, near.Account.SK)),
			kit.Text.Says("locks", say.Keys(con.PK, con.SK)), kit.Warn.Says("not taken", why),
		},
	}
}

func (s *Screen) shapeRow(sh *guess.ItemShape) row {
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
		have = ", only keys: they may be locks"
	}
	keys, items := say.Pattern(sh.Keys), phrase.Count(sh.Items, "item")
	return row{
		id: "items " + sh.Keys, shape: sh, verb: "list items",
		value: kit.Strong.Of(keys), seen: kit.Text.Of(items), such: ", such as " + say.Keys(sh.Masked()),
		title: []kit.Span{kit.Heading.Of(" items "), kit.Text.Of(keys)},
		facts: []kit.Fact{
			kit.Text.Says("have", items+have),
			kit.Muted.Says(s.Keys.Key(keymap.Open), "lists the items: point at an account and its lock there"),
		},
	}
}
