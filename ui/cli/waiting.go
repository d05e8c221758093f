package cli

import (
	"sync"
	"time"

	"tallylock/ui/words"
)

// showWait shows on the terminal what a command waits for, once that takes longer than a
// moment, until the returned function is called. A question that comes in between ends it. Where
// there is no terminal a line says so once, if it takes long.
func (s *invocation) showWait(where, what string) (end func()) {
	end = newProgress(s).showWait(where, what)
	s.wait.Store(&end)
	return end
}

// endWait ends the line that says what is waited for.
func (s *invocation) endWait() {
	if end := s.wait.Load(); end != nil {
		(*end)()
	}
}

func (p *progress) showWait(where, what string) (end func()) {
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
