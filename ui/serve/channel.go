package serve

import (
	"fmt"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"
)

// channel accepts a session channel, one at a time for each connection.
func (s *server) channel(srv *ssh.Server, conn *gossh.ServerConn, ch gossh.NewChannel, ctx ssh.Context) {
	l := loginOf(ctx)
	sizes, ok := l.enter()
	if !ok {
		_ = ch.Reject(gossh.ResourceShortage, "this connection has a session already")
		return
	}
	defer l.leave()
	ssh.DefaultSessionHandler(srv, conn, allowing{ch, sizes}, ctx)
}

// allowing is a session channel that refuses most requests.
type allowing struct {
	gossh.NewChannel

	sizes chan ssh.Window
}

// Accept implements ssh.NewChannel. It passes on the requests for a terminal, for the inspector in it, and for another
// size. It refuses all others, because the library would also accept environment variables and the forwarding of a key
// agent.
func (a allowing) Accept() (gossh.Channel, <-chan *gossh.Request, error) {
	ch, in, err := a.NewChannel.Accept()
	if err != nil {
		return nil, nil, err
	}
	out := make(chan *gossh.Request)
	go func() {
		defer close(out)
		terminal, begun := false, false
		for req := range in {
			switch {
			case req.Type == "pty-req" && !terminal:
				terminal = true
				out <- req
			case req.Type == "shell" && terminal && !begun:
				begun = true
				out <- req
			case req.Type == "window-change" && begun: // before the shell, only the size of pty-req counts
				a.resize(req)
			case req.Type == "shell" && !terminal:
				refuse(ch, req, "tallylock needs a terminal: connect with ssh -t")
			case req.Type == "exec" || req.Type == "subsystem":
				refuse(ch, req, "this server shows tallylock only. It runs no commands and copies no files")
			default:
				_ = req.Reply(false, nil)
			}
		}
	}()
	return ch, out, nil
}

// resize passes on a size of the window. A later size replaces one that nobody has taken, so the client never has to
// wait. The library would block its connection, and race with the session.
func (a allowing) resize(req *gossh.Request) {
	var size struct{ Width, Height, PixelWidth, PixelHeight uint32 }
	if err := gossh.Unmarshal(req.Payload, &size); err != nil {
		_ = req.Reply(false, nil)
		return
	}
	select {
	case <-a.sizes:
	default:
	}
	a.sizes <- ssh.Window{Width: int(size.Width), Height: int(size.Height)}
	_ = req.Reply(true, nil)
}

// refuse refuses a request, tells the client why, and closes the channel.
func refuse(ch gossh.Channel, req *gossh.Request, why string) {
	_, _ = fmt.Fprint(ch.Stderr(), why+".\r\n")
	_ = req.Reply(false, nil)
	_ = ch.Close()
}
