package cli

import (
	"sync"
	"time"

	"tallylock/ui/words"
)

// awaits shows on the terminal what a command waits for, once that takes longer than a
// moment, until what it answers is called. A question that comes in between ends it. Where
// there is no terminal a line says so once, if it takes long.
func (s *invocation) awaits(where, what string) (came func()) {
	came = newProgress(s).awaits(where, what)
	s.awaited.Store(&came)
	return came
}

// comes ends the line that says what is waited for.
func (s *invocation) comes() {
	if came := s.awaited.Load(); came != nil {
		(*came)()
	}
}

func (p *progress) awaits(where, what string) (came func()) {
	if p.w == nil && p.note == nil {
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
			case p.w != nil:
				p.tell("waiting", words.Waiting(where, what, "ctrl+c stops", took))
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
