package change_test

import (
	"context"
	"fmt"
	"math/big"
	"os"
	"path/filepath"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/demo"
)

// The plan of a change says in words what the change will do. Planning only reads. Apply then writes the change into
// the journal, and sends it.
func Example() {
	ctx := context.Background()
	sample, err := demo.New(ctx) // tables within this process
	if err != nil {
		fmt.Println(err)
		return
	}
	conn, err := dynamo.Connect(ctx, sample.Options())
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "journal")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	journal, err := journal.Open(filepath.Join(dir, "journal.jsonl"))
	if err != nil {
		fmt.Println(err)
		return
	}
	changer := &change.Changer{Journal: journal, Who: "sam"}

	// Take three numbers of a counter.
	orders, err := conn.Open(ctx, "order_id")
	if err != nil {
		fmt.Println(err)
		return
	}
	counters, _, err := counter.Read(ctx, orders)
	if err != nil {
		fmt.Println(err)
		return
	}
	planned, err := planner.Bump(ctx, counters[0], big.NewInt(3))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(planned.Sentence)
	receipt := changer.Apply(ctx, planned, nil)
	fmt.Println(receipt.Outcome, receipt.Before, receipt.After)
	records, err := journal.Records()
	if err != nil {
		fmt.Println(err)
		return
	}
	written, err := plan.Load(records[0])
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(written.Plan)

	// Plan the release of a lock that no account claims, but do not apply the plan.
	accounts, err := conn.Open(ctx, "accounts")
	if err != nil {
		fmt.Println(err)
		return
	}
	lock, err := accounts.LockOf(ctx, "username", "alan", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	release, err := planner.Release(ctx, accounts, lock, false)
	if err != nil {
		fmt.Println(err) // a *plan.Refusal if an account holds the value
		return
	}
	fmt.Println(release.Sentence)
	fmt.Println(release.Line(plan.LabelDelete))
	for _, step := range release.Steps {
		fmt.Printf("%s: %q\n", step.Name, step.Only)
	}
	// Output:
	// order_id goes from 5,000 up to 5,003. The next number handed out is 5,004.
	// applied 5000 5003
	// bump order_id, 5,000 → 5,003
	// Frees the username "alan". Anybody can sign up as "alan" afterwards. No account is changed.
	// UNIQ#HANDLE#alan / LOCK
	// mark: ""
	// delete: "every item was read, and none holds the value"
	// unmark: "an account holds the value, or the search did not finish"
}
