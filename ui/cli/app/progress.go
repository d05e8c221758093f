package app

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tallylock/dynamo/change"
	"tallylock/ui/cli/print"
	"tallylock/ui/say"
)

// ProgressLine is a line on a terminal that shows the progress of a change or a check. It
// disappears at the end.
type ProgressLine struct {
	mu    sync.Mutex
	to    *print.Printer // nil without a terminal
	shown time.Time
	stage string
	// note prints important news if there is no terminal for the line. It is nil with a terminal.
	note  func(format string, args ...any)
	again sync.Once // notes once that a change is sent again
}

// often is the least time between two updates of the line in one stage.
const often = 100 * time.Millisecond

// moment is the time after which a wait is shown.
const moment = 200 * time.Millisecond

// NewProgress returns the progress line of a run. Without a terminal, it only prints notes.
func NewProgress(s *Run) *ProgressLine {
	if !print.IsTerminal(s.Err) {
		return &ProgressLine{note: s.Note}
	}
	return &ProgressLine{to: s.Flags.printer(s.Err)}
}

// Show shows the progress of a change. It is safe for concurrent use.
func (p *ProgressLine) Show(now change.Progress) {
	if p.note != nil && now.Attempt > 1 {
		p.again.Do(func() {
			p.note("%s", say.Sentence(say.WhyAgain(now)+"; sending the change again with the same token: the endpoint applies it only once"))
		})
	}
	p.ShowStage(string(now.Stage), say.Progress(now))
}

// ShowStage shows the progress of a stage. It is safe for concurrent use.
func (p *ProgressLine) ShowStage(stage, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.to == nil || stage == p.stage && time.Since(p.shown) < often {
		return
	}
	p.stage, p.shown = stage, time.Now()
	line := ansi.Truncate(p.to.Shown(text), p.Width(), p.to.Shown("…"))
	fmt.Fprint(p.to.W, "\r"+line+ansi.EraseLineRight)
}

// Width is the greatest width of the line, in columns.
func (p *ProgressLine) Width() int {
	if p.to == nil {
		return 0
	}
	return cmp.Or(p.to.Width, 80) - 1
}

// Clear removes the line.
func (p *ProgressLine) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.to != nil && p.stage != "" {
		fmt.Fprint(p.to.W, "\r"+ansi.EraseLineRight)
	}
}

// Awaited is an endpoint that a command waits for.
type Awaited interface {
	// Where names the endpoint.
	Where() string
	// Throttled reports whether the endpoint has just throttled a request.
	Throttled() bool
}

// Files is a place of files that a command waits for. Nothing throttles it.
type Files string

// Where implements Awaited.
func (f Files) Where() string { return string(f) }

// Throttled implements Awaited.
func (Files) Throttled() bool { return false }

// ShowWait shows that the command waits for an endpoint. The line appears after a moment, and
// disappears if end is called or a question comes. Without a terminal, ShowWait prints one note if the
// wait is long.
func (s *Run) ShowWait(at Awaited, what string) (end func()) {
	end = NewProgress(s).showWait(at, what)
	s.wait.Store(&end)
	return end
}

func (p *ProgressLine) showWait(at Awaited, what string) (end func()) {
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
				p.ShowStage("waiting", say.Waiting(at.Where(), what, "ctrl+c stops", took, at.Throttled()))
			case say.Long(took):
				p.note("%s", say.Sentence(say.Silence(at.Where(), at.Throttled())+": "+what))
				<-over
				return
			}
			next.Reset(time.Second)
		}
	}()
	return sync.OnceFunc(func() { close(over); <-ended })
}
