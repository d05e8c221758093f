package screen

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"tallylock/dynamo/client"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// Failed says what was tried, why it failed and what to do, and more that is done here; for a
// denied permission also what still works.
func Failed(s *session.Session, d *kit.Block, err error, more ...kit.Hint) {
	kind, op, why, do := words.Explain(err)
	d.Gap()
	col := max(13, 3+kit.Width(kind)+2)
	if client.KindOf(err) == client.Cancelled {
		kind, why, op, col = "", cmp.Or(op, "it")+" was cancelled", "", 3
	}
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
	if op != "" {
		d.LongFact(3, "tried", op)
	}
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
	var can []kit.Hint
	for _, c := range policies {
		can = append(can, s.Hint(c.Action, c.Full+" for your AWS administrator"))
	}
	can = append(can, s.Hint(keymap.Reload, "try again"), s.Hint(keymap.Tables, "choose another table"))
	d.Keys(3, append(can, more...)...)
}

// thing is something that can be done here, or cannot.
type thing struct {
	words  string
	action keymap.Action
	uses   string // permissions that it does not work without
	other  string // why it does not work here whatever the permissions
}

// thingsOf are the things, each with what it needs.
func thingsOf(s *session.Session, denied string) []thing {
	noTable, noLayout, readOnly, named, listed := "", "", "", "other tables", ""
	if s.Table == nil {
		noTable = "no table is open"
	} else if len(s.Table.Layout.Accounts) == 0 {
		noLayout = "name a --layout"
	}
	if s.Table == nil || len(s.Table.Layout.Counters) == 0 {
		listed = " ListTables" // which tables have any
	}
	if s.WhyWriteOn(s.Connection(), s.Wanted) != "" {
		readOnly = "read-only"
	}
	if denied == "ListTables" {
		named = "a table by its name"
	}
	return []thing{
		{"accounts, locks", keymap.Accounts, "DescribeTable Scan BatchGetItem", noTable},
		{"find a value", keymap.Find, "DescribeTable GetItem", cmp.Or(noTable, noLayout)},
		{"counters", keymap.Counters, "DescribeTable BatchGetItem" + listed, ""},
		{named, keymap.Tables, "DescribeTable", ""},
		{"check, findings", keymap.Findings, "DescribeTable Scan", noTable},
		{"journal", keymap.Journal, "", ""},
		{"release, bump", "", "UpdateItem DeleteItem TransactWriteItems", readOnly},
		{"the list of tables", "", "ListTables", ""},
	}
}

// stillWorks says what a missing permission leaves.
func stillWorks(s *session.Session, d *kit.Block, denied string) {
	var works, not []thing
	for _, t := range thingsOf(s, denied) {
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
