package check_test

import (
	"context"
	"fmt"
	"slices"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/demo"
	"tallylock/dynamo/layout"
)

// A check reads the whole table, follows up the mismatches, and reports each finding as soon as it is certain.
func ExampleRun() {
	ctx := context.Background()
	d, err := demo.New(ctx)
	if err != nil {
		panic(err)
	}
	options := d.Options()
	options.Settle = 10 * time.Millisecond // no sign-up is slower here
	conn, err := dynamo.Connect(ctx, options)
	if err != nil {
		panic(err)
	}
	table, err := conn.Open(ctx, demo.Table)
	if err != nil {
		panic(err)
	}
	table.Layout.SetState(layout.Described) // as if the config described it; a guess confirms nothing
	var found []string
	sum, err := check.Run(ctx, table, setting.Options{}, func(f finding.Finding) {
		found = append(found, fmt.Sprintf("%s: %s %s, confirmed %v", f.Kind, f.Constraint, f.Value, f.Confirmed))
	}, nil)
	if err != nil {
		panic(err)
	}
	slices.Sort(found)
	for _, line := range found {
		fmt.Println(line)
	}
	fmt.Println("complete:", sum.Complete)
	// Output:
	// duplicate-value: email margaret.hamilton@draper.test, confirmed true
	// malformed-lock: email undefined, confirmed true
	// missing-lock: username hopper, confirmed true
	// orphaned-lock: email mel@oldmail.test, confirmed true
	// orphaned-lock: username alan, confirmed true
	// orphaned-lock: username turing, confirmed true
	// complete: true
}
