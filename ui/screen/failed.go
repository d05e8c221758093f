package screen

import (
	"errors"
	"slices"
	"strings"

	"tallylock/dynamo/client"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// Failed says what was tried, why it failed and what to do; for a denied
// permission also what still works.
func Failed(s *session.Session, d *kit.Block, err error) {
	kind, op, why, do := words.Explain(err)
	d.Gap()
	col := max(13, 3+kit.Width(kind)+2)
	for n, row := range kit.Wrap(words.Sentence(why), d.Width-col-1) {
		d.Row(func(l *kit.Line) {
			if n == 0 {
				l.Put(kit.Warn|kit.Bold, " ! "+kind)
			}
			l.To(col)
			l.Put(kit.Heading, row)
		})
	}
	d.Gap()
	policies := Policies(s, err)
	d.LongFact(3, "tried", op)
	if do != "" && len(policies) == 0 {
		d.LongFact(3, "do", words.Sentence(do))
	}
	known, _ := errors.AsType[*client.Error](err)
	if known == nil {
		known = &client.Error{}
	}
	refusal(s, d, known.Refusal)
	if known.Kind == client.Denied {
		stillWorks(s, d, strings.TrimPrefix(known.Permission, "dynamodb:"))
	}
	d.Gap()
	for _, c := range policies {
		s.Advice(d, c.Action, c.Full+", to ask your AWS administrator for")
	}
	s.Advice(d, keymap.Reload, "try again")
	s.Advice(d, keymap.Tables, "choose another table")
}

// thing is something that can be done here, or cannot.
type thing struct {
	words  string
	action keymap.Action
	uses   string // permissions that it does not work without
	other  string // why it does not work here whatever the permissions
}

// stillWorks says what a missing permission leaves.
func stillWorks(s *session.Session, d *kit.Block, denied string) {
	things := []thing{
		{"accounts, locks", keymap.Accounts, "DescribeTable Scan BatchGetItem", ""},
		{"find a value", keymap.Find, "DescribeTable GetItem", ""},
		{"counters", keymap.Counters, "DescribeTable BatchGetItem", ""},
		{"other tables", keymap.Tables, "DescribeTable", ""},
		{"check, findings", keymap.Findings, "DescribeTable Scan", ""},
		{"journal", keymap.Journal, "", ""},
		{"release, bump", "", "UpdateItem DeleteItem TransactWriteItems", ""},
	}
	if s.Table == nil {
		for _, n := range []int{0, 1, 4} {
			things[n].other = "no table is open"
		}
		things[2].uses += " ListTables" // which tables have any
	} else if len(s.Table.Layout.Counters) == 0 {
		things[2].uses += " ListTables"
	}
	if s.Table != nil && len(s.Table.Layout.Accounts) == 0 {
		things[1].other = "name a --layout"
	}
	if s.WhyWriteOn(s.Connection(), s.Wanted) != "" {
		things[len(things)-1].other = "read-only"
	}
	if denied == "ListTables" {
		things[3].words = "a table by its name"
		things = append(things, thing{"the list of tables", "", "ListTables", ""})
	}
	var works, not []thing
	for _, t := range things {
		switch {
		case slices.ContainsFunc(strings.Fields(t.uses), func(name string) bool { return strings.Contains(denied, name) }):
			t.other = denied
			not = append(not, t)
		case t.other != "":
			not = append(not, t)
		case t.action != "":
			works = append(works, t)
		}
	}
	drawWorks(s, d, works, not)
}

// drawWorks draws what still works beside what does not.
func drawWorks(s *session.Session, d *kit.Block, works, not []thing) {
	d.Gap()
	d.Row(func(l *kit.Line) {
		l.To(3)
		l.Put(kit.Muted, "STILL WORKS")
		l.To(38)
		l.Put(kit.Muted, "DOES NOT")
	})
	for n := range max(len(works), len(not)) {
		d.Row(func(l *kit.Line) {
			if n < len(works) {
				l.To(3)
				l.Put(kit.Good, kit.GlyphYes)
				l.Put(kit.Text, " "+works[n].words)
				l.To(26)
				l.Put(kit.Key, s.Keys.Key(works[n].action))
			}
			if n < len(not) {
				l.To(38)
				l.Put(kit.Bad, kit.GlyphNo)
				l.Put(kit.Muted, " "+not[n].words)
				l.To(59)
				l.Words(kit.Muted, not[n].other, l.Width-l.At-1)
			}
		})
	}
}
