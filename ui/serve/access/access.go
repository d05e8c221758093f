// Package access has the [serve] section of the config: the people who may use the inspector over SSH, and the limits
// of their sessions. It reads no file and opens no connection. Start reading at Config.
package access

import (
	"crypto/rsa"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"tallylock/dynamo/client"
	"tallylock/dynamo/mistake"
	"tallylock/dynamo/phrase"
	"tallylock/ui/session"
)

// Config is the [serve] section of the config file. Unset settings are zero.
type Config struct {
	// HostKey is the path of the server's host key. Empty: beside the journal's default place.
	HostKey string `toml:"host_key"`
	// Sessions is the greatest number of sessions at once. 0: DefaultSessions.
	Sessions int `toml:"sessions"`
	// Idle is the time without a key after which a session ends. 0: DefaultIdle. Longest is the longest duration of a
	// session. 0: LongestSession.
	Idle    Span `toml:"idle"`
	Longest Span `toml:"longest"`
	// HourlyReadUnits limits the read units of all sessions together in an hour. 0: no limit.
	HourlyReadUnits client.Ceiling `toml:"hourly_read_units"`
	// ApproveOwn lets operators apply plans that they have put into the queue themselves.
	ApproveOwn bool   `toml:"approve_own"`
	Users      []User `toml:"user"`
}

// User is a [[serve.user]]: a person who may use the inspector over SSH.
type User struct {
	Name        string       `toml:"name"`
	Role        session.Role `toml:"role"`
	Keys        []string     `toml:"keys"` // each as in an authorized_keys file, without options
	Connections []string     `toml:"connections"`
	Tables      []string     `toml:"tables"`
}

// The limits of a config, and their defaults.
const (
	DefaultSessions = 50
	MostSessions    = 500
	DefaultIdle     = 30 * time.Minute
	ShortestSpan    = time.Minute
	LongestSession  = 8 * time.Hour
)

// Span is a duration in the config file's form: "30m".
type Span struct{ time.Duration }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Span) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil || d < ShortestSpan || d > LongestSession {
		return fmt.Errorf("%q is not a time from %s to %s: write it as 30m or 1h", text, "1m", "8h")
	}
	s.Duration = d
	return nil
}

// Check returns an error for a mistake in the section. connections are the names of the config's connections.
func (c Config) Check(connections []string) error {
	if c.Sessions < 0 || c.Sessions > MostSessions {
		return mistake.Errorf("serve.sessions", "[serve]: sessions must be a number from 1 to %d", MostSessions)
	}
	var names []string
	keys := map[string]string{} // maps a key to the name of its user
	for n, u := range c.Users {
		at := "serve.user[" + strconv.Itoa(n) + "]"
		if err := u.check(at, n, connections); err != nil {
			return err
		}
		if slices.Contains(names, u.Name) {
			return mistake.Errorf(at+".name", "two users have the name %q: change one of the names", u.Name)
		}
		names = append(names, u.Name)
		for k, line := range u.Keys {
			at := at + ".keys[" + strconv.Itoa(k) + "]"
			key, err := ParseKey(line)
			if err != nil {
				return mistake.Errorf(at, "user %s: key %d: %s", u.Name, k+1, err)
			}
			id := string(key.Marshal())
			if other, taken := keys[id]; taken {
				return mistake.Errorf(at, "user %s: key %d (%s) is also a key of %s: list a key once, for one user",
					u.Name, k+1, ssh.FingerprintSHA256(key), other)
			}
			keys[id] = u.Name
		}
	}
	return nil
}

// named matches the names that a user may have: the journal and the log contain them.
var named = regexp.MustCompile(`^[\pL\pN][\pL\pN ._@+-]*$`)

const longestName = 64

// check checks a user without their keys. at is the path of the user's section, number its index.
func (u User) check(at string, number int, connections []string) error {
	switch {
	case u.Name == "":
		return mistake.Errorf(at, "[[serve.user]] number %d has no name: add a name", number+1)
	case len(u.Name) > longestName || !named.MatchString(u.Name) || strings.HasSuffix(u.Name, " "):
		return mistake.Errorf(at+".name", "%q cannot be the name of a user: begin with a letter or "+
			"digit, and use at most %d letters, digits, spaces and . _ @ + -", u.Name, longestName)
	case u.Role != session.Viewer && u.Role != session.Operator:
		return mistake.Errorf(at+".role", "user %s: %q is not a role: use viewer or operator%s", u.Name, string(u.Role),
			mistake.Meant(string(u.Role), string(session.Viewer), string(session.Operator)))
	case len(u.Keys) == 0:
		return mistake.Errorf(at, "user %s has no key: add keys = [\"ssh-ed25519 …\"]", u.Name)
	case len(u.Connections) == 0:
		return mistake.Errorf(at, "user %s has no connection: add connections, with names of the config's connections", u.Name)
	case len(u.Tables) == 0:
		return mistake.Errorf(at, "user %s has no table: add tables = [\"NAME\"]", u.Name)
	}
	for n, name := range u.Connections {
		at := at + ".connections[" + strconv.Itoa(n) + "]"
		switch {
		case slices.Contains(u.Connections[:n], name):
			return mistake.Errorf(at, "user %s: the connection %q is listed twice", u.Name, name)
		case !slices.Contains(connections, name):
			return mistake.Errorf(at, "user %s: the config has no connection with the name %q%s", u.Name, name,
				mistake.Meant(name, connections...))
		}
	}
	for n, name := range u.Tables {
		at := at + ".tables[" + strconv.Itoa(n) + "]"
		switch {
		case slices.Contains(u.Tables[:n], name):
			return mistake.Errorf(at, "user %s: the table %q is listed twice", u.Name, name)
		case !client.MayBeCalled(name):
			return mistake.Errorf(at, "user %s: %q cannot be the name of a table: use %s", u.Name, name, client.NameRules)
		}
	}
	return nil
}

// ParseKey parses a public key as in an authorized_keys file. It refuses options, and kinds of keys that cannot log in.
func ParseKey(line string) (ssh.PublicKey, error) {
	line = strings.TrimSpace(line)
	if strings.ContainsAny(line, "\r\n") { // the parser skips lines that it cannot read
		return nil, errors.New("this is more than one line: write each key as one string")
	}
	key, _, options, _, err := ssh.ParseAuthorizedKey([]byte(line))
	switch {
	case err != nil:
		return nil, errors.New("this is not a public key: copy the line of a file such as id_ed25519.pub")
	case len(options) > 0:
		return nil, fmt.Errorf("options of a key have no effect here, so they are refused: remove %s", phrase.List(options))
	}
	if own, ok := key.(ssh.CryptoPublicKey); ok {
		if public, ok := own.CryptoPublicKey().(*rsa.PublicKey); ok && public.N.BitLen() < leastRSA {
			return nil, fmt.Errorf("this RSA key has only %d bits: make a key with ssh-keygen -t ed25519", public.N.BitLen())
		}
	}
	switch key.Type() {
	case ssh.KeyAlgoED25519, ssh.KeyAlgoSKED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521,
		ssh.KeyAlgoSKECDSA256, ssh.KeyAlgoRSA:
		return key, nil
	}
	return nil, fmt.Errorf("keys of the kind %s cannot log in: make a key with ssh-keygen -t ed25519", key.Type())
}

// leastRSA is the least number of bits of an RSA key.
const leastRSA = 2048

// Find returns the user with a key; nil if nobody has the key.
func (c Config) Find(key ssh.PublicKey) *User {
	if key == nil {
		return nil
	}
	wanted := string(key.Marshal())
	for n, u := range c.Users {
		for _, line := range u.Keys {
			if own, err := ParseKey(line); err == nil && string(own.Marshal()) == wanted {
				return &c.Users[n]
			}
		}
	}
	return nil
}

// Within returns the rights that u and now both give; nil if they give none. A person with another name has other
// rights.
func (u User) Within(now User) *User {
	common := func(some, all []string) []string {
		return slices.DeleteFunc(slices.Clone(some), func(s string) bool { return !slices.Contains(all, s) })
	}
	if u.Role != now.Role {
		u.Role = session.Viewer
	}
	u.Connections, u.Tables = common(u.Connections, now.Connections), common(u.Tables, now.Tables)
	if u.Name != now.Name || len(u.Connections) == 0 || len(u.Tables) == 0 {
		return nil
	}
	return &u
}

// Same reports whether two users have the same rights. They may have different keys.
func (u User) Same(other User) bool {
	return u.Name == other.Name && u.Role == other.Role && slices.Equal(u.Connections, other.Connections) &&
		slices.Equal(u.Tables, other.Tables)
}
