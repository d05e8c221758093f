// Package athena stands in for Amazon Athena and for the bucket of its results. It keeps objects in memory, and
// hands each statement to a function that runs it. It imports nothing of this program. Start at Server.
package athena

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Bucket is the name of the bucket.
const Bucket = "results"

// Server answers requests to Athena and to the bucket.
type Server struct {
	// Run runs a statement and returns its rows without a header. If the client stops the statement, the channel stop is
	// closed later, when the client next asks for the statement's state.
	Run func(text string, stop <-chan struct{}) (rows [][]string, err error)
	// Output is the place of all results if the workgroup does not let its users choose one.
	Output string
	// Fault returns the error code for a request about a statement; empty if the request gets a normal answer.
	Fault func(operation, text string) (code string)

	mu      sync.Mutex
	objects map[string][]byte
	sent    []string
	asked   []string
	runs    map[string]*execution
}

type execution struct {
	text, output string
	stop         chan struct{}
	ending       sync.Once // closes stop
	done         bool
	stopped      bool
	rows         [][]string
	err          error
}

// Sent returns the statements in the order in which they came.
func (s *Server) Sent() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.sent)
}

// Asked returns the names of all operations, in the order in which they came.
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// Put stores an object.
func (s *Server) Put(key string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.objects == nil {
		s.objects = map[string][]byte{}
	}
	s.objects[key] = data
}

// Keys returns the keys of all objects, sorted.
func (s *Server) Keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.objects))
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if target := r.Header.Get("X-Amz-Target"); target != "" {
		s.serveAthena(w, r, strings.TrimPrefix(target, "AmazonAthena."))
		return
	}
	s.serveBucket(w, r)
}

// placeIn matches the folder in which a statement puts a table.
var placeIn = regexp.MustCompile(`external_location = 's3://` + Bucket + `/([^']*)'`)

// unload matches a statement that writes the rows of a query into a folder.
var unload = regexp.MustCompile(`(?s)^UNLOAD \((.*)\) TO 's3://` + Bucket + `/([^']*)'`)

func (s *Server) serveAthena(w http.ResponseWriter, r *http.Request, operation string) {
	var in struct {
		QueryString, QueryExecutionId string
		ResultConfiguration           struct{ OutputLocation string }
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		refuse(w, "InvalidRequestException", err.Error())
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, operation)
	run := s.runs[in.QueryExecutionId]
	if operation != "StartQueryExecution" && run == nil {
		refuse(w, "InvalidRequestException", "there is no such query execution")
		return
	}
	if code := s.fault(operation, in.QueryString, run); code != "" {
		refuse(w, code, "the test refuses it")
		return
	}
	switch operation {
	case "StartQueryExecution":
		answer(w, map[string]any{"QueryExecutionId": s.start(in.QueryString, in.ResultConfiguration.OutputLocation)})
	case "GetQueryExecution":
		state, why := "RUNNING", ""
		if run.stopped { // Athena stops a statement only some time after the request to stop it
			run.ending.Do(func() { close(run.stop) })
		}
		switch {
		case run.done && run.stopped:
			state = "CANCELLED"
		case run.done && run.err != nil:
			state, why = "FAILED", run.err.Error()
		case run.done:
			state = "SUCCEEDED"
		}
		answer(w, map[string]any{"QueryExecution": map[string]any{
			"Status":              map[string]any{"State": state, "StateChangeReason": why},
			"Statistics":          map[string]any{"DataScannedInBytes": len(run.text)},
			"ResultConfiguration": map[string]any{"OutputLocation": run.output},
		}})
	case "StopQueryExecution":
		run.stopped = run.stopped || !run.done
		answer(w, map[string]any{})
	case "GetQueryResults":
		var rows []any
		for _, row := range run.rows {
			var cells []any
			for _, cell := range row {
				cells = append(cells, map[string]any{"VarCharValue": cell})
			}
			rows = append(rows, map[string]any{"Data": cells})
		}
		answer(w, map[string]any{"ResultSet": map[string]any{"Rows": rows}})
	default:
		refuse(w, "InvalidRequestException", operation+" is unknown")
	}
}

// fault returns the error code for a request; empty if it gets a normal answer.
func (s *Server) fault(operation, text string, run *execution) string {
	if s.Fault == nil {
		return ""
	}
	if run != nil {
		text = run.text
	}
	return s.Fault(operation, text)
}

// start runs a statement in the background. It stores the rows as a CSV. A statement that makes a table also stores a
// file in the table's folder.
func (s *Server) start(text, output string) (id string) {
	if s.runs == nil {
		s.runs = map[string]*execution{}
	}
	id = fmt.Sprintf("query-%d", len(s.runs)+1)
	if s.Output != "" {
		output = s.Output
	}
	e := &execution{text: text, output: output + id + ".csv", stop: make(chan struct{})}
	s.runs[id], s.sent = e, append(s.sent, text)
	go func() {
		into := ""
		if m := unload.FindStringSubmatch(text); m != nil {
			text, into = strings.TrimSpace(m[1]), m[2]
		}
		rows, err := s.Run(text, e.stop)
		var out bytes.Buffer
		c := csv.NewWriter(&out)
		_ = c.Write([]string{"candidate"})
		_ = c.WriteAll(rows)
		if err == nil {
			s.Put(strings.TrimPrefix(e.output, "s3://"+Bucket+"/"), out.Bytes())
			if into != "" {
				s.Put(into+"part-0.gz", packed(rows))
			}
			if m := placeIn.FindStringSubmatch(text); m != nil {
				s.Put(m[1]+"part-0", []byte("parquet"))
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		e.rows, e.err, e.done = rows, err, true
	}()
	return id
}

// packed compresses the first cell of each row, each on its own line.
func packed(rows [][]string) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	for _, row := range rows {
		_, _ = io.WriteString(w, row[0]+"\n")
	}
	_ = w.Close()
	return out.Bytes()
}

func answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	_ = json.NewEncoder(w).Encode(body)
}

func refuse(w http.ResponseWriter, code, message string) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	w.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(w).Encode(map[string]string{"__type": code, "message": message})
}

// listed is one page of a list of objects.
type listed struct {
	XMLName        xml.Name `xml:"ListBucketResult"`
	Contents       []object
	CommonPrefixes []prefix
	IsTruncated    bool
}

type (
	object struct{ Key string }
	prefix struct{ Prefix string }
)

func (s *Server) serveBucket(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key, ok := strings.CutPrefix(r.URL.Path, "/"+Bucket)
	key = strings.TrimPrefix(key, "/")
	query := r.URL.Query()
	switch {
	case !ok:
		w.WriteHeader(http.StatusNotFound)
	case r.Method == http.MethodGet && query.Get("list-type") == "2":
		s.asked = append(s.asked, "ListObjectsV2")
		s.list(w, query.Get("prefix"), query.Get("delimiter"))
	case r.Method == http.MethodPost && query.Has("delete"):
		s.asked = append(s.asked, "DeleteObjects")
		data, _ := io.ReadAll(r.Body)
		var in struct {
			Object []object
		}
		_ = xml.Unmarshal(data, &in)
		for _, one := range in.Object {
			delete(s.objects, one.Key)
		}
		_, _ = io.WriteString(w, "<DeleteResult></DeleteResult>")
	case r.Method == http.MethodGet && s.objects[key] != nil:
		s.asked = append(s.asked, "GetObject")
		_, _ = w.Write(s.objects[key])
	default:
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "<Error><Code>NoSuchKey</Code></Error>")
	}
}

func (s *Server) list(w http.ResponseWriter, below, delimiter string) {
	var page listed
	folders := map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(s.objects)) {
		rest, ok := strings.CutPrefix(key, below)
		if !ok {
			continue
		}
		if name, _, deeper := strings.Cut(rest, "/"); deeper && delimiter != "" {
			if !folders[name] {
				page.CommonPrefixes = append(page.CommonPrefixes, prefix{below + name + "/"})
			}
			folders[name] = true
			continue
		}
		page.Contents = append(page.Contents, object{key})
	}
	w.Header().Set("Content-Type", "application/xml")
	_ = xml.NewEncoder(w).Encode(page)
}
