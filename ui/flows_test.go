package ui_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/schema"
	"tallylock/internal/testrun"
	"tallylock/keymap"
	"tallylock/ui"
	"tallylock/ui/session"
)

// put writes items, as an application does.
func (s *setup) put(t testing.TB, table string, items ...sdk.Item) {
	t.Helper()
	if err := sdk.Put(t.Context(), s.demo.App(), table, items...); err != nil {
		t.Fatal(err)
	}
}

// lock reads a lock of the demo's accounts directly from the engine.
func lock(t *testing.T, s *setup, pk string) map[string]types.AttributeValue {
	t.Helper()
	out, err := s.demo.App().GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: aws.String("accounts"),
		Key:       map[string]types.AttributeValue{"PK": sdk.S(pk), "SK": sdk.S("LOCK")}, ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.Item
}

// ask finds a value and waits for the answer.
func (term *terminal) ask(value string) {
	term.t.Helper()
	term.see("VERDICT", "● held")
	term.press("/")
	term.see("Or paste a list")
	term.press(value + "<enter>")
	term.see("answered in")
}

// asksRelease opens the dialog that releases an orphaned lock.
func (term *terminal) asksRelease() {
	term.t.Helper()
	term.ask("alan")
	term.press("r")
	term.see("▸ No, leave it", "price")
}

// This is the main task of a support person: find a value, release its lock, and see that the value is free.
func TestReleaseAStuckUsername(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.ask("alan")
	term.see(`No account holds the username "alan", but its lock exists.`, "r release the lock")
	term.press("r")
	term.see("▸ No, leave it", "UNIQ#HANDLE#alan / LOCK", "only if", "price")
	term.press("<shift+tab>ticket 48151<tab><tab>")
	term.see("▸ Release the lock", "ticket 48151")
	if lock(t, s, "UNIQ#HANDLE#alan") == nil {
		t.Fatal("the lock is gone before anybody agreed")
	}
	term.press("<enter>")
	frame := term.see("✓ Applied", `the username "alan" is free`, "proven", "every item was read", "receipt", "ticket 48151", "▸ Done")
	if strings.Contains(frame, "00:00:00") {
		t.Error("the outcome has no time")
	}
	if lock(t, s, "UNIQ#HANDLE#alan") != nil {
		t.Error("the lock is still there")
	}
	term.press("<enter>")
	term.gone("Applied")
	term.until("a free name", func(s string) bool { return strings.Contains(row(s, "username "), "□ free") })
	term.press("<esc>")
	term.see("5 problems")
}

// The dialog starts on No, and enter leaves everything as it is.
func TestReleaseStartsOnNo(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.asksRelease()
	term.press("<enter>")
	term.see("Nothing was changed.")
	if lock(t, s, "UNIQ#HANDLE#alan") == nil {
		t.Error("the lock is gone")
	}
}

// A new dialog ignores keys for a short time, because a person typed them for the screen.
func TestGrace(t *testing.T) {
	s := onDemo(t)
	s.grace = time.Hour
	term := s.run(t)
	term.asksRelease()
	term.press("<tab><enter>")
	term.press("<esc>") // esc always closes the dialog
	frame := term.see("Nothing was changed.")
	if strings.Contains(frame, "Applied") || lock(t, s, "UNIQ#HANDLE#alan") == nil {
		t.Error("a key in flight answered the dialog")
	}
}

// If a person signs up while the dialog is open, the reading before the deletion finds the new account.
func TestReleaseIsRefusedWhenTheNameIsTaken(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.asksRelease()
	s.put(t, "accounts", sdk.Item{
		"PK": sdk.S("ACCT#late"), "SK": sdk.S("PROFILE"), "email": sdk.S("late@example.net"), "username": sdk.S("alan"),
	})
	term.press("<tab><enter>")
	term.see("✗ Refused", "the lock stays", "ACCT#late", "▸ Look again")
	if lock(t, s, "UNIQ#HANDLE#alan")[schema.MarkAttribute] != nil {
		t.Error("the mark was left on the lock")
	}
	term.press("<enter>")
	term.until("the new holder", func(s string) bool { return strings.Contains(row(s, "username "), "● held") })
}

// A release that is stopped during its wait removes its mark.
func TestReleaseCanBeStopped(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) { o.Settle = time.Hour })
	term := s.run(t)
	term.asksRelease()
	term.press("<tab><enter>")
	term.see("Releasing a lock", "wait", "▸ Stop")
	if lock(t, s, "UNIQ#HANDLE#alan")[schema.MarkAttribute] == nil {
		t.Error("there is no mark while it waits")
	}
	term.press("<ctrl+c>") // cancels the release, but does not quit
	term.see("✗ Stopped", "the lock stays", "mark      removed", "Close")
	item := lock(t, s, "UNIQ#HANDLE#alan")
	if item == nil || item[schema.MarkAttribute] != nil {
		t.Errorf("the lock after stopping: %v", item)
	}
	term.press("<tab><enter>") // the button Close
	term.gone("Stopped")
	term.press("<ctrl+c>")
	term.exited()
}

// While a stopped release removes its mark, the stopped step has no tick.
func TestAStoppedStepHasNoTick(t *testing.T) {
	f := &faults{}
	s := onDemo(t, func(o *dynamo.Options) { o.Settle = time.Hour }, withFaults(f))
	term := s.run(t)
	term.asksRelease()
	term.press("<tab><enter>")
	term.see("Releasing a lock", "wait", "▸ Stop")
	gate := make(chan struct{})
	f.set(func(f *faults) { f.hold = map[string]chan struct{}{"TransactWriteItems": gate} })
	term.meanwhile("<ctrl+c>")
	term.see("Releasing a lock", "mark      ✓", "wait      stopped", "unmark")
	close(gate)
	term.see("✗ Stopped", "mark      removed")
	term.press("<esc>5")
	term.see("✗ stopped", "Stopped before the deletion: the mark is removed")
}

// A person types a value with control characters as the dialog shows it.
func TestAHostileValueCanBeTyped(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) { o.Guard = client.GuardType })
	s.put(t, "accounts", sdk.Item{"PK": sdk.S("UNIQ#HANDLE#a\nb\u202e"), "SK": sdk.S("LOCK")})
	term := s.run(t)
	term.see("confirmed")
	for !strings.Contains(row(term.screen(), "▸"), `a\nb\u202e`) {
		term.press("n")
	}
	term.press("r")
	term.see(`type      a\nb\u202e`, "the value to enable Release", "price")
	term.press("<shift+tab>" + `a\nb` + "<tab>")
	term.see("▸ No, leave it", "  Release the lock") // the text is incomplete
	term.press("<shift+tab>" + `\u202e` + "<tab><tab>")
	term.see("▸ Release the lock")
}

// With guard = "type", a release needs the typed value.
func TestTypedRelease(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) { o.Guard = client.GuardType })
	s.options.Connections[0].Production = true
	term := s.run(t)
	term.ask("alan")
	term.press("r")
	term.see("Release a lock in PRODUCTION", "price", "to enable Release")
	term.press("<tab><tab>ala<tab>")
	term.see("▸ No, leave it")
	term.press("<tab>because") // tab skips the button Release, which is off, and reaches the reason
	term.see("because")
	term.press("<tab>n<tab><tab>")
	term.see("▸ Release the lock")
	term.press("<enter>")
	term.see("✓ Applied")
}

func TestBump(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.onCounter("order_id")
	term.press("+")
	term.see("goes from 5,000 up to 5,001", "▸ No, leave it")
	term.press("<shift+tab><shift+tab>10")
	term.see("goes from 5,000 up to 5,010")
	term.press("<tab><tab><tab>")
	term.see("▸ Bump to 5,010")
	term.press("<enter>")
	term.see("✓ Applied", "order_id is at 5,010")
	term.press("<enter>")
	term.until("the new value", func(s string) bool { return strings.Contains(row(s, "▸"), "5,010") })
}

// If a typed number would raise a counter above 2^53, the dialog warns that JavaScript rounds such numbers.
func TestBumpPastWhatJavaScriptCounts(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("VERDICT", "● held")
	term.press("3")
	term.see("order_id", "5,000")
	for !strings.Contains(row(term.screen(), "▸"), "order_id") {
		term.press("j")
	}
	term.press("+")
	if frame := term.see("goes from 5,000 up to 5,001"); strings.Contains(frame, "JavaScript") {
		t.Errorf("it warns of nothing:\n%s", frame)
	}
	term.press("<shift+tab><shift+tab><ctrl+u>9007199254740000")
	term.see("up to 9,007,199,254,745,000", "mind", "passes 2^53", "JavaScript")
}

// For a counter that other programs change, the dialog warns that their own writes may fail once. For a counter that
// does not change, there is no warning.
func TestBumpOfACounterThatMoves(t *testing.T) {
	s := onDemo(t)
	s.h = 40
	term := s.run(t)
	term.onCounter("order_id")
	term.press("+")
	if frame := term.see("goes from 5,000 up to 5,001", "only if"); strings.Contains(frame, "simultaneous") {
		t.Errorf("nobody moves it:\n%s", frame)
	}
	term.press("<esc>")
	term.gone("only if")
	_, err := s.demo.App().UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String("order_id"), Key: map[string]types.AttributeValue{"id": sdk.N("0")},
		UpdateExpression:          aws.String("ADD order_number :one"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":one": sdk.N("1")},
	})
	if err != nil {
		t.Fatal(err)
	}
	term.until("the new value", func(s string) bool { return strings.Contains(row(s, "▸"), "5,001") })
	term.press("+")
	term.see("goes from 5,001 up to 5,002", "own write may fail once", "(details: ctrl+o).")
	term.press("<ctrl+o>")
	term.see("The request", "TransactionConflict")
}

// A number above 2^53 is never cut, and never becomes a float.
func TestBumpPastADouble(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.see("VERDICT", "● held")
	term.press("3")
	term.see("events", "9,007,199,254,741,993")
	term.press("jjj")
	term.see("▸ events")
	term.press("+")
	term.see("up to", "9,007,199,254,741,994")
	term.press("<tab><enter>")
	term.see("✓ Applied")
	term.press("<enter>")
	term.see("9,007,199,254,741,994 is exact")
}

func TestReadOnly(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) { o.Write = false })
	term := s.run(t)
	term.see("READ-ONLY", "confirmed")
	term.press("nr")
	term.see("Frees the username", "read-only; start with --write", "or save the plan (ctrl+s)")
	term.press("<tab><tab><enter>") // from No to the reason and back, because there is no Yes
	term.gone("Frees the username")
	for _, pk := range []string{"UNIQ#HANDLE#alan", "UNIQ#HANDLE#turing"} {
		if item := lock(t, s, pk); item == nil || item[schema.MarkAttribute] != nil {
			t.Errorf("%s: %v", pk, item)
		}
	}
	term.press("?")
	term.see("NOT HERE", "undo")
}

func TestOverriddenKeys(t *testing.T) {
	s := onDemo(t)
	keys, err := keymap.FromConfig(map[string][]string{"quit": {"Q"}, "next-problem": {"ctrl+n"}})
	if err != nil {
		t.Fatal(err)
	}
	s.options.Keys = keys
	term := s.run(t)
	term.see("confirmed")
	term.press("j")
	term.see("ctrl+n next problem")
	term.press("q<ctrl+n>")
	term.see("▸ no account")
	term.press("Q")
	term.exited()
}

// Both q and ctrl+c quit the program without an error.
func TestLeaving(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"q", "<ctrl+c>"} {
		t.Run(key, func(t *testing.T) {
			term := onDemo(t).run(t)
			term.see("confirmed")
			term.press(key)
			term.exited()
		})
	}
}

// ctrl+c stops a running task. Without a task, it quits.
func TestInterruptWhileOpening(t *testing.T) {
	f := &faults{hold: map[string]chan struct{}{"DescribeTable": make(chan struct{})}}
	s := onDemo(t, withFaults(f))
	term := s.run(t)
	term.see("Reading accounts at")
	term.meanwhile("<ctrl+c>")
	term.see("cancelled", "try again")
	term.press("<ctrl+c>")
	term.exited()
}

// If a person changes the tab while the table is opening, the tab stays.
func TestATabWaitsForTheTable(t *testing.T) {
	f := &faults{hold: map[string]chan struct{}{"DescribeTable": make(chan struct{})}}
	s := onDemo(t, withFaults(f))
	term := s.run(t)
	term.see("Reading accounts at")
	term.meanwhile("5")
	term.see("No changes yet")
	close(f.hold["DescribeTable"])
	term.quiet()
	term.see("No changes yet")
	term.press("1")
	term.see("VERDICT", "● held")
}

// If a table has a counter, opening the table shows the counters of all tables and selects this counter.
func TestATablesOwnCounterIsSelected(t *testing.T) {
	s := onDemo(t)
	s.options.Table = "order_id"
	term := s.run(t)
	term.see("▸ order_id", "NextIdTable")
	term.press("k")
	term.see("▸ donation-data")
	term.press(":table NextIdTable<enter>")
	term.see("▸ NextIdTable")
	term.press("j")
	term.gone("▸ NextIdTable")
	term.press(":table order_id<enter>")
	term.see("▸ order_id")
}

// The header shows the table of the item on the screen, even if another table is open.
func TestTheHeaderNamesTheItemsTable(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("› accounts", "confirmed")
	term.press("3")
	term.see("▸ NextIdTable")
	term.press("<enter>")
	term.see("embedded › NextIdTable", "ATTRIBUTE")
	term.press("<esc>1")
	term.see("› accounts", "VERDICT")
}

func TestCancelledContextEndsTheProgram(t *testing.T) {
	s := onDemo(t)
	ctx, cancel := context.WithCancel(t.Context())
	m, err := ui.New(ctx, s.options)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if receipt := m.Close(); receipt != nil {
		t.Errorf("a receipt of nothing: %v", receipt)
	}
}

// A table without a layout can be browsed, and the screen says what to do.
func TestNoLayout(t *testing.T) {
	s := onDemo(t)
	s.withSessions(t)
	term := s.run(t)
	term.see("! no layout", "Press a on an account", "0xbe0", "n: 123", "1 of 30")
	term.press("<enter>")
	term.see("ATTRIBUTE", "12345678901234567890123456789012345678", "38 digits, exact", `ada\x1b[2J`)
	term.press("<esc>/be1d")
	term.see("1 of 1 found")
}

// withSessions makes and opens a table that no layout fits.
func (s *setup) withSessions(t *testing.T) {
	t.Helper()
	app := s.demo.App()
	if _, err := app.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("sessions"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("sid"), AttributeType: types.ScalarAttributeTypeB}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("sid"), KeyType: types.KeyTypeHash}},
	}); err != nil {
		t.Fatal(err)
	}
	for n := range 30 {
		if _, err := app.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("sessions"), Item: map[string]types.AttributeValue{
			"sid": &types.AttributeValueMemberB{Value: []byte{0xbe, byte(n)}}, "user": sdk.S("ada\x1b[2J"), "n": sdk.N("12345678901234567890123456789012345678"),
		}}); err != nil {
			t.Fatal(err)
		}
	}
	s.options.Table = "sessions"
}

func TestEmptyTable(t *testing.T) {
	s := onDemo(t)
	if _, err := s.demo.App().CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("empty"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("PK"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash}},
	}); err != nil {
		t.Fatal(err)
	}
	s.options.Table = "empty"
	term := s.run(t)
	term.see("This table is empty.", ":      choose another table")
}

func TestNoSuchTable(t *testing.T) {
	s := onDemo(t)
	s.options.Table = "acounts"
	term := s.run(t)
	term.see("! no table", "There is no such table", "Check the table's name")
	term.press(":")
	term.see("locks, no owner")
	term.press("acc<enter>")
	term.see("ACCT#", "confirmed")
}

func TestTablesWithoutATable(t *testing.T) {
	s := onDemo(t)
	s.options.Table = ""
	term := s.run(t)
	term.see("type a table, or a command", "locks with owner")
	term.press("<esc>")
	term.see("This is the first screen: choose a table, or press ctrl+c to quit.")
	term.press("memb<enter>")
	term.see("MEM#", "whole table")
}

// If a permission is denied, the screen names it. Only actions that need the permission are off.
func TestDenied(t *testing.T) {
	f := &faults{deny: map[string]bool{"Scan": true}}
	s := onDemo(t, withFaults(f))
	term := s.run(t)
	term.until("a state", func(s string) bool { return strings.Contains(s, "denied") || strings.Contains(s, "no layout") })
	term.see("dynamodb:Scan", "STILL WORKS")
	term.press("3")
	term.see("order_id")
}

// If the endpoint becomes unreachable, the data stays on the screen. The program reconnects by itself.
func TestOffline(t *testing.T) {
	f := &faults{}
	s := onDemo(t, withFaults(f))
	s.options.Refresh = 10 * time.Millisecond
	term := s.run(t)
	term.see("VERDICT", "● held")
	term.press("3")
	term.see("order_id", "RU/s")
	f.set(func(f *faults) { f.down = true })
	term.see("OFFLINE", "order_id", "this is earlier data", "tries again")
	f.set(func(f *faults) { f.down = false })
	term.press("<enter>")
	term.gone("OFFLINE")
	term.see("RU/s")
}

// If the answer to a change is lost, the screen says so.
func TestLostAnswer(t *testing.T) {
	f := &faults{}
	s := onDemo(t, withFaults(f))
	term := s.run(t)
	term.see("VERDICT", "● held")
	term.press("3")
	term.see("order_id", "5,000")
	term.press("G")
	term.until("the last row", func(s string) bool { return strings.Contains(row(s, "▸"), "posts") })
	term.press("k")
	term.until("orders", func(s string) bool { return strings.Contains(row(s, "▸"), "order_id") })
	term.press("+")
	term.see("goes from 5,000 up to 5,001")
	f.set(func(f *faults) { f.lose = map[string]bool{"TransactWriteItems": true} })
	term.press("<tab><enter>")
	term.until("an answer to get lost", func(s string) bool { return strings.Contains(s, "▸ Stop") && f.lost.Load() > 0 })
	term.press("<esc>")
	term.see("? Not known", "the answer was lost", "▸ Look again")
	f.set(func(f *faults) { f.lose = nil })
	term.press("<enter>")
	term.until("what became of it", func(s string) bool { return strings.Contains(row(s, "▸"), "5,001") })
}

func TestMain(m *testing.M) {
	// These settings of the machine would change the golden files.
	for _, name := range []string{"NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG"} {
		_ = os.Unsetenv(name)
	}
	testrun.Isolate()
	testrun.SideBySide("12")
	os.Exit(m.Run())
}

// A query can be stopped, and stays in the field for another try.
func TestFindCanBeStopped(t *testing.T) {
	f := &faults{}
	s := onDemo(t, withFaults(f))
	term := s.run(t)
	term.see("confirmed")
	f.set(func(f *faults) { f.hold = map[string]chan struct{}{"BatchGetItem": make(chan struct{})} })
	term.press("/")
	term.see("then press enter")
	term.press("alan<enter>")
	term.see("Looking for the holder of alan")
	term.meanwhile("<esc>")
	term.see("Stopped.", "/ alan")
	f.set(func(f *faults) { f.hold = nil })
	term.press("<enter>")
	term.see("answered in")
}

// A second connection is chosen among the tables. Production is visible before and after its table is opened.
func TestSecondConnection(t *testing.T) {
	s := onDemo(t)
	o := s.demo.Options()
	o.Name, o.Write = "support", false
	conn, err := dynamo.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	s.options.Connections = append(s.options.Connections, session.Connection{Connection: conn, Production: true})
	term := s.run(t)
	term.see("● held")
	term.press(":")
	term.see("2 connections, 14 tables", "type a table, or a command")
	term.press("support acc")
	term.see("▸ ▎support", "PRODUCTION", "support opens read-only.", "RU.")
	term.press("<enter>")
	term.see("tallylock  PRODUCTION  support › embedded › accounts", "READ-ONLY", "confirmed")
	term.press("nr")
	term.see("read-only; start with --write")
}
