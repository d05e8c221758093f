package keymap

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// check says why a key name cannot be bound, or nil.
func check(name string) error {
	switch name {
	case "":
		return errors.New("a key needs a name, such as \"g\" or \"ctrl+d\"")
	case " ":
		return errors.New("write the space bar as \"space\"")
	case Interrupt:
		return fmt.Errorf("%s always cancels and quits and cannot be bound", Interrupt)
	case Suspend:
		return fmt.Errorf("%s always suspends the program and cannot be bound", Suspend)
	}
	base := name
	for {
		before, rest, ok := strings.Cut(base, "+")
		if !ok || rest == "" || !slices.ContainsFunc(modifiers(), func(m modifier) bool { return m.name == before }) {
			break
		}
		base = rest
	}
	if r, size := utf8.DecodeRuneInString(base); size == len(base) && unicode.IsPrint(r) && r != ' ' {
		return nil
	}
	if slices.Contains(keyNames(), base) {
		return nil
	}
	return fmt.Errorf("%q is the name of no key: letters stand for themselves, others are called %s, with %s before them",
		name, strings.Join(keyNames(), ", "), "ctrl+, alt+ or shift+")
}

// Pressed is a press of a key by its name; false where no key has that name.
func Pressed(name string) (tea.KeyPressMsg, bool) {
	if check(name) != nil && name != Interrupt {
		return tea.KeyPressMsg{}, false
	}
	var press tea.KeyPressMsg
	base := name
	for _, m := range modifiers() {
		if rest, ok := strings.CutPrefix(base, m.name+"+"); ok && rest != "" {
			press.Mod |= m.mod
			base = rest
		}
	}
	for _, key := range named() {
		if key.name == base {
			press.Code = key.code
			if base == "space" && press.Mod == 0 {
				press.Text = " "
			}
			return press, true
		}
	}
	press.Code, _ = utf8.DecodeRuneInString(base)
	if press.Mod == 0 {
		press.Text = base
	}
	return press, true
}

type modifier struct {
	name string
	mod  tea.KeyMod
}

// modifiers are the names that may stand before a key's, in the order in which Bubble Tea
// writes them.
func modifiers() []modifier {
	return []modifier{
		{"ctrl", tea.ModCtrl},
		{"alt", tea.ModAlt},
		{"shift", tea.ModShift},
		{"meta", tea.ModMeta},
		{"hyper", tea.ModHyper},
		{"super", tea.ModSuper},
	}
}

type namedKey struct {
	name string
	code rune
}

// named are the keys that have names instead of letters.
func named() []namedKey {
	keys := []namedKey{
		{"space", tea.KeySpace},
		{"enter", tea.KeyEnter},
		{"esc", tea.KeyEscape},
		{"tab", tea.KeyTab},
		{"backspace", tea.KeyBackspace},
		{"delete", tea.KeyDelete},
		{"insert", tea.KeyInsert},
		{"up", tea.KeyUp},
		{"down", tea.KeyDown},
		{"left", tea.KeyLeft},
		{"right", tea.KeyRight},
		{"home", tea.KeyHome},
		{"end", tea.KeyEnd},
		{"pgup", tea.KeyPgUp},
		{"pgdown", tea.KeyPgDown},
	}
	for n := range rune(12) {
		keys = append(keys, namedKey{fmt.Sprintf("f%d", n+1), tea.KeyF1 + n})
	}
	return keys
}

func keyNames() []string {
	var out []string
	for _, key := range named() {
		out = append(out, key.name)
	}
	return out
}
