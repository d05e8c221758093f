package script

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// meanwhile is a command that runs beside another one.
type meanwhile struct {
	waits []string // for these operations, one after the other
	run   func()
}

// meanwhileCommand is: meanwhile OPERATION,... ARGUMENT.... Somebody else runs tallylock with these arguments when the
// next command has sent these operations in this order. The last one waits for it. Its output is in the file "meanwhile".
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

// runMeanwhile runs the other command, if an operation is the one that it waits for.
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
