package app

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/cancelreader"

	"tallylock/dynamo/change"
	"tallylock/dynamo/client"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// Prompt asks a person on the terminal. It writes all text at once, together with the question, so
// that earlier typing does not appear in the middle of it.
type Prompt struct {
	in    *os.File
	Out   *print.Printer
	shown *bufio.Writer
	Close func()
}

func (s *Run) newPrompt(in, tty *os.File, end func() error) *Prompt {
	p := &Prompt{in: in, Out: s.Flags.printer(tty), shown: bufio.NewWriter(tty)}
	p.Out.W = p.shown
	p.Close = func() {
		_ = p.shown.Flush()
		_ = end()
	}
	return p
}

// OpenPrompt opens the terminal for a question. Standard input must be a terminal: a pipe must not
// answer by accident.
func (s *Run) OpenPrompt() (*Prompt, bool) {
	if !print.IsTerminal(s.In) {
		return nil, false
	}
	if print.IsTerminal(s.Err) {
		return s.newPrompt(s.In, s.Err, func() error { return nil }), true
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, false
	}
	return s.newPrompt(s.In, tty, tty.Close), true
}

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

// Confirm asks a question. Only "y" and "yes" mean yes.
func (p *Prompt) Confirm(ctx context.Context, question string) (bool, error) {
	answer, err := p.Ask(ctx, question+"? [y/N]")
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", err
}

// ConfirmTyped asks a person to type a text in full, and reports whether it was typed.
func (p *Prompt) ConfirmTyped(ctx context.Context, want string) (bool, error) {
	p.Out.Line(kit.Text, "To go ahead type it in full: %s", want)
	answer, err := p.Ask(ctx, ">")
	return answer == want, err
}

// askCode asks for an MFA code. It opens the terminal itself, since both standard streams may be
// pipes.
func askCode(ctx context.Context, s *Run) (string, error) {
	if end := s.wait.Load(); end != nil { // remove the line that shows what the program waits for
		(*end)()
	}
	d, ok := s.OpenPrompt()
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

// ProgressLine is a line on a terminal that shows the progress of a change or a check. It
// disappears at the end.
type ProgressLine struct {
	mu    sync.Mutex
	to    *print.Printer // nil without a terminal
	shown time.Time
	stage string
	// note prints important news if there is no terminal for the line. It is nil if there is one.
	note func(format string, args ...any)
}

// NewProgress returns the progress line of a run. Without a terminal, it only prints notes.
func NewProgress(s *Run) *ProgressLine {
	if !print.IsTerminal(s.Err) {
		return &ProgressLine{note: s.Note}
	}
	return &ProgressLine{to: s.Flags.printer(s.Err)}
}

// often is the least time between two updates of the line in one stage.
const often = 100 * time.Millisecond

// Show shows the progress of a change. It is safe for concurrent use.
func (p *ProgressLine) Show(now change.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.note != nil && now.Attempt > 1 && p.stage != string(change.StageAskAgain) {
		p.note("No answer; asking again with the same token, so that it happens once.")
		p.stage = string(change.StageAskAgain)
	}
	if p.to == nil || (string(now.Stage) == p.stage && time.Since(p.shown) < often) {
		return
	}
	p.write(string(now.Stage), say.Progress(now))
}

// ShowStage shows the progress of a check. It is safe for concurrent use.
func (p *ProgressLine) ShowStage(stage, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.to != nil && (stage != p.stage || time.Since(p.shown) >= often) {
		p.write(stage, text)
	}
}

func (p *ProgressLine) write(stage, text string) {
	p.stage, p.shown = stage, time.Now()
	line := ansi.Truncate(p.to.Shown(text), cmp.Or(p.to.Width, 80)-1, p.to.Shown("…"))
	fmt.Fprint(p.to.W, "\r"+line+ansi.EraseLineRight)
}

// Clear removes the line.
func (p *ProgressLine) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.to != nil && p.stage != "" {
		fmt.Fprint(p.to.W, "\r"+ansi.EraseLineRight)
	}
}

// ShowWait shows what the command waits for, after a moment and until end is called. A question
// also ends it. Without a terminal, it prints one note if the wait is long.
func (s *Run) ShowWait(where, what string) (end func()) {
	end = NewProgress(s).showWait(where, what)
	s.wait.Store(&end)
	return end
}

func (p *ProgressLine) showWait(where, what string) (end func()) {
	if p.to == nil && p.note == nil {
		return func() {}
	}
	begun, over, ended := time.Now(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer p.Clear()
		next := time.NewTimer(moment)
		defer next.Stop()
		for {
			select {
			case <-over:
				return
			case <-next.C:
			}
			took := time.Since(begun)
			switch {
			case p.to != nil:
				p.ShowStage("waiting", say.Waiting(where, what, "ctrl+c stops", took))
			case say.Long(took):
				p.note("%s %s: %s.", where, say.Silent, what)
				<-over
				return
			}
			next.Reset(time.Second)
		}
	}()
	return sync.OnceFunc(func() { close(over); <-ended })
}

// moment is how long a wait lasts before it is shown.
const moment = 200 * time.Millisecond

// NoCode returns an error in place of an MFA code: nobody can type it while a screen uses the
// terminal.
func NoCode() (string, error) {
	return "", errors.New("it needs an MFA code: start with --connection and its name")
}
