package cli

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
	"tallylock/ui/kit"
	"tallylock/ui/words"
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
	if end := s.wait.Load(); end != nil { // of the line that says what is waited for
		(*end)()
	}
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

// progressLine is one line on a terminal that says where a change or a check stands, and is
// gone when it is done.
type progressLine struct {
	mu    sync.Mutex
	to    *printer // nil where nobody watches
	shown time.Time
	stage string
	// note says what must be said where there is no line to say it on.
	note func(format string, args ...any)
}

func newProgress(s *invocation) *progressLine {
	if !terminal(s.Err) {
		return &progressLine{note: s.note}
	}
	return &progressLine{to: s.flags.printer(s.Err)}
}

// often is how soon the line may change within a stage.
const often = 100 * time.Millisecond

// show may be called from any goroutine.
func (p *progressLine) show(now change.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.note != nil && now.Attempt > 1 && p.stage != string(change.StageAskAgain) {
		p.note("No answer; asking again with the same token, so that it happens once.")
		p.stage = string(change.StageAskAgain)
	}
	if p.to == nil || (string(now.Stage) == p.stage && time.Since(p.shown) < often) {
		return
	}
	p.write(string(now.Stage), words.Progress(now))
}

// showStage shows what a check is doing. It may be called from any goroutine.
func (p *progressLine) showStage(stage, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.to != nil && (stage != p.stage || time.Since(p.shown) >= often) {
		p.write(stage, text)
	}
}

func (p *progressLine) write(stage, text string) {
	p.stage, p.shown = stage, time.Now()
	line := ansi.Truncate(p.to.shown(text), cmp.Or(p.to.width, 80)-1, p.to.shown("…"))
	fmt.Fprint(p.to.w, "\r"+line+ansi.EraseLineRight)
}

// clear takes the line away.
func (p *progressLine) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.to != nil && p.stage != "" {
		fmt.Fprint(p.to.w, "\r"+ansi.EraseLineRight)
	}
}

// showWait shows on the terminal what a command waits for, once that takes longer than a
// moment, until the returned function is called. A question that comes in between ends it. Where
// there is no terminal a line says so once, if it takes long.
func (s *invocation) showWait(where, what string) (end func()) {
	end = newProgress(s).showWait(where, what)
	s.wait.Store(&end)
	return end
}

func (p *progressLine) showWait(where, what string) (end func()) {
	if p.to == nil && p.note == nil {
		return func() {}
	}
	begun, over, ended := time.Now(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer p.clear()
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
				p.showStage("waiting", words.Waiting(where, what, "ctrl+c stops", took))
			case words.Long(took):
				p.note("%s %s: %s.", where, words.Silent, what)
				<-over
				return
			}
			next.Reset(time.Second)
		}
	}()
	return sync.OnceFunc(func() { close(over); <-ended })
}

// moment is how long a wait may be before it is said what for.
const moment = 200 * time.Millisecond
