package cli_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"tallylock/ui/cli"
	"tallylock/ui/cli/app"
	"tallylock/ui/session"
)

// Without credentials, the inspector offers connections of the config, AWS profiles and the demo.
func TestWithoutCredentialsSomethingCanBeChosen(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"aws":         "[profile support]\nregion = eu-west-1\n",
		"credentials": "[support]\naws_access_key_id = id\naws_secret_access_key = secret\n",
		"config.toml": "[[connection]]\nname = \"here\"\nendpoint_url = \"http://127.0.0.1:1\"\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range map[string]string{
		"TERM": "xterm-256color", "AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": filepath.Join(dir, "aws"),
		"AWS_SHARED_CREDENTIALS_FILE": filepath.Join(dir, "credentials"), "AWS_PROFILE": "", "AWS_REGION": "", "AWS_DEFAULT_REGION": "",
		"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_ENDPOINT_URL": "", "AWS_ENDPOINT_URL_DYNAMODB": "",
	} {
		t.Setenv(name, value)
	}
	for typed, want := range map[string]struct {
		opened string
		exit   int
	}{
		"1\n":    {"here", 0},
		"x\n2\n": {"support", 0},
		"d\n":    {"demo", 0},
		"q\n":    {"", 3},
		"\n":     {"", 3},
	} {
		t.Run(typed, func(t *testing.T) {
			ours, theirs, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer ours.Close()
			defer theirs.Close()
			opened := ""
			app := &app.App{In: theirs, Out: theirs, Err: theirs, Inspect: func(_ context.Context, o session.Options) error {
				opened = o.Connections[0].Name()
				return nil
			}}
			if _, err := ours.WriteString(typed); err != nil {
				t.Fatal(err)
			}
			exit := cli.Run(t.Context(), app, []string{"--config", filepath.Join(dir, "config.toml"), "--journal", filepath.Join(dir, "journal.jsonl")})
			if exit != want.exit || opened != want.opened {
				t.Errorf("exit status %d, opened %q", exit, opened)
			}
		})
	}
}

// If a log-in has expired, the error names the command for a new one. After a log-in in another window, the inspector
// continues.
func TestAfterALogInTheInspectorGoesOn(t *testing.T) {
	dir := t.TempDir()
	sso := "[profile support]\nregion = eu-west-1\nsso_session = corp\nsso_account_id = 111122223333\nsso_role_name = support\n" +
		"[sso-session corp]\nsso_region = eu-west-1\nsso_start_url = https://corp.invalid/start\n"
	for name, text := range map[string]string{"aws": sso, "credentials": "", "config.toml": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range map[string]string{
		"TERM": "xterm-256color", "AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": filepath.Join(dir, "aws"),
		"AWS_SHARED_CREDENTIALS_FILE": filepath.Join(dir, "credentials"), "AWS_PROFILE": "", "AWS_REGION": "", "AWS_DEFAULT_REGION": "",
		"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_ENDPOINT_URL": "", "AWS_ENDPOINT_URL_DYNAMODB": "", "HOME": dir,
	} {
		t.Setenv(name, value)
	}
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	defer theirs.Close()
	opened := 0
	app := &app.App{In: theirs, Out: theirs, Err: theirs, Inspect: func(context.Context, session.Options) error {
		opened++
		return nil
	}}
	var shown strings.Builder
	go func() {
		text := make([]byte, 4096)
		for logged := false; ; {
			n, err := ours.Read(text)
			if err != nil {
				return
			}
			shown.Write(text[:n])
			if !logged && strings.Contains(shown.String(), "aws sso login --profile support") && strings.Contains(shown.String(), "try again") {
				logged = true // imitate a log-in in another window
				keys := "[support]\naws_access_key_id = id\naws_secret_access_key = secret\n"
				_ = os.WriteFile(filepath.Join(dir, "aws"), []byte("[profile support]\nregion = eu-west-1\n"), 0o600)
				_ = os.WriteFile(filepath.Join(dir, "credentials"), []byte(keys), 0o600)
				_, _ = ours.WriteString("r\n")
			}
		}
	}()
	args := []string{"--profile", "support", "--config", filepath.Join(dir, "config.toml"), "--journal", filepath.Join(dir, "journal.jsonl")}
	if exit := cli.Run(t.Context(), app, args); exit != 0 || opened != 1 {
		t.Errorf("exit status %d, opened %d times", exit, opened)
	}
}
