package kit

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"tallylock/ui/safe"
)

// Field is a text field. textinput only edits the text. Draw shows it: textinput's own view counts
// runes instead of cells, and does not sanitise pasted text.
type Field struct {
	textinput.Model
	prefilled bool // the text is selected: typing replaces it, and a cursor key edits it
}

// NewField returns a field that is prefilled with this value. The cursor is at its end.
func NewField(value string) Field {
	m := textinput.New()
	m.Prompt = ""
	m.CharLimit = 2048 // the greatest length of a partition key
	m.SetValue(value)
	m.CursorEnd()
	m.Focus()
	return Field{m, true}
}

// Put replaces the text, as if a person had typed the new one.
func (i *Field) Put(text string) {
	i.SetValue(text)
	i.CursorEnd()
	i.prefilled = false
}

// Update handles a key or pasted text, and reports whether the text changed.
func (i *Field) Update(msg tea.Msg) bool {
	before := i.Value()
	if i.prefilled && replaces(msg) {
		i.SetValue("")
	}
	i.prefilled = false
	i.Model, _ = i.Model.Update(msg)
	return i.Value() != before
}

// replaces reports whether a key or pasted text replaces selected text.
func replaces(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		return true
	case tea.KeyPressMsg:
		return msg.Text != "" || msg.String() == "backspace" || msg.String() == "delete"
	}
	return false
}

// Draw writes the field into w cells: the text with its cursor, or the placeholder if the field is
// empty. If the text is too long, the part before the cursor stays visible.
func (i *Field) Draw(l *Line, k Style, w int, placeholder string, focus bool) {
	from := l.At
	before, after := i.split()
	ground := l.ground
	w = min(w, l.Width-l.At)
	if i.Value() == "" {
		if focus { // the cursor covers the first letter, so that nothing moves when it appears
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
	if focus && i.prefilled {
		l.On(Selected)
	}
	l.typed(k, before, w-1)
	l.On(ground)
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

// tail returns the end of a text that fits into w cells.
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

// split returns the text before the cursor, and the text from the cursor on.
func (i *Field) split() (before, after string) {
	runes := []rune(i.Value())
	at := min(i.Position(), len(runes))
	return string(runes[:at]), string(runes[at:])
}

// mostRemembered limits the texts of a history. Nobody steps through more.
const mostRemembered = 200

// History has the texts that were typed into a field before, the newest last. Two keys step through
// it, as in a shell. After the newest text comes the text that was being typed.
type History struct {
	texts []string
	at    int    // the present text; len(texts) means the text that was being typed
	typed string // the text that was being typed before the first step
}

// Add adds a text as the newest, and removes an older copy. It ends the stepping.
func (h *History) Add(text string) {
	h.texts = append(slices.DeleteFunc(h.texts, func(t string) bool { return t == text }), text)
	h.texts = h.texts[max(len(h.texts)-mostRemembered, 0):]
	h.Rest()
}

// Rest ends the stepping: the next step goes to the newest text.
func (h *History) Rest() { h.at = len(h.texts) }

// Older puts the next older text into a field. It reports false if there is none. It skips a text that the field has
// already.
func (h *History) Older(in *Field) bool {
	now := in.Value()
	if h.at == len(h.texts) {
		h.typed = now
	}
	at := h.at - 1
	if at >= 0 && h.texts[at] == now {
		at--
	}
	if at < 0 {
		return false
	}
	h.at = at
	in.Put(h.texts[at])
	return true
}

// Newer puts the next newer text into a field. After the newest it puts the text that was being typed. It reports false
// if there is none.
func (h *History) Newer(in *Field) bool {
	if h.at >= len(h.texts) {
		return false
	}
	text := h.typed
	if h.at++; h.at < len(h.texts) {
		text = h.texts[h.at]
	}
	in.Put(text)
	return true
}

// Empty reports whether the history has no texts.
func (h *History) Empty() bool { return len(h.texts) == 0 }
