package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/safe"
	"tallylock/ui/words"
)

// requestView shows what a plan would send, as it would be sent, and as a
// command.
type requestView struct {
	app   *app
	lines []kit.Span
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
			return d.app.Complain("Showing the request: " + err.Error() + ".")
		}
		if n > 0 {
			v.say(kit.Text, "")
		}
		head := "TransactWriteItems, " + string(s.Name)
		if s.Only != "" {
			head += ", only if " + s.Only
		}
		v.say(kit.Muted, head)
		v.say(kit.Text, words.PrettyJSON(body, v.width()))
	}
	if text, err := d.plan.Steps.Commands(d.conn.Connection); err == nil {
		v.say(kit.Text, "")
		v.say(kit.Muted, "As commands of the AWS CLI")
		v.say(kit.Text, strings.TrimSuffix(text, "\n"))
	}
	d.view = v
	return nil
}

// say adds a text, broken wherever a row ends.
func (v *requestView) say(k kit.Style, text string) {
	for _, paragraph := range strings.Split(text, "\n") {
		for _, row := range strings.Split(ansi.Hardwrap(safe.Text(paragraph), v.width(), true), "\n") {
			v.lines = append(v.lines, k.Of(row))
		}
	}
}

func (v *requestView) width() int { return max(min(v.app.Size.Width-2, requestWidth)-6, 8) }

// requestWidth is the width of the view where there is room.
const requestWidth = 100

// page is how many lines are shown at once.
func (v *requestView) page() int { return max(v.app.Size.Height-8, 1) }

func (v *requestView) draw() *kit.Box {
	a := v.app
	b := kit.NewBox(a.Styles, a.Size.Width, kit.Accent, kit.Heading.Of("What would be sent"))
	b.Width = min(a.Size.Width-2, requestWidth)
	v.top = max(min(v.top, len(v.lines)-v.page()), 0)
	b.Gap()
	for _, s := range v.lines[v.top:min(v.top+v.page(), len(v.lines))] {
		b.Row(kit.Must, func(l *kit.Line) {
			l.To(2)
			l.Put(s.Style, s.Text)
		})
	}
	b.Gap()
	b.Row(kit.Must, func(l *kit.Line) {
		l.To(2)
		kit.WriteHints(l, kit.WithKeys([]kit.Hint{
			{Key: "↑↓", Words: "scroll"}, {Key: a.Keys.Key(keymap.CopyRequest), Words: "copy JSON"}, {Key: a.Keys.Key(keymap.CopyCommand), Words: "copy command"}, {Key: a.Keys.Key(keymap.Leave), Words: "back"},
		}))
		if len(v.lines) > v.page() {
			l.Ends(kit.Muted, words.Position(min(v.top+v.page(), len(v.lines)), len(v.lines), false), b.Inner()-2)
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
