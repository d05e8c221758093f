package embedded_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo/embedded"
)

// serving runs Serve, and returns the URL. Serve ends with the test, or earlier if the test calls stop.
func serving(t *testing.T, e *embedded.Engine, addr string) (url string, stop func() error) {
	ctx, cancel := context.WithCancel(t.Context())
	urls, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- e.Serve(ctx, addr, func(url string) { urls <- url }) }()
	stop = func() error {
		cancel()
		return <-ended
	}
	select {
	case url := <-urls:
		return url, stop
	case err := <-ended:
		cancel()
		t.Fatal(err)
		return "", nil
	}
}

func call(t *testing.T, client *http.Client, url, host string) (int, string) {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810.ListTables")
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

func TestServe(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:0", "localhost:0"} {
		url, stop := serving(t, embedded.New(), addr)
		client := &http.Client{Transport: &http.Transport{}}
		if status, body := call(t, client, url, ""); status != http.StatusOK || body != `{"TableNames":[]}` {
			t.Errorf("%s: %d %s", addr, status, body)
		}
		if err := stop(); err != nil {
			t.Errorf("%s: stopped with %v", addr, err)
		}
		if c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://")); err == nil {
			c.Close()
			t.Errorf("%s is still listened on", url)
		}
		client.CloseIdleConnections()
	}
}

func TestServeRefusesOtherAddresses(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "example.com:0", "localhost.example.com:0", "8000", "", "127.0.0.1", "224.0.0.1:0"} {
		ctx, cancel := context.WithCancel(t.Context())
		err := embedded.New().Serve(ctx, addr, func(url string) {
			t.Errorf("%q was listened on: %s", addr, url)
			cancel()
		})
		if err == nil {
			t.Errorf("%q was accepted", addr)
		}
		cancel()
	}
}

func TestServeRefusesForeignHosts(t *testing.T) {
	url, stop := serving(t, embedded.New(), "127.0.0.1:0")
	defer func() { _ = stop() }()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for host, want := range map[string]int{
		"": 200, "localhost": 200, "localhost:1": 200, "LOCALHOST:8000": 200, "127.0.0.1:99": 200, "[::1]": 200, "[::1]:8000": 200, "127.0.0.2": 200,
		"example.com": 403, "example.com:8000": 403, "127.0.0.1.example.com": 403, "localhost.example.com": 403, "192.0.2.1:8000": 403, "0.0.0.0": 403, "[::]": 403,
	} {
		if status, _ := call(t, client, url, host); status != want {
			t.Errorf("Host %q: %d, want %d", host, status, want)
		}
	}
}

func TestServeEndsWithoutGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	url, stop := serving(t, embedded.New(), "127.0.0.1:0")
	idle, err := net.Dial("tcp", strings.TrimPrefix(url, "http://")) // a connection that sends nothing
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{}}
	call(t, client, url, "")
	client.CloseIdleConnections()
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	idle.Close()
	// The client's own goroutines may take a moment longer.
	deadline := time.Now().Add(time.Minute)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines before, and now:\n%s", before, stacks[:runtime.Stack(stacks, true)])
		}
		runtime.Gosched()
	}
}

func TestServeReportsAPortThatIsTaken(t *testing.T) {
	url, stop := serving(t, embedded.New(), "127.0.0.1:0")
	defer func() { _ = stop() }()
	if err := embedded.New().Serve(t.Context(), strings.TrimPrefix(url, "http://"), nil); err == nil {
		t.Error("two servers on one port")
	}
}
