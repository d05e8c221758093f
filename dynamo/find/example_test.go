package find_test

import (
	"context"
	"fmt"

	"tallylock/dynamo"
	"tallylock/dynamo/demo"
	"tallylock/dynamo/find"
)

// Find finds the accounts and locks of a value, with a verdict for each lock.
func Example() {
	ctx := context.Background()
	sample, err := demo.New(ctx) // the sample tables are inside this process
	if err != nil {
		fmt.Println(err)
		return
	}
	conn, err := dynamo.Connect(ctx, sample.Options())
	if err != nil {
		fmt.Println(err)
		return
	}
	table, err := conn.Open(ctx, demo.Table)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, query := range []string{"ada", "alan"} {
		answer, err := find.Find(ctx, table, query, find.Options{Scan: true})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(query)
		for _, rel := range answer.Locks {
			fmt.Printf("  %s %s: %s", rel.Constraint.Name, rel.Verdict, rel.Sentence())
			if rel.Provisional {
				fmt.Print(" (provisional)")
			}
			fmt.Println()
		}
	}
	// Output:
	// ada
	//   email free: The email "ada" is free.
	//   username held: ACCT#a1f9c3 holds the username "ada" and its lock.
	// alan
	//   email free: The email "alan" is free.
	//   username orphaned: No account holds the username "alan", but its lock exists. (provisional)
}
