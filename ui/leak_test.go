package ui_test

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// All goroutines of the program end with it, on each of several screens.
func TestNothingIsLeftRunning(t *testing.T) {
	s := alone(t)
	for _, keys := range []string{"", "3", "4", ":", "/alan<enter>"} {
		term := s.run(t)
		term.see("confirmed")
		term.press(keys)
		term.end()
	}
	deadline := time.Now().Add(patience)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		var ours []string
		for _, g := range strings.Split(string(stacks), "\n\n") {
			if (strings.Contains(g, "tallylock/ui.") || strings.Contains(g, "tallylock/dynamo.")) && !strings.Contains(g, "TestNothingIsLeftRunning") {
				ours = append(ours, g)
			}
		}
		if len(ours) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("still running:\n%s", strings.Join(ours, "\n\n"))
		}
		<-tick.C
	}
}
