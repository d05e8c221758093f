package check_test

import (
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/scan"
	"tallylock/internal/generator"
	"tallylock/internal/testrun"
)

// protocol is the protocol between a client and a server.
type protocol string

const (
	httpOne protocol = "HTTP/1.1"
	tlsOne  protocol = "TLS, HTTP/1.1"
	tlsTwo  protocol = "TLS, HTTP/2"
)

func protocols() []protocol { return []protocol{httpOne, tlsOne, tlsTwo} }

// serve starts a handler on a loopback socket, and returns its URL. It sets the environment so that clients trust its
// certificate.
func serve(t testing.TB, handler http.Handler, how protocol) (url string) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	t.Cleanup(server.Close)
	t.Setenv("AWS_CA_BUNDLE", "")
	if how == httpOne {
		server.Start()
	} else {
		server.EnableHTTP2 = how == tlsTwo
		server.StartTLS()
		authority := filepath.Join(t.TempDir(), "authority.pem")
		write(t, authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
		t.Setenv("AWS_CA_BUNDLE", authority)
	}
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull} {
		t.Setenv(name, value)
	}
	return server.URL
}

// served connects to a handler in the same way as to AWS.
func served(t testing.TB, handler http.Handler, o dynamo.Options, how protocol) *dynamo.Connection {
	t.Helper()
	o.Endpoint, o.Region = serve(t, handler, how), "us-east-1"
	c, err := dynamo.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// generated serves a generated table.
type generated struct{ *generator.Table }

func (g generated) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	response, err := g.RoundTrip(r)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer response.Body.Close()
	maps.Copy(w.Header(), response.Header)
	w.Header().Set("Content-Length", strconv.FormatInt(response.ContentLength, 10))
	w.WriteHeader(response.StatusCode)
	if _, err := io.Copy(w, response.Body); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// speaking records the protocols of its requests.
type speaking struct {
	http.Handler
	mu     sync.Mutex
	spoken map[string]bool
}

func (s *speaking) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	how := r.Proto
	if r.TLS != nil {
		how = "TLS, " + strings.TrimSuffix(how, ".0")
	}
	s.mu.Lock()
	if s.spoken == nil {
		s.spoken = map[string]bool{}
	}
	s.spoken[how] = true
	s.mu.Unlock()
	s.Handler.ServeHTTP(w, r)
}

// TestServedTable checks a table of the embedded engine from end to end, over loopback HTTP and TLS. The table has a
// few thousand items, or a million if TALLYLOCK_ITEMS is set.
func TestServedTable(t *testing.T) {
	people := 1500
	if _, said := testrun.Millions(); said {
		people = 333_334
	}
	engine := embedded.New()
	service := sdk.Client(engine.Transport())
	items, want := populate(t, service, people)
	for _, how := range protocols() {
		t.Run(string(how), func(t *testing.T) {
			handler := &speaking{Handler: engine}
			o := dynamo.Options{Options: client.Options{Settle: time.Millisecond}, Layouts: uniq("served", false)}
			table, err := served(t, handler, o, how).Open(t.Context(), "served")
			if err != nil {
				t.Fatal(err)
			}
			begun, cpu := time.Now(), cpuTime()
			found, sum, err := run(t.Context(), table, setting.Options{MaxReadUnits: -1})
			if err != nil {
				t.Fatal(err)
			}
			if got := said(found); !slices.Equal(got, want) {
				t.Errorf("%d found, want %d: %q", len(got), len(want), got[:min(len(got), 3)])
			}
			if !sum.Complete || !sum.Confirmed || int(sum.Items) != items {
				t.Errorf("%+v; want %d items", sum, items)
			}
			if len(handler.spoken) != 1 || !handler.spoken[string(how)] {
				t.Errorf("it spoke %v", handler.spoken)
			}
			t.Logf("%d items, %d found in %s, %.2f million items a CPU-second with the engine's own work, %s resident",
				items, len(found), time.Since(begun).Round(time.Millisecond), 2*float64(items)/(cpuTime()-cpu).Seconds()/1e6, peakResident())
		})
	}
}

// populate fills the table served with people who have two locks each. Some people lack a lock, and others lack the
// account.
func populate(t *testing.T, service *dynamodb.Client, people int) (items int, wrong []string) {
	t.Helper()
	var all []doc
	put := func(item doc) { all = append(all, item) }
	for n := range people {
		email, name := fmt.Sprintf("user.%d@example.com", n), fmt.Sprintf("handle.%d", n)
		switch n % 500 {
		case 7:
			wrong = append(wrong, "orphaned-lock "+email, "orphaned-lock "+name)
		default:
			put(doc{"PK": str(fmt.Sprint("ACCT#", n)), "SK": str("PROFILE"), "email": str(email), "username": str(name)})
		}
		put(doc{"PK": str("UNIQ#EMAIL#" + email), "SK": str("LOCK")})
		if n%500 == 8 {
			wrong = append(wrong, "missing-lock "+name)
			continue
		}
		put(doc{"PK": str("UNIQ#HANDLE#" + name), "SK": str("LOCK")})
	}
	if err := sdk.Fill(t.Context(), service, sdk.Table("served", "PK:S", "SK:S"), all...); err != nil {
		t.Fatal(err)
	}
	slices.Sort(wrong)
	return len(all), wrong
}

// BenchmarkServed reads pages of 1 MiB over a loopback socket, with and without
// TLS: our scan, and the SDK's paginator. The server's work is in both.
func BenchmarkServed(b *testing.B) {
	table := &generator.Table{Name: "accounts", Pages: 96, PerPage: 3560}
	for _, how := range protocols() {
		conn := served(b, generated{table}, dynamo.Options{}, how)
		cfg, err := config.LoadDefaultConfig(b.Context(), config.WithRegion("us-east-1"), config.WithBaseEndpoint(serve(b, generated{table}, how)))
		if err != nil {
			b.Fatal(err)
		}
		service := dynamodb.NewFromConfig(cfg)
		description, err := conn.Describe(b.Context(), table.Name)
		if err != nil {
			b.Fatal(err)
		}
		sdk := 0.0
		for _, way := range []struct {
			name string
			read func() (items int, err error)
		}{
			{"SDK", func() (items int, err error) {
				in := &dynamodb.ScanInput{TableName: &table.Name, ProjectionExpression: aws.String("PK,SK,email,username")}
				for pages := dynamodb.NewScanPaginator(service, in); pages.HasMorePages(); {
					page, err := pages.NextPage(b.Context())
					if err != nil {
						return items, err
					}
					items += len(page.Items)
				}
				return items, nil
			}},
			{"ours", func() (int, error) {
				var c counting
				_, err := scan.Table(b.Context(), conn.Client, description, scan.Options{Attributes: columns, Segments: 1, Workers: 1, MaxReadUnits: -1}, func() scan.Visitor { return &c })
				return c.items, err
			}},
		} {
			b.Run(string(how)+"/"+way.name, func(b *testing.B) {
				cpu := cpuTime()
				for b.Loop() {
					if n, err := way.read(); err != nil || n != table.Items() {
						b.Fatal(n, err)
					}
				}
				seconds := (cpuTime() - cpu).Seconds()
				speed := float64(b.N) * float64(table.Items()) / seconds
				b.ReportMetric(speed/1e6, "Mitems/cpu-s")
				b.ReportMetric(float64(b.N*table.Pages)/seconds, "MiB/cpu-s")
				if way.name == "SDK" {
					sdk = speed
				}
				b.ReportMetric(speed/sdk, "x-SDK")
			})
		}
	}
}
