package ui_test

import (
	"context"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
)

// remove deletes an item, as an application does.
func (s *setup) remove(t *testing.T, table, pk, sk string) {
	t.Helper()
	_, err := s.demo.App().DeleteItem(context.Background(), &dynamodb.DeleteItemInput{TableName: aws.String(table), Key: map[string]types.AttributeValue{
		"PK": &types.AttributeValueMemberS{Value: pk}, "SK": &types.AttributeValueMemberS{Value: sk},
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// accountAt returns the partition key of the selected account.
func accountAt(term *terminal) string {
	for _, word := range strings.Fields(row(term.shown(), "▸")) {
		if strings.HasPrefix(word, "ACCT#") {
			return word
		}
	}
	return ""
}

// If a table has lost rows above the cursor when it is read again, the cursor stays on its item. If the item itself is
// gone, the next key has no effect on its neighbour.
func TestTheCursorStaysOnItsItem(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.see("confirmed")
	before := accountAt(term)
	term.press("jjjjj")
	term.until("another account", func(string) bool { at := accountAt(term); return at != "" && at != before })
	mine := accountAt(term)
	s.remove(t, "accounts", before, "PROFILE")
	term.press("<ctrl+r>")
	term.until("the same account", func(string) bool { return accountAt(term) == mine })
	term.see("confirmed")
	if got := accountAt(term); got != mine {
		t.Errorf("the cursor is on %s, and was on %s", got, mine)
	}

	s.remove(t, "accounts", mine, "PROFILE")
	term.press("<ctrl+r>")
	term.see("The selected row is gone.")
	for _, key := range []string{"D", "e", "r", "m", "<enter>", "y", "c", "o"} {
		term.press(key)
		term.see("Nothing is selected: the row is gone.")
	}
	term.press("j")
	term.until("a row is selected", func(frame string) bool { return row(frame, "▸") != "" })
}

// If a change is refused because its lock has disappeared or appeared, the rows are read again.
func TestARefusalUpdatesTheRows(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.see("confirmed")
	term.press("n")
	term.see("No account holds the username \"alan\", but its lock exists.")
	s.remove(t, "accounts", "UNIQ#HANDLE#alan", "LOCK")
	term.press("r")
	term.see("There is no lock UNIQ#HANDLE#alan")
	term.press("<enter>")
	term.until("the row is gone", func(frame string) bool { return !strings.Contains(frame, "UNIQ#HANDLE#alan ") })
	term.press("n")
	term.see("which has no lock")
	s.put(t, "accounts", sdk.Item{"PK": sdk.S("UNIQ#HANDLE#hopper"), "SK": sdk.S("LOCK")})
	term.press("m")
	term.see("The lock UNIQ#HANDLE#hopper / LOCK exists.")
	term.press("<enter>")
	term.see("ACCT#b77e02 holds the username \"hopper\" and its lock.")
}

// The cursor also stays on its lock.
func TestTheCursorStaysOnItsLock(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.see("confirmed")
	term.press("2jjjj")
	term.see("UNIQ#EMAIL#")
	mine := ""
	for _, word := range strings.Fields(row(term.shown(), "▸")) {
		if strings.Contains(word, "@") {
			mine = word
		}
	}
	s.remove(t, "accounts", "UNIQ#EMAIL#"+mine, "LOCK")
	term.press("<ctrl+r>")
	term.see("The selected row is gone.")
	term.press("<enter>")
	term.see("Nothing is selected: the row is gone.")
}

// After the change of a value, its row or the row of its new lock is selected. The same holds after the undo.
func TestTheCursorGoesToTheNewValue(t *testing.T) {
	t.Parallel()
	for list, keys := range map[string]string{"accounts": "", "locks": "2jj"} {
		t.Run(list, func(t *testing.T) {
			s := onDemo(t, func(o *dynamo.Options) {
				o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"accounts"}, Accounts: []config.Account{{
					PK: "ACCT#{id}", SK: "PROFILE",
					Constraints: []config.Constraint{{Attribute: "email", Normalise: []string{"lower"}, PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}},
				}}}}
			})
			term := s.run(t)
			term.see("confirmed")
			term.press(keys)
			on := func(value string) {
				t.Helper()
				term.until("the cursor on "+value, func(frame string) bool {
					return strings.Contains(row(frame, "▸"), " "+value+" ") && strings.Contains(frame, "ACCT#a1f9c3 holds")
				})
			}
			on("ada@lovelace.io")
			term.press("e")
			term.see("Type another.")
			term.press("Zuse@X.io<tab>")
			term.see("price")
			term.press("<tab>")
			term.agree("Change it")
			term.press("<enter>")
			on("zuse@x.io")
			term.press("u")
			term.see("Undo it", "price", "Changes the email of ACCT#", " back from \"")
			term.agree("Undo it")
			term.press("<enter>")
			on("ada@lovelace.io")
		})
	}
}
