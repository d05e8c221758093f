package change

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/safe"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// request shows the requests that a plan would send, and equivalent AWS CLI commands.
type request struct {
	*session.Session
	lines []kit.Span
	top   int
	// commands: there are commands to be copied.
	commands bool
}

// request returns what would be sent; nil while there is no plan.
func (f *form) request() (*request, error) {
	if f.plan == nil {
		return nil, nil
	}
	v := &request{Session: f.Session}
	if f.moving && f.plan.Collides != "" {
		v.add(kit.Warn, strings.Join(kit.Wrap(f.plan.Collides, v.width()), "\n"))
		v.add(kit.Text, "")
	}
	for n, s := range f.plan.Steps {
		body, err := s.Body()
		if err != nil {
			return nil, err
		}
		if n > 0 {
			v.add(kit.Text, "")
		}
		head := "TransactWriteItems, " + string(s.Name)
		if s.Only != "" {
			head += ", only if " + s.Only
		}
		v.add(kit.Muted, head)
		v.add(kit.Text, words.PrettyJSON(body, v.width()))
	}
	if text, err := f.plan.Steps.Commands(f.conn.Connection); err == nil {
		v.commands = true
		v.add(kit.Text, "")
		v.add(kit.Muted, "As commands of the AWS CLI")
		v.add(kit.Text, strings.TrimSuffix(text, "\n"))
	}
	return v, nil
}

// add adds a text, wrapped to the width.
func (v *request) add(k kit.Style, text string) {
	for _, paragraph := range strings.Split(text, "\n") {
		for _, row := range strings.Split(ansi.Hardwrap(safe.Text(paragraph), v.width(), true), "\n") {
			v.lines = append(v.lines, k.Of(row))
		}
	}
}

func (v *request) width() int { return max(min(v.Size.Width-2, requestWidth)-6, 8) }

// requestWidth is the preferred width of the view.
const requestWidth = 100

// page is the number of visible lines.
func (v *request) page() int { return max(v.Size.Height-8, 1) }

func (v *request) draw() *kit.Box {
	b := kit.NewBox(v.Styles, v.Size.Width, kit.Accent, kit.Heading.Of("What would be sent"))
	b.Width = min(v.Size.Width-2, requestWidth)
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
		hints := []kit.Hint{{Key: "↑↓", Words: "scroll"}, v.Hint(keymap.CopyRequest, "copy JSON")}
		if v.commands {
			hints = append(hints, v.Hint(keymap.CopyCommand, "copy command"))
		}
		kit.WriteHints(l, kit.WithKeys(append(hints, v.Hint(keymap.Leave, "back"))))
		if len(v.lines) > v.page() {
			l.Ends(kit.Muted, words.Position(min(v.top+v.page(), len(v.lines)), len(v.lines), false), b.Inner()-2)
		}
	})
	return b
}

// scroll scrolls, and reports whether the key asked for that.
func (v *request) scroll(key tea.KeyPressMsg) bool {
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

// copyCommand copies the change as commands of the AWS CLI.
func (f *form) copyCommand() tea.Cmd {
	if f.plan == nil {
		return nil
	}
	if why := words.NoCommand(f.conn.Connection); why != "" {
		return f.Say(words.Sentence(why))
	}
	text, err := f.plan.Steps.Commands(f.conn.Connection)
	if err != nil {
		return f.Complain("Copying the change as a command: " + err.Error() + ".")
	}
	return f.Copy("the change as a command", text)
}

// viewKey handles a key while the request is shown.
func (d *ask) viewKey(action keymap.Action, key tea.KeyPressMsg) tea.Cmd {
	switch {
	case d.view.scroll(key):
	case action == keymap.CopyCommand:
		return d.form.copyCommand()
	case action == keymap.CopyRequest:
		return d.CopyRequests(d.form.plan)
	case action == keymap.Leave, action == keymap.ShowRequest, action == keymap.Press:
		d.view = nil
	}
	return nil
}
