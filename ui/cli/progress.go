package cli

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tallylock/dynamo/change"
	"tallylock/ui/words"
)

// progress is one line on a terminal that says where a change or a check stands, and is
// gone when it is done.
type progress struct {
	mu    sync.Mutex
	to    *printer // nil where nobody watches
	shown time.Time
	stage string
	// note says what must be said where there is no line to say it on.
	note func(format string, args ...any)
}

func newProgress(s *invocation) *progress {
	if !terminal(s.Err) {
		return &progress{note: s.note}
	}
	return &progress{to: s.flags.printer(s.Err)}
}

// often is how soon the line may change within a stage.
const often = 100 * time.Millisecond

// show may be called from any goroutine.
func (p *progress) show(now change.Progress) {
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
func (p *progress) showStage(stage, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.to != nil && (stage != p.stage || time.Since(p.shown) >= often) {
		p.write(stage, text)
	}
}

func (p *progress) write(stage, text string) {
	p.stage, p.shown = stage, time.Now()
	line := ansi.Truncate(p.to.shown(text), cmp.Or(p.to.width, 80)-1, p.to.shown("…"))
	fmt.Fprint(p.to.w, "\r"+line+ansi.EraseLineRight)
}

// clear takes the line away.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.to != nil && p.stage != "" {
		fmt.Fprint(p.to.w, "\r"+ansi.EraseLineRight)
	}
}
