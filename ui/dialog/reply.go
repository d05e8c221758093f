package dialog

import (
	"tallylock/dynamo"
	"tallylock/dynamo/layout"
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

// WriteReplies draws what each reply to a question means.
func WriteReplies(b *kit.Box, q *dynamo.Question) {
	b.Fact(kit.Must, "do not", kit.Text, q.Items+" items are copies, as orders are, or "+q.Attribute+" is something else")
	b.Fact(kit.Must, "hold", kit.Text, "the values count: their locks are held, now and for later items")
	b.Fact(kit.Note, "", kit.Muted, "The answer goes for all such items. L takes it back.")
}
