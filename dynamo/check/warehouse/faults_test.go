package warehouse_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"tallylock/dynamo/check"
	"tallylock/dynamo/check/sql"
	"tallylock/dynamo/check/warehouse"
	"tallylock/dynamo/client"
	"tallylock/internal/testrun"
)

// between is a proxy in front of a real Trino.
type between struct {
	proxy *httputil.ReverseProxy
	// at runs at a moment of a statement, and reports whether the connection breaks.
	at func(statement int, m moment) bool

	mu         sync.Mutex
	statements int
	polls      int  // of the current statement
	away       bool // whether every connection breaks
}

// moment is a moment of a statement.
type moment string

const (
	before moment = "before" // before Trino has the statement
	sent   moment = "sent"   // Trino has it, and the client has the answer
	inside moment = "inside" // the client polls the statement
)

var moments = []moment{before, sent, inside}

func (b *between) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	switch r.Method {
	case http.MethodPost:
		b.statements++
		b.polls = 0
	case http.MethodGet:
		b.polls++
	}
	n, polls, away := b.statements, b.polls, b.away
	b.mu.Unlock()
	hit := func(m moment) {
		if b.at(n, m) {
			away = true
			b.mu.Lock()
			b.away = true
			b.mu.Unlock()
		}
	}
	if !away && r.Method == http.MethodPost {
		hit(before)
	}
	if !away && r.Method == http.MethodGet && polls == 2 {
		hit(inside)
	}
	if away {
		panic(http.ErrAbortHandler)
	}
	b.proxy.ServeHTTP(w, r)
	if r.Method == http.MethodPost {
		hit(sent)
	}
}

// trinoBetween returns an engine whose requests pass a proxy, and an engine without one.
func trinoBetween(t *testing.T, at func(statement int, m moment) bool) (proxied, direct *warehouse.Trino) {
	t.Helper()
	address, err := url.Parse(os.Getenv(serverVariable))
	if err != nil {
		t.Fatal(err)
	}
	b := &between{at: at, proxy: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: address.Scheme, Host: address.Host})
		r.Out.Host = r.In.Host // Trino puts the address of the proxy into its answers
	}}}
	b.proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	s := httptest.NewServer(b)
	t.Cleanup(s.Close)
	return trinoAt(t, strings.Replace(s.URL, "http://", "http://me@", 1)), trinoAt(t, address.String())
}

// simple returns the SQL of a check of an export on this machine.
func simple(t *testing.T) *sql.Check {
	t.Helper()
	if os.Getenv(serverVariable) == "" {
		t.Skip("left out: faults of a real Trino; .ci/sql has one")
	}
	table, folder := exported(t)
	c, err := check.SQL(t.Context(), table)
	if err != nil {
		t.Fatal(err)
	}
	c.Tables[0].Location = "local://" + folder
	return c
}

// tablesOf lists the tables of a run, after all of its statements have ended.
func tablesOf(t *testing.T, e *warehouse.Trino, r *warehouse.Run) (own []string) {
	t.Helper()
	for {
		var running strings.Builder
		text := "SELECT '{}' FROM system.runtime.queries WHERE state NOT IN ('FINISHED', 'FAILED') AND query LIKE '%" + r.ID() +
			"%' AND query NOT LIKE '%system.runtime%'"
		if err := e.Result(t.Context(), "", sql.Statement{Text: text}, &running, func(int64) {}); err != nil {
			t.Fatal(err)
		}
		if running.Len() == 0 {
			break
		}
	}
	all, err := e.Tables(t.Context(), "none")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		if strings.HasSuffix(name, r.ID()) {
			own = append(own, name)
		}
	}
	return own
}

// A run that is stopped at any moment leaves no table, and says that it was stopped.
func TestStoppedAtAnyMomentBySQL(t *testing.T) {
	c := simple(t)
	work, drops := begin(t, trinoAt(t, os.Getenv(serverVariable)), c).Statements()
	for n := range len(work) + len(drops) + 1 {
		if !testrun.Long() && !slices.Contains([]int{0, 1, len(work) - 1, len(work)}, n) {
			continue
		}
		for _, m := range moments {
			ctx, cancel := context.WithCancel(t.Context())
			proxied, direct := trinoBetween(t, func(statement int, now moment) bool {
				if statement == n+1 && now == m {
					cancel()
				}
				return false
			})
			r := begin(t, proxied, c)
			left, err := r.Do(ctx, io.Discard, func(warehouse.State) {})
			cancel()
			if left != nil {
				t.Errorf("statement %d, %s: left %v: %v", n+1, m, left, left.Err)
			}
			if stopped := client.KindOf(err) == client.Cancelled; !stopped && (n < len(work)-1 || err != nil) {
				t.Errorf("statement %d, %s: the error is %v", n+1, m, err)
			}
			if own := tablesOf(t, direct, r); len(own) > 0 {
				t.Errorf("statement %d, %s: left the tables %v", n+1, m, own)
			}
			if n > len(work) && m == before {
				break // the drops run even if the run is stopped
			}
		}
	}
}

// If Trino goes away, the run names the tables that it could not drop, and a later run removes them.
func TestTrinoGoesAwayBySQL(t *testing.T) {
	c := simple(t)
	work, _ := begin(t, trinoAt(t, os.Getenv(serverVariable)), c).Statements()
	for n, m := range map[int]moment{1: before, 2: inside, 4: before, len(work): sent} {
		t.Run(fmt.Sprint(n, " ", m), func(t *testing.T) {
			t.Parallel()
			proxied, direct := trinoBetween(t, func(statement int, now moment) bool { return statement == n && now == m })
			r := begin(t, proxied, c)
			left, err := r.Do(t.Context(), io.Discard, func(warehouse.State) {})
			if client.KindOf(err) != client.Unreachable || !strings.Contains(err.Error(), "does not answer") ||
				strings.Count(err.Error(), "EOF")+strings.Count(err.Error(), "refused")+strings.Count(err.Error(), "reset") > 1 {
				t.Errorf("the error is %v", err)
			}
			if left == nil || client.KindOf(left.Err) != client.Unreachable {
				t.Fatalf("left %v", left)
			}
			for _, name := range tablesOf(t, direct, r) {
				if !slices.Contains(left.Tables, name) {
					t.Errorf("%s stays, but is not named in %v", name, left)
				}
			}
			left.Old = true
			if rest := begin(t, direct, c).Clear(t.Context(), *left); rest != nil {
				t.Errorf("left %v: %v", rest, rest.Err)
			}
			if own := tablesOf(t, direct, r); len(own) > 0 {
				t.Errorf("left the tables %v", own)
			}
		})
	}
}

// If a schema may not be written, or a name or a place is wrong, the error says so with a remedy. The run leaves
// nothing behind.
func TestDeniedBySQL(t *testing.T) {
	c := simple(t)
	address := os.Getenv(serverVariable)
	for _, one := range []struct {
		user, catalog, schema, place string
		kind                         client.Kind
		says                         []string
	}{
		{"reader", "hive", "t", "", client.Denied, []string{"Cannot create table", "ask for the permission to create"}},
		{"me", "readonly", "t", "", client.Denied, []string{"Cannot create table", "ask for the permission to create"}},
		{"stranger", "hive", "t", "", client.Denied, []string{"Cannot access catalog hive", "ask for the permission"}},
		{"me", "hive", "none", "", client.Usage, []string{"none", "check the names of the catalog and the schema"}},
		{"me", "none", "t", "", client.Usage, []string{"none", "check the names of the catalog and the schema"}},
		{"me", "system", "runtime", "", client.Usage, []string{"name a catalog with the Hive connector"}},
		{"me", "hive", "t", "local:///none", client.Usage, []string{"local:///none", "check the place of the export"}},
	} {
		at := strings.Replace(address, "me@", one.user+"@", 1)
		e, err := warehouse.NewTrino(at, one.catalog, one.schema)
		if err != nil {
			t.Fatal(err)
		}
		own := *c
		if one.place != "" {
			own.Tables = slices.Clone(c.Tables)
			own.Tables[0].Location = one.place
		}
		r := begin(t, e, &own)
		left, err := r.Do(t.Context(), io.Discard, func(warehouse.State) {})
		_ = e.Close()
		if client.KindOf(err) != one.kind || left != nil {
			t.Errorf("%s in %s.%s: %v of the kind %q, left %v", one.user, one.catalog, one.schema, err, client.KindOf(err), left)
		}
		for _, text := range one.says {
			if err != nil && strings.Count(err.Error(), text) != 1 {
				t.Errorf("%s in %s.%s does not say %q once: %v", one.user, one.catalog, one.schema, text, err)
			}
		}
		if own := tablesOf(t, trinoAt(t, address), r); len(own) > 0 {
			t.Errorf("left the tables %v", own)
		}
	}
}

// pidVariable has the id of the process of a Trino that a test may kill.
const pidVariable = "TALLYLOCK_TEST_TRINO_PID"

// A Trino that is killed in the middle of a statement ends the run, which names its tables.
func TestTrinoIsKilled(t *testing.T) {
	pid, err := strconv.Atoi(os.Getenv(pidVariable))
	if err != nil {
		t.Skip("left out: killing a real Trino; .ci/sql does it")
	}
	c := simple(t)
	proxied, direct := trinoBetween(t, func(statement int, now moment) bool {
		if statement == 2 && now == inside {
			if trino, err := os.FindProcess(pid); err != nil || trino.Kill() != nil {
				t.Errorf("Trino was not killed: %v", err)
			}
		}
		return false
	})
	r := begin(t, proxied, c)
	left, err := r.Do(t.Context(), io.Discard, func(warehouse.State) {})
	if client.KindOf(err) != client.Unreachable || left == nil || len(left.Tables) != 2 {
		t.Errorf("%v, left %v", err, left)
	}
	if _, err := begin(t, direct, c).Leftovers(t.Context()); client.KindOf(err) != client.Unreachable || !strings.Contains(err.Error(), "refused") {
		t.Errorf("the error is %v", err)
	}
}
