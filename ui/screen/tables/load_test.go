package tables

import (
	"context"
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/demo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// The screen is too slow to take each report of a list of many tables. The end of the list brings all of them.
func TestDroppedReportsOfAListAreTakenAtItsEnd(t *testing.T) {
	t.Parallel()
	const many = 300 // more than the reports that may wait
	d, err := demo.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for n := range many {
		name := fmt.Sprintf("t%03d", n)
		if err := sdk.Fill(t.Context(), d.App(), sdk.Table(name, "PK:S"), sdk.Item{"PK": sdk.S("x")}); err != nil {
			t.Fatal(err)
		}
	}
	conn, err := dynamo.Connect(t.Context(), d.Options())
	if err != nil {
		t.Fatal(err)
	}
	in := session.New(context.Background(), session.Options{Connections: []session.Connection{{Connection: conn}}}, nil)
	t.Cleanup(in.Tasks.Close)
	on, cmd := Opener(in).Open(screen.Tables{Commands: func() []screen.Typed { return nil }}, nil)
	list, ok := cmd().(tea.BatchMsg)
	if !ok {
		t.Fatalf("%T", cmd())
	}
	done, ok := list[0]().(task.Done) // nobody takes the reports
	if !ok || !in.Tasks.Finish(done) {
		t.Fatal("the list has no end")
	}
	done.Apply()
	of := on.(*Screen).of[0]
	if len(of.opened) < many || len(of.names) < many {
		t.Errorf("%d tables have names, and %d are opened", len(of.names), len(of.opened))
	}
}
