package serve_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"tallylock/dynamo/client"
	"tallylock/internal/testrun"
	"tallylock/ui/serve"
	"tallylock/ui/serve/access"
	"tallylock/ui/session"
)

// starts tries to start a server, and returns its error. The server stops as soon as it has started.
func starts(t *testing.T, address, key string) error {
	t.Helper()
	_, line := newKey(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	none := access.User{Name: "maria", Role: session.Viewer, Keys: []string{line}}
	return serve.Run(ctx, serve.Options{
		Address: address, HostKey: key, Log: slog.New(slog.DiscardHandler),
		Read: func() (serve.Reading, error) {
			connect := func(context.Context) (*serve.Setup, error) { return &serve.Setup{}, nil }
			return serve.Reading{Config: access.Config{Users: []access.User{none}}, Connect: connect}, nil
		},
		Ready: func(net.Addr, ssh.PublicKey, bool) { stop() },
	})
}

// The first start makes a host key that only its owner can read, and later starts use it. A file that somebody else may
// have read or written is refused.
func TestHostKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "state", "key")
	for range 2 {
		if err := starts(t, "127.0.0.1:0", path); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the key is %v: %v", info.Mode(), err)
	}
	text, _ := os.ReadFile(path)
	write := func(name, text string, mode os.FileMode) string {
		t.Helper()
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(p, mode); err != nil {
			t.Fatal(err)
		}
		return p
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ path, want string }{
		"group may read": {write("group", string(text), 0o640), "its mode is 0640, and must be 0600"},
		"link":           {link, "symbolic link"},
		"folder":         {dir, "this is not a file"},
		"other text":     {write("text", "hello", 0o600), "must have an ed25519 key"},
		"empty":          {write("empty", "", 0o600), "must have an ed25519 key"},
	} {
		err := starts(t, "127.0.0.1:0", tc.path)
		if client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Nobody else may be able to change the config.
func TestCheckConfig(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		file, folder fs.FileMode
		says         string
	}{
		"private":                          {0o600, 0o700, ""},
		"others may read":                  {0o644, 0o755, ""},
		"a folder as /tmp":                 {0o600, 0o777 | fs.ModeSticky, ""},
		"the group may write":              {0o620, 0o700, "other users can change this file"},
		"others may write":                 {0o602, 0o700, "other users can change this file"},
		"others may write into the folder": {0o600, 0o777, "other users can replace files in the folder"},
	} {
		dir := filepath.Join(t.TempDir(), "config")
		file := filepath.Join(dir, "config.toml")
		if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(file, nil, 0o600), os.Chmod(file, tc.file), os.Chmod(dir, tc.folder)); err != nil {
			t.Fatal(err)
		}
		err := serve.CheckConfig(file)
		if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v", name, err)
		}
		if os.Geteuid() != 0 {
			continue
		}
		for _, foreign := range []string{file, dir} {
			if err := os.Chown(foreign, 12345, -1); err != nil {
				t.Fatal(err)
			}
			if err := serve.CheckConfig(file); err == nil {
				t.Errorf("%s: another user owns %s", name, foreign)
			}
			if err := os.Chown(foreign, 0, -1); err != nil {
				t.Fatal(err)
			}
		}
	}
	// A link into a folder of others.
	open := filepath.Join(t.TempDir(), "open")
	link := filepath.Join(t.TempDir(), "config.toml")
	if err := errors.Join(
		os.Mkdir(open, 0o700), os.WriteFile(filepath.Join(open, "c.toml"), nil, 0o600), os.Chmod(open, 0o777),
		os.Symlink(filepath.Join(open, "c.toml"), link),
	); err != nil {
		t.Fatal(err)
	}
	if err := serve.CheckConfig(link); err == nil || !strings.Contains(err.Error(), "files in the folder "+open) {
		t.Errorf("a link into a folder of others: %v", err)
	}
	// A link in a folder of others, which leads to a private file.
	private, first := filepath.Join(t.TempDir(), "c.toml"), filepath.Join(t.TempDir(), "config.toml")
	if err := errors.Join(
		os.WriteFile(private, nil, 0o600), os.Symlink(private, filepath.Join(open, "link")),
		os.Symlink(filepath.Join(open, "link"), first),
	); err != nil {
		t.Fatal(err)
	}
	if err := serve.CheckConfig(first); err == nil || !strings.Contains(err.Error(), "files in the folder "+open) {
		t.Errorf("a link over a folder of others: %v", err)
	}
	if err := serve.CheckConfig(filepath.Join(t.TempDir(), "none.toml")); err != nil {
		t.Error(err)
	}
}

func TestAPortInUse(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	err = starts(t, taken.Addr().String(), filepath.Join(t.TempDir(), "key"))
	if err == nil || !strings.Contains(err.Error(), "listening on "+taken.Addr().String()+": address already in use") {
		t.Error(err)
	}
}

// The log is a file that only its owner can read.
func TestLogFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	f, err := serve.OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, "one\n"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, path+".1"); err != nil { // as logrotate does
		t.Fatal(err)
	}
	if err := f.Reopen(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, "two\n"); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	for name, want := range map[string]string{path + ".1": "one\n", path: "two\n"} {
		if text, err := os.ReadFile(name); err != nil || string(text) != want {
			t.Errorf("%s has %q, %v", name, text, err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v: %v", info.Mode(), err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := serve.OpenLog(path); client.KindOf(err) != client.Usage {
		t.Errorf("a log that others can read: %v", err)
	}
}

// Ten connections may log in at once. The next one is closed, until one of them has ended.
func TestManyLoginsAtOnce(t *testing.T) {
	t.Parallel()
	key, line := newKey(t)
	s := start(t, access.Config{Users: []access.User{user("maria", session.Viewer, line)}})
	var all []net.Conn
	for range 10 {
		c, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.ReadFull(c, make([]byte, 4)); err != nil { // the server has accepted the connection
			t.Fatal(err)
		}
		all = append(all, c)
	}
	if c, err := s.dial(key); err == nil {
		_ = c.Close()
		t.Fatal("an eleventh connection logged in")
	}
	if !strings.Contains(s.log.String(), "too many connections at once") {
		t.Errorf("the log lacks the refusal:\n%s", s.log)
	}
	_ = all[0].Close()
	until(t, "nobody can log in", func() bool {
		c, err := s.dial(key)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
}

// The fourth key is not tried, even if it is the right one.
func TestThreeTries(t *testing.T) {
	t.Parallel()
	key, line := newKey(t)
	s := start(t, access.Config{Users: []access.User{user("maria", session.Viewer, line)}})
	var keys []ssh.Signer
	for range 3 {
		wrong, _ := newKey(t)
		keys = append(keys, wrong)
	}
	attempt := func(keys ...ssh.Signer) error {
		c, err := ssh.Dial("tcp", s.address, &ssh.ClientConfig{
			User: "maria", Auth: []ssh.AuthMethod{ssh.PublicKeys(keys...)}, HostKeyCallback: ssh.InsecureIgnoreHostKey(),
		})
		if err == nil {
			_ = c.Close()
		}
		return err
	}
	if err := attempt(append(keys[:2:2], key)...); err != nil {
		t.Errorf("the third key: %v", err)
	}
	if err := attempt(append(keys, key)...); err == nil {
		t.Error("a fourth key was tried")
	}
	until(t, "the log lacks the reason", func() bool { return strings.Contains(s.log.String(), `reason="too many attempts"`) })
}

// The server closes the connection of a client that does not log in, or that begins no session.
func TestALoginTakesTenSeconds(t *testing.T) {
	t.Parallel()
	if !testrun.Long() {
		t.Skip("TALLYLOCK_LONG is not set")
	}
	key, line := newKey(t)
	s := start(t, access.Config{Users: []access.User{user("maria", session.Viewer, line)}})
	silent, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	c, err := s.dial(key)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, silent) // ends when the server closes the connection
	_ = c.Wait()
	if !strings.Contains(s.log.String(), `reason="no login within 10s"`) {
		t.Errorf("the log:\n%s", s.log)
	}
}

// A session above the limit is refused.
func TestSessionsAtOnce(t *testing.T) {
	t.Parallel()
	key, line := newKey(t)
	s := start(t, access.Config{Sessions: 1, Users: []access.User{user("maria", session.Viewer, line)}})
	first := s.connect(key, "xterm", 80, 24)
	first.shows(t, "ada@")
	second := s.connect(key, "xterm", 80, 24)
	if err := <-second.ended; err == nil || !strings.Contains(second.out.String(), "no room for another session") {
		t.Errorf("%v: %q", err, second.out.String())
	}
	_, _ = io.WriteString(first.in, "q")
	<-first.ended
	until(t, "there is still no room", func() bool { // the server may need a moment to note the end
		v := s.connect(key, "xterm", 80, 24)
		until(t, "no answer", func() bool {
			return strings.Contains(v.out.String(), "ada@") || strings.Contains(v.out.String(), "no room")
		})
		return strings.Contains(v.out.String(), "ada@")
	})
}

// An idle session ends, and so does a session that reaches its longest duration. The last line says why.
func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	for want, config := range map[string]access.Config{
		"you pressed no key for a long time": {Idle: access.Span{Duration: 200 * time.Millisecond}},
		"it reached its time limit":          {Longest: access.Span{Duration: 200 * time.Millisecond}},
	} {
		key, line := newKey(t)
		config.Users = []access.User{user("maria", session.Viewer, line)}
		s := start(t, config)
		v := s.connect(key, "xterm", 80, 24)
		if err := <-v.ended; err == nil || !strings.Contains(v.out.String(), want) {
			t.Errorf("%s: %v, %q", want, err, v.out.String())
		}
		if !strings.Contains(s.log.String(), "units=") {
			t.Errorf("the log lacks the read units:\n%s", s.log)
		}
	}
}

// The read units of an hour are for all sessions together. A new config does not give them back.
func TestUnitsOfAnHour(t *testing.T) {
	t.Parallel()
	key, line := newKey(t)
	config := access.Config{
		HourlyReadUnits: client.Ceiling{Units: 20}, Users: []access.User{user("maria", session.Viewer, line)},
	}
	s := start(t, config)
	const spent = "read units for this hour"
	over := func() bool { // reports whether a new session may read nothing
		v := s.connect(key, "xterm", 200, 50)
		until(t, "the screen stays empty", func() bool {
			return strings.Contains(v.out.String(), "ada@") || strings.Contains(v.out.String(), spent)
		})
		return strings.Contains(v.out.String(), spent)
	}
	until(t, "the sessions read on", over)
	s.read(config)
	until(t, "the config was not read", func() bool { return strings.Contains(s.log.String(), "config read again") })
	if !over() {
		t.Error("the new config gave the units back")
	}
}

// The session of a viewer cannot suspend, writes no files, and leaves the journal empty.
func TestAViewerOverSSH(t *testing.T) {
	t.Parallel()
	key, line := newKey(t)
	s := start(t, access.Config{Users: []access.User{user("maria", session.Viewer, line)}})
	v := s.connect(key, "xterm", 120, 40)
	v.shows(t, "ada@")
	_, _ = io.WriteString(v.in, "\x1a") // ctrl+z
	v.shows(t, "suspend")
	_, _ = io.WriteString(v.in, "w")
	v.shows(t, "no files of its own")
	_, _ = io.WriteString(v.in, "q")
	if err := <-v.ended; err != nil {
		t.Error(err)
	}
	if records, err := s.journal.Records(); err != nil || len(records) != 0 {
		t.Errorf("the journal has %v: %v", records, err)
	}
}
