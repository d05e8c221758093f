package ui_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
)

// item reads an item directly from the engine.
func item(t *testing.T, s *setup, table, pk, sk string) map[string]types.AttributeValue {
	t.Helper()
	out, err := s.demo.App().GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: aws.String(table), Key: map[string]types.AttributeValue{"PK": sdk.S(pk), "SK": sdk.S(sk)}, ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.Item
}

func stringOf(v types.AttributeValue) string {
	if s, ok := v.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

// to goes from problem to problem until the selected row contains the text.
func (term *terminal) to(what string) {
	term.t.Helper()
	for !strings.Contains(row(term.screen(), "▸"), what) {
		before := row(term.screen(), "▸")
		term.press("n")
		term.until("another row", func(s string) bool {
			if strings.Contains(s, "the top again") {
				term.t.Fatalf("there is no %s:\n%s", what, s)
			}
			return row(s, "▸") != before
		})
	}
}

// agree presses the button of the open dialog and waits for the outcome.
func (term *terminal) agree(button string) {
	term.t.Helper()
	term.press("<tab>")
	term.see("▸ " + button)
	term.press("<enter>")
	term.see("✓ Applied")
}

func TestMendAMissingLock(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.see("confirmed")
	term.to("hopper")
	term.see("○ missing", "m mend")
	term.press("m")
	term.see("Put a missing lock", "UNIQ#HANDLE#hopper / LOCK", `"hopper"`, "▸ No, leave it")
	term.agree("Put the lock")
	if lock(t, s, "UNIQ#HANDLE#hopper") == nil {
		t.Error("there is no lock")
	}
	term.press("<enter>")
	term.until("the lock", func(s string) bool { return strings.Contains(row(s, "hopper ─"), "● held") })
}

func TestMendAForeignLock(t *testing.T) {
	s := onDemo(t)
	s.options.Table = "members"
	term := s.run(t)
	term.see("whole table")
	term.to("mhamilton")
	term.press("m")
	term.see("Give a lock its owner", "UNIQ#HANDLE#mhamilton / LOCK", "▸ No, leave it")
	term.agree("Give it to MEM#07be3a")
	if got := stringOf(item(t, s, "members", "UNIQ#HANDLE#mhamilton", "LOCK")["memberId"]); got != "MEM#07be3a" {
		t.Errorf("the lock names %q", got)
	}
}

// If an account and its lock have different spellings of a value, one change replaces the lock.
func TestMendALockInAnotherSpelling(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "ours", Tables: []string{"accounts"}, Accounts: []config.Account{{
			PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{{Name: "email", Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}},
		}}}}
	})
	for _, item := range []map[string]types.AttributeValue{
		{"PK": sdk.S("ACCT#77bc01"), "SK": sdk.S("PROFILE"), "email": sdk.S("Radia@Example.net")},
		{"PK": sdk.S("UNIQ#EMAIL#radia@example.net"), "SK": sdk.S("LOCK")},
	} {
		s.put(t, "accounts", item)
	}
	term := s.run(t)
	term.see("confirmed")
	term.to("Radia@Exa")
	term.press("m")
	term.see("Replace a lock", "UNIQ#EMAIL#Radia@Example.net", "UNIQ#EMAIL#radia@example.net")
	term.see("▸ No, leave it")
	term.agree("Replace the lock")
	if lock(t, s, "UNIQ#EMAIL#Radia@Example.net") == nil || lock(t, s, "UNIQ#EMAIL#radia@example.net") != nil {
		t.Error("the locks are not what they should be")
	}
}

func TestWhatIsNotMended(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	term.press("m")
	term.see("The lock is in order.")
	term.to("= duplicate")
	term.see("accounts  ACCT#ee07d4 and ACCT#07be3a")
	term.press("m")
	term.see(`A person must decide who keeps "margaret.hamilton@draper.test".`)
	term.press("g")
	term.to("! malformed")
	term.press("m")
	term.see("Repair the program that wrote this lock, then release the lock.")
}

// One change changes a value and its lock.
func TestChangeAValue(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.ask("ada")
	term.press("e")
	term.see("Change a value", `ACCT#a1f9c3 has the username "ada". Type another.`)
	term.press("ewd<tab>")
	term.see(`✗`, "ACCT#e2a90b") // another account holds it
	term.press("<shift+tab><ctrl+u>countess")
	term.see("shows the change.")
	term.press("<tab>")
	term.see(`ACCT#a1f9c3 gets the username "countess" instead of "ada".`, "UNIQ#HANDLE#countess / LOCK", "UNIQ#HANDLE#ada / LOCK")
	term.press("<tab>")
	term.see("▸ No, leave it")
	term.agree("Change it")
	if got := stringOf(item(t, s, "accounts", "ACCT#a1f9c3", "PROFILE")["username"]); got != "countess" {
		t.Errorf("the account holds %q", got)
	}
	if lock(t, s, "UNIQ#HANDLE#countess") == nil || lock(t, s, "UNIQ#HANDLE#ada") != nil {
		t.Error("the locks are not what they should be")
	}
}

// The dialog that changes a value begins with the account's own spelling. Typing replaces this text, and the cursor
// keys edit it.
func TestAChangeBeginsWithTheCurrentValue(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]string{
		"<end>x":     "Grace@X.iox",
		"<home>x":    "xGrace@X.io",
		"new@x.io":   "new@x.io",
		"<end>":      "", // the value is unchanged
		"Grace@X.io": "",
	} {
		t.Run(keys, func(t *testing.T) {
			s := onDemo(t, func(o *dynamo.Options) {
				o.Layouts = []config.Layout{{Name: "folds", Tables: []string{"accounts"}, Accounts: []config.Account{{
					PK: "ACCT#{id}", SK: "PROFILE",
					Constraints: []config.Constraint{{Attribute: "email", Normalise: []string{"lower"}, PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}},
				}}}}
			})
			s.put(t, "accounts", sdk.Item{"PK": sdk.S("ACCT#spelt"), "SK": sdk.S("PROFILE"), "email": sdk.S("Grace@X.io")},
				sdk.Item{"PK": sdk.S("UNIQ#EMAIL#grace@x.io"), "SK": sdk.S("LOCK")})
			term := s.run(t)
			term.ask("grace@x.io")
			term.press("e")
			term.see(`ACCT#spelt has the email "grace@x.io". Type another.`, "│  to        Grace@X.io ")
			term.press(keys + "<tab>")
			if want == "" {
				term.see("Type another.")
				return
			}
			term.see(`ACCT#spelt gets the email "` + want + `" instead of`)
		})
	}
}

// On an account's item, no value is selected, so the dialog asks which value to change.
func TestChangeOneOfSeveralValues(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.ask("ada")
	term.press("<enter>")
	term.see("ATTRIBUTE", "▸ PK")
	term.press("e")
	term.see("how       ▸ email    username", `has the email "ada@lovelace.io"`)
	term.press("<shift+tab><right>")
	term.see(`has the username "ada"`, "choose")
	term.press("<tab>countess<tab>")
	term.see(`gets the username "countess"`)
	term.press("<esc>")
	term.see("Nothing was changed.")
}

// An account is deleted with all its locks, after a person has typed its id.
func TestDeleteAnAccount(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.ask("ada")
	term.press("D")
	term.see("Delete an account", "ACCT#a1f9c3 / PROFILE", "UNIQ#EMAIL#ada@lovelace.io / LOCK", "the id to enable Delete", "▸ No, leave it")
	term.press("<tab>")
	term.see("the reason, for the journal")
	term.press("<tab>a1f9c3<tab>")
	term.see("▸ No, leave it")
	term.agree("Delete the account")
	for _, pk := range []string{"UNIQ#EMAIL#ada@lovelace.io", "UNIQ#HANDLE#ada"} {
		if lock(t, s, pk) != nil {
			t.Errorf("%s is still there", pk)
		}
	}
	if item(t, s, "accounts", "ACCT#a1f9c3", "PROFILE") != nil {
		t.Error("the account is still there")
	}
}

// One dialog raises a counter, reserves numbers, and lowers the counter. To lower it, a person must type its name.
func TestWaysOfChangingACounter(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.onCounter("order_id")
	ways := "<shift+tab><shift+tab><shift+tab>"
	term.press("+")
	term.see("goes from 5,000 up to 5,001", "▸ No, leave it")
	term.press(ways + "<right>")
	term.see("Reserve numbers", "Reserves 5,001 of order_id")
	term.press("<tab><ctrl+u>3<tab><tab>")
	term.see("5,001 to 5,003", "▸ No, leave it")
	term.agree("Reserve 3 numbers")
	term.see("5,001 to 5,003 of order_id are yours alone")
	term.press("<enter>")

	term.press("+")
	term.see("goes from 5,003 up to 5,004", "▸ No, leave it")
	term.press(ways + "<right><right>")
	term.see("Type a number.")
	term.press("<tab>4999")
	term.see("✗ The counter order_id is already at 5,003")
	term.press("<ctrl+u>6000<tab><tab>")
	term.see("goes from 5,003 up to 6,000", "▸ No, leave it")
	term.agree("Raise to 6,000")
	term.press("<enter>")

	term.press("+")
	term.see("goes from 6,000 up to 6,001", "▸ No, leave it")
	term.press(ways + "<left>")
	term.see("Lower a counter", "Type a number.")
	term.press("<tab>5003<tab>")
	term.see("goes from 6,000 down to 5,003", "to enable Lower")
	term.press("<tab>order_id<tab>")
	term.see("▸ No, leave it")
	term.agree("Lower to 5,003")
}

// A counter with a text gets a number that a person types, from the list or from its item. The dialog shows no error
// before the first letter.
func TestMendACounter(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.see("VERDICT", "● held")
	term.press("3")
	term.see("badges", "# not a number", "RU/s")
	term.press("j")
	term.until("the row", func(s string) bool { return strings.Contains(row(s, "▸"), "badges") })
	term.press("<enter>")
	term.see("ATTRIBUTE", `It holds "A-1007", which is not stored as a number`, "counter   badges")
	term.press("+")
	term.see(`It holds "A-1007", which is not a whole number: m mends it.`)
	term.press("m")
	if frame := term.see("Turn it into a number", "Type the new number", "for example 1007"); strings.Contains(frame, "✗") {
		t.Errorf("nothing was typed, and it is said to be wrong:\n%s", frame)
	}
	term.press("1007<tab>")
	term.see("badges", "1007", "the name to enable Set")
	term.press("<tab>badges<tab>")
	term.see("▸ No, leave it")
	term.agree("Set it to 1,007")
	term.press("<enter>")
	term.see("1,007 is the last number handed out")
	term.press("<esc>")
	term.until("the number", func(s string) bool { return strings.Contains(row(s, "▸"), "1,007") })
}

// If the config requires a reason, no change is possible without it.
func TestReasonNeeded(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) { o.RequireReason = true })
	term := s.run(t)
	term.ask("alan")
	term.press("r")
	term.see("▸ No, leave it", "the reason: it is required")
	term.press("<tab>ticket<tab>") // tab skips the button, which is off, and reaches the reason
	term.see("ticket", "▸ No, leave it")
	term.agree("Release the lock")
}

// After a denied change, actions that need the permission are off until the table is read again. The reason names the
// permission.
func TestDeniedPermissionShutsTheAction(t *testing.T) {
	f := &faults{deny: map[string]bool{"TransactWriteItems": true}}
	s := onDemo(t, withFaults(f))
	term := s.run(t)
	term.see("confirmed")
	term.to("hopper")
	term.press("m")
	term.see("▸ No, leave it", "price")
	term.press("<tab><enter>")
	term.see("Denied", "dynamodb:UpdateItem")
	term.press("<tab><enter>")
	term.gone("Denied")
	term.press("m")
	term.see("The permission dynamodb:PutItem is denied here.")
	f.set(func(f *faults) { f.deny = nil })
	term.press("<ctrl+r>")
	term.see("confirmed")
	term.press("m")
	term.see("▸ No, leave it", "price")
}

// A release first marks its lock. If the mark was denied, all releases are off, on every screen.
func TestDeniedMarkShutsReleases(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) {
		next := o.Transport
		o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			if !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".TransactWriteItems") {
				return next.RoundTrip(r)
			}
			body := `{"__type":"com.amazon.coral.service#AccessDeniedException","message":"User: sam is not authorized to perform: dynamodb:UpdateItem on resource: accounts"}`
			return embedded.Respond(r, http.StatusBadRequest, []byte(body)), nil
		})
	})
	const denied = "The permission dynamodb:UpdateItem is denied here."
	term := s.run(t)
	term.see("confirmed")
	term.to("turing")
	term.press("r")
	term.see("▸ No, leave it", "price")
	term.press("<tab><enter>")
	term.see("Denied", "dynamodb:UpdateItem")
	term.press("<tab><enter>")
	term.gone("Denied")
	term.press("r")
	term.see(denied)
	term.press("g")
	term.gone(denied)
	term.to("turing")
	term.press("m")
	term.see(denied)
	term.press("4")
	term.see("✓ Checked", "turing")
	term.gone(denied)
	term.press("g")
	term.to("turing")
	term.press("r")
	term.see(denied)
}

// A person can see the request before it is sent.
func TestShowTheRequest(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	term.to("hopper")
	term.press("m")
	term.see("▸ No, leave it", "price", "ctrl+o request")
	term.press("<ctrl+o>")
	term.see("The request", "TransactWriteItems, recreate", `"Item": {"PK":{"S":"UNIQ#HANDLE#hopper"},"SK":{"S":"LOCK"}}`)
	term.press("G")
	term.see("ClientRequestToken")
	term.press("<esc>")
	term.see("▸ No, leave it")
	term.press("<esc>")
	term.see("Nothing was changed.")
}
