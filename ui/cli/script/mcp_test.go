package script

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestAssistant runs the program as an assistant's program does: it finds an orphaned lock, and plans its release. Then a
// person applies the plan.
func TestAssistant(t *testing.T) {
	t.Parallel()
	endpoint, config := serveDemo(t)
	place := []string{"--config", config, "--endpoint-url", endpoint}
	env := []string{"AWS_REGION=eu-west-1", "HOME=" + t.TempDir(), "GORACE=atexit_sleep_ms=0"}
	plans := t.TempDir()
	if err := os.Chmod(plans, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("tallylock", append([]string{"mcp", "--table", "accounts", "--plans", plans}, place...)...)
	cmd.Env = env
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err, complaints.String())
	}
	var found struct {
		Data struct {
			Answer struct {
				Locks []struct{ ID, Verdict, Value string }
			}
			Outcome, File string
		} `json:"table_data"`
	}
	call := func(tool string, arguments any) {
		t.Helper()
		r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil || r.IsError {
			t.Fatal(tool, err, r)
		}
		text, _ := json.Marshal(r.StructuredContent)
		if strings.Contains(string(text), "UNIQ#") {
			t.Errorf("%s is not masked: %s", tool, text)
		}
		if err := json.Unmarshal(text, &found); err != nil {
			t.Fatal(err)
		}
	}
	call("find", map[string]any{"value": "alan"})
	for _, lock := range found.Data.Answer.Locks {
		if lock.Verdict == "orphaned" {
			call("plan", map[string]any{"id": lock.ID, "reason": "ticket 7"})
		}
	}
	if err := session.Close(); err != nil || complaints.Len() > 0 {
		t.Errorf("the server ended with %v, saying %q", err, complaints.String())
	}
	text, err := os.ReadFile(filepath.Join(plans, found.Data.File))
	if err != nil || found.Data.Outcome != "planned" {
		t.Fatal(found.Data, err)
	}
	if err := fitsText(string(text), "plan"); err != nil {
		t.Error(err)
	}
	apply := exec.Command("tallylock", append([]string{
		"apply", filepath.Join(plans, found.Data.File), "--write", "--yes", "--settle", "10ms", "--output", "json",
	}, place...)...)
	apply.Env = env
	if out, err := apply.CombinedOutput(); err != nil || !strings.Contains(string(out), `"outcome": "applied"`) {
		t.Errorf("the plan was not applied: %s, %v", out, err)
	}
}

// serveDemo serves the sample tables, and returns their endpoint and config.
func serveDemo(t *testing.T) (endpoint, config string) {
	t.Helper()
	cmd := exec.Command("tallylock", "demo", "--serve", "127.0.0.1:0")
	cmd.Env = []string{"GORACE=atexit_sleep_ms=0"}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	for _, to := range []*string{&endpoint, &config} {
		if !lines.Scan() {
			t.Fatal("the demo does not say where it is")
		}
		_, *to, _ = strings.Cut(lines.Text(), " ")
	}
	return endpoint, config
}
