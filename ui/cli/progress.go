package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"tallylock/dynamo/change"
	"tallylock/dynamo/phrase"
)

// progress is one line on a terminal that says where a change or a check stands, and is
// gone when it is done.
type progress struct {
	mu    sync.Mutex
	w     io.Writer // nil where nobody watches
	width int
	shown time.Time
	stage string
	// note says what must be said where there is no line to say it on.
	note func(format string, args ...any)
}

func newProgress(s *invocation) *progress {
	if !terminal(s.Err) {
		return &progress{note: s.note}
	}
	width, _, err := term.GetSize(s.Err.Fd())
	if err != nil || width <= 0 {
		width = 80
	}
	return &progress{w: s.Err, width: width}
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
	if p.w == nil || (string(now.Stage) == p.stage && time.Since(p.shown) < often) {
		return
	}
	p.write(string(now.Stage), doing(now))
}

// tell shows what a check is doing. It may be called from any goroutine.
func (p *progress) tell(stage, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w != nil && (stage != p.stage || time.Since(p.shown) >= often) {
		p.write(stage, text)
	}
}

func (p *progress) write(stage, text string) {
	p.stage, p.shown = stage, time.Now()
	fmt.Fprint(p.w, "\r"+ansi.Truncate(harmless(text), p.width-1, "…")+ansi.EraseLineRight)
}

// clear takes the line away.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w != nil && p.stage != "" {
		fmt.Fprint(p.w, "\r"+ansi.EraseLineRight)
	}
}

func doing(p change.Progress) string {
	const cancel = " · ctrl+c cancels"
	if p.Attempt > 1 {
		return fmt.Sprintf("no answer yet: sent for the %d. time, it counts once", p.Attempt)
	}
	switch p.Stage {
	case change.StageMark:
		return "marking the lock" + of(p) + cancel
	case change.StageWait:
		return fmt.Sprintf("marked; waiting %.1f of %.1f s for what is under way%s", float64(p.Done)/1000, float64(p.Total)/1000, cancel)
	case change.StageLook:
		return fmt.Sprintf("looking at every account: %s read%s, %s%s%s", phrase.Group(fmt.Sprint(p.Done)), share(p.Done, p.Total), units(p.ReadUnits, "read"), throttled(p.Throttled), cancel)
	case change.StageDelete:
		return "deleting the lock, if it is still marked" + of(p)
	case change.StageUnmark:
		return "taking the mark off" + of(p) + " · ctrl+c again leaves it to tallylock journal --resolve"
	}
	return "writing"
}

// throttled says that requests were turned away.
func throttled(times int64) string {
	if times == 0 {
		return ""
	}
	return fmt.Sprintf(", throttled %d×", times)
}

// of says which of several locks it is.
func of(p change.Progress) string {
	if p.AllLocks < 2 {
		return ""
	}
	return fmt.Sprintf(", %d of %d", p.Locks+1, p.AllLocks)
}

// share is how much of an estimate is done; it is never all of it.
func share(done, total int64) string {
	if total <= 0 {
		return ""
	}
	return fmt.Sprintf(", about %d %%", min(99, 100*done/total))
}
