package dynamo_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fixture"
)

// In these tests time is synctest's: it passes at once when all wait for it.

// meddler stands between a connection and its endpoint, and may answer itself.
type meddler struct {
	*fixture.Tables
	mu sync.Mutex
	// answer gives another answer; nil passes on the endpoint's.
	answer func(operation string, genuine *http.Response, body []byte) *http.Response
	asked  map[string]int
}

func (m *meddler) RoundTrip(r *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	response, err := m.Tables.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asked == nil {
		m.asked = map[string]int{}
	}
	m.asked[operation]++
	if m.answer != nil {
		if other := m.answer(operation, response, body); other != nil {
			return other, nil
		}
	}
	return response, nil
}

func (m *meddler) set(answer func(operation string, genuine *http.Response, body []byte) *http.Response) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answer = answer
}

// bare is an answer as a proxy or a log-in page gives it, and signed one with all
// that can be copied from one of DynamoDB's.
func bare(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"text/html"}}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}
}

func signed(status int, body string) *http.Response {
	r := bare(status, body)
	r.Header.Set("X-Amzn-Requestid", "ABC")
	r.Header.Set("X-Amz-Crc32", fmt.Sprint(crc32.ChecksumIEEE([]byte(body))))
	return r
}

// fakes are answers to anything that say nothing.
var fakes = []string{"", "{}", "null", "[]", `{"message":"ok"}`, "<html>Log in</html>", `{"Items":[]}`, `{"Items":[],"Count":0,"ScannedCount":0}`, `{"Responses":[]}`, `{"Responses":{}}`, `{"Responses":[{},{}]}`, `{"Table":{}}`, `{"TableNames":null}`, `{"TimeToLiveDescription":{}}`}

// questions are what is asked of an endpoint, by the operation that answers it.
func questions(t *testing.T, table *dynamo.Table) map[string]func() error {
	c := table.Connection()
	key := attr.Key{Hash: attr.Attribute{Name: "PK", Value: attr.String("UNIQ#HANDLE#turing")}, Range: attr.Attribute{Name: "SK", Value: attr.String("LOCK")}}
	there := func(item attr.Item) error {
		if len(item) == 0 {
			return fmt.Errorf("nothing was found where a lock is")
		}
		return nil
	}
	return map[string]func() error{
		"TransactGetItems": func() error {
			items, _, err := c.Reader().Together(t.Context(), []client.Address{{Table: "accounts", Key: key}})
			if err != nil {
				return err
			}
			return there(items[0])
		},
		"BatchGetItem": func() error {
			items, err := table.ConsistentReader().Read(t.Context(), "accounts", []attr.Key{key})
			if err != nil {
				return err
			}
			return there(items[key.ID()])
		},
		"Scan": func() error {
			view, err := browse.New(table).Next(t.Context())
			if err == nil && view.Scanned == 0 {
				return fmt.Errorf("the table is taken for empty")
			}
			return err
		},
		"Query": func() error {
			keys, err := c.Open(t.Context(), "indexed")
			if err != nil {
				return err
			}
			found, err := find.Find(t.Context(), keys, "ada", find.Options{})
			if err == nil && len(found.Accounts) != 1 {
				return fmt.Errorf("%d accounts were found", len(found.Accounts))
			}
			return err
		},
		"DescribeTable": func() error { _, err := c.Describe(t.Context(), "accounts"); return err },
		"ListTables": func() error {
			names, err := c.TableNames(t.Context())
			if err == nil && len(names) == 0 {
				return fmt.Errorf("there are no tables")
			}
			return err
		},
		"DescribeTimeToLive": func() error { _, err := table.Connection().Reader().TimeToLive(t.Context(), "accounts"); return err },
	}
}

// behind opens the demo's accounts behind a meddler, and a table with an index.
func behind(t *testing.T) (*meddler, *dynamo.Table) {
	m := &meddler{Tables: fixture.New(t)}
	m.Create("indexed", "id:S", "", "name")
	m.Put("indexed", sdk.Item{"id": sdk.S("u1"), "name": sdk.S("ada")})
	indexed := config.Layout{Name: "indexed", Tables: []string{"indexed"}, Accounts: []config.Account{{
		PK: "{id}", Constraints: []config.Constraint{{Name: "name", Attribute: "name", PK: "name#{v}", Index: "name-index"}},
	}}}
	return m, m.Open("accounts", func(o *dynamo.Options) { o.Transport, o.Layouts = m, []config.Layout{indexed} })
}

// What does not prove where it came from says neither that something does not exist
// nor that all is well, however long it is all that comes.
func TestAnAnswerWithoutProofIsNone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, table := behind(t)
		for operation, ask := range questions(t, table) {
			m.set(nil)
			if err := ask(); err != nil {
				t.Fatalf("%s: %v", operation, err)
			}
			for _, body := range append(fakes, "genuine, but for its request id", "genuine, but for its checksum", "genuine, but for its capacity") {
				for _, status := range []int{200, 204} {
					for _, copied := range []bool{false, true} {
						m.set(func(op string, genuine *http.Response, was []byte) *http.Response {
							switch {
							case op != operation:
								return nil
							case body == "genuine, but for its request id":
								genuine.Header.Del("X-Amzn-Requestid")
								return genuine
							case body == "genuine, but for its checksum":
								genuine.Header.Del("X-Amz-Crc32")
								return genuine
							case body == "genuine, but for its capacity":
								if strings.HasPrefix(op, "Describe") || op == "ListTables" {
									return bare(200, "")
								}
								return signed(200, without(t, was, "ConsumedCapacity"))
							case copied:
								return signed(status, body)
							}
							return bare(status, body)
						})
						err := ask()
						if client.KindOf(err) != client.Unreachable && !strings.Contains(fmt.Sprint(err), "damaged") {
							t.Errorf("%s answered with %d %s (copied: %t): %v", operation, status, body, copied, err)
						}
					}
				}
			}
		}
		if !table.Connection().ReportsUnits() {
			t.Error("the endpoint is taken for one that does not say what requests consume")
		}
	})
}

// One such answer is asked for again, and what comes then counts.
func TestOneAnswerWithoutProofIsAskedForAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, table := behind(t)
		for operation, ask := range questions(t, table) {
			for _, body := range append(fakes, "cut", "cut, unsigned") {
				times := 0
				m.set(func(op string, genuine *http.Response, was []byte) *http.Response {
					if op != operation {
						return nil
					}
					switch times++; {
					case times > 1:
						return nil
					case body == "cut":
						return signed(200, string(was[:len(was)/2]))
					case body == "cut, unsigned":
						return bare(200, string(was[:len(was)/2]))
					}
					return bare(200, body)
				})
				if err := ask(); err != nil || times < 2 {
					t.Errorf("%s was asked %d times after %q: %v", operation, times, body, err)
				}
			}
		}
	})
}

// without takes a member out of an answer.
func without(t *testing.T, body []byte, name string) string {
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(body, &members); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	delete(members, name)
	out, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// emulator is an endpoint that never says what a request consumes, and checksums
// its answers where sums is true.
func emulator(t *testing.T, sums bool) func(string, *http.Response, []byte) *http.Response {
	return func(_ string, genuine *http.Response, body []byte) *http.Response {
		answer := signed(genuine.StatusCode, without(t, body, "ConsumedCapacity"))
		if !sums {
			answer.Header.Del("X-Amz-Crc32")
		}
		return answer
	}
}

// An endpoint that never says what a request consumes is worked with, says so, and
// has to prove its answers by the rest.
func TestAnEndpointWithoutCapacityIsNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, sums := range []bool{true, false} {
			m := &meddler{Tables: fixture.New(t)}
			m.set(emulator(t, sums))
			table := m.Open("accounts", func(o *dynamo.Options) { o.Transport, o.Write = m, true })
			c := table.Connection()
			if c.ReportsUnits() || c.Units() != 0 {
				t.Errorf("it reports: %t, %v units", c.ReportsUnits(), c.Units())
			}
			answer, err := find.Find(t.Context(), table, "ada@lovelace.io", find.Options{})
			if err != nil || len(answer.Accounts) != 1 {
				t.Fatalf("%+v, %v", answer, err)
			}
			request, err := client.Request("token", []client.Write{{Verb: client.Check, Table: "accounts", Key: answer.Accounts[0].Key}})
			if err != nil {
				t.Fatal(err)
			}
			if a := c.Transact(t.Context(), request); a.Result != client.Happened {
				t.Errorf("%s %v", a.Result, a.Err)
			}
			for _, fake := range []func() *http.Response{
				func() *http.Response { return bare(200, "{}") },
				func() *http.Response { return signed(200, "") },
				func() *http.Response { r := signed(200, "{}"); r.Header.Del("X-Amzn-Requestid"); return r },
			} {
				m.set(func(string, *http.Response, []byte) *http.Response { return fake() })
				if a := c.Transact(t.Context(), request); a.Result != client.Lost {
					t.Errorf("%s %v", a.Result, a.Err)
				}
				if found, err := find.Find(t.Context(), table, "ada@lovelace.io", find.Options{}); err == nil {
					t.Errorf("%+v", found)
				}
			}
		}
	})
}

// moto lists what each table consumed of which a transaction found items, so nothing where it found
// none, and says it in every other answer.
func TestATransactionThatFindsNothingIsAnAnswer(t *testing.T) {
	t.Parallel()
	m := &meddler{Tables: fixture.New(t)}
	m.set(func(operation string, genuine *http.Response, body []byte) *http.Response {
		if operation != "TransactGetItems" {
			return nil
		}
		return signed(genuine.StatusCode, strings.Replace(without(t, body, "ConsumedCapacity"), "{", `{"ConsumedCapacity":[],`, 1))
	})
	c := m.Open("accounts", func(o *dynamo.Options) { o.Transport = m }).Connection()
	var absent []client.Address
	for _, id := range []string{"ACCT#x", "ACCT#y"} {
		absent = append(absent, client.Address{Table: "accounts", Key: attr.Key{
			Hash:  attr.Attribute{Name: "PK", Value: attr.String(id)},
			Range: attr.Attribute{Name: "SK", Value: attr.String("PROFILE")},
		}})
	}
	items, apart, err := c.Reader().Together(t.Context(), absent)
	if err != nil || apart || len(items) != 2 || items[0] != nil || items[1] != nil || !c.ReportsUnits() {
		t.Errorf("%v, apart %t, %v", items, apart, err)
	}
}

// What answers 200 to everything, from the first request on, is no such endpoint.
func TestALogInPageIsNoEndpoint(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, body := range fakes {
			for name, answer := range map[string]func(int, string) *http.Response{"bare": bare, "signed": signed} {
				for _, described := range []bool{false, true} {
					m := &meddler{Tables: fixture.New(t)}
					m.set(func(operation string, _ *http.Response, _ []byte) *http.Response {
						if described && operation == "DescribeTable" {
							return nil
						}
						return answer(200, body)
					})
					c := m.Connect(func(o *dynamo.Options) { o.Transport, o.Write = m, true })
					if described && body == `{"Items":[],"Count":0,"ScannedCount":0}` {
						continue // an empty table of an emulator is not to be told from this
					}
					if table, err := c.Open(t.Context(), "accounts"); err == nil || !c.ReportsUnits() {
						t.Errorf("%s: opened %v, reports %t", body, table, c.ReportsUnits())
					}
					if strings.Contains(body, "TableNames") {
						continue
					}
					if names, err := c.TableNames(t.Context()); err == nil {
						t.Errorf("%s: %v", body, names)
					}
					request, err := client.Request("token", []client.Write{{Verb: client.Check, Table: "accounts", Key: attr.Key{Hash: attr.Attribute{Name: "PK", Value: attr.String("a")}}}})
					if err != nil {
						t.Fatal(err)
					}
					for range 5 { // a request id and a checksum prove the answer to a write
						if a := c.Transact(t.Context(), request); name == "bare" && a.Result != client.Lost {
							t.Errorf("%s: %s %v", body, a.Result, a.Err)
						}
					}
				}
			}
		}
	})
}
