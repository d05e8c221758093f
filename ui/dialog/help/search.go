package help

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
)

// found is an action whose name, words or key contain what was typed.
type found struct {
	keys, words string
	why         string // why it does nothing now
}

// matches are the actions that a text is found in: those that do something now first, those
// of dialogs last.
func (h *help) matches(all screen.Commands, text string) []found {
	var works, refused []found
	for _, info := range h.Keys.Of(keymap.Screen) {
		f := found{keys: strings.Join(info.Keys, ", "), words: all.Says(info.Action), why: all.Why(info.Action)}
		name := screen.Name(info.Action)
		if !strings.Contains(strings.ToLower(strings.Join([]string{name, f.words, f.keys, f.why}, "\n")),
			strings.ToLower(text)) {
			continue
		}
		if f.why == "" {
			works = append(works, f)
		} else {
			f.words = name
			refused = append(refused, f)
		}
	}
	return slices.Concat(works, refused, h.inDialogs(text))
}

// inDialogs are the actions of dialogs that a text is found in.
func (h *help) inDialogs(text string) []found {
	var out []found
	for _, info := range h.Keys.Of(keymap.Dialog) {
		f := found{keys: strings.Join(info.Keys, ", "), words: screen.Name(info.Action), why: "where a change is asked for"}
		if strings.Contains(strings.ToLower(f.words+"\n"+f.keys), strings.ToLower(text)) {
			out = append(out, f)
		}
	}
	return out
}

// searchRows is how many actions are listed: the dialog fits 80×24 and does not jump.
const searchRows = 14

func (h *help) drawSearch(b *kit.Box, all screen.Commands) {
	b.Gap()
	b.InputRow("search", h.search, "a key, or a word of what it does", true, 40, "")
	b.Gap()
	matches := h.matches(all, strings.TrimSpace(h.search.Value()))
	for n := range searchRows {
		b.Row(kit.Must, func(l *kit.Line) {
			switch {
			case n == 0 && len(matches) == 0:
				l.To(2)
				l.Put(kit.Muted, "No key does that.")
			case n == searchRows-1 && len(matches) > searchRows:
				l.To(2)
				l.Put(kit.Muted, "…")
			case n < len(matches):
				matches[n].draw(l)
			}
		})
	}
	b.Gap()
	b.Hints(kit.Hint{Key: "ctrl+u", Words: "clear"}, kit.Hint{Key: "esc", Words: "all keys"})
}

func (f found) draw(l *kit.Line) {
	key, text := kit.Key, kit.Text
	if f.why != "" {
		key, text = kit.Muted, kit.Muted
	}
	l.To(2)
	l.Fit(key, cmp.Or(f.keys, "—"), 13)
	l.To(16)
	l.Words(text, f.words, 26)
	if f.why != "" {
		l.To(max(30, l.At+2))
		l.Words(text, f.why, l.Width-l.At-1)
	}
}

// typed takes a key or pasted text into the search; esc ends it.
func (h *help) typed(msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "esc":
			h.search = nil
			return nil
		case "enter":
			return h.Leave()
		}
	}
	h.search.Update(msg)
	return nil
}
