// Package serve shows the inspector to other people over SSH. It knows people by their keys, opens the tables that the
// config gives them, limits their sessions, and writes a log. It imports no screen: the caller makes the inspector.
//
// Start reading at Run, which serves. login.go logs people in, channel.go refuses requests, and visit.go runs a
// session.
package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"reflect"
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/ssh"
	"charm.land/wish/v2"
	gossh "golang.org/x/crypto/ssh"

	"tallylock/dynamo/change/queue"
	"tallylock/dynamo/client"
	"tallylock/dynamo/mistake"
	"tallylock/ui/say"
	"tallylock/ui/serve/access"
	"tallylock/ui/session"
)

// Program is the inspector of one person.
type Program interface {
	// Run shows the inspector until the person quits it, or until End.
	Run() error
	Send(msg tea.Msg)
	// End ends the inspector after the change in progress.
	End()
}

// Options are the settings of a server.
type Options struct {
	Address string
	// HostKey is the path of the host key, if the config has none.
	HostKey string
	// Read reads the config. It sends no request.
	Read func() (Reading, error)
	// Reload has a value for each request to read the config again.
	Reload <-chan struct{}
	Log    *slog.Logger
	// Ready is called when the server accepts connections.
	Ready func(address net.Addr, key gossh.PublicKey, made bool)
	// CancelAfter limits the wait of an ending session for a change in progress; 0 means 10 minutes.
	CancelAfter time.Duration
	// Inspect makes the inspector of one person.
	Inspect func(context.Context, session.Options, ...tea.ProgramOption) (Program, error)
}

// Reading is the content of the config.
type Reading struct {
	access.Config
	// Settings has the settings of each connection. If a later reading has other settings, the sessions of the connection
	// end.
	Settings map[string]any
	// Connect connects to the connections.
	Connect func(context.Context) (*Setup, error)
}

// Setup is what the config gives to people: connections, and the settings of the inspector.
type Setup struct {
	Inspector session.Options
	// Connections are the connections of the config. Each session gets a share of them.
	Connections map[string]session.Connection
	// Queue has the plans that wait for an operator.
	Queue *queue.Queue
	// Mistake adds the line of the config to an error of package mistake.
	Mistake func(error) error

	reading Reading
	pool    *client.Pool // the pool of the server
}

// server is a running server.
type server struct {
	options Options
	log     *slog.Logger
	logins  chan struct{} // has a value for each connection that is not logged in
	pool    client.Pool   // the read units of all sessions, including sessions with an older config

	mu      sync.Mutex
	setup   *Setup
	latest  Reading // the last reading of the config; setup may be older
	visits  map[*visit]struct{}
	closing bool
	left    *sync.Cond // wakes stop when a visit has ended
}

// finishWithin limits the wait of a stopping server for changes in progress. Then the server cancels them.
const finishWithin = time.Minute

// Run serves until the context ends. Then it waits for the changes in progress.
func Run(ctx context.Context, o Options) error {
	s := &server{options: o, log: o.Log, logins: make(chan struct{}, loginsAtOne), visits: map[*visit]struct{}{}}
	s.left = sync.NewCond(&s.mu)
	config, err := o.Read()
	if err != nil {
		return err
	}
	if len(config.Users) == 0 {
		return &client.Error{
			Kind: client.Usage, Op: "starting the server", Why: "the config names nobody who may log in",
			Do: "add a [[serve.user]] to the config",
		}
	}
	s.latest = config
	if err := s.use(ctx, config); err != nil {
		return err
	}
	path := config.HostKey
	if path == "" {
		path = o.HostKey
	}
	key, made, err := hostKey(path)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", o.Address)
	if err != nil {
		return &client.Error{
			Kind: client.Failed, Op: "listening on " + o.Address, Why: listenError(err),
			Do: "choose another address", Err: err,
		}
	}
	srv, err := wish.NewServer(
		ssh.WrapConn(s.connected), wish.WithVersion("tallylock"), wish.WithPublicKeyAuth(s.known),
		func(srv *ssh.Server) error { srv.AddHostKey(key); return nil },
		wish.WithMiddleware(func(ssh.Handler) ssh.Handler { return s.receive }),
	)
	if err != nil {
		return err
	}
	srv.ServerConfigCallback = s.config
	// Channels and requests that these maps do not name are refused.
	srv.ChannelHandlers = map[string]ssh.ChannelHandler{"session": s.channel}
	srv.RequestHandlers, srv.SubsystemHandlers = map[string]ssh.RequestHandler{}, map[string]ssh.SubsystemHandler{}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(listener) }()
	s.log.Info("server starts", "address", listener.Addr().String(), "hostkey", gossh.FingerprintSHA256(key.PublicKey()))
	o.Ready(listener.Addr(), key.PublicKey(), made)
	return s.run(ctx, srv, listener, served)
}

// run serves until the context ends. served gets the error of the server.
func (s *server) run(ctx context.Context, srv *ssh.Server, listener net.Listener, served <-chan error) error {
	var reloads sync.WaitGroup
	stop := func() {}
	defer func() {
		stop()
		reloads.Wait()
	}()
	for {
		select {
		case <-s.options.Reload:
			config, err := s.takeAway()
			if err != nil {
				continue
			}
			stop() // a newer config replaces the one that is being connected
			within, cancel := context.WithCancel(ctx)
			stop = cancel
			reloads.Go(func() { s.reload(within, config) })
		case err := <-served:
			s.stop(srv)
			return fmt.Errorf("serving on %s: %w", s.options.Address, err)
		case <-ctx.Done():
			_ = listener.Close()
			s.stop(srv)
			s.log.Info("server stops")
			return nil
		}
	}
}

// listenError says why the server cannot listen.
func listenError(err error) string {
	if inner, ok := errors.AsType[*net.OpError](err); ok {
		err = inner.Err
	}
	if cause := errors.Unwrap(err); cause != nil {
		err = cause
	}
	return err.Error()
}

// use connects to the connections of a config, and uses the config from now on.
func (s *server) use(ctx context.Context, config Reading) error {
	setup, err := config.Connect(ctx)
	if err != nil {
		return err
	}
	if err := setup.check(ctx, config.Config); err != nil {
		return setup.Mistake(err)
	}
	setup.reading, setup.pool = config, &s.pool
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil { // a newer config has been read
		return err
	}
	s.pool.Limit(config.HourlyReadUnits.Units)
	s.setup = setup
	s.endStrangers()
	return nil
}

// check makes sure that each table of a user exists.
func (setup *Setup) check(ctx context.Context, config access.Config) error {
	for n, u := range config.Users {
		for k, table := range u.Tables {
			at := fmt.Sprintf("serve.user[%d].tables[%d]", n, k)
			found := false
			var names []string
			for _, name := range u.Connections {
				conn := setup.Connections[name].Connection
				_, err := conn.Describe(ctx, table)
				if err != nil && client.KindOf(err) != client.NoTable {
					return mistake.Errorf(at, "user %s: the table %s cannot be checked on the connection %s: %s",
						u.Name, table, name, say.Error(err))
				}
				if err == nil {
					found = true
				} else if known, err := conn.TableNames(ctx); err == nil {
					names = append(names, known...)
				}
			}
			if !found {
				return mistake.Errorf(at, "user %s: no connection of this user has the table %s%s", u.Name, table,
					mistake.Meant(table, names...))
			}
		}
	}
	return nil
}

// find returns the user with a key; nil if the key may not log in, or may no longer log in.
func (s *server) find(key ssh.PublicKey) *access.User {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.findLocked(key)
}

// findLocked returns the rights that both configs give: the used config and the latest one. The caller holds mu.
func (s *server) findLocked(key ssh.PublicKey) *access.User {
	used, latest := s.setup.reading.Find(key), s.latest.Find(key)
	if used == nil || latest == nil {
		return nil
	}
	now := *latest
	now.Connections = slices.DeleteFunc(slices.Clone(now.Connections), func(name string) bool {
		// Drop a connection whose settings changed: the new settings may forbid writes.
		return !reflect.DeepEqual(s.setup.reading.Settings[name], s.latest.Settings[name])
	})
	return used.Within(now)
}

// takeAway reads the config again. Rights that the new config takes away end at once, also if the rest of the new
// config turns out to be wrong. It sends no request.
func (s *server) takeAway() (Reading, error) {
	config, err := s.options.Read()
	if err != nil {
		s.log.Error("config not read: the old config stays in use, with all its users", "reason", safeError(err))
		return Reading{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latest = config
	s.endStrangers()
	return config, nil
}

// reload connects to the connections of a config that takeAway has read, and then gives new rights.
func (s *server) reload(ctx context.Context, config Reading) {
	err := s.use(ctx, config)
	switch {
	case err == nil:
		s.log.Info("config read again", "users", len(config.Users))
	case ctx.Err() == nil: // else a newer config has been read, or the server stops
		s.log.Error("new config not used, but the rights that it takes away have ended", "reason", safeError(err))
	}
}

// endStrangers ends the sessions of people whose rights have changed.
func (s *server) endStrangers() {
	for v := range s.visits {
		lost := v.approveOwn && !s.latest.ApproveOwn
		if user := s.findLocked(v.key); lost || user == nil || !user.Same(v.user) || !s.setup.serves(v) {
			v.end(revoked)
		}
	}
}

// serves reports whether the connections of a session have the same settings as in this setup.
func (setup *Setup) serves(v *visit) bool {
	for _, name := range v.user.Connections {
		if !reflect.DeepEqual(v.setup.reading.Settings[name], setup.reading.Settings[name]) {
			return false
		}
		before, now := v.setup.Connections[name], setup.Connections[name]
		if before.Connection == nil || now.Connection == nil {
			continue
		}
		if !slices.Equal(before.LockTables(v.user.Tables), now.LockTables(v.user.Tables)) {
			return false
		}
	}
	return true
}

// stop ends all sessions, and waits for them.
func (s *server) stop(srv *ssh.Server) {
	defer func() { _ = srv.Close() }()
	late := time.AfterFunc(finishWithin, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for v := range s.visits {
			v.cancel()
		}
	})
	defer late.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing = true
	for v := range s.visits {
		v.end(stopping)
	}
	for len(s.visits) > 0 {
		s.left.Wait()
	}
}

// sessionsOfOne limits the simultaneous sessions of one person, so that nobody keeps all others out.
const sessionsOfOne = 10

// enter registers a session, or says why the session cannot begin.
func (s *server) enter(v *visit) (why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	most := cmp.Or(s.setup.reading.Sessions, access.DefaultSessions)
	user := s.findLocked(v.key)
	own := 0
	for other := range s.visits {
		if user != nil && other.user.Name == user.Name {
			own++
		}
	}
	switch {
	case s.closing:
		return "The server is stopping"
	case user == nil:
		return "Your access has ended"
	case own >= sessionsOfOne:
		return fmt.Sprintf("You have %d sessions already. End one of them first", sessionsOfOne)
	case len(s.visits) >= most:
		return "The server has no room for another session. Try again later"
	}
	v.setup, v.user = s.setup, *user
	v.approveOwn = s.setup.reading.ApproveOwn && s.latest.ApproveOwn
	s.visits[v] = struct{}{}
	return ""
}

// leave removes a session.
func (s *server) leave(v *visit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.visits, v)
	s.left.Broadcast()
}

// share returns the connection of a session.
func (setup *Setup) share(c session.Connection, u access.User) session.Connection {
	why := (&session.Guest{Role: u.Role}).WhyViewer()
	share := client.Share{Tables: u.Tables, Write: u.Role == session.Operator, Pool: setup.pool}
	c.Connection = c.Connection.Share(share, why)
	if !c.Write() {
		c.NoJournal = nil
	}
	if !c.Opens(c.Table) {
		c.Table = ""
	}
	return c
}
