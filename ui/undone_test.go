package ui_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
)

// onCounter goes to a counter of the demo.
func (term *terminal) onCounter(name string) {
	term.t.Helper()
	term.see("VERDICT", "● held")
	term.press("3")
	term.see(name, "RU/s")
	for !strings.Contains(row(term.screen(), "▸"), name) {
		before := row(term.screen(), "▸")
		term.press("j")
		term.until("the next row", func(s string) bool { return row(s, "▸") != before })
	}
}

// count raises order_id by one, as an application does.
func (s *setup) count(t *testing.T) {
	t.Helper()
	if _, err := s.demo.App().UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String("order_id"), Key: map[string]types.AttributeValue{"id": sdk.N("0")},
		UpdateExpression:          aws.String("ADD order_number :one"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":one": sdk.N("1")},
	}); err != nil {
		t.Fatal(err)
	}
}

// If an application has raised a counter after a bump, the bump cannot be undone. The result, the screen and the
// journal say why, and do not offer the undo.
func TestNoUndoOfACounterThatMoved(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.onCounter("order_id")
	term.press("+")
	term.see("goes from 5,000 up to 5,001", "▸ No, leave it")
	term.agree("Bump to 5,001")
	term.see("u lowers the counter again, if nobody has")
	s.count(t)
	const why = "order_id is now at 5,002, but this change set it to 5,001"
	if frame := term.see("stays", why[:40]); strings.Contains(frame, "u undo") || strings.Contains(frame, "lowers the counter again") {
		t.Errorf("it is offered all the same:\n%s", frame)
	}
	term.press("u")
	term.see("✓ Applied")
	term.press("<enter>")
	term.gone("Applied")
	term.press("u")
	term.see("is now at 5,002")
	term.press("5")
	if frame := term.see("applied", why[:40]); strings.Contains(frame, "u undo") {
		t.Errorf("the journal offers it all the same:\n%s", frame)
	}
}

// A repair that put a missing lock cannot be undone while the account still holds the value.
func TestNoUndoOfALockThatIsHeld(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.see("confirmed")
	term.to("hopper")
	term.press("m")
	term.see("Put a missing lock", "▸ No, leave it")
	term.agree("Put the lock")
	if frame := term.see("stays", `holds the username "hopper"`); strings.Contains(frame, "u undo") {
		t.Errorf("it is offered all the same:\n%s", frame)
	}
}

// If the commands of tallylock can reach the table, a receipt contains the command for the undo.
func TestAReceiptNamesTheCommandThatUndoesIt(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) { o.Region = "eu-central-1" })
	s.w, s.h = 120, 40
	term := s.run(t)
	term.see("confirmed")
	term.asksRelease()
	term.agree("Release the lock")
	term.see("u puts the lock back", "tallylock undo R-")
	term.press("<enter><esc>5")
	term.see("PLAN", "tallylock undo R-")
	term.press("<enter>")
	term.see("RESULT", "tallylock undo R-")
}

// After a change on any screen, the count of findings is correct once the table has been read again.
func TestTheCountOfFindingsAfterAChange(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.see("4 findings (6)")
	term.asksRelease()
	term.agree("Release the lock")
	term.see("Applied")
	term.press("<enter><esc>")
	term.see("4 findings (5) ", "VERDICT")
	term.press("5")
	term.see("applied")
	term.press("u")
	term.see("▸ No, leave it")
	term.agree("Put the lock back")
	term.see("Applied")
	term.press("<enter>")
	term.see("4 findings (6) ")
	term.press("4")
	term.see("✓ Checked", "4 findings (6) ")
	term.press("1")
	term.asksRelease()
	term.agree("Release the lock")
	term.see("Applied")
	term.press("<enter><esc>")
	term.see("4 findings (6?) ")
}
