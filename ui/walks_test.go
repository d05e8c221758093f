package ui_test

import (
	"context"
	"testing"

	"tallylock/dynamo"
	"tallylock/ui/session"
)

// The walks open tables, check a table, change the connection and meet errors. Each walk ends with a release of a lock.
// At the same time, the application writes, tables are still opening, and the endpoint fails at times. With the race
// detector, these walks find screens that read data of another goroutine. At the end, the lock must be released.
func TestWalksAtOnce(t *testing.T) {
	t.Parallel()
	down := func(f *faults, is bool) { f.set(func(f *faults) { f.down = is }) }
	for name, walk := range map[string]func(term *terminal, f *faults){
		"tables, one after the other": func(term *terminal, _ *faults) {
			term.meanwhile(":members<enter>:orders<enter>")
			term.meanwhile("<esc>:accounts<enter>1nnjjkkGg2nn")
		},
		"an endpoint that goes away while a table opens": func(term *terminal, f *faults) {
			term.meanwhile(":mem")
			down(f, true)
			term.meanwhile("<enter><esc>RR5123:")
			term.meanwhile("<esc>2")
			down(f, false)
			term.meanwhile("RR")
		},
		"a check while tables and connections change": func(term *terminal, _ *faults) {
			term.meanwhile("4<enter>1/alan<enter><esc>3a")
			term.press("<esc><esc>4gj<space>:other acc")
			term.meanwhile("<enter>4<enter>35<esc>")
		},
		"screens on top of each other": func(term *terminal, f *faults) {
			term.meanwhile("<enter>L/alan<enter><enter>L<esc><esc>")
			down(f, true)
			term.meanwhile("<esc><esc>2<enter>oo<esc>")
			down(f, false)
			term.meanwhile("Fada<enter><esc>s?<esc>")
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := &faults{}
			s := alone(t, withFaults(f))
			other := s.demo.Options()
			other.Name = "other"
			s.options.Connections = append(s.options.Connections, session.Connection{
				Called: other.Name, Changer: s.options.Connections[0].Changer,
				Dial: func(ctx context.Context) (*dynamo.Connection, error) { return dynamo.Connect(ctx, other) },
			})
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() { defer close(ended); s.demo.Traffic(ctx) }()
			t.Cleanup(func() { stop(); <-ended })
			term := s.run(t)
			term.meanwhile("2134512")
			walk(term, f)
			term.press("<esc><esc><esc><esc><esc><esc><esc><esc>1:demo accounts")
			term.see("▸ ▎demo")
			term.press("<enter>")
			term.see("demo › embedded › accounts")
			term.asksRelease()
			term.meanwhile("<tab><enter>4<enter>")
			term.see("✓ Applied")
			term.meanwhile("<enter>5Rjjk1")
			if lock(t, s, "UNIQ#HANDLE#alan") != nil {
				t.Error("the lock is not released")
			}
			term.end()
		})
	}
}
