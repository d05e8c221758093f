package ui

import (
	"context"
	"encoding/json"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/keymap"
)

// receiptScreen is everything that the journal knows of one change.
type receiptScreen struct {
	app   *app
	rec   *journal.Record
	entry *change.Entry
	list  list
}

// openReceipt reads what was written down of a change and shows it.
func (a *app) openReceipt(rec *journal.Record) tea.Cmd {
	return send(a.flights, fetching, func(context.Context) (*change.Entry, error) { return change.Load(rec) },
		func(e *change.Entry, err error) tea.Cmd {
			switch {
			case err != nil:
				_, op, why, _ := explain(err)
				return a.complain(sentence(op + ": " + why))
			case e.Plan == nil:
				return a.complain("The journal has no plan of this change.")
			}
			a.push(&receiptScreen{app: a, rec: rec, entry: e})
			return nil
		})
}

// told is a row of words: a label and what it says, or, where there is no label,
// the rest of what the row before says.
type told struct {
	label string
	text  span
	head  bool
}

// toldList is rows of words as a list.
type toldList struct {
	rows []told
	col  int
}

func (s toldList) Len() int                   { return len(s.rows) }
func (s toldList) Row(n int) (int, int, bool) { return n, n, !s.rows[n].head }
func (s toldList) Draw(l *line, n int, _ bool) {
	row := s.rows[n]
	if row.head {
		l.put(asMuted, row.label)
		return
	}
	l.words(asMuted, row.label, s.col-l.at-1)
	l.to(s.col)
	l.put(row.text.look, row.text.text)
}

// receiptColumn is where the words of a receipt begin.
const receiptColumn = 14

// rows lay the receipt out for a width.
func (s *receiptScreen) rows() toldList {
	out := toldList{col: receiptColumn}
	width := s.app.size.w - receiptColumn - 2
	head := func(text string) {
		if len(out.rows) > 0 {
			out.rows = append(out.rows, told{head: true})
		}
		out.rows = append(out.rows, told{label: text, head: true})
	}
	say := func(label string, k look, text string) {
		if text == "" {
			return
		}
		for n, row := range wrap(text, width) {
			if n > 0 {
				label = ""
			}
			out.rows = append(out.rows, told{label: label, text: span{k, row}})
		}
	}
	r, p := s.rec, s.entry.Plan
	head("RECEIPT")
	say("name", asStrong, r.Receipt)
	say("sent", asText, r.At.Local().Format("2006-01-02 15:04:05"))
	say("by", asText, r.Who)
	say("", asMuted, s.entry.NoSTS)
	reason := reasonSpan(r)
	say("reason", reason.look, reason.text)
	say("on", asText, receiptPlace(r))
	say("endpoint", asText, r.Endpoint)
	say("account", asText, r.Account)
	say("profile", asText, r.Profile)
	say("table id", asText, p.TableID)
	head("WHAT BECAME OF IT")
	sign := outcomeSign(r)
	say("outcome", sign.look|bold, sign.glyph+" "+sign.word)
	say("", asStrong, became(r, p))
	for _, text := range whyNot(r) {
		if text != became(r, p) {
			say("", asText, text)
		}
	}
	head("WHAT WAS PLANNED")
	say("in words", asStrong, p.Sentence)
	for _, l := range p.Lines {
		say(string(l.Label), asText, l.Text)
	}
	for _, step := range p.Steps {
		head("STEP " + string(step.Name))
		say("only if", asText, step.Only)
		for _, w := range writeWords(step) {
			say(w.verb, asText, w.key)
			say("", asText, w.update)
			say("if", asMuted, w.condition)
		}
		say("token", asMuted, step.Token)
	}
	if len(p.Images) > 0 {
		head("WHAT WAS THERE BEFORE")
	}
	for _, image := range p.Images {
		say("in", asText, image.Table)
		if image.Item == nil {
			say("item", asText, itemJSON(image.Key)+" was not there")
		} else {
			say("item", asText, itemJSON(image.Item))
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

func (s *receiptScreen) content() content {
	a := s.app
	rows := s.rows()
	c := content{list: &s.list, rows: rows}
	l := newLine(a.st, a.size.w, a.behind())
	l.put(asText, " ")
	l.put(asMuted, "journal")
	l.put(asFaint, " "+glyphPath+" ")
	l.middle(asBold, s.rec.Receipt, a.size.w-l.at-2)
	c.top = []string{l.done(), a.topRule(0, 0)}
	c.cover = &coverage{part: 1, working: -1, right: []span{{asMuted, "kept on this machine"}}}
	if s.why(keymap.Mend) == "" {
		c.hints = append(c.hints, a.hint(keymap.Mend, "settle"))
	}
	if s.why(keymap.Undo) == "" {
		c.hints = append(c.hints, a.hint(keymap.Undo, "undo"))
	}
	c.hints = append(c.hints, a.hint(keymap.Copy, "copy receipt"), a.hint(keymap.CopyItem, "copy requests"), a.hint(keymap.Back, "back"))
	return c
}

func (s *receiptScreen) about() string { return "a receipt" }

func (s *receiptScreen) why(action keymap.Action) string {
	switch action {
	case keymap.Copy, keymap.CopyItem:
		return ""
	case keymap.Undo:
		return s.app.journal.whyUndo(s.rec)
	case keymap.Mend:
		return s.app.whySettle(s.rec)
	}
	return "not on a receipt"
}

func (s *receiptScreen) act(action keymap.Action) tea.Cmd {
	switch action {
	case keymap.Copy:
		return s.app.copy("the receipt's name", s.rec.Receipt)
	case keymap.CopyItem:
		return s.app.copyRequests(s.entry.Plan)
	case keymap.Undo:
		return s.app.askUndo(*s.app.connOf(s.rec), s.rec)
	case keymap.Mend:
		return s.app.askSettle(s.rec)
	}
	return nil
}
