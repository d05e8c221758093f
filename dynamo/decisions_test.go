package dynamo_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// A constraint that is accepted as it is stays so while it becomes no worse, on this
// table, and by this layout.
func TestAnAcceptedConstraint(t *testing.T) {
	f := start(t)
	f.create("purged", "PK:S", "SK:S")
	for n := range 12 { // every account is gone, and no lock
		f.put("purged", lock("EMAIL", fmt.Sprintf("p%d@x.io", n)))
	}
	file := filepath.Join(t.TempDir(), "deep", "decisions.toml")
	open := func(attribute string) *dynamo.Table {
		return f.open("purged", func(o *dynamo.Options) {
			o.Decisions = file
			o.Layouts = []layout.Config{{Name: "mine", Tables: []string{"purged"}, Accounts: []layout.AccountConfig{{
				PK: "ACCT#{id}", SK: "PROFILE",
				Constraints: []layout.ConstraintConfig{{Attribute: attribute, PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}},
			}}}}
		})
	}
	standing := func(table *dynamo.Table) layout.Standing { return table.Fit.All()[0].Standing() }
	table := open("email")
	if got := standing(table); got != layout.Contradicted {
		t.Fatalf("12 locks and no account: %s", got)
	}
	if err := table.Fit.Decisions.Accept(table.Layout.Constraints()[0]); err != nil {
		t.Fatal(err)
	}
	for what, now := range map[string]*dynamo.Table{"the table that was asked about": table, "opened again": open("email")} {
		if got := standing(now); got != layout.Supported {
			t.Errorf("%s: %s", what, got)
		}
	}
	if got := standing(open("mail")); got != layout.Contradicted {
		t.Errorf("another layout is taken for the one that was accepted: %s", got)
	}
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), "the table has 12 locks of email, and no account") {
		t.Errorf("it is kept as %s, %v", text, err)
	}
	// Accounts turn up that hold the values, and are of another kind than the layout's.
	for n := range 3 {
		f.put("purged", item{"PK": str(fmt.Sprint("ORG#", n)), "SK": str("PROFILE"), "email": str(fmt.Sprintf("p%d@x.io", n))})
	}
	if got := standing(open("email")); got != layout.Contradicted {
		t.Errorf("it has become worse, and is not asked about: %s", got)
	}
}

// What cannot be read is said with its path, and nothing is guessed.
func TestDecisionsThatCannotBeRead(t *testing.T) {
	f := start(t)
	for _, text := range []string{"[[decision", "[[decision]]\nwords = 1\n", "[[decision]]\nitems = 'ORDER#*'\n"} {
		file := filepath.Join(t.TempDir(), "decisions.toml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := f.connect(func(o *dynamo.Options) { o.Decisions = file }).Open(t.Context(), "accounts")
		if client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), file) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
