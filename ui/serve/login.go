package serve

import (
	"cmp"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"

	"tallylock/ui/safe"
	"tallylock/ui/serve/access"
)

// The limits of a login.
const (
	loginWithin = 10 * time.Second // to log in, and then to begin a session
	loginTries  = 3
	loginsAtOne = 10 // connections at once that are not logged in
)

// login is a connection of a client, from its beginning to its end. It closes the connection if no session begins in
// time, and it writes a failed login into the log.
type login struct {
	net.Conn
	server *server
	free   func() // lets another connection log in

	mu       sync.Mutex
	user     string   // the name that the client gave, made safe
	offered  []string // the fingerprints of refused keys
	attempts int
	in       bool            // somebody is logged in
	open     bool            // a session channel is open
	begun    bool            // the inspector runs in it
	sizes    chan ssh.Window // the newest size of the channel's terminal
	ended    error
	closed   bool
	timer    *time.Timer // closes the connection if no session begins
}

// loginKey is the key of the login in the context of a connection.
type loginKey struct{}

// connected limits the connections that are not logged in. It returns nil if there are too many.
func (s *server) connected(ctx ssh.Context, conn net.Conn) net.Conn {
	select {
	case s.logins <- struct{}{}:
	default:
		s.log.Warn("login refused", "address", conn.RemoteAddr().String(), "reason", "too many connections at once")
		return nil
	}
	l := &login{Conn: conn, server: s, free: sync.OnceFunc(func() { <-s.logins })}
	l.mu.Lock() // the timer may fire at once
	l.timer = time.AfterFunc(loginWithin, func() { l.fail(os.ErrDeadlineExceeded) })
	l.mu.Unlock()
	ctx.SetValue(loginKey{}, l)
	return l
}

// loginOf returns the login of a connection.
func loginOf(ctx ssh.Context) *login {
	l, _ := ctx.Value(loginKey{}).(*login)
	return l
}

// config returns the SSH settings of a connection.
func (s *server) config(ctx ssh.Context) *gossh.ServerConfig {
	l := loginOf(ctx)
	return &gossh.ServerConfig{
		MaxAuthTries: loginTries,
		VerifiedPublicKeyCallback: func(
			conn gossh.ConnMetadata, key gossh.PublicKey, rights *gossh.Permissions, _ string,
		) (*gossh.Permissions, error) {
			user := s.find(key)
			if user == nil { // the config has changed since the key was offered
				return nil, ssh.ErrPermissionDenied
			}
			l.loggedIn(conn, key, user)
			return rights, nil
		},
		AuthLogCallback: func(conn gossh.ConnMetadata, method string, err error) {
			l.attempted(conn.User(), method, err)
		},
	}
}

// known reports whether a key belongs to a user.
func (s *server) known(ctx ssh.Context, key ssh.PublicKey) bool {
	if s.find(key) != nil {
		return true
	}
	l := loginOf(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.offered = append(l.offered, gossh.FingerprintSHA256(key))
	return false
}

// attempted notes an attempt to log in.
func (l *login) attempted(user, method string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.user = safe.Text(cropped(user))
	if err == nil {
		l.in = true
		l.free()
		l.timer.Reset(loginWithin) // the time to begin a session
	} else if method != "none" { // each client first asks which methods are possible
		l.attempts++
	}
}

// loggedIn writes a login into the log.
func (l *login) loggedIn(conn gossh.ConnMetadata, key gossh.PublicKey, user *access.User) {
	version := safe.Text(cropped(string(conn.ClientVersion())))
	l.server.log.Info("login", "user", user.Name, "role", string(user.Role), "key", gossh.FingerprintSHA256(key),
		"address", l.RemoteAddr().String(), "as", safe.Text(cropped(conn.User())), "client", version)
}

// enter opens the session channel of the connection, and returns the channel for the sizes of its terminal. It reports
// false if one is open already.
func (l *login) enter() (sizes chan ssh.Window, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open {
		return nil, false
	}
	l.open, l.sizes = true, make(chan ssh.Window, 1)
	return l.sizes, true
}

// takeSizes returns the channel for the sizes of the terminal, from the open session channel.
func (l *login) takeSizes() <-chan ssh.Window {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sizes
}

// leave closes the session channel. After a session, another one must begin soon. A channel without a session gives no
// more time.
func (l *login) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = false
	if l.begun {
		l.begun = false
		l.timer.Reset(loginWithin)
	}
}

// began stops the timer, since the session has begun.
func (l *login) began() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open { // else the channel is closed already
		l.begun = true
		l.timer.Stop()
	}
}

// fail closes the connection for a reason.
func (l *login) fail(err error) {
	l.mu.Lock()
	l.ended = cmp.Or(l.ended, err)
	l.mu.Unlock()
	_ = l.Close()
}

// Read implements net.Conn. It notes why the connection ended.
func (l *login) Read(b []byte) (int, error) {
	n, err := l.Conn.Read(b)
	if err != nil {
		l.mu.Lock()
		l.ended = cmp.Or(l.ended, err)
		l.mu.Unlock()
	}
	return n, err
}

// Close implements net.Conn. If nobody has logged in, it writes the reason into the log.
func (l *login) Close() error {
	l.free()
	l.mu.Lock()
	l.timer.Stop()
	first := !l.closed
	l.closed = true
	in, user, offered, why := l.in, l.user, strings.Join(l.offered, " "), l.why()
	l.mu.Unlock()
	if first && !in {
		l.server.log.Warn("login failed", "address", l.RemoteAddr().String(), "as", user, "keys", offered, "reason", why)
	}
	return l.Conn.Close()
}

// why says why nobody has logged in.
func (l *login) why() string {
	switch {
	case errors.Is(l.ended, os.ErrDeadlineExceeded):
		return "no login within " + loginWithin.String()
	case l.attempts >= loginTries:
		return "too many attempts"
	case len(l.offered) > 0:
		return "unknown key"
	case l.attempts > 0:
		return "no key"
	case l.ended == nil || errors.Is(l.ended, io.EOF) || errors.Is(l.ended, net.ErrClosed):
		return "the client left"
	}
	return "the connection failed"
}
