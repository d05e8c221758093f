package kit

import (
	"cmp"
	"slices"
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

// mostRemembered is how many texts a history keeps: more, nobody walks through.
const mostRemembered = 200

// History is what was typed into a field before, the newest last. It is walked through with
// two keys, as in a shell, and comes back in the end to what was being typed.
type History struct {
	texts []string
	at    int    // where the walk is; len(texts): at what was being typed
	typed string // before the walk began
}

// Add remembers a text as the newest, once, and ends the walk.
func (h *History) Add(text string) {
	h.texts = append(slices.DeleteFunc(h.texts, func(t string) bool { return t == text }), text)
	h.texts = h.texts[max(len(h.texts)-mostRemembered, 0):]
	h.Rest()
}

// Rest ends the walk: the next step goes to the newest.
func (h *History) Rest() { h.at = len(h.texts) }

// Older is the text before the one at which the walk is, where there is one; now is what the
// field says. What the field says already is passed over.
func (h *History) Older(now string) (string, bool) {
	if h.at == len(h.texts) {
		h.typed = now
	}
	at := h.at - 1
	if at >= 0 && h.texts[at] == now {
		at--
	}
	if at < 0 {
		return "", false
	}
	h.at = at
	return h.texts[at], true
}

// Newer is the text after it, and after the newest what was being typed.
func (h *History) Newer() (string, bool) {
	if h.at >= len(h.texts) {
		return "", false
	}
	if h.at++; h.at == len(h.texts) {
		return h.typed, true
	}
	return h.texts[h.at], true
}

// Empty reports whether nothing is remembered.
func (h *History) Empty() bool { return len(h.texts) == 0 }
