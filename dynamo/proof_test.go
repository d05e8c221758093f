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

// These tests use the fake clock of synctest.

// meddler is a proxy between a connection and its endpoint, which can change answers.
type meddler struct {
	*fixture.Tables
	mu sync.Mutex
	// answer returns another answer. If it is nil or returns nil, the endpoint's answer counts.
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

// bare returns an answer like that of a proxy or a log-in page. signed returns an answer that also has the headers of
// DynamoDB.
func bare(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"text/html"}}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}
}

func signed(status int, body string) *http.Response {
	r := bare(status, body)
	r.Header.Set("X-Amzn-Requestid", "ABC")
	r.Header.Set("X-Amz-Crc32", fmt.Sprint(crc32.ChecksumIEEE([]byte(body))))
	return r
}

// fakes are bodies of answers without data.
var fakes = []string{"", "{}", "null", "[]", `{"message":"ok"}`, "<html>Log in</html>", `{"Items":[]}`, `{"Items":[],"Count":0,"ScannedCount":0}`, `{"Responses":[]}`, `{"Responses":{}}`, `{"Responses":[{},{}]}`, `{"Table":{}}`, `{"TableNames":null}`, `{"TimeToLiveDescription":{}}`}

// questions returns a function for each operation. The function sends the operation, and returns an error if the data
// is missing from the answer.
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
			items, err := table.SnapshotReader().Read(t.Context(), "accounts", []attr.Key{key})
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

// behind makes a table with an index, and opens the demo's accounts through a meddler.
func behind(t *testing.T) (*meddler, *dynamo.Table) {
	m := &meddler{Tables: fixture.New(t)}
	m.Create("indexed", "id:S", "", "name")
	m.Put("indexed", sdk.Item{"id": sdk.S("u1"), "name": sdk.S("ada")})
	indexed := config.Layout{Name: "indexed", Tables: []string{"indexed"}, Accounts: []config.Account{{
		PK: "{id}", Constraints: []config.Constraint{{Name: "name", Attribute: "name", PK: "name#{v}", Index: "name-index"}},
	}}}
	return m, m.Open("accounts", func(o *dynamo.Options) { o.Transport, o.Layouts = m, []config.Layout{indexed} })
}

// An answer without proof that it comes from DynamoDB never means that an item does not exist, or that a request
// succeeded. This also holds if all answers lack the proof.
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

// After one answer without proof, the client sends the request again, and the next answer counts.
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

// without removes a member from an answer.
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

// emulator imitates an endpoint that never reports consumed capacity. Its answers have checksums if sums is set.
func emulator(t *testing.T, sums bool) func(string, *http.Response, []byte) *http.Response {
	return func(_ string, genuine *http.Response, body []byte) *http.Response {
		answer := signed(genuine.StatusCode, without(t, body, "ConsumedCapacity"))
		if !sums {
			answer.Header.Del("X-Amz-Crc32")
		}
		return answer
	}
}

// An endpoint may report no consumed capacity. Then ReportsUnits is false, and the request id and the checksum prove
// its answers.
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

// In the answer to a transaction, moto reports consumed capacity only for tables in which it found items. In all other
// answers it reports the capacity.
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

// A server that answers 200 to every request is not an endpoint without consumed capacity.
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
						continue // an emulator answers the same for an empty table
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
