package ui

import (
	"unicode/utf8"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/safe"
)

// input is a text field. textinput edits; what it holds is drawn here, since its
// own view counts runes and not cells, and shows what strangers pasted as it is.
type input struct{ textinput.Model }

func newInput(value string) input {
	m := textinput.New()
	m.Prompt = ""
	m.CharLimit = 2048 // a partition key is no longer
	m.SetValue(value)
	m.CursorEnd()
	m.Focus()
	return input{m}
}

// update edits, and reports whether the text changed.
func (i *input) update(msg tea.Msg) bool {
	before := i.Value()
	i.Model, _ = i.Model.Update(msg)
	return i.Value() != before
}

// draw writes the field into w cells: the text with its cursor, or, where there
// is none, what to type. The end that is typed at stays in view.
func (i *input) draw(l *line, k look, w int, ghost string, focus bool) {
	from := l.at
	before, after := i.split()
	ground := l.ground
	w = min(w, l.width-l.at)
	if i.Value() == "" {
		if focus {
			l.on(button)
			l.put(asText, " ")
			l.on(ground)
			l.put(asText, " ")
		}
		l.words(asAbsent, ghost, w-(l.at-from))
		l.to(from + w)
		return
	}
	for cells(safe.Text(before)) > w-2 && before != "" {
		_, size := utf8.DecodeRuneInString(before)
		before = before[size:]
	}
	l.typed(k, before, w-1)
	if focus {
		l.on(button)
		at := " "
		if after != "" {
			_, size := utf8.DecodeRuneInString(after)
			at, after = after[:size], after[size:]
		}
		l.typed(k, at, w-(l.at-from))
		l.on(ground)
	}
	if rest := w - (l.at - from); rest > 0 && after != "" {
		l.typed(k, after, rest)
	}
	l.to(from + w)
}

// split is the text before and from the cursor on.
func (i *input) split() (before, after string) {
	runes := []rune(i.Value())
	at := min(i.Position(), len(runes))
	return string(runes[:at]), string(runes[at:])
}

// question is row 1 of a list that is looked through: the field, or what is
// looked for. It answers where the words end, too.
func (a *app) question(in *input, typing bool, ghost string) (string, int) {
	l := newLine(a.st, a.size.w, a.behind())
	l.put(asText, " ")
	l.put(asKey, a.keys.Key(keymap.Find))
	l.put(asText, " ")
	if typing {
		in.draw(l, asBold, a.size.w-l.at-1, ghost, true)
	} else {
		l.fit(asBold, in.Value(), a.size.w-l.at-1)
	}
	return l.done(), min(4+max(cellsShown(in.Value()), 1), a.size.w)
}
