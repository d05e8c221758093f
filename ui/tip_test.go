package ui_test

import (
	"strings"
	"testing"
)

const tip = `Somebody says "alan" is taken. Press / and type alan.`

// The demo shows a tip until a person tries the tip or closes the line.
func TestTheDemoSaysWhatToTry(t *testing.T) {
	t.Parallel()
	for _, closing := range []string{"/", "<esc>"} {
		t.Run(closing, func(t *testing.T) {
			s := drawn(t)
			s.options.Tip = true
			term := s.run(t)
			term.see("confirmed", tip, "esc closes this")
			term.press("jj")
			term.see(tip)
			term.press("3")
			term.gone(tip)
			term.press("1")
			term.see(tip)
			term.press(closing)
			term.gone(tip)
			if closing == "/" {
				term.press("alan<enter>")
				term.see("No account holds the username")
				term.press("<esc><esc><esc>")
			}
			frame := term.see("VERDICT", "● held")
			if strings.Contains(frame, tip) {
				t.Errorf("%s does not close it:\n%s", closing, frame)
			}
		})
	}
}

// Esc goes back first. It closes the tip only if it cannot go back.
func TestEscGoesBackBeforeItClosesTheTip(t *testing.T) {
	s := drawn(t)
	s.options.Tip = true
	term := s.run(t)
	term.see("confirmed", tip)
	term.press("jo")
	term.see("HOLDS", tip)
	term.press("<esc>")
	term.see("VALUE", tip)
	term.press("<esc>")
	term.gone(tip)
}

// The tip also closes if a person types the command, or releases the lock.
func TestTheTipGoesOnceItWasTried(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string]string{"typed": ":find alan<enter><esc>", "released": "nr<tab><enter>"} {
		t.Run(name, func(t *testing.T) {
			s := drawn(t)
			s.options.Tip = true
			term := s.run(t)
			term.see("confirmed", tip)
			term.press(keys)
			if name == "released" {
				term.see("✓ Applied")
				term.press("<enter>")
			}
			if frame := term.see("VERDICT", "confirmed"); strings.Contains(frame, tip) {
				t.Errorf("it stays:\n%s", frame)
			}
		})
	}
}

// Even in the smallest window, the tip says how to close it.
func TestTheTipOfASmallWindow(t *testing.T) {
	s := drawn(t)
	s.options.Tip = true
	s.w, s.h = 60, 16
	term := s.run(t)
	frame := term.see("confirmed", "esc closes this")
	if tip := row(frame, "esc closes this"); !strings.Contains(tip, " Press / and type alan.  ") || strings.Contains(frame, "…esc") {
		t.Errorf("the tip is %q", tip)
	}
}
