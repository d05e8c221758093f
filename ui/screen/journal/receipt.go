package journal

import (
	"context"
	"encoding/json"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
	record "tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/keymap"
	"tallylock/ui/dialog/change"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// receiptView is the screen with everything that the journal holds about one change.
type receiptView struct {
	*session.Session
	rec   *record.Record
	entry *plan.Entry
	list  kit.List
}

// openReceipt reads the journal's entry of a change, and shows it.
func openReceipt(s *session.Session, rec *record.Record) tea.Cmd {
	return task.Start(s.Tasks, task.Fetching, func(context.Context) (*plan.Entry, error) { return plan.Load(rec) },
		func(e *plan.Entry, err error) tea.Cmd {
			if err != nil {
				e := say.Explain(err)
				return s.Complain(say.Sentence(e.Op + ": " + e.Why))
			}
			return s.Send(&receiptView{Session: s, rec: rec, entry: e})
		})
}

// receiptColumn is the column of the text after a label.
const receiptColumn = 14

// rows lays out the receipt for the width of the window.
func (s *receiptView) rows() kit.TextList {
	out := &layOut{width: s.Size.Width - receiptColumn - 2}
	r, p := s.rec, s.entry.Plan
	out.head("RECEIPT")
	out.say("name", kit.Strong, r.Receipt)
	out.say("sent", kit.Text, r.At.Local().Format("2006-01-02 15:04:05"))
	out.say("by", kit.Text, say.Makers(r.Who, r.AppliedBy, r.AskedBy))
	out.say("", kit.Muted, s.entry.NoSTS)
	reason := reasonSpan(r)
	out.say("reason", reason.Style, reason.Text)
	out.say("on", kit.Text, receiptPlace(r))
	out.say("endpoint", kit.Text, r.Endpoint)
	out.say("account", kit.Text, r.Account)
	out.say("profile", kit.Text, r.Profile)
	out.say("table id", kit.Text, p.TableID)
	out.head("RESULT")
	sign := say.Outcome(r)
	out.say("outcome", sign.Style|kit.Bold, sign.Glyph+" "+sign.Word)
	out.say("", kit.Strong, say.Became(r, p))
	for _, text := range say.WhyNot(r) {
		if text != say.Became(r, p) {
			out.say("", kit.Text, text)
		}
	}
	if change.WhyUndo(s.Session, r, p) == "" {
		out.say("undo", kit.Text, undoCommand(r))
	}
	out.plan(p)
	return kit.TextList{Rows: out.rows, Column: receiptColumn}
}

// layOut collects rows of labels and text.
type layOut struct {
	rows  []kit.TextRow
	width int
}

func (o *layOut) head(text string) {
	if len(o.rows) > 0 {
		o.rows = append(o.rows, kit.TextRow{Head: true})
	}
	o.rows = append(o.rows, kit.TextRow{Label: text, Head: true})
}

func (o *layOut) say(label string, k kit.Style, text string) {
	o.rows = append(o.rows, kit.TextRows(label, k, text, o.width)...)
}

// plan adds the plan, its requests, and the items before the change.
func (o *layOut) plan(p *plan.Plan) {
	o.head("PLAN")
	o.say("in words", kit.Strong, p.Sentence)
	for _, l := range p.Lines {
		o.say(string(l.Label), kit.Text, l.Text)
	}
	for _, step := range p.Steps {
		o.head("STEP " + string(step.Name))
		o.say("only if", kit.Text, step.Only)
		for _, w := range say.Writes(step) {
			o.say(w.Verb, kit.Text, w.Key)
			o.say("", kit.Text, w.Update)
			o.say("if", kit.Muted, w.Condition)
		}
		o.say("token", kit.Muted, step.Token)
	}
	if len(p.Images) > 0 {
		o.head("BEFORE")
	}
	for _, image := range p.Images {
		o.say("in", kit.Text, image.Table)
		switch {
		case image.Digest != "":
			o.say("item", kit.Text, itemJSON(image.Key.Item())+" is not kept (journal_images = false)")
		case image.Item == nil:
			o.say("item", kit.Text, itemJSON(image.Key.Item())+" did not exist")
		default:
			o.say("item", kit.Text, itemJSON(image.Item))
		}
	}
}

// itemJSON returns an item as DynamoDB JSON, in one line.
func itemJSON(item attr.Item) string {
	data, err := json.Marshal(item)
	if err != nil {
		return say.Error(err)
	}
	return string(data)
}

func (s *receiptView) Content() screen.Content {
	rows := s.rows()
	c := screen.Content{List: &s.list, Rows: rows, Hints: s.Commands().Hints(s.Session)}
	c.Top = screen.Path(s.Session, "journal", s.rec.Receipt, "")
	c.Cover = screen.Cover(s.Session)
	c.Cover.Right = kept(s.Session)
	c.More = screen.More
	return c
}

func (s *receiptView) About() string { return "a receipt" }

// Commands implements screen.Screen.
func (s *receiptView) Commands() screen.Commands {
	copied := copied(s.Session, s.rec, s.entry.Plan)
	copied.Whole.Hint = "copy requests" // the hints of the list have no room for this one
	return slices.Concat(repairs(s.Session, s.rec, s.entry.Plan), screen.Copies(s.Session, copied),
		screen.Commands{{Action: keymap.Back, Words: "back"}})
}

// Refresh implements screen.Refresher. It closes the screen, because the receipt is out of date after a change.
func (s *receiptView) Refresh() tea.Cmd { return s.Send(message.Leave{}) }
