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

// dialogue is a terminal to ask a person on. What is shown goes there in one piece, with the
// question: what somebody types before that is echoed above it or below, and not within.
type dialogue struct {
	in    *os.File
	out   *printer
	shown *bufio.Writer
	close func()
}

func (s *invocation) dialogue(in, tty *os.File, end func() error) *dialogue {
	d := &dialogue{in: in, out: s.flags.printer(tty), shown: bufio.NewWriter(tty)}
	d.out.w = d.shown
	d.close = func() {
		_ = d.shown.Flush()
		_ = end()
	}
	return d
}

// person is the terminal to ask about a change on. Standard input has to be one:
// nobody answers through a pipe by chance.
func (s *invocation) person() (*dialogue, bool) {
	if !terminal(s.In) {
		return nil, false
	}
	if terminal(s.Err) {
		return s.dialogue(s.In, s.Err, func() error { return nil }), true
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, false
	}
	return s.dialogue(s.In, tty, tty.Close), true
}

// ask reads one line. It ends with the context.
func (d *dialogue) ask(ctx context.Context, question string) (string, error) {
	d.out.put(kit.Strong, question+" ")
	if err := d.shown.Flush(); err != nil {
		return "", fmt.Errorf("asking on the terminal: %w", err)
	}
	in, err := cancelreader.NewReader(d.in)
	if err != nil {
		return "", fmt.Errorf("asking on the terminal: %w", err)
	}
	defer in.Close()
	stop := context.AfterFunc(ctx, func() { in.Cancel() })
	defer stop()
	answer, err := bufio.NewReader(in).ReadString('\n')
	if ctx.Err() != nil {
		d.out.end()
		_ = d.shown.Flush()
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

// agrees asks a question that is answered with yes or no; anything else is no.
func (d *dialogue) agrees(ctx context.Context, question string) (bool, error) {
	answer, err := d.ask(ctx, question+"? [y/N]")
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", err
}

// typed asks for something to be typed in full, and reports whether it was.
func (d *dialogue) typed(ctx context.Context, want string) (bool, error) {
	d.out.line(kit.Text, "To go ahead type it in full: %s", want)
	answer, err := d.ask(ctx, ">")
	return answer == want, err
}

// askCode asks for the code of the person's MFA device. The question goes to the
// terminal itself: both standard streams may be pipes.
func askCode(ctx context.Context, s *invocation) (string, error) {
	s.comes()
	d, ok := s.person()
	if tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
		d, ok = s.dialogue(tty, tty, tty.Close), true
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
