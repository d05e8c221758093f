package script

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"tallylock/dynamo/embedded"
	"tallylock/internal/testrun"
)

// answer is an answer that passes through a proxy. If it is nil, the proxy breaks the connection.
type answer = *httptest.ResponseRecorder

// loss answers a request; pass passes it on to the engine.
type loss = func(operation string, body []byte, pass func(body []byte) answer) answer

// lossy is a proxy that hides an ability of an engine.
type lossy struct {
	to   http.Handler
	lose loss
	mu   sync.Mutex
}

func (l *lossy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	a := l.lose(operation, body, func(body []byte) answer {
		again := r.Clone(r.Context())
		again.Body, again.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		a := httptest.NewRecorder()
		l.to.ServeHTTP(a, again)
		return a
	})
	if a == nil {
		panic(http.ErrAbortHandler)
	}
	maps.Copy(w.Header(), a.Header())
	w.WriteHeader(a.Code)
	_, _ = w.Write(a.Body.Bytes())
}

// as replaces an answer's body, with its checksum.
func as(a answer, code int, body string) answer {
	a.Code = code
	a.Body.Reset()
	a.Body.WriteString(body)
	a.Header().Set("Content-Length", fmt.Sprint(len(body)))
	a.Header().Set("X-Amz-Crc32", fmt.Sprint(crc32.ChecksumIEEE([]byte(body))))
	return a
}

// without deletes a field from all answers, wherever it is.
func without(field string) loss {
	pattern := regexp.MustCompile(`"` + field + `":("[^"]*"|\{[^{}]*\}|\[\{[^{}]*\}(,\{[^{}]*\})*\]),?`)
	return func(_ string, body []byte, pass func([]byte) answer) answer {
		a := pass(body)
		text := pattern.ReplaceAllString(a.Body.String(), "")
		return as(a, a.Code, strings.ReplaceAll(strings.ReplaceAll(text, ",}", "}"), ",]", "]"))
	}
}

// withoutHeader deletes a header from all answers.
func withoutHeader(name string) loss {
	return func(_ string, body []byte, pass func([]byte) answer) answer {
		a := pass(body)
		a.Header().Del(name)
		return a
	}
}

// refusing answers an operation with an error. The engine gets an empty request, so it changes nothing.
func refusing(refused, code string) loss {
	return func(operation string, body []byte, pass func([]byte) answer) answer {
		if operation != refused {
			return pass(body)
		}
		return as(pass([]byte("{}")), http.StatusBadRequest, `{"__type":"com.amazon.coral.service#`+code+`","message":""}`)
	}
}

// often spoils each seventh answer, after the engine has carried out the request.
func often(spoil func(answer) answer) loss {
	n := 0
	return func(_ string, body []byte, pass func([]byte) answer) answer {
		a := pass(body)
		if n++; n%7 == 0 {
			return spoil(a)
		}
		return a
	}
}

// page replaces an answer by the page of a proxy.
func page(a answer, code int) answer {
	as(a, code, "<html>Log in</html>").Header().Del("X-Amzn-Requestid")
	a.Header().Del("X-Amz-Crc32")
	return a
}

// ignoringTokens imitates an endpoint that ignores request tokens: it gives each transaction a new token.
func ignoringTokens() loss {
	n := 0
	return func(operation string, body []byte, pass func([]byte) answer) answer {
		var request map[string]any
		if operation == "TransactWriteItems" && json.Unmarshal(body, &request) == nil {
			n++
			request["ClientRequestToken"] = fmt.Sprint("token ", n)
			body, _ = json.Marshal(request)
		}
		return pass(body)
	}
}

// usual has the exit statuses of all commands if the endpoint has every ability that they need.
const usual = "doctor 0, layout 0, counters 0, find 0, bump 0, bump 0, apply 0, apply 4, release 4, release 0, undo 0, " +
	"check 1, mend 0, change 0, delete-account 0, journal 0, journal 0"

// abilities has the missing abilities of endpoints, with the exit statuses of all commands. The statuses are empty if
// they depend on the spoilt answer.
var abilities = map[string]struct {
	lose func() loss
	want string
	says string // a part of the check's output
}{
	"checksum": {lose: func() loss { return withoutHeader("X-Amz-Crc32") }, want: usual},
	"capacity": {lose: func() loss { return without("ConsumedCapacity") }, want: usual},
	"TableId":  {lose: func() loss { return without("TableId") }, want: usual},
	"tokens":   {lose: ignoringTokens, want: usual},
	"request id": {
		lose: func() loss { return withoutHeader("X-Amzn-Requestid") },
		want: "doctor 3, layout 3, counters 3, find 3, bump 3, bump 3, release 3, release 3, check 3, change 3, delete-account 3, " +
			"journal 0, journal 0",
	},
	"TransactGetItems is unknown": {
		lose: func() loss { return refusing("TransactGetItems", "UnknownOperationException") },
		want: usual, says: "read one after the other",
	},
	"TransactGetItems is denied": {
		lose: func() loss { return refusing("TransactGetItems", "AccessDeniedException") },
		want: "doctor 3, layout 0, counters 0, find 3, bump 0, bump 0, apply 0, apply 4, release 3, release 3, check 3, change 3, " +
			"delete-account 3, journal 0, journal 0",
	},
	"TransactWriteItems is unknown": {
		lose: func() loss { return refusing("TransactWriteItems", "UnknownOperationException") }, want: withoutWrites,
	},
	"TransactWriteItems is denied": {
		lose: func() loss { return refusing("TransactWriteItems", "AccessDeniedException") }, want: withoutWrites,
	},
	"DescribeTimeToLive is unknown": {
		lose: func() loss { return refusing("DescribeTimeToLive", "UnknownOperationException") },
		want: usual, says: `"why":"the endpoint does not know the operation DescribeTimeToLive"`,
	},
	"DescribeTimeToLive is denied": {
		lose: func() loss { return refusing("DescribeTimeToLive", "AccessDeniedException") },
		want: usual, says: `"why":"the permission dynamodb:DescribeTimeToLive is missing"`,
	},
	"answers are lost":  {lose: func() loss { return often(func(answer) answer { return nil }) }},
	"answers are pages": {lose: func() loss { return often(func(a answer) answer { return page(a, http.StatusOK) }) }},
	"answers are 500": {
		lose: func() loss {
			return often(func(a answer) answer { return as(a, http.StatusInternalServerError, failed) })
		},
	},
	"answers are 500 of a proxy": {
		lose: func() loss { return often(func(a answer) answer { return page(a, http.StatusInternalServerError) }) },
	},
}

// withoutWrites has the exit statuses of all commands if every write fails.
const withoutWrites = "doctor 3, layout 0, counters 0, find 0, bump 3, bump 0, apply 3, apply 3, release 4, release 3, " +
	"undo 4, check 1, mend 3, change 3, delete-account 3, journal 0, journal 0"

const failed = `{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"Internal Server Error"}`

// If an endpoint lacks an ability, each command succeeds or ends with a clear error. Its outcome of a write agrees with
// the tables.
func TestEachCommandWithoutAnAbility(t *testing.T) {
	t.Parallel()
	for name, tc := range abilities {
		if tc.want == usual && !testrun.Long() {
			t.Logf("%s: a lack that changes no exit status is tried with TALLYLOCK_LONG=1", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			behind := embedded.New()
			server := httptest.NewServer(behind)
			t.Cleanup(server.Close)
			front := httptest.NewServer(&lossy{to: behind, lose: tc.lose()})
			t.Cleanup(front.Close)
			e := &engine{t, server.URL, t.TempDir()}
			fill(e)
			if got := e.eachBehind(front.URL, tc.says); tc.want != "" && got != tc.want {
				t.Errorf("exit statuses:\n%s\nwant:\n%s", got, tc.want)
			}
		})
	}
}

// noise matches text that comes only from an error of a library.
var noise = regexp.MustCompile(`operation error|smithy|https response|panic|goroutine|%!|<nil>|RequestID`)

// tables returns all items of the tables.
func (e *engine) tables() string {
	all := ""
	for _, name := range []string{"people", "orders"} {
		all += e.ask("Scan", fmt.Sprintf(`{"TableName":%q,"ConsistentRead":true}`, name))
	}
	return all
}

// eachBehind runs each command against a proxy, and compares its output with the tables. It returns the exit statuses.
func (e *engine) eachBehind(front, says string) string {
	e.Helper()
	var statuses []string
	run := func(args ...string) (status int, out string) {
		proxied := *e
		proxied.url = front
		status, out, said := proxied.try(args...)
		statuses = append(statuses, fmt.Sprint(args[0], " ", status))
		if status > 5 || noise.MatchString(out+said) {
			e.Errorf("%s: exit status %d\n%s%s", strings.Join(args, " "), status, out, said)
		}
		if status == 3 && args[0] != "doctor" && !strings.Contains(said, "tallylock: ") {
			e.Errorf("%s: it does not say why: %s%s", strings.Join(args, " "), out, said)
		}
		return status, out
	}
	write := func(done func() bool, args ...string) (receipt string) {
		before := e.tables()
		status, out := run(append(args, "--write", "--yes", "--output", "json")...)
		var r struct{ Outcome, Receipt string }
		_ = json.Unmarshal([]byte(out), &r)
		applied := r.Outcome == "applied"
		switch {
		case applied != (status == 0), (r.Outcome == "unknown") != (status == 5):
			e.Errorf("%s: exit status %d for %s", strings.Join(args, " "), status, out)
		case status == 5:
		case applied && !done(), !applied && e.tables() != before:
			e.Errorf("%s: it says %q, and the tables hold\n%s\nbefore:\n%s", strings.Join(args, " "), r.Outcome, e.tables(), before)
		}
		return r.Receipt
	}
	lock := func(v string) bool { return e.holds("EMAIL#"+v, "LOCK", "LOCK") }

	run("doctor", "--table", "people", "--write", "--output", "json")
	run("layout", "--table", "people", "--output", "json")
	run("counters", "--table", "orders", "--output", "json")
	if status, out := run("find", "gone@x.io", "--table", "people", "--output", "json"); status == 0 && !strings.Contains(out, `"orphaned"`) {
		e.Errorf("find: %s", out)
	}
	write(func() bool { return e.counter() == "42" }, "bump", "orders", "--table", "orders")
	next := map[string]string{"41": "42", "42": "43"}[e.counter()]
	if status, _ := run("bump", "orders", "--table", "orders", "--plan", "plan.json"); status == 0 {
		write(func() bool { return e.counter() == next }, "apply", "plan.json")
		now := e.counter()
		write(func() bool { return now != next && e.counter() == next }, "apply", "plan.json")
	}
	write(func() bool { return false }, "release", "email", "u3@x.io", "--table", "people")
	gone := write(func() bool { return !lock("gone@x.io") }, "release", "email", "gone@x.io", "--table", "people")
	if gone != "" {
		write(func() bool { return lock("gone@x.io") }, "undo", gone)
	}
	if status, found := run("check", "--table", "people", "--output", "jsonl"); found != "" && status < 2 {
		unsure, reasons := strings.Count(found, `"confirmed":false,"id"`), strings.Count(found, "Not confirmed: ")
		if unsure != reasons || !strings.Contains(found, says) {
			e.Errorf("check: %d findings are not confirmed, %d say why:\n%s", unsure, reasons, found)
		}
		if err := os.WriteFile(filepath.Join(e.dir, "found.jsonl"), []byte(found), 0o600); err != nil {
			e.Fatal(err)
		}
		run("mend", "found.jsonl", "--write", "--yes", "--output", "jsonl")
	}
	write(func() bool { return e.holds("ACCT#5", "PROFILE", "new@x.io") && lock("new@x.io") && !lock("u5@x.io") },
		"change", "5", "email", "new@x.io", "--table", "people")
	write(func() bool { return !e.holds("ACCT#7", "PROFILE", "PROFILE") && !lock("u7@x.io") },
		"delete-account", "7", "--table", "people", "--confirm", "7")
	run("journal", "--resolve", "--write", "--yes", "--output", "json")
	run("journal", "--output", "json")
	return strings.Join(statuses, ", ")
}
