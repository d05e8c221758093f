// Package script runs the program as scripts and people do: what a script of testdata/script
// can say besides testscript's own commands, a network that loses answers, a bucket of S3,
// and a terminal with a person in front of it. testscript.Main makes the program an executable,
// "tallylock". What the program prints is held against docs/schema. Start at Params and Sit.
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

	"github.com/rogpeppe/go-internal/testscript"

	"tallylock/dynamo/answers"
	"tallylock/dynamo/demo"
)

// Params are for the scripts of a directory: each runs against a server of its own with the
// demo's tables.
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
	// A journal is kept where nobody else can write, whatever the umask is.
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
	env.Setenv("LONG", strings.Repeat("a", 3000)) // more than a key can have
	for name, value := range Isolated(env.WorkDir) {
		env.Setenv(name, value)
	}
	bucketOf(env)
	trinoOf(env)
	return describe(env.WorkDir)
}

// describes FILE…: the config files describe the demo's tables besides what they say.
func describes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: describes FILE...")
	}
	for _, name := range args {
		text := ts.ReadFile(name) + "\n" + string(demo.Config())
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
	}
}

// nothingElse TABLE CONSTRAINT HASH is a person at the inspector, who says that nothing else holds the values.
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

// describe makes the user's config one that describes the demo's tables. A script that names
// another config, or the environment variable XDG_CONFIG_HOME, has them recognised.
func describe(dir string) error {
	dir = filepath.Join(dir, "config", "tallylock")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "config.toml"), demo.Config(), 0o600)
}

// Isolated is an environment in which nothing of the person's own set-up is seen.
func Isolated(dir string) map[string]string {
	return map[string]string{
		"HOME":                        dir,
		"GOGC":                        "400",               // it ends before there is much to collect
		"GORACE":                      "atexit_sleep_ms=0", // with the race detector it would wait a second before it ends
		"XDG_CONFIG_HOME":             filepath.Join(dir, "config"),
		"XDG_STATE_HOME":              filepath.Join(dir, "state"),
		"AWS_CONFIG_FILE":             filepath.Join(dir, "aws-config"),
		"AWS_SHARED_CREDENTIALS_FILE": filepath.Join(dir, "aws-credentials"),
		"AWS_EC2_METADATA_DISABLED":   "true",
	}
}
