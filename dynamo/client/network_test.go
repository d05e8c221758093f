package client_test

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/ui/say"
)

// An error that no retry can mend is reported at once, with a remedy.
func TestWhatLastsIsNotTriedAgain(t *testing.T) {
	for name, tc := range map[string]struct {
		url  func(tls, plain string) string
		says string
	}{
		"a certificate of one's own": {func(tls, _ string) string { return tls }, "is not trusted (x509: "},
		"HTTPS where HTTP is spoken": {func(_, plain string) string { return "https" + strings.TrimPrefix(plain, "http") }, "does not use HTTPS; use http://"},
	} {
		t.Run(name, func(t *testing.T) {
			var met atomic.Int64
			start := func(listen func(*httptest.Server)) string {
				server := httptest.NewUnstartedServer(http.NotFoundHandler())
				server.Config.ErrorLog = log.New(io.Discard, "", 0)
				server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
					if state == http.StateNew {
						met.Add(1)
					}
				}
				listen(server)
				t.Cleanup(server.Close)
				return server.URL
			}
			url := tc.url(start((*httptest.Server).StartTLS), start((*httptest.Server).Start))
			c, err := client.Connect(t.Context(), client.Options{Endpoint: url, Region: "us-east-1"})
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.TableNames(t.Context())
			if client.KindOf(err) != client.Unreachable || !strings.Contains(err.Error(), tc.says) || met.Load() != 1 {
				t.Errorf("after %d connections: %v", met.Load(), err)
			}
		})
	}
}

// If no connection is made, the change is not sent, so nobody has to find out its outcome.
func TestAWriteWithoutAConnectionIsUnsent(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	for name, url := range map[string]string{
		"a certificate of one's own": server.URL,
		"nobody listens":             "http://127.0.0.1:1",
	} {
		c, err := client.Connect(t.Context(), client.Options{Endpoint: url, Region: "us-east-1", Write: true})
		if err != nil {
			t.Fatal(err)
		}
		write := client.Write{Verb: client.Delete, Table: "accounts", Key: attr.Key{Hash: attr.Attribute{Name: "PK", Value: attr.String("x")}}}
		request, err := client.Request("token", []client.Write{write})
		if err != nil {
			t.Fatal(err)
		}
		if a := c.Transact(t.Context(), request); a.Result != client.Unsent {
			t.Errorf("%s: %s, %v", name, a.Result, a.Err)
		}
	}
}

// The error of an impossible Region names the settings to correct. The error of a profile without credentials names the
// profile.
func TestMistakesOfTheSetUp(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	text := "[profile role]\nrole_arn = arn:aws:iam::111122223333:role/x\nsource_profile = base\n[profile base]\nregion = eu-west-1\n" +
		"[profile keys]\naws_access_key_id = a\naws_secret_access_key = b\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_CONFIG_FILE", file)
	for says, o := range map[string]client.Options{
		`there is no AWS Region "eu west"; correct AWS_REGION or --region`:                                                           {Profile: "keys", Region: "eu west"},
		"the profile base, which assumes the role, has no credentials; log in to this profile, or correct source_profile in the AWS": {Profile: "role", Region: "eu-west-1"},
	} {
		c, err := client.Connect(t.Context(), o)
		if err == nil {
			_, err = c.TableNames(t.Context())
		}
		if err == nil || !strings.Contains(say.Error(err), says) {
			t.Errorf("%v; want %s", err, says)
		}
	}
}
