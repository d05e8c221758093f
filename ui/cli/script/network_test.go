package script

import (
	"bytes"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// network is a proxy between the program and the engine. It can lose an answer: the engine carries out the request, but
// the client gets no answer.
type network struct {
	engine  http.Handler
	mu      sync.Mutex
	denied  string // the operation that is denied
	lose    string // the operation whose answer is lost
	after   string // the operation that must come before the lost answer
	arrived chan struct{}
	bucket  string // the directory whose files are the objects of every bucket

	meanwhile *meanwhile // a command that runs during an operation; nil if there is none
}

func (n *network) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		n.object(w, r)
		return
	}
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	n.runMeanwhile(operation)
	if operation == n.refuses() {
		const denied = `{"__type":"com.amazonaws.dynamodb.v20120810#AccessDeniedException","Message":"not authorized"}`
		w.Header().Set("X-Amzn-Requestid", "1")
		w.Header().Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(denied))), 10))
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, denied)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	// A transaction with only condition checks tests whether the endpoint knows request tokens.
	if onlyChecks := !bytes.Contains(body, []byte(`"Update":`)) && !bytes.Contains(body, []byte(`"Put":`)) &&
		!bytes.Contains(body, []byte(`"Delete":`)); operation == "TransactWriteItems" && onlyChecks || !n.loses(operation) {
		n.engine.ServeHTTP(w, r)
		return
	}
	n.engine.ServeHTTP(httptest.NewRecorder(), r)
	n.arrived <- struct{}{}
	<-r.Context().Done()
}

// object answers like S3. For the bucket "closed" a person may not list the objects, so S3 also answers AccessDenied
// for a missing object.
func (n *network) object(w http.ResponseWriter, r *http.Request) {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	data, err := os.ReadFile(filepath.Join(n.bucket, filepath.FromSlash(key)))
	switch {
	case err == nil:
		_, _ = w.Write(data)
	case bucket == "closed":
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, "<Error><Code>AccessDenied</Code></Error>")
	default:
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "<Error><Code>NoSuchKey</Code></Error>")
	}
}

func (n *network) refuses() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.denied
}

func (n *network) loses(operation string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if operation == n.after {
		n.after = ""
	}
	if n.after != "" || operation != n.lose {
		return false
	}
	n.lose = "" // lose only one answer
	return true
}

// denied is the command "denied OPERATION": from here on, the endpoint denies this operation.
func denied(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: denied OPERATION")
	}
	net := ts.Value(network{}).(*network)
	net.mu.Lock()
	defer net.mu.Unlock()
	net.denied = args[0]
}

// request is the command "dynamodb OPERATION JSON", which sends a request as an application does. Instead of JSON, it
// also takes the name of a file with JSON.
func request(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] dynamodb OPERATION JSON")
	}
	body := args[1]
	if !strings.HasPrefix(body, "{") {
		body = ts.ReadFile(body)
	}
	answer, text, err := Ask(ts.Getenv("ENDPOINT"), args[0], body)
	ts.Check(err)
	if (answer != http.StatusOK) != neg {
		ts.Fatalf("%s: status %d: %s", args[0], answer, text)
	}
	_, err = io.WriteString(ts.Stdout(), text)
	ts.Check(err)
}

// Ask sends a request to a DynamoDB endpoint.
func Ask(url, operation, body string) (status int, text string, err error) {
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=test/20261120/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0")
	r.Header.Set("X-Amz-Date", time.Now().UTC().Format("20060102T150405Z"))
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(data), err
}
