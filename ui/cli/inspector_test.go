package cli_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/creack/pty"

	"tallylock/ui/cli"
	"tallylock/ui/cli/app"
	"tallylock/ui/session"
)

// A journal that nothing can be added to is told of each connection that may write, be it
// the first or not; the others need none.
func TestTheJournalIsTriedForEachConnectionThatWrites(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("TERM", "xterm-256color")
	journal, config := filepath.Join(dir, "journal.jsonl"), filepath.Join(dir, "config.toml")
	t.Chdir(dir)
	socket, err := net.Listen("unix", filepath.Base(journal)) // which no line is added to
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if err := os.Chmod(journal, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte(`
default_connection = "reads"

[[connection]]
name = "reads"
endpoint_url = "http://127.0.0.1:1"

[[connection]]
name = "writes"
endpoint_url = "http://127.0.0.1:1"
write = true
`), 0o600); err != nil {
		t.Fatal(err)
	}
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	defer theirs.Close()
	tried := map[string]bool{}
	app := &app.App{In: theirs, Out: theirs, Err: theirs, Inspect: func(_ context.Context, o session.Options) error {
		for _, c := range o.Connections {
			tried[c.Name()] = c.NoJournal != nil
		}
		return nil
	}}
	if exit := cli.Run(t.Context(), app, []string{"--config", config, "--journal", journal}); exit != 0 || len(tried) != 2 || tried["reads"] || !tried["writes"] {
		t.Errorf("exit status %d; without a journal: %v", exit, tried)
	}
}
