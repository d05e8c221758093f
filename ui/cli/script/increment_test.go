package script

import (
	"bytes"
	"encoding/json"
	"path"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"tallylock/internal/s3"
)

// increment is the command "increment TABLE FROM TO VIEW FILE". It writes an incremental export of the table with the
// lines of FILE, and sets EXPORT to the address. The times are in RFC 3339.
func increment(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 5 {
		ts.Fatalf("usage: increment TABLE FROM TO VIEW FILE")
	}
	e := s3.Increment{Table: args[0], View: args[3]}
	var err error
	e.From, err = time.Parse(time.RFC3339, args[1])
	ts.Check(err)
	e.To, err = time.Parse(time.RFC3339, args[2])
	ts.Check(err)
	var described struct{ Table struct{ TableID string } }
	_, text, err := Ask(ts.Getenv("ENDPOINT"), "DescribeTable", `{"TableName":"`+args[0]+`"}`)
	ts.Check(err)
	if json.Unmarshal([]byte(text), &described) == nil {
		e.TableID = described.Table.TableID // empty if the table does not exist
	}
	var lines [][]byte
	for line := range bytes.Lines([]byte(ts.ReadFile(args[4]))) {
		lines = append(lines, bytes.TrimSpace(line))
	}
	root, err := e.Write(filepath.Join(bucketIn(ts).Dir, filepath.Dir(s3.Prefix)), lines)
	ts.Check(err)
	ts.Setenv("EXPORT", "s3://"+path.Join(s3.Name, s3.Prefix, filepath.Base(root)))
}
