package script

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// mostReadmeLines limits the lines of the README.
const mostReadmeLines = 120

// TestReadme runs the commands of the README's script as a newcomer without AWS does: in an empty directory, against
// the served demo. It only adds answers to questions, and a shorter waiting time.
func TestReadme(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("it needs a POSIX shell")
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte("\n")); n > mostReadmeLines {
		t.Errorf("%d lines", n)
	}
	_, script, _ := strings.Cut(string(text), "tallylock demo --serve 127.0.0.1:8000 ")
	script, _, _ = strings.Cut(script, "\n```")
	lines := strings.Split(script, "\n")[1:]
	url, config := serveReadme(t)
	alias, ok := strings.CutPrefix(lines[0], "alias tallylock='tallylock ")
	flags, _, closed := strings.Cut(alias, "'")
	if !ok || !closed {
		t.Fatalf("no alias: %q", lines[0])
	}
	flags = strings.NewReplacer("http://127.0.0.1:8000", url, "PATH", config).Replace(flags)
	dir, receipt := t.TempDir(), ""
	for _, line := range lines[1:] {
		line = strings.Replace(line, "RECEIPT", receipt, 1)
		shell := exec.Command("sh", "-c", `tallylock() { command tallylock `+flags+` --settle 10ms "$@"; }`+"\n"+
			strings.Replace(line, "--write", "--write --yes", 1))
		shell.Dir, shell.Env = dir, []string{"PATH=" + os.Getenv("PATH")}
		for name, value := range Isolated(dir) {
			shell.Env = append(shell.Env, name+"="+value)
		}
		out, _ := shell.CombinedOutput()
		want := 0
		switch {
		case strings.Contains(line, "> findings.jsonl"):
			want = 1
		case strings.HasPrefix(line, "tallylock mend"):
			want = 4 // two findings need a person
		}
		if got := shell.ProcessState.ExitCode(); got != want {
			t.Errorf("%s\nexit status %d, want %d: %s", line, got, want, out)
		}
		if strings.HasPrefix(line, "tallylock journal") {
			receipt = regexp.MustCompile(`R-[0-9]+-[0-9]+-\w+`).FindString(string(out))
		}
	}
	if receipt == "" {
		t.Error("the journal has no receipt")
	}
}

// serveReadme serves the demo, and returns what it prints: the endpoint and the path of its config.
func serveReadme(t *testing.T) (url, config string) {
	t.Helper()
	cmd := exec.Command("tallylock", "demo", "--serve", "127.0.0.1:0")
	cmd.Env = []string{"GORACE=atexit_sleep_ms=0", "HOME=" + t.TempDir()}
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
	for lines := bufio.NewScanner(out); config == "" && lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		switch name {
		case "endpoint":
			url = value
		case "config":
			config = value
		}
	}
	if url == "" || config == "" {
		t.Fatalf("it printed the endpoint %q and the config %q", url, config)
	}
	return url, config
}
