package cli

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"tallylock/dynamo/client"
)

// A config that an earlier version read says the same to this one.
func TestAConfigOfBeforeIsRead(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "dynamo", "change", "testdata", "before", "config.toml"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := parseConfig(text)
	if err != nil {
		t.Fatal(err)
	}
	if c.DefaultConnection != "support" || c.Journal != "~/journal.jsonl" || len(c.Connections) != 1 || len(c.Layouts) != 1 {
		t.Fatalf("%+v", c)
	}
	support, ours := c.Connections[0], c.Layouts[0]
	if support.Name != "support" || support.Table != "accounts" || support.Layout != "ours" || !support.Production {
		t.Errorf("%+v", support)
	}
	if c.Settle == nil || c.Settle.Duration != 12*time.Second || c.Guard == nil || *c.Guard != client.GuardType {
		t.Errorf("settle %v, guard %v", c.Settle, c.Guard)
	}
	if con := ours.Accounts[0].Constraints[0]; con.Owner != "accountId" || len(con.Normalise) != 2 || ours.Counters[0].Step != "10" {
		t.Errorf("%+v", ours)
	}
}
