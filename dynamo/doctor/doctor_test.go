package doctor_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tallylock/dynamo/client"
	"tallylock/dynamo/demo"
	"tallylock/dynamo/doctor"
	"tallylock/ui/say"
)

// server is an endpoint with the demo's tables, and with some features switched off.
type server struct {
	engine  http.Handler
	answers map[string]string // maps an operation to the code of its error
	skew    time.Duration     // how far the server's clock is ahead
	undated bool
	// ignoresTokens: it applies a transaction with the same token twice.
	ignoresTokens bool

	mu   sync.Mutex
	sent []string // operations and bodies
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	s.mu.Lock()
	s.sent = append(s.sent, operation+" "+string(body))
	s.mu.Unlock()
	w.Header().Set("Date", time.Now().Add(s.skew).UTC().Format(http.TimeFormat))
	if s.undated {
		w.Header()["Date"] = nil
	}
	if code := s.answers[operation]; code != "" {
		body := `{"__type":"com.amazonaws.dynamodb.v20120810#` + code + `","Message":"no"}`
		w.Header().Set("X-Amzn-Requestid", "1")
		w.Header().Set("X-Amz-Crc32", fmt.Sprint(crc32.ChecksumIEEE([]byte(body))))
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, body)
		return
	}
	if s.ignoresTokens && operation == "TransactWriteItems" {
		body = regexp.MustCompile(`"ClientRequestToken":"[^"]*"`).ReplaceAll(body, []byte(`"ClientRequestToken":"`+rand.Text()+`"`))
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	s.engine.ServeHTTP(w, r)
}

// examine runs the doctor on a server. It maps Line.Tried to the line.
func examine(t *testing.T, s *server, table string, write bool) map[string]doctor.Line {
	t.Helper()
	for _, name := range []string{"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
		t.Setenv(name, t.TempDir()+"/none")
	}
	d, err := demo.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.engine = d.Engine
	over := httptest.NewServer(s)
	defer over.Close()
	c, err := client.Connect(t.Context(), client.Options{Endpoint: over.URL, Region: "eu-west-1", Write: write})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]doctor.Line{}
	if err := doctor.Connection(t.Context(), c, table, ", the first,", func(l doctor.Line) { found[l.Tried] = l }); err != nil {
		t.Fatal(err)
	}
	return found
}

// expect fails unless a line has the state and contains a text.
func expect(t *testing.T, found map[string]doctor.Line, tried string, state doctor.State, says string) {
	t.Helper()
	l, said := found[tried]
	text := l.Outcome + "; "
	for _, r := range l.Do {
		text += say.Do(r)
	}
	if !said || l.State != state || !strings.Contains(text, says) {
		t.Errorf("%s: %q\nwant %s, with %q", tried, fmt.Sprint(l), state, says)
	}
}

// If everything works, every line says so, except the lines about writes.
func TestAllWorks(t *testing.T) {
	for tried, l := range examine(t, &server{}, "", false) {
		if l.State != doctor.Works && tried != "writing" {
			t.Errorf("%q", fmt.Sprint(l))
		}
	}
}

// The doctor writes nothing. With --write it sends transactions that only check a condition.
func TestNothingIsWritten(t *testing.T) {
	for _, write := range []bool{false, true} {
		s := &server{}
		found := examine(t, s, demo.Table, write)
		checks := 0
		for _, request := range s.sent {
			operation, body, _ := strings.Cut(request, " ")
			switch {
			case operation == "TransactWriteItems" && write && strings.HasPrefix(body, `{"TransactItems":[{"ConditionCheck":{`) && strings.Count(body, "TableName") == 1:
				checks++
			case !slices.Contains([]string{"ListTables", "DescribeTable", "DescribeTimeToLive", "TransactGetItems", "BatchGetItem", "Query", "Scan"}, operation):
				t.Errorf("write = %v sends %s", write, request)
			}
		}
		if write {
			expect(t, found, "dynamodb:ConditionCheckItem", doctor.Works, "nothing was written")
			expect(t, found, "other writes", doctor.Untried, "tallylock policy operator --table accounts")
			expect(t, found, "request tokens", doctor.Works, "applies it only once")
			if checks != 3 { // two of the checks test request tokens
				t.Errorf("%d condition checks were sent", checks)
			}
		} else {
			expect(t, found, "writing", doctor.Untried, "only reads")
		}
	}
}

// A missing permission makes one line. The doctor tries everything else.
func TestDenied(t *testing.T) {
	for _, tc := range []struct {
		operation, tried string
		state            doctor.State
		says             string
	}{
		{"ListTables", "dynamodb:ListTables", doctor.Doubtful, "no list of tables"},
		{"DescribeTable", "dynamodb:DescribeTable", doctor.Fails, "tables cannot be opened"},
		{"DescribeTimeToLive", "dynamodb:DescribeTimeToLive", doctor.Doubtful, "does not look for accounts that expire"},
		{"TransactGetItems", "dynamodb:GetItem", doctor.Fails, "lacks the permission dynamodb:GetItem"},
		{"BatchGetItem", "dynamodb:BatchGetItem", doctor.Fails, "tallylock policy viewer --table accounts"},
		{"Query", "dynamodb:Query", doctor.Fails, "tallylock policy viewer"},
		{"Scan", "dynamodb:Scan", doctor.Fails, "tallylock policy auditor --table accounts"},
		{"TransactWriteItems", "dynamodb:ConditionCheckItem", doctor.Fails, "tallylock policy operator"},
	} {
		t.Run(tc.operation, func(t *testing.T) {
			found := examine(t, &server{answers: map[string]string{tc.operation: "AccessDeniedException"}}, demo.Table, true)
			expect(t, found, tc.tried, tc.state, tc.says)
			for tried, l := range found {
				if l.State == doctor.Fails && tried != tc.tried && !strings.HasPrefix(tried, tc.tried+" of ") {
					t.Errorf("it fails, too: %q", fmt.Sprint(l))
				}
			}
			if _, went := found["other writes"]; !went && tc.operation != "DescribeTable" {
				t.Error("it did not go on")
			}
		})
	}
}

// Without permission to list tables, a person has to name a table.
func TestNoTableToTry(t *testing.T) {
	found := examine(t, &server{answers: map[string]string{"ListTables": "AccessDeniedException"}}, "", false)
	expect(t, found, "dynamodb:ListTables", doctor.Fails, "administrator")
	expect(t, found, "permissions", doctor.Untried, "--table")
}

// The doctor distinguishes missing features of an endpoint from missing permissions.
func TestFeatures(t *testing.T) {
	found := examine(t, &server{answers: map[string]string{"TransactGetItems": "UnknownOperationException", "DescribeTimeToLive": "UnknownOperationException"}}, demo.Table, false)
	expect(t, found, "transactional reads", doctor.Doubtful, "the endpoint has no transactional reads: tallylock reads items one after the other, so verdicts on broken values stay provisional")
	expect(t, found, "dynamodb:DescribeTimeToLive", doctor.Doubtful, "does not know the operation")
	expect(t, found, "dynamodb:DescribeTimeToLive", doctor.Doubtful, "everything else works without it")
	found = examine(t, &server{answers: map[string]string{"TransactWriteItems": "UnknownOperationException"}}, demo.Table, true)
	expect(t, found, "transactions", doctor.Fails, "does not know the operation TransactWriteItems")
	found = examine(t, &server{answers: map[string]string{"DescribeTimeToLive": "ValidationException"}}, demo.Table, false)
	expect(t, found, "dynamodb:DescribeTimeToLive", doctor.Doubtful, "does not look for accounts that expire")
	found = examine(t, &server{ignoresTokens: true}, demo.Table, true)
	expect(t, found, "request tokens", doctor.Doubtful, "not sent again")
}

// The doctor compares the clock with the date of any answer, also of an error.
func TestClock(t *testing.T) {
	for _, answers := range []map[string]string{nil, {"ListTables": "AccessDeniedException"}} {
		found := examine(t, &server{skew: 20 * time.Minute, answers: answers}, demo.Table, false)
		expect(t, found, "clock", doctor.Fails, "behind the endpoint's")
		found = examine(t, &server{skew: -time.Minute, answers: answers}, demo.Table, false)
		expect(t, found, "clock", doctor.Works, "ahead of the endpoint's")
		found = examine(t, &server{undated: true, answers: answers}, demo.Table, false)
		expect(t, found, "clock", doctor.Doubtful, "no date")
	}
}

// Refused credentials end the doctor: every other try would fail, too.
func TestRefusedCredentials(t *testing.T) {
	s := &server{answers: map[string]string{"ListTables": "UnrecognizedClientException"}}
	found := examine(t, s, demo.Table, false)
	expect(t, found, "endpoint", doctor.Works, "answers")
	expect(t, found, "credentials", doctor.Fails, "does not accept the credentials")
	expect(t, found, "permissions", doctor.Untried, "")
	if len(s.sent) != 1 {
		t.Errorf("%d requests were sent", len(s.sent))
	}
}

// The caller is the role, without the name of the session.
func TestCaller(t *testing.T) {
	for arn, want := range map[string]string{
		"arn:aws:sts::111122223333:assumed-role/Support/ada@lovelace.io": "the role Support of the account 111122223333",
		"arn:aws:iam::111122223333:user/ada":                             "an IAM user of the account 111122223333",
		"arn:aws:iam::111122223333:root":                                 "the root user of the account 111122223333",
	} {
		sts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/xml")
			_, _ = fmt.Fprintf(w, `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Arn>%s</Arn><UserId>A:j</UserId><Account>111122223333</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`, arn)
		}))
		defer sts.Close()
		t.Setenv("AWS_ENDPOINT_URL_STS", sts.URL)
		found := examine(t, &server{}, demo.Table, false)
		expect(t, found, "caller", doctor.Works, want+";")
		if strings.Contains(fmt.Sprint(found), "ada") {
			t.Errorf("it names a person: %v", found["caller"])
		}
	}
	t.Setenv("AWS_ENDPOINT_URL_STS", "http://127.0.0.1:1")
	expect(t, examine(t, &server{}, demo.Table, false), "caller", doctor.Doubtful, "cannot be reached")
}

// A stopped doctor reports no failure.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d, err := demo.New(ctx)
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.Connect(ctx, d.Options().Options)
	if err != nil {
		t.Fatal(err)
	}
	err = doctor.Connection(ctx, c, demo.Table, "", func(l doctor.Line) {
		if l.State == doctor.Fails {
			t.Errorf("%q", fmt.Sprint(l))
		}
		if l.Tried == "dynamodb:GetItem" {
			cancel()
		}
	})
	if err == nil {
		t.Error("it does not say that it was stopped")
	}
}
