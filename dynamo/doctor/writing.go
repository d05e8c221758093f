package doctor

import (
	"context"
	"crypto/rand"

	"tallylock/dynamo/client"
	"tallylock/dynamo/remedy"
)

// writes tests the permission to check a condition, with a transaction that writes nothing. Then it tests
// request tokens. It reports the permissions to write as not tried: only a write could test them.
func (t tries) writes(ctx context.Context) {
	const check = "dynamodb:ConditionCheckItem"
	policy := remedy.Remedy{Code: remedy.PrintWritePolicy, Table: t.Name}
	switch {
	case !t.c.Write():
		t.say(Line{
			"writing",
			Untried,
			"this connection only reads",
			[]remedy.Remedy{remedy.Of(remedy.TryWriting), policy},
		})
		return
	case t.c.GuardOf(t.Name) == client.GuardDeny:
		t.say(Line{"writing", Untried, `the config forbids all changes of the table (guard = "deny")`, nil})
		return
	case t.Strong:
		t.say(Line{
			"writing",
			Untried,
			"a table with multi-Region strong consistency has no transactions: tallylock does not change it",
			nil,
		})
		return
	}
	a := t.c.CheckAbsent(ctx, rand.Text(), t.Name, t.key)
	switch {
	case a.Result == client.Happened, a.Result == client.Rejected && len(a.Slots) > 0:
		t.say(Line{check, Works, "the endpoint answered a transaction that only checks a key; nothing was written", nil})
		t.tokens(ctx)
	case a.Result == client.Rejected && client.KindOf(a.Err) == client.Denied:
		t.say(Line{
			check,
			Fails,
			"this role lacks the permission " + check + without("no change"),
			append(do("ask your AWS administrator"), policy),
		})
	default:
		t.say(Failed("transactions", a.Err))
	}
	t.say(Line{"other writes", Untried, "only a real write can test PutItem, UpdateItem and DeleteItem", []remedy.Remedy{policy}})
}

// tokens tests whether the endpoint knows request tokens. Only then is it safe to send a change again after
// its answer was lost: the endpoint applies the change once.
func (t tries) tokens(ctx context.Context) {
	const tried = "request tokens"
	switch known, err := t.c.KnowsTokens(ctx, t.Name); {
	case err != nil:
		t.say(Failed(tried, err))
	case known:
		t.say(Line{tried, Works, "if an answer is lost, tallylock sends the change again, and the endpoint applies it only once", nil})
	default:
		t.say(Line{
			tried, Doubtful,
			"the endpoint ignores request tokens: if an answer is lost, the change is not sent again, and its outcome stays unknown",
			do("look at the table after such a change"),
		})
	}
}
