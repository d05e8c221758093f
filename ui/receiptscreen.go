package ui

import (
	"context"
	"encoding/json"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// receiptScreen is everything that the journal knows of one change.
type receiptScreen struct {
	app   *app
	rec   *journal.Record
	entry *change.Entry
	list  kit.List
}

// openReceipt reads what was written down of a change and shows it.
func (a *app) openReceipt(rec *journal.Record) tea.Cmd {
	return task.Start(a.Tasks, task.Fetching, func(context.Context) (*change.Entry, error) { return change.Load(rec) },
		func(e *change.Entry, err error) tea.Cmd {
			switch {
			case err != nil:
				_, op, why, _ := words.Explain(err)
				return a.Complain(words.Sentence(op + ": " + why))
			case e.Plan == nil:
				return a.Complain("The journal has no plan of this change.")
			}
			a.push(&receiptScreen{app: a, rec: rec, entry: e})
			return nil
		})
}

// told is a row of words: a label and what it says, or, where there is no label,
// the rest of what the row before says.
type told struct {
	label string
	text  kit.Span
	head  bool
}

// toldList is rows of words as a list.
type toldList struct {
	rows []told
	col  int
}

func (s toldList) Len() int                   { return len(s.rows) }
func (s toldList) Row(n int) (int, int, bool) { return n, n, !s.rows[n].head }
func (s toldList) Draw(l *kit.Line, n int, _ bool) {
	row := s.rows[n]
	if row.head {
		l.Put(kit.Muted, row.label)
		return
	}
	l.Words(kit.Muted, row.label, s.col-l.At-1)
	l.To(s.col)
	l.Put(row.text.Style, row.text.Text)
}

// receiptColumn is where the words of a receipt begin.
const receiptColumn = 14

// rows lay the receipt out for a width.
func (s *receiptScreen) rows() toldList {
	out := toldList{col: receiptColumn}
	width := s.app.Size.Width - receiptColumn - 2
	head := func(text string) {
		if len(out.rows) > 0 {
			out.rows = append(out.rows, told{head: true})
		}
		out.rows = append(out.rows, told{label: text, head: true})
	}
	say := func(label string, k kit.Style, text string) {
		if text == "" {
			return
		}
		for n, row := range kit.Wrap(text, width) {
			if n > 0 {
				label = ""
			}
			out.rows = append(out.rows, told{label: label, text: k.Of(row)})
		}
	}
	r, p := s.rec, s.entry.Plan
	head("RECEIPT")
	say("name", kit.Strong, r.Receipt)
	say("sent", kit.Text, r.At.Local().Format("2006-01-02 15:04:05"))
	say("by", kit.Text, r.Who)
	say("", kit.Muted, s.entry.NoSTS)
	reason := reasonSpan(r)
	say("reason", reason.Style, reason.Text)
	say("on", kit.Text, receiptPlace(r))
	say("endpoint", kit.Text, r.Endpoint)
	say("account", kit.Text, r.Account)
	say("profile", kit.Text, r.Profile)
	say("table id", kit.Text, p.TableID)
	head("WHAT BECAME OF IT")
	sign := words.Outcome(r)
	say("outcome", sign.Style|kit.Bold, sign.Glyph+" "+sign.Word)
	say("", kit.Strong, words.Became(r, p))
	for _, text := range words.WhyNot(r) {
		if text != words.Became(r, p) {
			say("", kit.Text, text)
		}
	}
	head("WHAT WAS PLANNED")
	say("in words", kit.Strong, p.Sentence)
	for _, l := range p.Lines {
		say(string(l.Label), kit.Text, l.Text)
	}
	for _, step := range p.Steps {
		head("STEP " + string(step.Name))
		say("only if", kit.Text, step.Only)
		for _, w := range words.Writes(step) {
			say(w.Verb, kit.Text, w.Key)
			say("", kit.Text, w.Update)
			say("if", kit.Muted, w.Condition)
		}
		say("token", kit.Muted, step.Token)
	}
	if len(p.Images) > 0 {
		head("WHAT WAS THERE BEFORE")
	}
	for _, image := range p.Images {
		say("in", kit.Text, image.Table)
		if image.Item == nil {
			say("item", kit.Text, itemJSON(image.Key)+" was not there")
		} else {
			say("item", kit.Text, itemJSON(image.Item))
		}
	}
	return out
}

// itemJSON is an item as DynamoDB JSON, in one line.
func itemJSON(item attr.Item) string {
	data, err := json.Marshal(item)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func (s *receiptScreen) Content() screen.Content {
	a := s.app
	rows := s.rows()
	c := screen.Content{List: &s.list, Rows: rows}
	l := kit.NewLine(a.Styles, a.Size.Width, a.Ground())
	l.Put(kit.Text, " ")
	l.Put(kit.Muted, "journal")
	l.Put(kit.Faint, " "+kit.GlyphPath+" ")
	l.Middle(kit.Heading, s.rec.Receipt, a.Size.Width-l.At-2)
	c.Top = &screen.Heading{Line: l.Done(), From: 0, To: 0}
	c.Cover = &kit.Coverage{Part: 1, Working: -1, Right: []kit.Span{kit.Muted.Of("kept on this machine")}}
	if s.Why(keymap.Mend) == "" {
		c.Hints = append(c.Hints, a.Hint(keymap.Mend, "settle"))
	}
	if s.Why(keymap.Undo) == "" {
		c.Hints = append(c.Hints, a.Hint(keymap.Undo, "undo"))
	}
	c.Hints = append(c.Hints, a.Hint(keymap.Copy, "copy receipt"), a.Hint(keymap.CopyItem, "copy requests"), a.Hint(keymap.Back, "back"))
	return c
}

func (s *receiptScreen) About() string { return "a receipt" }

func (s *receiptScreen) Why(action keymap.Action) string {
	switch action {
	case keymap.Copy, keymap.CopyItem:
		return ""
	case keymap.Undo:
		return s.app.journal.whyUndo(s.rec)
	case keymap.Mend:
		return s.app.WhySettle(s.rec)
	}
	return "not on a receipt"
}

func (s *receiptScreen) Act(action keymap.Action) tea.Cmd {
	switch action {
	case keymap.Copy:
		return s.app.Copy("the receipt's name", s.rec.Receipt)
	case keymap.CopyItem:
		return s.app.CopyRequests(s.entry.Plan)
	case keymap.Undo:
		return s.app.askUndo(*s.app.ConnectionOf(s.rec), s.rec)
	case keymap.Mend:
		return s.app.askSettle(s.rec)
	}
	return nil
}
