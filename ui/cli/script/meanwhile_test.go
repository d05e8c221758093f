package script

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// meanwhile is a command that runs in the middle of another command.
type meanwhile struct {
	waits []string // the operations to wait for, in this order
	run   func()
}

// meanwhileCommand is the command "meanwhile OPERATION,... ARGUMENT...". It runs tallylock with these arguments once
// the next command has sent these operations in this order. The last of these operations waits for the end of this run.
// The output is in the file "meanwhile".
func meanwhileCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: meanwhile OPERATION,... ARGUMENT...")
	}
	cmd := program(ts, args[1:])
	cmd.Stdout, cmd.Stderr = nil, nil
	file := filepath.Join(cmd.Dir, "meanwhile")
	net := ts.Value(network{}).(*network)
	net.mu.Lock()
	defer net.mu.Unlock()
	net.meanwhile = &meanwhile{strings.Split(args[0], ","), func() {
		out, err := cmd.CombinedOutput()
		if err != nil {
			out = append(out, err.Error()+"\n"...)
		}
		_ = os.WriteFile(file, out, 0o600)
	}}
}

// runMeanwhile runs the other command if operation is the last operation that it waits for.
func (n *network) runMeanwhile(operation string) {
	n.mu.Lock()
	m := n.meanwhile
	ready := false
	if m != nil && m.waits[0] == operation {
		if m.waits = m.waits[1:]; len(m.waits) == 0 {
			ready, n.meanwhile = true, nil
		}
	}
	n.mu.Unlock()
	if ready {
		m.run()
	}
}
