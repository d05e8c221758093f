package change_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/ui/say"
)

// A plan as shell commands hands each request unchanged to the AWS CLI, for any values. The commands have no
// characters that control a terminal.
func TestCommandsThroughAShell(t *testing.T) {
	t.Parallel()
	f := start(t)
	for _, v := range []string{
		"alan2", "it's", "$HOME `id` $(id)", `a"b\c`, "; echo owned", "\x1b]0;other\x07\x1b[2Jroot", "gro\u202e", "a\nb", "李@例子", "\u0085\u009b", "'; --",
	} {
		f.put("accounts", handle(v))
		table := f.open("accounts")
		p := f.mustPlan(table, "username", v)
		conn, err := dynamo.Connect(t.Context(), dynamo.Options{Options: client.Options{Endpoint: "http://127.0.0.1:8000", Region: "eu-west-1", Profile: ""}})
		if err != nil {
			t.Fatal(err)
		}
		text, err := say.AWSCommands(conn, p.Steps)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range text {
			if r != '\n' && (r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) || r == 0x202e) {
				t.Errorf("%q: the commands hold %U", v, r)
			}
		}
		ran, err := exec.Command("sh", "-c", `aws() { echo x; }`+"\n"+text).Output()
		if err != nil || string(ran) != "x\n" {
			t.Errorf("%q: pasted as it is, it runs %q: %v", v, ran, err)
		}
		text = strings.ReplaceAll(text, "\n# aws ", "\naws ")
		// aws is a function that prints its arguments, NUL after each.
		out, err := exec.Command("sh", "-c", `aws() { for a in "$@"; do printf '%s\0' "$a"; done; printf '\0'; }`+"\n"+text).Output()
		if err != nil {
			t.Fatal(err)
		}
		calls := strings.Split(strings.TrimSuffix(string(out), "\x00\x00"), "\x00\x00")
		if len(calls) != len(p.Steps) {
			t.Fatalf("%q: %d commands for %d steps:\n%s", v, len(calls), len(p.Steps), text)
		}
		for n, call := range calls {
			args := strings.Split(call, "\x00")
			if got := strings.Join(args[:6], " "); got != "dynamodb transact-write-items --region eu-west-1 --endpoint-url http://127.0.0.1:8000" {
				t.Errorf("%q: %s", v, got)
			}
			var request struct {
				ClientRequestToken string
				TransactItems      []map[string]struct{ Key map[string]map[string]string }
			}
			if err := json.Unmarshal([]byte(args[7]), &request); err != nil {
				t.Fatalf("%q: %v in %s", v, err, args[7])
			}
			if request.ClientRequestToken != p.Steps[n].Token {
				t.Errorf("%q: the token is %s", v, request.ClientRequestToken)
			}
			for _, action := range request.TransactItems[0] {
				if got := action.Key["PK"]["S"]; got != "UNIQ#HANDLE#"+v {
					t.Errorf("%q: the key is %q", v, got)
				}
			}
		}
	}
}
