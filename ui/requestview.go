package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tallylock/keymap"
	"tallylock/ui/safe"
)

// requestView shows what a plan would send, as it would be sent, and as a
// command.
type requestView struct {
	app   *app
	lines []span
	top   int
}

// showRequest shows what would be sent.
func (d *changeDialog) showRequest() tea.Cmd {
	if d.plan == nil {
		return nil
	}
	v := &requestView{app: d.app}
	for n, s := range d.plan.Steps {
		body, err := s.Request()
		if err != nil {
			return d.app.complain("Showing the request: " + err.Error() + ".")
		}
		if n > 0 {
			v.say(asText, "")
		}
		head := "TransactWriteItems, " + string(s.Name)
		if s.Only != "" {
			head += ", only if " + s.Only
		}
		v.say(asMuted, head)
		v.say(asText, pretty(body, v.width()))
	}
	if text, err := d.plan.Commands(d.conn.Connection); err == nil {
		v.say(asText, "")
		v.say(asMuted, "As commands of the AWS CLI")
		v.say(asText, strings.TrimSuffix(text, "\n"))
	}
	d.view = v
	return nil
}

// say adds a text, broken wherever a row ends.
func (v *requestView) say(k look, text string) {
	for _, paragraph := range strings.Split(text, "\n") {
		for _, row := range strings.Split(ansi.Hardwrap(safe.Text(paragraph), v.width(), true), "\n") {
			v.lines = append(v.lines, span{k, row})
		}
	}
}

func (v *requestView) width() int { return max(min(v.app.size.w-2, requestWidth)-6, 8) }

// requestWidth is the width of the view where there is room.
const requestWidth = 100

// page is how many lines are shown at once.
func (v *requestView) page() int { return max(v.app.size.h-8, 1) }

func (v *requestView) draw() *box {
	a := v.app
	b := newBox(a.st, a.size.w, asAccent, span{asBold, "What would be sent"})
	b.width = min(a.size.w-2, requestWidth)
	v.top = max(min(v.top, len(v.lines)-v.page()), 0)
	b.gap()
	for _, s := range v.lines[v.top:min(v.top+v.page(), len(v.lines))] {
		b.row(must, func(l *line) {
			l.to(2)
			l.put(s.look, s.text)
		})
	}
	b.gap()
	b.row(must, func(l *line) {
		l.to(2)
		writeHints(l, present([]hint{
			{"↑↓", "scroll"}, {a.keys.Key(keymap.CopyRequest), "copy JSON"}, {a.keys.Key(keymap.CopyCommand), "copy command"}, {a.keys.Key(keymap.Leave), "back"},
		}))
		if len(v.lines) > v.page() {
			l.ends(asMuted, position(min(v.top+v.page(), len(v.lines)), len(v.lines), false), b.inner()-2)
		}
	})
	return b
}

// scroll moves through the lines, and reports whether the key asked for that.
func (v *requestView) scroll(key tea.KeyPressMsg) bool {
	switch key.String() {
	case "down", "j":
		v.top++
	case "up", "k":
		v.top--
	case "pgdown", "ctrl+d", "ctrl+f", "space":
		v.top += v.page()
	case "pgup", "ctrl+u", "ctrl+b":
		v.top -= v.page()
	case "home", "g":
		v.top = 0
	case "end", "G":
		v.top = len(v.lines)
	default:
		return false
	}
	return true
}
