package ui_test

import (
	"testing"

	"tallylock/dynamo"
)

// If a person types a command while the first table is opening, the typed text stays when the table arrives.
func TestACommandIsTypedWhileATableComes(t *testing.T) {
	g := &gate{let: map[string]int{"DescribeTable": 1}, open: make(chan struct{})}
	s := onDemo(t, func(o *dynamo.Options) { g.next, o.Transport = o.Transport, g })
	term := s.run(t)
	term.see("Reading accounts at")
	term.meanwhile("/")
	term.see("\"accounts\" is still opening.")
	term.meanwhile(":jou")
	term.see(": jou", "command")
	close(g.open)
	term.press("rnal<enter>")
	term.see("No changes yet")
}
