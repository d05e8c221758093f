package cli_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/creack/pty"

	"tallylock/ui/cli"
	"tallylock/ui/session"
)

// Who starts the inspector with nothing to connect with chooses what to look at.
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
			app := cli.App{In: theirs, Out: theirs, Err: theirs, Inspect: func(_ context.Context, o session.Options) error {
				opened = o.Connections[0].Name()
				return nil
			}}
			if _, err := ours.WriteString(typed); err != nil {
				t.Fatal(err)
			}
			exit := app.Run(t.Context(), []string{"--config", filepath.Join(dir, "config.toml"), "--journal", filepath.Join(dir, "journal.jsonl")})
			if exit != want.exit || opened != want.opened {
				t.Errorf("exit status %d, opened %q", exit, opened)
			}
		})
	}
}
