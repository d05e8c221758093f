package kit

import (
	"cmp"
	"unicode/utf8"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"tallylock/ui/safe"
)

// Field is a text field. textinput edits; what it holds is drawn here, since its
// own view counts runes and not cells, and shows what strangers pasted as it is.
type Field struct{ textinput.Model }

// NewField is a field that holds a value, with the cursor at its end.
func NewField(value string) Field {
	m := textinput.New()
	m.Prompt = ""
	m.CharLimit = 2048 // a partition key is no longer
	m.SetValue(value)
	m.CursorEnd()
	m.Focus()
	return Field{m}
}

// Update edits, and reports whether the text changed.
func (i *Field) Update(msg tea.Msg) bool {
	before := i.Value()
	i.Model, _ = i.Model.Update(msg)
	return i.Value() != before
}

// Draw writes the field into w cells: the text with its cursor, or, where there
// is none, what to type. The end that is typed at stays in view.
func (i *Field) Draw(l *Line, k Style, w int, placeholder string, focus bool) {
	from := l.At
	before, after := i.split()
	ground := l.ground
	w = min(w, l.Width-l.At)
	if i.Value() == "" {
		if focus { // the cursor stands on the first letter: nothing moves when it comes
			_, size := utf8.DecodeRuneInString(placeholder)
			l.On(Focused)
			l.Put(Absent, cmp.Or(placeholder[:size], " "))
			l.On(ground)
			placeholder = placeholder[size:]
		}
		l.Words(Absent, placeholder, w-(l.At-from))
		l.To(from + w)
		return
	}
	before = tail(before, w-2)
	l.typed(k, before, w-1)
	if focus {
		l.On(Focused)
		at := " "
		if after != "" {
			_, size := utf8.DecodeRuneInString(after)
			at, after = after[:size], after[size:]
		}
		l.typed(k, at, w-(l.At-from))
		l.On(ground)
	}
	if rest := w - (l.At - from); rest > 0 && after != "" {
		l.typed(k, after, rest)
	}
	l.To(from + w)
}

// tail is as much of a text's end as is shown in w cells.
func tail(text string, w int) string {
	at, used := len(text), 0
	for at > 0 {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		if used += Width(safe.Text(text[at-size : at])); used > w {
			break
		}
		at -= size
	}
	return text[at:]
}

// split is the text before and from the cursor on.
func (i *Field) split() (before, after string) {
	runes := []rune(i.Value())
	at := min(i.Position(), len(runes))
	return string(runes[:at]), string(runes[at:])
}
