package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tallylock/dynamo/embedded"
)

// shop describes the tables of TestEachCommandOnAnEngine.
const shop = `settle = "10ms"
[[layout]]
name = "people"
tables = ["people"]
[[layout.account]]
pk = "ACCT#{id}"
sk = "PROFILE"
[[layout.account.constraint]]
name = "email"
attribute = "email"
pk = "EMAIL#{v}"
sk = "LOCK"
[[layout]]
name = "orders"
tables = ["orders"]
[[layout.counter]]
pk = "0"
attribute = "n"
semantics = "last"
`

// engine is an endpoint, with the directory of a person who runs commands on it.
type engine struct {
	*testing.T
	url, dir string
}

// ask sends a request to the engine, as an application does.
func (e *engine) ask(operation, body string) string {
	e.Helper()
	status, text, err := Ask(e.url, operation, body)
	if err != nil || status != http.StatusOK {
		e.Fatalf("%s: %d %s %v", operation, status, text, err)
	}
	return text
}

// run runs a command that must end with the status. It returns the standard output.
func (e *engine) run(status int, args ...string) string {
	e.Helper()
	got, out, said := e.try(args...)
	if got != status {
		e.Fatalf("tallylock %s: exit status %d, want %d\n%s%s", strings.Join(args, " "), got, status, out, said)
	}
	return out
}

// try runs a command. It returns the exit status, the standard output and, after a failure, the standard error.
func (e *engine) try(args ...string) (status int, out, said string) {
	e.Helper()
	cmd := exec.Command("tallylock", append(args, "--config", filepath.Join(e.dir, "shop.toml"))...)
	cmd.Dir = e.dir
	for name, value := range Isolated(e.dir) {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Env = append(cmd.Env, "AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=x", "AWS_SECRET_ACCESS_KEY=x",
		"AWS_ENDPOINT_URL_DYNAMODB="+e.url)
	printed, err := cmd.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		said = string(failed.Stderr)
	}
	return cmd.ProcessState.ExitCode(), string(printed), said
}

// holds reports whether the item of the table people with this key contains text. It uses a consistent read.
func (e *engine) holds(pk, sk, text string) bool {
	e.Helper()
	return strings.Contains(e.ask("GetItem", fmt.Sprintf(
		`{"TableName":"people","ConsistentRead":true,"Key":{"PK":{"S":%q},"SK":{"S":%q}}}`, pk, sk)), text)
}

// counter returns the value of the counter.
func (e *engine) counter() string {
	e.Helper()
	var got struct {
		Item struct{ N struct{ N string } }
	}
	text := e.ask("GetItem", `{"TableName":"orders","ConsistentRead":true,"Key":{"id":{"N":"0"}}}`)
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		e.Fatal(err)
	}
	return got.Item.N.N
}

// Each command works on each engine, and its outcome of a write agrees with the tables. The engines are the embedded
// engine and, if it is set, the endpoint in TALLYLOCK_TEST_ENDPOINT.
func TestEachCommandOnAnEngine(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(embedded.New())
	t.Cleanup(server.Close)
	urls := map[string]string{"embedded": server.URL}
	if url := os.Getenv("TALLYLOCK_TEST_ENDPOINT"); url != "" {
		urls["TALLYLOCK_TEST_ENDPOINT"] = url
	}
	for name, url := range urls {
		t.Run(name, func(t *testing.T) { eachCommand(&engine{t, url, t.TempDir()}) })
	}
}

// fill makes the tables, as an application does.
func fill(e *engine) {
	if err := os.WriteFile(filepath.Join(e.dir, "shop.toml"), []byte(shop), 0o600); err != nil {
		e.Fatal(err)
	}
	e.ask("CreateTable", `{"TableName":"people","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"}],"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}]}`)
	e.ask("CreateTable", `{"TableName":"orders","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"N"}],"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]}`)
	put := func(table, item string) { e.ask("PutItem", fmt.Sprintf(`{"TableName":%q,"Item":%s}`, table, item)) }
	for n := range 12 {
		put("people", fmt.Sprintf(`{"PK":{"S":"ACCT#%d"},"SK":{"S":"PROFILE"},"email":{"S":"u%d@x.io"}}`, n, n))
		if n > 0 {
			put("people", fmt.Sprintf(`{"PK":{"S":"EMAIL#u%d@x.io"},"SK":{"S":"LOCK"}}`, n))
		}
	}
	put("people", `{"PK":{"S":"EMAIL#gone@x.io"},"SK":{"S":"LOCK"}}`)
	put("people", `{"PK":{"S":"EMAIL#left@x.io"},"SK":{"S":"LOCK"}}`)
	put("orders", `{"id":{"N":"0"},"n":{"N":"41"}}`)
}

func eachCommand(e *engine) {
	fill(e)
	write := func(args ...string) []string { return append(args, "--write", "--yes", "--output", "json") }
	receipt := func(said string) string {
		var r struct{ Outcome, Receipt string }
		if err := json.Unmarshal([]byte(said), &r); err != nil || r.Outcome != "applied" || r.Receipt == "" {
			e.Fatalf("%s: %v", said, err)
		}
		return r.Receipt
	}
	is := func(right bool, about string) {
		e.Helper()
		if !right {
			e.Errorf("%s: the table does not hold what was said", about)
		}
	}

	e.run(0, "doctor", "--table", "people", "--write", "--output", "json")
	is(strings.Contains(e.run(0, "find", "gone@x.io", "--table", "people", "--output", "json"), `"orphaned"`), "find")
	is(strings.Contains(e.run(0, "layout", "--table", "people", "--output", "json"), `"described"`), "layout")
	is(strings.Contains(e.run(0, "counters", "--table", "orders", "--output", "json"), `"value": "41"`), "counters")

	bump := receipt(e.run(0, write("bump", "orders", "--table", "orders")...))
	is(e.counter() == "42", "bump")
	receipt(e.run(0, write("bump", "orders", "--table", "orders", "--reserve", "10")...))
	is(e.counter() == "52", "reserve")
	e.run(4, write("undo", bump)...) // the counter was changed again since then
	is(e.counter() == "52", "undo of a bump")
	e.run(0, "bump", "orders", "--table", "orders", "--plan", "plan.json")
	receipt(e.run(0, write("apply", "plan.json")...))
	e.run(4, write("apply", "plan.json")...)
	is(e.counter() == "53", "apply")

	gone := receipt(e.run(0, write("release", "email", "gone@x.io", "--table", "people")...))
	is(!e.holds("EMAIL#gone@x.io", "LOCK", "LOCK"), "release")
	e.run(4, write("release", "email", "u3@x.io", "--table", "people")...)
	is(e.holds("EMAIL#u3@x.io", "LOCK", "LOCK"), "release of a held lock")
	receipt(e.run(0, write("undo", gone)...))
	is(e.holds("EMAIL#gone@x.io", "LOCK", "LOCK"), "undo of a release")

	found := e.run(1, "check", "--table", "people", "--output", "jsonl")
	is(strings.Count(found, `"confirmed":true`) == 4, "check") // in three findings and in the summary
	if err := os.WriteFile(filepath.Join(e.dir, "found.jsonl"), []byte(found), 0o600); err != nil {
		e.Fatal(err)
	}
	e.run(0, "mend", "found.jsonl", "--write", "--yes", "--output", "jsonl")
	is(e.holds("EMAIL#u0@x.io", "LOCK", "LOCK") && !e.holds("EMAIL#gone@x.io", "LOCK", "LOCK") &&
		!e.holds("EMAIL#left@x.io", "LOCK", "LOCK"), "mend")
	e.run(0, "check", "--table", "people", "--output", "jsonl")

	receipt(e.run(0, write("change", "5", "email", "new@x.io", "--table", "people")...))
	is(e.holds("ACCT#5", "PROFILE", "new@x.io") && e.holds("EMAIL#new@x.io", "LOCK", "LOCK") &&
		!e.holds("EMAIL#u5@x.io", "LOCK", "LOCK"), "change")
	receipt(e.run(0, write("delete-account", "7", "--table", "people", "--confirm", "7")...))
	is(!e.holds("ACCT#7", "PROFILE", "PROFILE") && !e.holds("EMAIL#u7@x.io", "LOCK", "LOCK"), "delete-account")
	e.run(0, "journal", "--resolve", "--write", "--yes", "--output", "json")
	is(!strings.Contains(e.run(0, "journal", "--output", "json"), `"open": true`), "journal")
}
