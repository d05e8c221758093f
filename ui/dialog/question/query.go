package question

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/answers"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Replies are the buttons of a question. The first one is the default. AnswerOf has their answers.
var Replies = []string{"Not now", "They do not hold it", "They hold it"}

// AnswerOf returns the answer that a button gives. "Not now" gives none.
func AnswerOf(reply int) layout.Answer {
	return []layout.Answer{layout.NoAnswer, layout.HoldNot, layout.Hold}[reply]
}

// widenKey is the key that replaces a word of the shape with *.
const widenKey = "*"

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

// Widens moves * to the next word if key is the key for that, and reports whether it is. After the last word, the
// question is the original one again.
func (q *Query) Widens(key string) bool {
	if key != widenKey {
		return false
	}
	q.at = (q.at + 1) % len(q.all)
	return true
}

// Answer stores the answer that a button gives. It calls the function then when all open layouts use the answer, or if
// the answer cannot be stored.
func (q *Query) Answer(s *session.Session, reply int, then func(error) tea.Cmd) tea.Cmd {
	about := q.Question() // a person may widen the question while the answer is stored
	return store(s, func() error { return about.Answer(AnswerOf(reply)) }, then)
}

// store stores a decision in a file, and makes all open layouts use it.
func store(s *session.Session, decide func() error, then func(error) tea.Cmd) tea.Cmd {
	return task.Start(
		s.Tasks,
		task.Planning,
		func(context.Context) (struct{}, error) { return struct{}{}, decide() },
		func(_ struct{}, err error) tea.Cmd {
			if err != nil {
				return then(err)
			}
			return s.Send(message.LayoutAnswered{Then: then})
		},
	)
}

// Hints returns the key hints of the query.
func (q *Query) Hints() []kit.Hint {
	if len(q.all) < 2 {
		return nil
	}
	return []kit.Hint{{Key: widenKey, Words: "any word"}}
}

// mostCovered limits the listed words that * covers.
const mostCovered = 8

// WriteReplies draws what each reply to a question means.
func (q *Query) WriteReplies(b *kit.Box) {
	one := q.Question()
	if words := one.Covers; len(words) > 0 {
		now := strings.Join(words[:min(len(words), mostCovered)], ", ")
		if more := len(words) - mostCovered; more > 0 {
			now += fmt.Sprintf(" and %s more", phrase.Number(more))
		}
		b.Fact(kit.Must, "covers", kit.Strong, one.Items+" items, now with "+now+", and later with any other word")
	}
	b.Fact(kit.Must, "do not", kit.Text,
		one.Items+" items are only copies, such as orders, or "+one.Attribute+" has another meaning")
	b.Fact(kit.Must, "hold", kit.Text, "these items, and later items like them, hold the values: tallylock keeps the locks")
	b.Fact(kit.Note, "", kit.Muted, "The answer covers all such items. L, then o, takes it back.")
}
