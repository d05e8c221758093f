// Package help is the dialog that lists the keys. Start reading at Ask.
package help

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/check/finding"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/safe"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// help lists the keys that work on the selection, and says why other keys do nothing.
type help struct {
	*session.Session
	about    func() string
	commands func() screen.Commands
	search   *kit.Field // nil unless searching
}

// Ask shows the keys. about names the selection of the screen, and commands returns all commands on
// the screen, including those of the program.
func Ask(s *session.Session, about func() string, commands func() screen.Commands) tea.Cmd {
	return s.Send(message.Ask{Dialog: &help{Session: s, about: about, commands: commands}})
}

// The dialog widths for two columns of keys and for four columns.
const (
	twoColumns  = 72
	fourColumns = 136
	widest      = 180 // the dialog's largest width: each sentence fits on one line
)

func (h *help) Draw() *kit.Box {
	all := h.commands()
	b := kit.NewBox(h.Styles, h.Size.Width, kit.Accent, kit.Heading.Of("Keys"), kit.Muted.Of(" · "+safe.Text(h.about())))
	columns := 1
	switch b.Width = min(widest, h.Size.Width-2); {
	case b.Width >= fourColumns:
		columns = 4
	case b.Width >= twoColumns:
		b.Width, columns = twoColumns, 2
	}
	if h.search != nil {
		h.drawSearch(b, all)
		return b
	}
	b.Gap()
	var groups [][]row
	for of, heading := range []string{"MOVE", "LOOK", "CHANGE", "COPY, SAVE"} {
		if rows := h.groupOf(all, keymap.Group(of)); len(rows) > 0 {
			groups = append(groups, append([]row{{mark: kit.Muted.Of(heading)}}, rows...))
		}
	}
	for sides := range slices.Chunk(groups, columns) {
		beside(b, kit.Must, (b.Inner()-2)/columns, 9, sides)
		b.Gap()
	}
	if rows := h.refused(all, b.Inner()); len(rows) > 0 {
		b.Para(kit.Must, kit.Muted, "NOT HERE")
		beside(b, kit.Must, b.Inner(), reasons, [][]row{rows})
		b.Gap()
	}
	if columns == 4 && h.Size.Height >= 40 {
		drawSigns(b)
	}
	b.Row(kit.Must, func(l *kit.Line) {
		l.To(b.Inner() - 29)
		kit.WriteHints(l, []kit.Hint{h.Hint(keymap.Find, "search"), h.Hint(keymap.Help, "or")})
		l.Put(kit.Text, " ")
		kit.WriteHints(l, []kit.Hint{h.Hint(keymap.Back, "close")})
	})
	return b
}

// row is a row of a column: a key with the words for its action, or a sign with its meaning.
type row struct{ mark, rest, text kit.Span }

// beside draws columns of rows beside each other. Each column is width cells wide, and its texts begin at its cell at.
func beside(b *kit.Box, w kit.Weight, width, at int, sides [][]row) {
	longest := 0
	for _, side := range sides {
		longest = max(longest, len(side))
	}
	for n := range longest {
		b.Row(w, func(l *kit.Line) {
			for m, side := range sides {
				if n >= len(side) {
					continue
				}
				col := 2 + m*width
				l.To(col)
				l.Put(side[n].mark.Style, side[n].mark.Text)
				l.Put(side[n].rest.Style, side[n].rest.Text)
				l.To(col + at)
				l.Words(side[n].text.Style, side[n].text.Text, col+width-l.At-1) // in the narrowest column, 23 cells
			}
		})
	}
}

// groupOf returns the actions of a group that work now.
func (h *help) groupOf(all screen.Commands, of keymap.Group) (out []row) {
	said := map[keymap.Action]bool{keymap.Help: true} // the foot of the dialog shows Help
	for _, info := range h.Keys.Of(keymap.Screen) {
		if info.Group != of || said[info.Action] || !h.isUsable(all, info.Action) {
			continue
		}
		key, words := h.Keys.Key(info.Action), all.Says(info.Action)
		c, _ := all.Of(info.Action)
		between := " "
		for _, with := range c.With {
			if !h.isUsable(all, with) {
				continue
			}
			said[with] = true
			words = c.Both
			if both := info.Keys[0] + between + h.Keys.Key(with); kit.Width(both) < 9 {
				key = both
			}
			between = " - "
		}
		out = append(out, row{mark: kit.Key.Of(key), text: kit.Text.Of(words)})
	}
	return out
}

// isUsable reports whether an action has a key and works now.
func (h *help) isUsable(all screen.Commands, action keymap.Action) bool {
	return h.Keys.Key(action) != "" && all.Why(action) == ""
}

// reasons is the number of cells for the key and the name of a refused action.
const reasons = 25

// refused lists the commands of group Change that do nothing now, with the reasons. Commands of
// other screens are only found by the search.
func (h *help) refused(all screen.Commands, width int) (out []row) {
	shares := map[keymap.Action]bool{} // actions listed with another action share its reason
	for _, c := range all {
		for _, with := range c.With {
			shares[with] = true
		}
	}
	for _, info := range h.Keys.Of(keymap.Screen) {
		action, why, key := info.Action, all.Why(info.Action), h.Keys.Key(info.Action)
		saves := action == keymap.Save && h.WhyNoFiles() != ""
		if info.Group != keymap.Change && !saves || shares[action] || why == "" || why == screen.Elsewhere || key == "" {
			continue
		}
		mark := kit.Muted.Of(key + kit.Spaces(max(9-kit.Width(key), 0)) + screen.Name(action))
		for _, text := range kit.Wrap(why, width-reasons-3) {
			out = append(out, row{mark: mark, text: kit.Muted.Of(text)})
			mark = kit.Span{}
		}
	}
	return out
}

// drawSigns draws the kinds of problems with their meanings, in two columns.
func drawSigns(b *kit.Box) {
	const at = 16 // wider than the longest word
	width := (b.Inner() - 2) / 2
	sides := make([][]row, 2)
	kinds := finding.Kinds()
	for n, k := range kinds {
		sign, side := say.Kind(k), &sides[2*n/len(kinds)]
		mark, word := sign.Style.Of(sign.Glyph), kit.Text.Of(" "+sign.Word)
		for _, text := range kit.Wrap(say.KindMeans(k), width-at-2) {
			*side = append(*side, row{mark, word, kit.Muted.Of(text)})
			mark, word = kit.Span{}, kit.Span{}
		}
	}
	b.Para(kit.Note, kit.Muted, "PROBLEMS")
	beside(b, kit.Note, width, at, sides)
	b.Gap()
}

func (h *help) Key(msg tea.Msg) tea.Cmd {
	press, isKey := msg.(tea.KeyPressMsg)
	key := press.String()
	action, _ := h.Keys.Action(keymap.Screen, key)
	switch searching := h.search != nil; {
	case searching && isKey && key == "esc":
		h.search = nil
	case searching && isKey && key == "enter":
		return h.Leave()
	case searching:
		h.search.Update(msg)
	case isKey && action == keymap.Find:
		field := kit.NewField("")
		h.search = &field
	case isKey:
		return h.Leave()
	}
	return nil
}

func (h *help) Press(int) tea.Cmd { return nil }

func (h *help) Leave() tea.Cmd { return h.Send(message.Close{}) }

// found is an action that matches the searched text.
type found struct {
	keys, words string
	why         string // why the action does nothing now; empty if it works
}

// matches returns the actions whose name, words, keys or reason contain the text. Actions that work
// now come first, actions of dialogs last.
func (h *help) matches(all screen.Commands, text string) []found {
	has := func(texts ...string) bool {
		return strings.Contains(strings.ToLower(strings.Join(texts, "\n")), strings.ToLower(text))
	}
	var works, refused []found
	for _, info := range h.Keys.Of(keymap.Screen) {
		f := found{keys: strings.Join(info.Keys, ", "), words: all.Says(info.Action), why: all.Why(info.Action)}
		name := screen.Name(info.Action)
		switch {
		case !has(name, f.words, f.keys, f.why):
		case f.why == "":
			works = append(works, f)
		default:
			f.words = name
			refused = append(refused, f)
		}
	}
	for _, info := range h.Keys.Of(keymap.Dialog) {
		f := found{strings.Join(info.Keys, ", "), screen.Name(info.Action), "in the dialog of a change"}
		if has(f.words, f.keys) {
			refused = append(refused, f)
		}
	}
	return append(works, refused...)
}

// searchRows is the fixed number of result rows. The dialog fits 80×24, and its height does not
// change while a person types.
const searchRows = 14

func (h *help) drawSearch(b *kit.Box, all screen.Commands) {
	b.Gap()
	b.InputRow("search", h.search, "a key, or a word", true, 40, "")
	b.Gap()
	matches := h.matches(all, strings.TrimSpace(h.search.Value()))
	for n := range searchRows {
		b.Row(kit.Must, func(l *kit.Line) {
			l.To(2)
			switch {
			case n == 0 && len(matches) == 0:
				l.Put(kit.Muted, "No matching key.")
			case n == searchRows-1 && len(matches) > searchRows:
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
	l.Fit(key, cmp.Or(f.keys, "—"), 13)
	l.To(16)
	l.Words(text, f.words, 26)
	if f.why != "" {
		l.To(max(30, l.At+2))
		l.Words(text, f.why, l.Width-l.At-1)
	}
}
