package cli_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"tallylock/ui/cli"
	"tallylock/ui/cli/app"
	"tallylock/ui/session"
)

// If the journal is not writable, each connection that may write has the error in NoJournal. Read-only connections need
// no journal.
func TestTheJournalIsTriedForEachConnectionThatWrites(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("TERM", "xterm-256color")
	journal, config := filepath.Join(dir, "journal.jsonl"), filepath.Join(dir, "config.toml")
	t.Chdir(dir)
	socket, err := net.Listen("unix", filepath.Base(journal)) // a journal to which no line can be added
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if err := os.Chmod(journal, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte(`
default_connection = "reads"

[[connection]]
name = "reads"
endpoint_url = "http://127.0.0.1:1"

[[connection]]
name = "writes"
endpoint_url = "http://127.0.0.1:1"
write = true
`), 0o600); err != nil {
		t.Fatal(err)
	}
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	defer theirs.Close()
	tried := map[string]bool{}
	app := &app.App{In: theirs, Out: theirs, Err: theirs, Inspect: func(_ context.Context, o session.Options) error {
		for _, c := range o.Connections {
			tried[c.Name()] = c.NoJournal != nil
		}
		return nil
	}}
	if exit := cli.Run(t.Context(), app, []string{"--config", config, "--journal", journal}); exit != 0 || len(tried) != 2 || tried["reads"] || !tried["writes"] {
		t.Errorf("exit status %d; without a journal: %v", exit, tried)
	}
}

// A connection keeps its guard with another AWS profile or Region. If the config has a connection to that place, its
// stricter guard holds, too. Only such a connection permits writes. A connection to an unknown profile permits none,
// because nobody knows its place. Commands that the inspector offers name the profile and the Region.
func TestAConnectionWithAnotherAWSProfileKeepsItsGuard(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	keys := func(name string) string {
		return "[" + name + "]\naws_access_key_id = id\naws_secret_access_key = x\n"
	}
	for name, text := range map[string]string{
		"aws":         "[profile dev]\nregion = eu-west-1\n[profile prod]\nregion = eu-west-1\n[profile third]\nregion = eu-west-1\n[profile stage]\nregion = eu-west-1\n",
		"credentials": keys("dev") + keys("prod") + keys("third") + keys("stage"),
		"config.toml": `
default_connection = "dev"

[[connection]]
name = "dev"
profile = "dev"
write = true
require_reason = true
table = "accounts"

[[connection]]
name = "prod"
profile = "prod"
guard = "type"
production = true

[[connection]]
name = "stage"
profile = "stage"
write = true

[[connection]]
name = "gone"
profile = "no such profile"
write = true
`,
	} {
		if err := os.WriteFile(path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range map[string]string{
		"HOME": dir, "TERM": "xterm-256color", "AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": path("aws"),
		"AWS_SHARED_CREDENTIALS_FILE": path("credentials"), "AWS_PROFILE": "", "AWS_REGION": "", "AWS_DEFAULT_REGION": "",
		"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_ENDPOINT_URL": "", "AWS_ENDPOINT_URL_DYNAMODB": "",
	} {
		t.Setenv(name, value)
	}
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	defer theirs.Close()
	describe := func(c session.Connection) string {
		place := strings.Join(c.Place()[4:], " ") // after --config and --journal
		return fmt.Sprintf("%s: %s %s, writes %t, guard %s, production %t, %s", c.Name(), c.Profile(), c.Region(),
			c.WritesTo("accounts"), c.GuardOf("accounts"), c.Production, place)
	}
	app := &app.App{In: theirs, Out: theirs, Err: theirs, Inspect: func(ctx context.Context, o session.Options) error {
		for _, step := range []struct {
			profile, region, want string
		}{
			{"third", "", "dev (third): third eu-west-1, writes false, guard confirm, production false, --connection dev --profile third"},
			{"", "us-east-1", "dev: dev us-east-1, writes false, guard confirm, production false, --connection dev --region us-east-1"},
			{"stage", "", "dev (stage): stage eu-west-1, writes true, guard confirm, production false, --connection dev --profile stage"},
			{"prod", "", "dev (prod): prod eu-west-1, writes false, guard type, production true, --connection dev --profile prod"},
		} {
			c, err := o.Connections[0].With(ctx, step.profile, step.region)
			if err != nil {
				t.Fatal(err)
			}
			if got := describe(c); got != step.want {
				t.Errorf("%s; want %s", got, step.want)
			}
			if step.profile == "third" {
				want := "start with tallylock --config " + path("config.toml") + " --journal " + path("journal.jsonl") + " --connection dev --profile third --write"
				if why := c.WhyReadOnly(); !strings.HasSuffix(why, want) {
					t.Errorf("%q does not end in %q", why, want)
				}
			}
			if c, err = c.With(ctx, "third", "us-west-2"); err != nil { // change the profile a second time
				t.Fatal(err)
			}
			want := "dev (third): third us-west-2, writes false, guard confirm, production false, --connection dev --profile third --region us-west-2"
			if got := describe(c); got != want {
				t.Errorf("%s; want %s", got, want)
			}
		}
		return nil
	}}
	if exit := cli.Run(t.Context(), app, []string{"--config", path("config.toml"), "--journal", path("journal.jsonl")}); exit != 0 {
		t.Errorf("exit status %d", exit)
	}
}
