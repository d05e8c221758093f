package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"strings"

	"github.com/muesli/cancelreader"

	"tallylock/dynamo/client"
	"tallylock/ui/kit"
)

// prompt is a terminal to ask the user on. What is shown goes there in one piece, with the
// question: what somebody types before that is echoed above it or below, and not within.
type prompt struct {
	in    *os.File
	out   *printer
	shown *bufio.Writer
	close func()
}

func (s *invocation) newPrompt(in, tty *os.File, end func() error) *prompt {
	p := &prompt{in: in, out: s.flags.printer(tty), shown: bufio.NewWriter(tty)}
	p.out.w = p.shown
	p.close = func() {
		_ = p.shown.Flush()
		_ = end()
	}
	return p
}

// openPrompt opens the terminal for a question about a change. Standard input has to be one:
// nobody answers through a pipe by chance.
func (s *invocation) openPrompt() (*prompt, bool) {
	if !terminal(s.In) {
		return nil, false
	}
	if terminal(s.Err) {
		return s.newPrompt(s.In, s.Err, func() error { return nil }), true
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, false
	}
	return s.newPrompt(s.In, tty, tty.Close), true
}

// ask reads one line. It ends with the context.
func (p *prompt) ask(ctx context.Context, question string) (string, error) {
	p.out.put(kit.Strong, question+" ")
	if err := p.shown.Flush(); err != nil {
		return "", fmt.Errorf("asking on the terminal: %w", err)
	}
	in, err := cancelreader.NewReader(p.in)
	if err != nil {
		return "", fmt.Errorf("asking on the terminal: %w", err)
	}
	defer in.Close()
	stop := context.AfterFunc(ctx, func() { in.Cancel() })
	defer stop()
	answer, err := bufio.NewReader(in).ReadString('\n')
	if ctx.Err() != nil {
		p.out.end()
		_ = p.shown.Flush()
		return "", &client.Error{
			Kind: client.Cancelled,
			Op:   "asking",
			Why:  "stopped before an answer; nothing was written",
			Err:  ctx.Err(),
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("asking on the terminal: %w", err)
	}
	return strings.TrimRight(answer, "\r\n"), nil
}

// confirm asks a question that is answered with yes or no; anything else is no.
func (p *prompt) confirm(ctx context.Context, question string) (bool, error) {
	answer, err := p.ask(ctx, question+"? [y/N]")
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", err
}

// confirmTyped asks for something to be typed in full, and reports whether it was.
func (p *prompt) confirmTyped(ctx context.Context, want string) (bool, error) {
	p.out.line(kit.Text, "To go ahead type it in full: %s", want)
	answer, err := p.ask(ctx, ">")
	return answer == want, err
}

// askCode asks for the code of the person's MFA device. The question goes to the
// terminal itself: both standard streams may be pipes.
func askCode(ctx context.Context, s *invocation) (string, error) {
	s.endWait()
	d, ok := s.openPrompt()
	if tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
		d, ok = s.newPrompt(tty, tty, tty.Close), true
	}
	if !ok {
		return "", &client.Error{
			Kind: client.NoCredentials,
			Op:   "asking for the code of the MFA device",
			Why:  "there is no terminal to ask on",
			Do:   "log in where there is one, or use a profile without MFA",
		}
	}
	defer d.close()
	code, err := d.ask(ctx, "MFA code:")
	return strings.TrimSpace(code), err
}

// who is the operating system's name for the person.
func who() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}
