package change_test

import (
	"path/filepath"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/schema"
)

// During the look of a release, somebody else answers that other items hold the values, or takes back the acceptance of
// the layout. The lock stays, and its mark is removed.
func TestAnAnswerThatComesWhileALookRuns(t *testing.T) {
	t.Parallel()
	for name, accepted := range map[string]bool{"an answer": false, "an acceptance that is taken back": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := start(t)
			f.create("odd")
			f.put("odd", healthy(12)...)
			f.put("odd", row("EMAIL#gone@x.io", "LOCK"), row("ORDER#1", "META", "buyer", "gone@x.io"))
			place := layout.Place{Table: "odd", Items: "ORDER#*/META", Attribute: "buyer"}
			file := filepath.Join(t.TempDir(), "answers.jsonl")
			open := func() *dynamo.Table {
				return f.opened("odd", undescribed, func(o *dynamo.Options) {
					if o.Answers = file; !accepted {
						o.Layouts = []config.Layout{emails()}
					}
				})
			}
			if accepted {
				guessed := open()
				if _, err := dynamo.Accept(t.Context(), guessed, guessed.Layout.Constraints()[0], &[]string{}); err != nil {
					t.Fatal(err)
				}
			}
			mine, other := open(), open()
			con := func(t *dynamo.Table) *layout.Constraint { return t.Layout.Constraints()[0] }
			if err := mine.Answers.Answer(con(mine), place, layout.HoldNot); err != nil {
				t.Fatal(err)
			}
			p, err := f.plan(mine, con(mine).Name, "gone@x.io")
			if err != nil {
				t.Fatal(err)
			}
			marked := false
			f.after = func(operation string, body []byte) error {
				if operation == "TransactWriteItems" {
					marked = true
				}
				if operation != "Scan" || !marked {
					return nil
				}
				marked = false
				if accepted {
					for _, e := range other.Answers.Said() {
						if e.Accepts() {
							return other.Answers.Forget(e.ID)
						}
					}
				}
				return other.Answers.Answer(con(other), place, layout.Hold)
			}
			r := f.changer.Apply(t.Context(), p, nil)
			left := f.get("odd", row("EMAIL#gone@x.io", "LOCK"))
			if r.Outcome != journal.Refused || left == nil || left[schema.MarkAttribute] != nil {
				t.Errorf("%s %v %v; the lock is %v", r.Outcome, r.Reasons, r.Err, left)
			}
		})
	}
}
