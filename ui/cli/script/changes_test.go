package script

import (
	"encoding/json"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"tallylock/internal/s3"
)

// snapshot is the time and the items of a table's last export.
type snapshot struct {
	At    time.Time
	ID    string
	Items map[string]json.RawMessage // by key, as JSON text
}

// exportedAt is the time of the full exports that package s3 writes.
var exportedAt = time.Date(2026, 11, 20, 3, 0, 0, 123e6, time.UTC)

// lastSnapshot returns the file with the snapshot of a table.
func lastSnapshot(ts *testscript.TestScript, table string) string {
	return ts.MkAbs(".snapshot-" + table)
}

// keepSnapshot writes the items of an export to the file of the snapshot.
func keepSnapshot(ts *testscript.TestScript, table, id string, at time.Time, items []json.RawMessage) snapshot {
	now := snapshot{At: at, ID: id, Items: map[string]json.RawMessage{}}
	for _, item := range items {
		now.Items[string(keyIn(ts, item))] = item
	}
	text, err := json.Marshal(now)
	ts.Check(err)
	ts.Check(os.WriteFile(lastSnapshot(ts, table), text, 0o600))
	return now
}

// keyIn returns the key of an item of a table whose key attributes are PK and SK.
func keyIn(ts *testscript.TestScript, item json.RawMessage) []byte {
	var key struct{ PK, SK json.RawMessage }
	ts.Check(json.Unmarshal(item, &key))
	text, err := json.Marshal(key)
	ts.Check(err)
	return text
}

// changes writes an incremental export of a table into the bucket: the changes of one hour since its last export. It
// sets INCREMENT to the address. With the word new-images, the export has no old images.
func changes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 || len(args) > 2 || len(args) == 2 && args[1] != "new-images" {
		ts.Fatalf("usage: changes TABLE [new-images]")
	}
	var was snapshot
	text, err := os.ReadFile(lastSnapshot(ts, args[0]))
	ts.Check(err)
	ts.Check(json.Unmarshal(text, &was))
	x := s3.Increment{Table: args[0], TableID: was.ID, From: was.At, To: was.At.Add(time.Hour), View: "NEW_AND_OLD_IMAGES"}
	_, items := scanned(ts, args[0])
	now := keepSnapshot(ts, args[0], was.ID, x.To, items)
	keys := maps.Clone(was.Items)
	maps.Copy(keys, now.Items)
	if len(args) == 2 {
		x.View = "NEW_IMAGE"
	}
	var lines [][]byte
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		before, after := was.Items[key], now.Items[key]
		if string(before) == string(after) {
			continue
		}
		if len(args) == 2 {
			before = nil
		}
		lines = append(lines, s3.Change(x.From.Add(time.Minute), []byte(key), before, after))
	}
	root, err := x.Write(filepath.Join(bucketIn(ts).Dir, filepath.Dir(s3.Prefix)), lines)
	ts.Check(err)
	ts.Setenv("INCREMENT", "s3://"+path.Join(s3.Name, s3.Prefix, filepath.Base(root)))
}

// scanned returns the id and the items of a table.
func scanned(ts *testscript.TestScript, table string) (id string, items []json.RawMessage) {
	var page struct{ Items []json.RawMessage }
	var described struct{ Table struct{ TableID string } }
	for operation, to := range map[string]any{"Scan": &page, "DescribeTable": &described} {
		_, text, err := Ask(ts.Getenv("ENDPOINT"), operation, `{"TableName":"`+table+`"}`)
		ts.Check(err)
		ts.Check(json.Unmarshal([]byte(text), to))
	}
	return described.Table.TableID, page.Items
}
