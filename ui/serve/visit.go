package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/ssh"
	"github.com/charmbracelet/colorprofile"
	gossh "golang.org/x/crypto/ssh"

	"tallylock/ui/safe"
	"tallylock/ui/say"
	"tallylock/ui/serve/access"
	"tallylock/ui/session"
)

// reason says why a session ends. The log has this text.
type reason string

// The reasons. quit is the person's own wish.
const (
	quit     reason = "quit"
	cut      reason = "connection lost"
	idle     reason = "idle"
	tooLong  reason = "time limit reached"
	revoked  reason = "rights changed"
	stopping reason = "server stops"
	failed   reason = "failed"
)

// visit is a session: one person at one terminal.
type visit struct {
	server *server
	key    ssh.PublicKey
	// setup and user stay the same during the session, even if the config changes.
	setup      *Setup
	user       access.User
	approveOwn bool
	shares     []session.Connection
	ends       chan reason
	cancel     context.CancelFunc // stops a change in progress
}

// end ends the session after a change in progress. The first reason counts.
func (v *visit) end(why reason) {
	select {
	case v.ends <- why:
	default:
	}
}

// safeError returns the text of an error for the log.
func safeError(err error) string { return safe.Text(say.Error(err)) }

// receive runs the inspector in a session.
func (s *server) receive(sess ssh.Session) {
	l := loginOf(sess.Context())
	sizes := l.takeSizes()
	pty, _, ok := sess.Pty()
	if !ok { // a session without a terminal; the channel refuses it
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	v := &visit{server: s, key: sess.PublicKey(), ends: make(chan reason, 1), cancel: cancel}
	log := s.log.With("address", sess.RemoteAddr().String(), "key", gossh.FingerprintSHA256(v.key))
	term := newTerminal(sess, sess, func() { _ = l.Close() }, func() { v.end(cut) })
	defer term.close()
	say := func(line string, status int) {
		term.hurry()
		if line != "" {
			_, _ = fmt.Fprint(term, line+".\r\n")
		}
		stuck := time.AfterFunc(lastPatience, func() { _ = l.Close() })
		defer stuck.Stop()
		_ = sess.Exit(status)
	}
	if pty.Term == "dumb" {
		say("This terminal (TERM=dumb) cannot draw a screen", 1)
		return
	}
	if why := s.enter(v); why != "" {
		log.Warn("session refused", "reason", why)
		say(why, 1)
		return
	}
	l.began()
	defer s.leave(v)
	log = log.With("user", v.user.Name, "role", string(v.user.Role))
	log.Info("session begins")
	began := time.Now()
	why, err := v.show(ctx, term, pty, sizes)
	outcome := outcomeOf(err)
	log.Info("session ends", "reason", string(why), "after", time.Since(began).Round(time.Second).String(),
		"units", v.units(), "outcome", outcome)
	say(farewell(why, v.user, outcome), status(why))
}

// cropped shortens a text that a client chose.
func cropped(text string) string { return text[:min(len(text), 100)] }

// status is the exit status of a session.
func status(why reason) int {
	if why == quit {
		return 0
	}
	return 1
}

// outcomeOf returns the text about a change that ended after the screen had closed, or about an error; empty for
// neither.
func outcomeOf(err error) string {
	if err == nil {
		return ""
	}
	if late, ok := errors.AsType[*session.Unreported](err); ok {
		return safe.Text(late.Error())
	}
	return safeError(err)
}

// farewell returns the last line of a session; empty for none.
func farewell(why reason, u access.User, outcome string) string {
	line := ""
	switch why {
	case idle:
		line = "The session has ended, because you pressed no key for a long time"
	case tooLong:
		line = "The session has ended, because it reached its time limit. Connect again"
	case revoked:
		line = "The session has ended, because the rights of " + u.Name + " have changed"
	case stopping:
		line = "The session has ended, because the server stops"
	case failed:
		line = "The session has failed"
	case quit, cut:
	}
	if outcome == "" {
		return line
	}
	return say.Sentence(cmp.Or(line, "The session has ended")) + " " + strings.TrimSuffix(say.Sentence(outcome), ".")
}

// show shows the inspector, and returns why it ended. The error has the outcome of a change that ended after the screen
// had closed.
func (v *visit) show(
	ctx context.Context, term *terminal, pty ssh.Pty, sizes <-chan ssh.Window,
) (reason, error) {
	width, height := sized(pty.Window)
	// In the environment of the inspector, only TERM comes from the client, and nothing comes from the server.
	env := []string{"TERM=" + termOf(pty.Term)}
	p, err := v.server.options.Inspect(ctx, v.options(), tea.WithInput(term), tea.WithOutput(term),
		tea.WithEnvironment(env), tea.WithColorProfile(colorprofile.Env(env)), tea.WithWindowSize(width, height))
	if err != nil {
		return failed, err
	}
	why, done := reason(""), make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() { why = v.watch(p, term, done) })
	watching.Go(func() { resize(p, sizes, done) })
	err = p.Run()
	close(done)
	watching.Wait()
	if _, late := errors.AsType[*session.Unreported](err); err != nil && !late && why == "" {
		why = failed
	}
	return cmp.Or(why, quit), err
}

// settled is the time after which the newest size is sent again.
const settled = 250 * time.Millisecond

// resize sends the sizes of the window to the program. Bubble Tea sends the first size on its own, and may deliver it
// after a later one, so the newest size is sent twice.
func resize(p Program, sizes <-chan ssh.Window, done <-chan struct{}) {
	var newest tea.WindowSizeMsg
	again := time.NewTimer(settled)
	again.Stop()
	for {
		select {
		case <-done:
			return
		case w := <-sizes:
			newest.Width, newest.Height = sized(w)
			again.Reset(settled)
		case <-again.C:
		}
		p.Send(newest)
	}
}

// cancelAfter limits the wait of an ending session for a change in progress. Then the change is cancelled: a release
// removes its mark.
const cancelAfter = 10 * time.Minute

// watch ends the program for the first reason, and returns the reason; empty if the person has quit.
func (v *visit) watch(p Program, term *terminal, done <-chan struct{}) reason {
	most := cmp.Or(v.setup.reading.Idle.Duration, access.DefaultIdle)
	quiet := time.NewTimer(most)
	defer quiet.Stop()
	longest := time.NewTimer(cmp.Or(v.setup.reading.Longest.Duration, access.LongestSession))
	defer longest.Stop()
	why := reason("")
	for why == "" {
		select {
		case <-done:
			return ""
		case why = <-v.ends:
		case <-longest.C:
			why = tooLong
		case <-quiet.C:
			if left := most - term.quiet(); left > 0 {
				quiet.Reset(left)
			} else {
				why = idle
			}
		}
	}
	term.hurry()
	late := time.AfterFunc(cmp.Or(v.server.options.CancelAfter, cancelAfter), v.cancel)
	defer late.Stop()
	p.End()
	<-done
	return why
}

// units returns the read units that the session has consumed.
func (v *visit) units() (all float64) {
	for _, c := range v.shares {
		all += c.Units()
	}
	return all
}

// options returns the settings of the person's inspector.
func (v *visit) options() session.Options {
	o := v.setup.Inspector
	for _, name := range v.user.Connections {
		o.Connections = append(o.Connections, v.setup.share(v.setup.Connections[name], v.user))
	}
	v.shares = o.Connections
	shared := o.Connections
	o.Guest = &session.Guest{
		Name: v.user.Name, Role: v.user.Role, Queue: v.setup.Queue, ApproveOwn: v.approveOwn,
		Sees: func(connection, table string) bool {
			return slices.ContainsFunc(shared, func(c session.Connection) bool {
				return c.Name() == connection && c.Reaches(table)
			})
		},
		Opens: func(connection, table string) bool {
			return slices.ContainsFunc(shared, func(c session.Connection) bool {
				return c.Name() == connection && c.Client.Opens(table)
			})
		},
	}
	o.Table = o.Connections[0].Table
	if o.Table == "" && len(v.user.Tables) == 1 && len(v.user.Connections) == 1 {
		o.Table = v.user.Tables[0]
	}
	return o
}
