package say

import (
	"encoding/json"
	"fmt"
	"strings"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// writersRefusal says why a rule has no transactions to print, or cannot verify its writers. at is the place in the
// config that describes the constraint.
func writersRefusal(r *adopt.Refusal, name, at string) (why, do string) {
	switch r.Code {
	case adopt.ValueInKey:
		return "the " + name + " is part of the account's key, so no transaction can change it",
			"the account's key already keeps the value unique, unless other accounts have the value in another place" + at
	case adopt.UnreadableKind:
		return "in most accounts, the attribute of the " + name + " is neither text nor a number", "correct the attribute in the layout" + at
	case adopt.UnknownID:
		return "the owner of a lock cannot be made from the account's key", "correct owner_form in the layout" + at
	case adopt.NoIndex:
		return r.Table + " has no index of this name with one of the times as its sort key",
			"name another index, or leave --index out to read the whole table"
	}
	return string(r.Code), ""
}

// WriterOperation is the heading of a printed transaction.
func WriterOperation(op adopt.Operation) string {
	return map[adopt.Operation]string{
		adopt.SignUp: "Sign up", adopt.Change: "Change the value", adopt.Delete: "Delete the account",
		adopt.Respell: "Change only the spelling: the old and the new value have the same lock",
	}[op]
}

// WriterTransaction is a printed transaction.
type WriterTransaction struct {
	Operation adopt.Operation
	Heading   string
	// Input is the input of TransactWriteItems, with placeholders in braces.
	Input json.RawMessage
	// Refused says for each action what it means if its condition fails.
	Refused []string
}

// WriterTransactions writes the transactions of a protocol.
func WriterTransactions(p *adopt.Protocol) (all []WriterTransaction, err error) {
	for _, t := range p.Transactions {
		one := WriterTransaction{Operation: t.Operation, Heading: WriterOperation(t.Operation)}
		if one.Input, err = p.Shown(t.Operation).Body(); err != nil {
			return nil, err
		}
		for n, action := range t.Actions {
			which := []string{"first", "second", "third", "fourth"}[n] + " action" + eachValue(action.Each)
			one.Refused = append(one.Refused, which+" refused: "+WriterRefused(action.Refused))
		}
		all = append(all, one)
	}
	return all, nil
}

// eachValue says for which values an action is repeated.
func eachValue(each adopt.Each) string {
	return map[adopt.Each]string{
		adopt.EachValue:   ", once for each value,",
		adopt.EachAdded:   ", once for each added value,",
		adopt.EachRemoved: ", once for each removed value,",
		adopt.EachKept:    ", once for each kept value,",
	}[each]
}

// Pretty returns the input with an indent.
func (t *WriterTransaction) Pretty() (string, error) {
	text, err := attr.Line(t.Input, "  ")
	return strings.TrimSpace(string(text)), err
}

// WriterRefused says what it means if the condition of an action fails.
func WriterRefused(refused adopt.Refused) string {
	return map[adopt.Refused]string{
		adopt.AccountExists:       "an account has this key already",
		adopt.AccountChanged:      "the account is gone or has another value: read it again",
		adopt.ValueTaken:          "another account has the value",
		adopt.LockForeign:         "the lock of the old value names another account: two accounts may hold it",
		adopt.LockAbsentOrForeign: "the lock of the old value is missing or names another account",
	}[refused]
}

// WritersIntro explains the printed transactions.
func WritersIntro(p *adopt.Protocol) []string {
	all := []string{fmt.Sprintf("From now on, the application has to write accounts and locks of the %s in these transactions.", p.Constraint.Name)}
	names := []string{"{value} is one value, and {values} are all values of the account as the account spells them. {old values} and {new values} are all values before and after a change."}
	if !p.Several {
		names[0] = "{value} is the value of a sign-up or a deletion. {old} and {new} are the values of a change, as the account spells them."
	}
	for _, part := range p.Parts {
		what := "a part of the account's key"
		if len(part.Path) > 0 {
			what = "the account's attribute " + phrase.Quote(strings.Join(part.Path, "."))
		} else if part.Name == layout.IDVariable {
			what = "the account's id"
		}
		names = append(names, "{"+part.Name+"} is "+what+".")
	}
	if steps := p.Constraint.Normalise; len(steps) > 0 {
		var words []string
		for _, step := range steps {
			words = append(words, string(step))
		}
		names = append(names, "{normalised …} is the value after "+strings.Join(words, ", ")+", in this order.")
	}
	return append(all, strings.Join(names, " ")+" A literal brace is written twice.")
}

// WritersNotes lists advice for the programmer of the transactions. verify is the command that verifies the rule.
func WritersNotes(p *adopt.Protocol, verify string) []string {
	var all []string
	if p.Strict {
		all = append(all, "The rule is verified: each account has its lock, so a change or a deletion requires the old lock.")
	} else {
		all = append(all,
			"Until the rule is verified ("+verify+"), an old account may have no lock. So a change or a deletion accepts that the old lock is missing. A sign-up or a change still needs your own check that no account holds the value.",
			"Until then a new account can take the value of an old account that has no lock yet, because your own check runs outside the transaction.")
	}
	if p.Several {
		all = append(all, fmt.Sprintf("An account may hold several values, and each value has its own lock. Repeat the actions on locks for each value. The key of the lock decides whether a value counts as added, removed or kept: two spellings with the same lock count once, because a transaction must not name an item twice. A transaction has at most %d actions: change fewer values at once.", client.MaxActions))
	}
	all = append(all,
		"If several actions are refused, the first one says why. TransactionConflict does not mean that the value is taken: try again with the same token.",
		"Make one ClientRequestToken for each sign-up, change or deletion, and send it again with each retry. Otherwise a retry after a lost answer may find its own lock and report that the value is taken. DynamoDB remembers a token for 10 minutes.",
		"A new account also has your other attributes. If your transaction has other actions, such as other locks of the account, keep them in it.",
		"An account without a value has no lock: leave out the action on it. To give it a value, replace the condition on the old value by attribute_not_exists.")
	if v := p.Account.Version; v != "" {
		all = append(all, "Your application counts writes in "+phrase.Quote(v)+": raise it in the action on the account, and keep your condition on it.")
	}
	for _, d := range p.Account.Derived {
		for _, name := range d.Of() {
			if name == p.Constraint.Attribute {
				all = append(all, "The key attribute "+phrase.Quote(d.Attribute)+" is made of the value: set it in the same update.")
			}
		}
	}
	return all
}

// TimeCandidates says how many sampled accounts have a time in the candidate, and names the earliest and the latest
// time.
func TimeCandidates(c adopt.Candidate) string {
	return fmt.Sprintf("in %d of %s, from %s to %s", c.Has, phrase.Count(c.Of, "sampled account"), phrase.UTC(c.First), phrase.UTC(c.Last))
}

// BeforeJudging says in a sentence what the verification of the writers will cost.
func BeforeJudging(r *adopt.Rule, units float64, index string) string {
	if index != "" {
		return "Reading the accounts since that time from the index " + index + ", and their locks. This writes nothing."
	}
	return fmt.Sprintf("Reading all items of %s once: about %s, and one more for each lock of a new or changed account. This writes nothing.",
		r.Table.Name, ReadUnits(rounded(units)))
}

// Judgement describes the result of verifying the writers, in sentences.
func Judgement(j *adopt.Judgement, constraint string) (all []string) {
	made := fmt.Sprintf("%s and %s changed since %s", phrase.Count(j.Made, "new account"), phrase.Number(j.Changed), phrase.UTC(j.Since))
	switch {
	case j.Without > 0:
		all = append(all, fmt.Sprintf("%s; %s without their lock. An old writer is still in use.", made, phrase.Number(j.Without)))
		for _, c := range j.Came {
			if c.Operation == adopt.Change {
				all = append(all, "An account counts as changed if its update time is new. Other changes may set this time, too. Then the account counts as changed, although its "+constraint+" did not change. In this case, leave the update time out, and confirm the changes yourself.")
				break
			}
		}
	case j.TooFew():
		all = append(all, fmt.Sprintf("Too few: %s; needed: %d new or %[2]d changed. Each has its lock so far. Try again later.", made, adopt.EnoughAccounts))
	default:
		all = append(all, made+"; each has its lock.")
	}
	if names := Operations(j.NotVerified); names != "" && !j.TooFew() && j.Without == 0 {
		why := fmt.Sprintf("Fewer than %d judged accounts show these operations, or no account attribute has their times.", adopt.EnoughAccounts)
		if n := j.Doubtful(); n > 0 {
			why = "Another writer may have made or changed " + phrase.Count(n, "account") + " that tallylock could not judge."
		} else if j.Index != "" {
			why = "Another writer may have made or changed accounts in partitions that were not read."
		}
		all = append(all, fmt.Sprintf("Not verified: %s. %s", names, why))
	}
	all = append(all, "Deletions leave no account, so they are not verified. If a deletion leaves its lock, a later check finds an orphaned-lock.")
	for _, one := range []struct {
		n    int64
		text string
	}{
		{j.Untimed, "without a readable time: not judged"},
		{j.Future, "with a time in the future: not judged"},
		{j.Zoneless, "with a time without a zone: read as UTC"},
		{j.Valueless, "without a value that needs a lock"},
		{j.Backfilled, "changed since, with a lock from a backfill: not judged, because this lock does not show whether the value changed"},
		{j.Unsettled, "changed again during the reading: not judged"},
		{j.Unread, "without a lock in the first reading: too many to read again, so not judged"},
	} {
		if one.n > 0 {
			all = append(all, phrase.Count(one.n, "account")+" "+one.text+".")
		}
	}
	if j.Index != "" {
		all = append(all, "Only the accounts in "+partitionOf(j.Index, j.Partition)+" were read.")
	}
	return all
}

// partitionOf names a partition of an index.
func partitionOf(index, partition string) string {
	return "the partition " + phrase.Quote(partition) + " of the index " + index
}

// CameWithout describes the lock of a value whose account was made or changed without it.
func CameWithout(c adopt.Came) string {
	switch {
	case c.Backfilled:
		return "a backfill put the lock later"
	case c.Owner != "":
		return "the lock names " + c.Owner
	}
	return "no lock"
}

// LanguageName is the name of a language of the transactions.
func LanguageName(language string) string {
	return map[string]string{"json": "JSON", "go": "Go", "python": "Python", "javascript": "JavaScript"}[language]
}
