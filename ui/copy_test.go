package ui_test

import (
	"encoding/base64"
	"strings"
	"sync"
	"testing"
)

// clipboard has the text that the program has put into the terminal's clipboard.
type clipboard struct {
	mu   sync.Mutex
	text string
}

func (term *terminal) clipboard() *clipboard {
	c := &clipboard{}
	term.emu.RegisterOscHandler(52, func(data []byte) bool {
		_, text, _ := strings.Cut(strings.TrimPrefix(string(data), "52;"), ";")
		raw, _ := base64.StdEncoding.DecodeString(text)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.text = string(raw)
		return true
	})
	return c
}

func (c *clipboard) says() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text
}

// The keys copy a row's value, key, item and command unchanged.
func TestWhatIsCopied(t *testing.T) {
	s := onServer(t)
	term := s.run(t)
	at := " --endpoint-url http://" + s.conn.Endpoint()
	c := term.clipboard()
	copied := func(key, message, want string) {
		t.Helper()
		term.press(key)
		term.until(key+" to copy "+want, func(frame string) bool { return strings.Contains(frame, message) && c.says() == want })
	}
	term.see("confirmed")
	copied("y", "Copied the value.", "ada@lovelace.io")
	copied("c", "Copied the account's key as DynamoDB JSON.", `{"PK":{"S":"ACCT#a1f9c3"},"SK":{"S":"PROFILE"}}`)
	copied("C", "Copied the command: tallylock find", "tallylock find --table accounts"+at+" ada@lovelace.io")
	term.press("n") // the orphan
	copied("c", "Copied the lock's key as DynamoDB JSON.", `{"PK":{"S":"UNIQ#HANDLE#alan"},"SK":{"S":"LOCK"}}`)
	copied("C", "Copied the command: tallylock release", "tallylock release --write --table accounts"+at+" username alan")
	term.press("<enter>")
	term.see("ATTRIBUTE")
	copied("c", "Copied the key as DynamoDB JSON.", `{"PK":{"S":"UNIQ#HANDLE#alan"},"SK":{"S":"LOCK"}}`)
	term.press("<esc>4")
	term.see("✓ Checked")
	for !strings.Contains(row(term.screen(), "▸"), "alan") {
		term.press("j")
	}
	copied("c", "Copied the key as DynamoDB JSON.", `{"PK":{"S":"UNIQ#HANDLE#alan"},"SK":{"S":"LOCK"}}`)
	copied("C", "Copied the command", "tallylock release --write --table accounts"+at+" username alan")
	term.press("2")
	term.see("HOLDS")
	term.press("/hopper<enter>") // hopper has no lock, so the account's key is copied
	term.see("○ missing")
	copied("c", "Copied the account's key as DynamoDB JSON.", `{"PK":{"S":"ACCT#b77e02"},"SK":{"S":"PROFILE"}}`)
	term.press("Y")
	term.see("Copied the account as DynamoDB JSON.")
	term.press("<esc>3")
	term.see("order_id", "HEALTH")
	term.press("C")
	term.see("Copied the command: tallylock counters --table")
	term.press("1")
	term.see("○ missing")
	term.press("gnr") // the orphan
	term.see("Frees the username", "price")
	term.press("<tab><enter>")
	term.see("✓ Applied")
	term.press("<enter>5")
	term.see("release username")
	term.press("C")
	term.until("the undo to be copied", func(string) bool { return strings.HasPrefix(c.says(), "tallylock undo --write"+at+" R-") })
}

// A command with invisible characters is not copied, because a shell would get a different value.
func TestNoHiddenCharactersAreCopiedIntoAShell(t *testing.T) {
	term := onServer(t).run(t)
	c := term.clipboard()
	term.see("confirmed")
	for !strings.Contains(row(term.screen(), "▸"), `gro.elpmaxe\u202e`) {
		term.press("j")
	}
	term.press("C")
	term.see("Not copied: the value has invisible characters.")
	if got := c.says(); got != "" {
		t.Errorf("copied %q", got)
	}
	term.press("y")
	term.until("the value as it is", func(frame string) bool {
		return strings.Contains(frame, "Copied the value.") && strings.HasSuffix(c.says(), "\u202e")
	})
}

// The request of a change can also be copied as the tallylock command for the same change.
func TestAChangeIsCopiedAsACommand(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]struct {
		keys, price string
		words, last string
	}{
		"release": {"nr", "Frees the username", "release --write --table accounts", "username alan"},
		"change": {
			"e<end>x<tab>", "gets the email", "change --write --from ada@lovelace.io --table accounts",
			"'ACCT#a1f9c3 / PROFILE' email ada@lovelace.iox",
		},
		"delete": {"D", "Deletes the account", "delete-account --write --table accounts", "'ACCT#a1f9c3 / PROFILE'"},
		"bump":   {"+", "up to", "bump --by 1 --write --table order_id", "order_id"},
	} {
		t.Run(name, func(t *testing.T) {
			s := onServer(t)
			term := s.run(t)
			c := term.clipboard()
			if term.see("confirmed"); name == "bump" {
				term.onCounter("order_id")
			}
			term.press(ask.keys)
			term.see(ask.price, "price")
			term.press("<ctrl+o>")
			term.see("The request", "y aws", "C tallylock")
			term.press("C")
			want := "tallylock " + ask.words + " --endpoint-url http://" + s.conn.Endpoint() + " " + ask.last
			term.until("C to copy "+want, func(frame string) bool {
				return strings.Contains(frame, "Copied the tallylock command.") && c.says() == want
			})
		})
	}
}

// The demo's tables exist only inside the program, so no screen copies a command about them. A message says why. Values
// of the tables can be copied.
func TestNoCommandOfTheDemoIsCopied(t *testing.T) {
	term := drawn(t).run(t)
	c := term.clipboard()
	refused := func(key string) {
		t.Helper()
		term.press(key)
		term.see("The demo's tables exist only here; with real tables, this copies a command.")
		if got := c.says(); got != "" {
			t.Errorf("copied %q", got)
		}
	}
	term.see("confirmed")
	refused("C")
	refused("2jC")
	term.press("3")
	term.see("order_id", "HEALTH")
	refused("C")
	term.press("4")
	term.see("✓ Checked")
	refused("jC")
	term.press("1nr")
	if frame := term.see("Frees the username", "ctrl+o request"); strings.Contains(frame, "P plan") {
		t.Errorf("a plan is offered:\n%s", frame)
	}
	term.press("<ctrl+s>")
	term.see("The demo's tables exist only here; with real tables, this saves a plan.", "Frees the username")
	term.press("<ctrl+o>")
	if frame := term.see("The request"); strings.Contains(frame, "y aws") || strings.Contains(frame, "C tallylock") {
		t.Errorf("a command is offered:\n%s", frame)
	}
	refused("y")
	term.press("<esc><tab><enter>")
	term.see("✓ Applied")
	term.press("<enter>5")
	term.see("release username")
	refused("C")
	term.press("1gy")
	term.until("the value", func(string) bool { return c.says() != "" })
}

// The answer of find is copied as text, with a line for each value.
func TestAnAnswerIsCopiedInWords(t *testing.T) {
	term := drawn(t).run(t)
	c := term.clipboard()
	term.see("confirmed")
	term.press(":find alan<enter>")
	term.see("/ alan", "answered in")
	term.press("y")
	term.see("Copied this answer.")
	term.until("the answer", func(string) bool { return c.says() != "" })
	for _, want := range []string{
		`"alan" in accounts, looked up `,
		"\n- email: free. The email \"alan\" is free.",
		"\n- username: orphaned. No account holds the username \"alan\", but its lock exists. A sign-up",
	} {
		if !strings.Contains(c.says(), want) {
			t.Errorf("copied without %q:\n%s", want, c.says())
		}
	}
}

// A dialog does not copy a tallylock command with invisible characters, either.
func TestNoHiddenCharactersAreCopiedFromADialog(t *testing.T) {
	term := onServer(t).run(t)
	c := term.clipboard()
	term.see("confirmed")
	for !strings.Contains(row(term.screen(), "▸"), `gro.elpmaxe\u202e`) {
		term.press("j")
	}
	term.press("e<ctrl+u>grace@navy.test<tab>")
	term.see("price")
	term.press("<ctrl+o>")
	term.see("The request", "C tallylock")
	term.press("C")
	term.see("Not copied: the value has invisible characters.")
	if got := c.says(); got != "" {
		t.Errorf("copied %q", got)
	}
}
