package dialog

import (
	"tallylock/dynamo"
	"tallylock/ui/kit"
)

// Reply is a possible answer to a question about the layout; the first one is no answer.
// OpensLayout is set if it opens the layout's screen instead.
type Reply struct {
	Word        string
	OpensLayout bool
	Kind        dynamo.Holding
	Tell        func() error
}

// Replies returns the buttons of a question. The default is no answer.
func Replies(q *dynamo.Question) []Reply {
	if q.Constraint != nil {
		return []Reply{
			{Word: "Not now"},
			{Word: "See the layout", OpensLayout: true},
		}
	}
	copies, accounts := "Copies", "Accounts"
	if q.Lock {
		copies, accounts = "A lock", "An account"
	}
	tell := func(are dynamo.Holding) func() error { return func() error { return q.Tell(are) } }
	return []Reply{
		{Word: "Not now"},
		{Word: copies, Kind: dynamo.HoldsCopy, Tell: tell(dynamo.HoldsCopy)},
		{Word: accounts, Kind: dynamo.HoldsAccount, Tell: tell(dynamo.HoldsAccount)},
	}
}

// Words returns the labels of the buttons of a question.
func Words(q *dynamo.Question) []string {
	var words []string
	for _, r := range Replies(q) {
		words = append(words, r.Word)
	}
	return words
}

// WriteReplies draws what each reply to a question means.
func WriteReplies(b *kit.Box, q *dynamo.Question) {
	switch {
	case q.Constraint != nil:
		b.Fact(kit.Must, "see", kit.Text, "what was seen of each line, where a wrong one is corrected")
	case q.Lock:
		b.Fact(kit.Must, "a lock", kit.Text, "locks may have "+q.Attribute)
		b.Fact(kit.Must, "account", kit.Text, "such items hold their values, and stay")
	default:
		b.Fact(kit.Must, "copies", kit.Text, q.Items+" items only repeat what accounts hold, as orders do")
		b.Fact(kit.Must, "accounts", kit.Text, "they hold it themselves: the locks of their values stay")
	}
	b.Fact(kit.Note, "", kit.Muted, "asked once, and stored beside the journal")
}
