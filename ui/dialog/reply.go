package dialog

import (
	"fmt"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
)

// Reply is a possible answer to a question; the first one is no answer.
type Reply struct {
	Word   string
	Answer layout.Answer
}

// Replies returns the buttons of a question. The default is no answer.
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

// WidenKey is the key that puts * for another word of the shape.
const WidenKey = "*"

// Query is a question in a dialog. A person may put * for one word of the shape.
type Query struct {
	all []*dynamo.Question // as it was asked, and with * for each word in turn
	at  int
}

// NewQuery returns the query of a question.
func NewQuery(q *dynamo.Question) *Query {
	return &Query{all: append([]*dynamo.Question{q}, q.Wider()...)}
}

// Question is the question as it is asked now.
func (q *Query) Question() *dynamo.Question { return q.all[q.at] }

// Widen puts * for the next word, and after the last one for none.
func (q *Query) Widen() { q.at = (q.at + 1) % len(q.all) }

// Hints are the keys of the query.
func (q *Query) Hints() []kit.Hint {
	if len(q.all) < 2 {
		return nil
	}
	return []kit.Hint{{Key: WidenKey, Words: "any word"}}
}

// mostCovered is how many words are listed that * covers.
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
