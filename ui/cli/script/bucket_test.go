package script

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"tallylock/internal/s3"
)

// bucketOf serves a stand-in for S3 with one bucket to a script.
func bucketOf(env *testscript.Env) {
	b := &s3.Bucket{Dir: filepath.Join(env.WorkDir, "bucket")}
	server := httptest.NewServer(b)
	env.Defer(server.Close)
	env.Values[storage{}] = b
	env.Setenv("AWS_ENDPOINT_URL_S3", server.URL)
}

// exportTable is the command "export TABLE": it writes an export of the table into the bucket, as DynamoDB does, and
// sets EXPORT to the address.
func exportTable(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: export TABLE")
	}
	id, items := scanned(ts, args[0])
	keepSnapshot(ts, args[0], id, exportedAt, items)
	address, err := Exported(bucketIn(ts).Dir, args[0], id, items)
	ts.Check(err)
	ts.Setenv("EXPORT", address)
}

// Exported puts the export of a table into a bucket, in two files.
func Exported(dir, table, id string, items []json.RawMessage) (address string, err error) {
	parts := make([][][]byte, 2)
	for n, item := range items {
		parts[n%len(parts)] = append(parts[n%len(parts)], item)
	}
	root, err := s3.Export{Table: table, TableID: id}.Write(filepath.Join(dir, filepath.Dir(s3.Prefix)), parts...)
	return "s3://" + path.Join(s3.Name, s3.Prefix, filepath.Base(root)), err
}

// storage is the key of the bucket among the values of a script.
type storage struct{}

func bucketIn(ts *testscript.TestScript) *s3.Bucket { return ts.Value(storage{}).(*s3.Bucket) }

// bucket is a command with three forms. "bucket refuses NAME STATUS CODE" refuses all objects with NAME in their keys.
// "bucket holds NAME" begins these objects, but never ends them. "bucket open" serves all objects again.
func bucket(ts *testscript.TestScript, neg bool, args []string) {
	b, arrived := bucketIn(ts), ts.Value(network{}).(*network).arrived
	switch {
	case !neg && len(args) == 4 && args[0] == "refuses":
		status, err := strconv.Atoi(args[2])
		ts.Check(err)
		b.Inject(func(w http.ResponseWriter, _ *http.Request, key string, _ int) bool {
			if strings.Contains(key, args[1]) {
				s3.Refuse(w, status, args[3])
			}
			return strings.Contains(key, args[1])
		})
	case !neg && len(args) == 2 && args[0] == "holds":
		b.Inject(Holding(b, args[1], arrived))
	case !neg && len(args) == 1 && args[0] == "open":
		b.Inject(nil)
	default:
		ts.Fatalf("usage: bucket open|refuses NAME STATUS CODE|holds NAME")
	}
}

// Holding begins objects and never ends them. It sends to arrived when it holds an object.
func Holding(b *s3.Bucket, name string, arrived chan<- struct{}) s3.Fault {
	return func(w http.ResponseWriter, r *http.Request, key string, _ int) bool {
		if !strings.Contains(key, name) {
			return false
		}
		b.Begin(w, key, 20)
		select {
		case arrived <- struct{}{}:
		default:
		}
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	}
}
