package ui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/plan"
)

// A dialog can save its change as a plan, also on a read-only connection. The plan has the reason, only its owner can
// read the file, and the table does not change.
func TestAChangeIsSavedAsAPlan(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]bool{"read-only": false, "with --write": true} {
		t.Run(name, func(t *testing.T) {
			s := onServer(t, func(o *dynamo.Options) { o.Write = write })
			term := s.run(t)
			term.see("confirmed")
			term.press("nr")
			term.see("Frees the username", "ctrl+s plan")
			term.press("<tab>ticket 48151<tab><ctrl+s>")
			term.see("Save the plan", "changes nothing", "accounts-plan.json")
			term.press("<esc>")
			term.see("Frees the username", "ticket 48151")
			term.press("<ctrl+s>")
			file := filepath.Join(t.TempDir(), "p.json")
			term.press("<ctrl+u>" + file + "<enter>")
			term.see("Saved the plan of 1 change", "tallylock apply ", "y copy the command")
			copied := term.clipboard()
			term.press("y")
			want := "tallylock apply " + file + " --write --endpoint-url http://" + s.conn.Endpoint()
			term.until("y to copy "+want, func(frame string) bool {
				return strings.Contains(frame, "Copied the command.") && copied.says() == want
			})
			term.press("<enter>")
			term.see("Frees the username")
			planned, err := change.ReadPlanFile(strings.NewReader(read(t, file)))
			if err != nil {
				t.Fatal(err)
			}
			if c := planned.Changes[0]; planned.Reason != "ticket 48151" || c.Kind != plan.KindRelease || c.Request.Constraint != "username" {
				t.Errorf("it holds %+v", planned)
			}
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("others may read it: %v, %v", info.Mode(), err)
			}
			term.press("<esc>")
			term.see("Nothing was changed.")
			if lock(t, s, "UNIQ#HANDLE#"+planned.Changes[0].Request.Value) == nil {
				t.Error("the lock is gone")
			}
		})
	}
}

// On a read-only connection, the repairs of all marked findings are saved as one plan.
func TestRepairsAreSavedAsAPlan(t *testing.T) {
	s := onServer(t, func(o *dynamo.Options) { o.Write = false })
	s.options.Connections[0].Changer = nil
	term := s.checked(t)
	term.press("<space>j<space>m")
	term.see("Mend 2 findings", "read-only")
	file := filepath.Join(t.TempDir(), "p.json")
	term.press("<ctrl+s>")
	term.see("Save the plan")
	term.press("<ctrl+u>" + file + "<enter>")
	term.see("Saved the plan of 2 changes")
	planned, err := change.ReadPlanFile(strings.NewReader(read(t, file)))
	if err != nil || len(planned.Changes) != 2 || !planned.Mends() {
		t.Errorf("it holds %+v, %v", planned, err)
	}
}
