// Package script runs the program as scripts and people do. It has more commands for the scripts of testdata/script, a
// network that loses answers, a bucket of S3, and a person at a terminal. testscript.Main makes the program an
// executable with the name "tallylock". The tests compare its output with docs/schema. Start at Params and Sit.
package script

import (
	"context"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tallylock/dynamo/answers"
	"tallylock/dynamo/demo"
	"tallylock/internal/testrun"
)

// Params returns the parameters for the scripts of a directory. Each script has its own server with the demo's tables.
func Params(dir string) testscript.Params {
	return testscript.Params{
		Dir:   dir,
		Setup: setUp,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"bucket": bucket, "denied": denied, "increment": increment, "describes": describes, "export": exportTable, "exits": exits,
			"changes": changes, "meanwhile": meanwhileCommand,
			"interrupted": interrupted, "signalled": signalled, "unread": unread, "dynamodb": request,
			"json": checkJSON, "jsonl": checkLines, "keep": keep, "printable": printable, "nothing-else": nothingElse,
			"trino": trinoCommand,
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	}
}

func setUp(env *testscript.Env) error {
	if t, ok := env.T().(testing.TB); ok {
		testrun.OneIn(t, 2)
	}
	// The journal refuses a directory where others can write. With some umasks, they can.
	if err := os.Chmod(env.WorkDir, 0o700); err != nil {
		return err
	}
	d, err := demo.New(context.Background())
	if err != nil {
		return err
	}
	between := &network{engine: d.Engine, arrived: make(chan struct{}, 1), bucket: env.WorkDir}
	server := httptest.NewServer(between)
	env.Defer(server.Close)
	env.Values[network{}] = between
	env.Setenv("ENDPOINT", server.URL)
	env.Setenv("PORT", strconv.Itoa(server.Listener.Addr().(*net.TCPAddr).Port))
	env.Setenv("AWS_ENDPOINT_URL_DYNAMODB", server.URL)
	env.Setenv("LONG", strings.Repeat("a", 3000)) // longer than a key may be
	for name, value := range Isolated(env.WorkDir) {
		env.Setenv(name, value)
	}
	bucketOf(env)
	trinoOf(env)
	return describe(env.WorkDir)
}

// describes is the command "describes FILE…". It appends the layouts of the demo's tables to config files.
func describes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: describes FILE...")
	}
	for _, name := range args {
		text := ts.ReadFile(name) + "\n" + string(demo.Config())
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
	}
}

// nothingElse is the command "nothing-else TABLE CONSTRAINT HASH". It stores the answer of a person that no other items
// hold the values.
func nothingElse(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: nothing-else TABLE CONSTRAINT HASH")
	}
	_, text, err := Ask(ts.Getenv("ENDPOINT"), "DescribeTable", fmt.Sprintf(`{"TableName":%q}`, args[0]))
	ts.Check(err)
	tables := []answers.Table{{Name: args[0], ID: lookUp(ts, "Table.TableId", text)}}
	_, err = answers.Open(ts.MkAbs("state/tallylock/answers.jsonl")).Add(
		answers.Entry{Tables: tables, Constraint: args[1], Hash: args[2], NowhereElse: true})
	ts.Check(err)
}

// describe writes a user's config with the layouts of the demo's tables. If a script uses another config, tallylock has
// to recognise the layouts.
func describe(dir string) error {
	dir = filepath.Join(dir, "config", "tallylock")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "config.toml"), demo.Config(), 0o600)
}

// Isolated returns an environment that hides the config, the journal and the AWS settings of the person who runs the
// tests.
func Isolated(dir string) map[string]string {
	return map[string]string{
		"HOME":                        dir,
		"GOGC":                        "400",               // the program ends before there is much garbage
		"GORACE":                      "atexit_sleep_ms=0", // otherwise the race detector adds 1 s to each run
		"XDG_CONFIG_HOME":             filepath.Join(dir, "config"),
		"XDG_STATE_HOME":              filepath.Join(dir, "state"),
		"AWS_CONFIG_FILE":             filepath.Join(dir, "aws-config"),
		"AWS_SHARED_CREDENTIALS_FILE": filepath.Join(dir, "aws-credentials"),
		"AWS_EC2_METADATA_DISABLED":   "true",
	}
}
