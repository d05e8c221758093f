package access_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"tallylock/ui/serve/access"
	"tallylock/ui/session"
)

// line returns a public key as in an authorized_keys file.
func line(t *testing.T, key any) string {
	t.Helper()
	public, err := ssh.NewPublicKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(public)))
}

func ed(t *testing.T) string {
	t.Helper()
	key, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return line(t, key)
}

func rsaKey(t *testing.T, bits int) string {
	t.Helper()
	t.Setenv("GODEBUG", "rsa1024min=0")
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	return line(t, &key.PublicKey)
}

// Within keeps only the rights that both readings of the config give.
func TestWithin(t *testing.T) {
	user := func(name string, role session.Role, connections, tables string) access.User {
		return access.User{Name: name, Role: role, Connections: strings.Fields(connections), Tables: strings.Fields(tables)}
	}
	operator, viewer := session.Operator, session.Viewer
	for name, tc := range map[string]struct {
		used, now access.User
		want      *access.User
	}{
		"the same":           {user("ben", operator, "a b", "x y"), user("ben", operator, "a b", "x y"), new(user("ben", operator, "a b", "x y"))},
		"more rights now":    {user("ben", viewer, "a", "x"), user("ben", operator, "a b", "x y"), new(user("ben", viewer, "a", "x"))},
		"fewer rights now":   {user("ben", operator, "a b", "x y"), user("ben", viewer, "b", "y"), new(user("ben", viewer, "b", "y"))},
		"more and fewer":     {user("ben", viewer, "a b", "x"), user("ben", operator, "b c", "x y"), new(user("ben", viewer, "b", "x"))},
		"no table is left":   {user("ben", operator, "a", "x"), user("ben", operator, "a", "y"), nil},
		"no connection left": {user("ben", operator, "a", "x"), user("ben", operator, "b", "x"), nil},
		"another name":       {user("ben", operator, "a", "x"), user("eve", operator, "a", "x"), nil},
	} {
		got := tc.used.Within(tc.now)
		if (got == nil) != (tc.want == nil) || got != nil && !got.Same(*tc.want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestParseKey(t *testing.T) {
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	good := ed(t)
	for name, tc := range map[string]struct{ line, says string }{
		"ed25519":           {good + " maria@laptop", ""},
		"ECDSA":             {line(t, &curve.PublicKey), ""},
		"RSA of 2048 bits":  {rsaKey(t, 2048), ""},
		"RSA of 1024 bits":  {rsaKey(t, 1024), "only 1024 bits"},
		"empty":             {"", "not a public key"},
		"no key":            {"ssh-ed25519 AAAA", "not a public key"},
		"two lines":         {"# a comment\n" + good, "more than one line"},
		"options":           {`command="sh" ` + good, "refused: remove"},
		"a certificate":     {"ssh-ed25519-cert-v01@openssh.com AAAA", "not a public key"},
		"text after a line": {good + "\r\nx", "more than one line"},
	} {
		_, err := access.ParseKey(tc.line)
		if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Each mistake in the section is refused, with the name of the user.
func TestCheck(t *testing.T) {
	key := ed(t)
	good := func() access.Config {
		return access.Config{Users: []access.User{{
			Name: "maria", Role: session.Viewer, Keys: []string{key}, Connections: []string{"prod"}, Tables: []string{"accounts"},
		}}}
	}
	if err := good().Check([]string{"prod"}); err != nil {
		t.Fatal(err)
	}
	for says, change := range map[string]func(c *access.Config){
		"sessions must be":                      func(c *access.Config) { c.Sessions = access.MostSessions + 1 },
		"sessions must be a number":             func(c *access.Config) { c.Sessions = -1 },
		"has no name":                           func(c *access.Config) { c.Users[0].Name = "" },
		"cannot be the name of a user":          func(c *access.Config) { c.Users[0].Name = "maria\x1b[31m" },
		"at most 64 letters":                    func(c *access.Config) { c.Users[0].Name = strings.Repeat("m", 65) },
		`"opertor" is not a role`:               func(c *access.Config) { c.Users[0].Role = "opertor" },
		"did you mean \"operator\"":             func(c *access.Config) { c.Users[0].Role = "opertor" },
		"has no key":                            func(c *access.Config) { c.Users[0].Keys = nil },
		"has no connection":                     func(c *access.Config) { c.Users[0].Connections = nil },
		"has no table":                          func(c *access.Config) { c.Users[0].Tables = nil },
		`the connection "prod" is listed twice`: func(c *access.Config) { c.Users[0].Connections = []string{"prod", "prod"} },
		"no connection with the name":           func(c *access.Config) { c.Users[0].Connections = []string{"prd"} },
		`the table "accounts" is listed twice`:  func(c *access.Config) { c.Users[0].Tables = []string{"accounts", "accounts"} },
		"cannot be the name of a table":         func(c *access.Config) { c.Users[0].Tables = []string{"a b"} },
		"is also a key of maria":                func(c *access.Config) { c.Users[0].Keys = []string{key, key + " again"} },
		"two users have the name":               func(c *access.Config) { c.Users = append(c.Users, c.Users[0]) },
		"key 1: this is not a public key":       func(c *access.Config) { c.Users[0].Keys = []string{"x"} },
	} {
		c := good()
		change(&c)
		if err := c.Check([]string{"prod"}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	for text, ok := range map[string]bool{"1m": true, "8h": true, "59s": false, "9h": false, "8h1s": false, "-1h": false, "soon": false} {
		var s access.Span
		if err := s.UnmarshalText([]byte(text)); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}
