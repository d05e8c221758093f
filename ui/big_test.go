package ui_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
)

// large returns the demo with a table that is larger than AutoReadUnits allows.
func large(t *testing.T) *setup {
	t.Helper()
	// The accounts below have no locks, so the layout must be named.
	s := onDemo(t, func(o *dynamo.Options) { o.AutoReadUnits, o.Asked, o.Layout = 0.5, true, "uniq" })
	for batch := range 40 {
		var puts []types.WriteRequest
		for n := range 25 {
			puts = append(puts, types.WriteRequest{PutRequest: &types.PutRequest{Item: map[string]types.AttributeValue{
				"PK": sdk.S(fmt.Sprintf("ACCT#more%04d", batch*25+n)), "SK": sdk.S("PROFILE"), "username": sdk.S(fmt.Sprintf("more%04d", batch*25+n)),
			}}})
		}
		if _, err := s.demo.App().BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"accounts": puts}}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// If a table is larger than AutoReadUnits allows, more rows are read when the cursor comes near the last row. The line
// under the list shows how much was read.
func TestALargeTableIsReadAsTheCursorGoes(t *testing.T) {
	term := large(t).run(t)
	term.see("% read")
	term.quiet()
	first := term.see("% read · provisional", "1 of")
	if !strings.ContainsAny(row(first, "provisional"), "━╸") {
		t.Errorf("the line is thin although the table is not read:\n%s", first)
	}
	for !strings.Contains(term.screen(), "whole table") {
		before := row(term.screen(), " of ")
		term.press("G")
		term.until("the end, or more rows", func(s string) bool { return row(s, " of ") != before || strings.Contains(s, "whole table") })
	}
	term.see(" of 1,072 · 46 problems")
	term.resize(140, 24)
	term.see("whole table, 1,104 items")
}

// If DynamoDB denies a write, the screen names the missing permission.
func TestDeniedWrite(t *testing.T) {
	f := &faults{deny: map[string]bool{"TransactWriteItems": true}}
	s := onDemo(t, withFaults(f))
	term := s.run(t)
	term.asksRelease()
	term.press("<tab><enter>")
	term.see("Denied", "dynamodb:UpdateItem", "▸ Look again")
	if lock(t, s, "UNIQ#HANDLE#alan") == nil {
		t.Error("the lock is gone")
	}
}
