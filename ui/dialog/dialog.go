// Package dialog defines dialogs, and draws the parts that several dialogs share: a question about
// the layout with its replies, and the progress of a change. Each dialog is a package below this
// one. It sends messages to the program to show or close itself. Start reading at Dialog.
package dialog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/answers"
	"tallylock/dynamo/change"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Dialog is drawn over the screen and has the focus.
type Dialog interface {
	// Draw draws the dialog.
	Draw() *kit.Box
	// Key handles a key or pasted text.
	Key(msg tea.Msg) tea.Cmd
	// Press presses a button by its index, for the mouse.
	Press(n int) tea.Cmd
	// Leave asks the dialog to close. It stays open if a write would go unreported.
	Leave() tea.Cmd
}

// Worker is a dialog that applies changes.
type Worker interface {
	// Busy reports whether a change is being applied, Stopping whether it was asked to stop.
	Busy() bool
	Stopping() bool
}

// Act handles a key. It moves the focus between the stops, presses the focused stop, or leaves. on
// is the focused stop.
func Act(d Dialog, action keymap.Action, on *int, stops []int) tea.Cmd {
	switch action {
	case keymap.Leave:
		return d.Leave()
	case keymap.NextField:
		*on = Cycle(stops, *on, 1)
	case keymap.PreviousField:
		*on = Cycle(stops, *on, -1)
	case keymap.Press:
		return d.Press(*on)
	}
	return nil
}

// Cycle returns the stop that is by places after from, and wraps around at the ends. If from is not
// among the stops, it counts as the first.
func Cycle[T comparable](stops []T, from T, by int) T {
	at := max(slices.Index(stops, from), 0)
	return stops[(at+by+len(stops))%len(stops)]
}

// Choice is the lower part of a dialog that has only buttons: the buttons and the key hints. The
// first button has the focus at the beginning.
type Choice struct {
	Buttons []string
	Leave   string // the hint for leaving
	Hints   []kit.Hint
	Off     func(n int) bool // reports whether button n is off; nil: all are on
	on      int
}

// Draw draws the buttons and the key hints.
func (c *Choice) Draw(b *kit.Box, s *session.Session) {
	b.Buttons(c.Buttons, c.on, c.Off)
	b.Gap()
	hints := []kit.Hint{s.Hint(keymap.NextField, "next"), s.Hint(keymap.Press, "press"), s.Hint(keymap.Leave, c.Leave)}
	b.Hints(append(hints, c.Hints...)...)
}

// Key handles a key: see Act.
func (c *Choice) Key(d Dialog, s *session.Session, msg tea.Msg) tea.Cmd {
	action, _ := s.DialogAction(msg)
	var stops []int
	for n := range c.Buttons {
		if c.Off == nil || !c.Off(n) {
			stops = append(stops, n)
		}
	}
	return Act(d, action, &c.on, stops)
}

// NewResult begins a dialog that reports an outcome. now is the state after it.
func NewResult(s *session.Session, sign kit.Sign, now string) *kit.Box {
	return kit.NewBox(s.Styles, s.Size.Width, sign.Style,
		(sign.Style | kit.Bold).Of(sign.Glyph+" "+sign.Word), kit.Muted.Of(" · "), kit.Heading.Of(now))
}

// WriteFailure draws why something could not be stored; nothing if err is nil. If only the config
// can store it, the lines for the config follow.
func WriteFailure(b *kit.Box, err error) {
	if err == nil {
		return
	}
	_, _, why, do := say.Explain(err)
	b.Fact(kit.Must, "but", kit.Warn, say.Sentence(why)+" "+say.Sentence(do))
	WriteConfigLines(b, err)
}

// WriteConfigLines draws the lines for the config if err says that only the config can give an
// answer.
func WriteConfigLines(b *kit.Box, err error) {
	only, ok := errors.AsType[*answers.ConfigLines](err)
	if !ok {
		return
	}
	for line := range strings.Lines(only.Lines) {
		b.Para(kit.Must, kit.Strong, strings.TrimSuffix(line, "\n"))
	}
}

// WriteProgress draws the progress of a stage.
func WriteProgress(s *session.Session, l *kit.Line, p change.Progress) {
	switch {
	case p.Stage == change.StageEach:
		l.Bar(float64(p.Done)/float64(max(p.Total, 1)), 24)
		l.Put(kit.Muted, fmt.Sprintf("  %s of %s", phrase.Number(int(p.Done)), phrase.Number(int(p.Total))))
		if p.Attempt > 1 {
			l.Put(kit.Warn, fmt.Sprintf(", sent %d times", p.Attempt))
		}
	case p.Stage == change.StageWait && p.Total > 0:
		l.Bar(float64(p.Done)/float64(p.Total), 24)
		l.Put(kit.Muted, fmt.Sprintf("  %.1f of %g s", float64(p.Done)/1000, float64(p.Total)/1000))
	case p.Stage == change.StageLook:
		part := 0.0
		if p.Total > 0 {
			part = min(float64(p.Done)/float64(p.Total), 1)
		}
		l.Bar(part, 24)
		l.Put(kit.Muted, fmt.Sprintf("  %s read, %s RU", phrase.Count(int(p.Done), "item"), say.Units(p.ReadUnits)))
		if p.Throttled > 0 {
			l.Put(kit.Warn, ", throttled")
		}
	case p.AllLocks > 1:
		l.Bar(float64(p.Locks)/float64(p.AllLocks), 24)
		l.Put(kit.Muted, fmt.Sprintf("  %d of %d locks", p.Locks, p.AllLocks))
	default:
		s.Working(l, task.Changing, 24)
		if p.Attempt > 1 {
			l.Put(kit.Warn, fmt.Sprintf("  sent %d times", p.Attempt))
		}
	}
}

// StageWord returns the word for a stage on the screen.
func StageWord(s change.Stage) string {
	if s == change.StageAskAgain {
		return "again"
	}
	return string(s)
}

// Reply is one of the buttons of a question, with the answer that it gives. "Not now" gives no
// answer.
type Reply struct {
	Word   string
	Answer layout.Answer
}

// Replies returns the buttons of a question. The first one, "Not now", is the default.
func Replies() []Reply {
	return []Reply{
		{Word: "Not now"},
		{Word: "They do not hold it", Answer: layout.HoldNot},
		{Word: "They hold it", Answer: layout.Hold},
	}
}

// Words returns the labels of the buttons of a question.
func Words() []string {
	var words []string
	for _, r := range Replies() {
		words = append(words, r.Word)
	}
	return words
}

// WidenKey is the key that replaces a word of the shape with *.
const WidenKey = "*"

// Query is a question in a dialog. A person may replace one word of its shape with *.
type Query struct {
	all []*answers.Question // the question as asked, then with * for each word in turn
	at  int
}

// NewQuery returns the query for a question.
func NewQuery(q *answers.Question) *Query {
	return &Query{all: append([]*answers.Question{q}, q.Wider()...)}
}

// Question returns the current form of the question.
func (q *Query) Question() *answers.Question { return q.all[q.at] }

// Widen moves * to the next word. After the last word, the question is the original one again.
func (q *Query) Widen() { q.at = (q.at + 1) % len(q.all) }

// Hints returns the key hints of the query.
func (q *Query) Hints() []kit.Hint {
	if len(q.all) < 2 {
		return nil
	}
	return []kit.Hint{{Key: WidenKey, Words: "any word"}}
}

// mostCovered limits how many of the words that * covers are listed.
const mostCovered = 8

// WriteReplies draws what each reply to a question means.
func (q *Query) WriteReplies(b *kit.Box) {
	one := q.Question()
	if words := one.Covers; len(words) > 0 {
		now := strings.Join(words[:min(len(words), mostCovered)], ", ")
		if more := len(words) - mostCovered; more > 0 {
			now += fmt.Sprintf(" and %s more", phrase.Number(more))
		}
		b.Fact(kit.Must, "covers", kit.Strong, one.Items+" items: now "+now+", and later any other word")
	}
	b.Fact(kit.Must, "do not", kit.Text,
		one.Items+" items are copies, as orders are, or "+one.Attribute+" is something else")
	b.Fact(kit.Must, "hold", kit.Text, "the values count: their locks are held, now and for later items")
	b.Fact(kit.Note, "", kit.Muted, "The answer goes for all such items. L takes it back.")
}
