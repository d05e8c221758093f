package app

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
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
	"tallylock/ui/safe"
)

// Prompt asks a person on the terminal. It writes all text at once, together with the question, so
// that earlier typing does not appear in the middle of it.
type Prompt struct {
	in    *os.File
	Out   *print.Printer
	shown *bufio.Writer
	Close func()
}

func (s *Run) newPrompt(in, tty *os.File) *Prompt {
	p := &Prompt{in: in, Out: s.Flags.printer(tty), shown: bufio.NewWriter(tty)}
	p.Out.W = p.shown
	p.Close = func() {
		_ = p.shown.Flush()
		if tty != s.Err {
			_ = tty.Close()
		}
	}
	return p
}

// OpenPrompt opens the terminal for a question. Standard input must be a terminal, because a pipe must not answer by
// accident.
func (s *Run) OpenPrompt() (*Prompt, bool) {
	if !print.IsTerminal(s.In) {
		return nil, false
	}
	tty := s.Err
	if !print.IsTerminal(tty) {
		var err error
		if tty, err = openTTY(); err != nil {
			return nil, false
		}
	}
	return s.newPrompt(s.In, tty), true
}

// openTTY opens the terminal, even if the standard streams are pipes or files.
func openTTY() (*os.File, error) { return os.OpenFile("/dev/tty", os.O_RDWR, 0) }

// Ask reads one line. It ends when ctx ends.
func (p *Prompt) Ask(ctx context.Context, question string) (string, error) {
	p.Out.Put(kit.Strong, question+" ")
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
		p.Out.End()
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

// Confirm asks a question. Only "y" and "yes" mean yes. For any other answer it returns an error about
// op, with the text undone: "nothing was written".
func (p *Prompt) Confirm(ctx context.Context, op, question, undone string) error {
	answer, err := p.Ask(ctx, question+"? [y/N]")
	answer = strings.ToLower(strings.TrimSpace(answer))
	if err != nil || answer == "y" || answer == "yes" {
		return err
	}
	return &client.Error{Kind: client.Cancelled, Op: op, Why: "the answer was no", Do: undone}
}

// ConfirmTyped asks a person to type a text in full, and reports whether it was typed.
func (p *Prompt) ConfirmTyped(ctx context.Context, want string) (bool, error) {
	p.Out.Line(kit.Text, "To continue, type: %s", want)
	answer, err := p.Ask(ctx, ">")
	return safe.Repeats(answer, want), err
}

// askCode asks for an MFA code. It opens the terminal itself, since both standard streams may be
// pipes.
func (s *Run) askCode(ctx context.Context) (string, error) {
	if end := s.wait.Load(); end != nil { // remove the line that shows a wait
		(*end)()
	}
	d, ok := s.OpenPrompt()
	if tty, err := openTTY(); err == nil {
		d, ok = s.newPrompt(tty, tty), true
	}
	if !ok {
		return "", &client.Error{
			Kind: client.NoCredentials,
			Op:   "asking for the code of the MFA device",
			Why:  "there is no terminal to ask on",
			Do:   "log in on a terminal, or use a profile without MFA",
		}
	}
	defer d.Close()
	code, err := d.Ask(ctx, "MFA code:")
	return strings.TrimSpace(code), err
}

// Who returns the person's user name in the operating system.
func Who() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}

// NoCode returns an error in place of an MFA code: nobody can type it while a screen uses the
// terminal.
func NoCode() (string, error) {
	return "", errors.New("the connection needs an MFA code: start tallylock with --connection and the connection's name")
}
