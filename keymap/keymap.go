// Package keymap holds the key bindings of the inspector: the defaults, which follow vim, less and
// k9s, and the config's [keys] section, which overrides them. It knows neither screens nor texts.
package keymap

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/mistake"
)

// The keys that cannot be bound. Interrupt cancels the running tasks, and quits if there are none.
// Suspend returns to the shell, as in other programs.
const (
	Interrupt = "ctrl+c"
	Suspend   = "ctrl+z"
)

// Map holds the key bindings of all actions. It never changes.
type Map struct {
	infos []Info // all actions, with their keys in this map
	of    map[Action]Info
	byKey map[Context]map[string][]Action
}

// Default returns the map without overrides.
func Default() *Map {
	m, err := FromConfig(nil)
	if err != nil { // impossible: a test checks the defaults, which are constants
		return &Map{}
	}
	return m
}

// FromConfig makes a map from the defaults and the config's [keys] section, which maps actions to keys. An empty list
// removes the action's keys. A key in the section is removed from the default keys of other actions. It is an error if
// an action loses its last key in this way, unless a person can also type its name or the name of another action that
// does the same. It is always an error for Quit. Unknown actions, unknown key names and a key of two actions that may
// be on one screen are errors, too. Each error names the action.
func FromConfig(overrides map[string][]string) (*Map, error) {
	m := &Map{infos: Actions(), of: map[Action]Info{}, byKey: map[Context]map[string][]Action{Screen: {}, Dialog: {}}}
	if err := known(m.infos, overrides); err != nil {
		return nil, err
	}
	for n, info := range m.infos {
		if keys, ok := overrides[string(info.Action)]; ok {
			info.Keys = slices.Clip(append([]string(nil), keys...)) // nil if the list is empty
		} else {
			left := slices.DeleteFunc(slices.Clone(info.Keys),
				func(k string) bool { return taken(m.infos, info, k, overrides) })
			onlyByKey := info.Use == ByKey && info.Instead == "" || info.Action == Quit
			if len(left) == 0 && onlyByKey { // otherwise a person can type a name
				return nil, takesAll(m.infos, info, overrides)
			}
			info.Keys = left
		}
		m.infos[n], m.of[info.Action] = info, info
		for _, k := range info.Keys {
			if err := check(k); err != nil {
				return nil, mistake.At("keys."+string(info.Action), fmt.Errorf("keys: %s: %w", info.Action, err))
			}
			for _, other := range m.byKey[info.Context][k] {
				if !info.shares(m.of[other]) {
					return nil, mistake.Errorf("keys."+string(info.Action),
						"keys: %q is bound to both %s and %s: give one of them another key", k, other, info.Action)
				}
			}
			m.byKey[info.Context][k] = append(m.byKey[info.Context][k], info.Action)
		}
	}
	return m, nil
}

// taken reports whether the config gives a default key of an action to another action.
func taken(all []Info, from Info, key string, overrides map[string][]string) bool {
	return slices.ContainsFunc(all, func(i Info) bool {
		return i.Context == from.Context && !i.shares(from) && slices.Contains(overrides[string(i.Action)], key)
	})
}

// takesAll returns the error if an action takes the last key of another action. The parameter lacks is the action
// without a key. The error names both actions.
func takesAll(all []Info, lacks Info, overrides map[string][]string) error {
	key := lacks.Keys[0]
	for _, info := range all {
		if info.Context == lacks.Context && slices.Contains(overrides[string(info.Action)], key) {
			return mistake.Errorf("keys."+string(info.Action),
				"keys: %s takes %q from %s, which then has no key: give %s another key, or none with %s = []",
				info.Action, key, lacks.Action, lacks.Action, lacks.Action)
		}
	}
	return nil
}

func known(infos []Info, overrides map[string][]string) error {
	var unknown []string
	for name := range overrides {
		if !slices.ContainsFunc(infos, func(i Info) bool { return string(i.Action) == name }) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	sort.Strings(unknown)
	names := make([]string, len(infos))
	for n, i := range infos {
		names[n] = string(i.Action)
	}
	return mistake.Errorf("keys."+unknown[0], "keys: there is no action %q%s; the actions are %s", unknown[0],
		mistake.Meant(unknown[0], names...), strings.Join(names, ", "))
}

// Action returns the action of a key in a context. keyName is a name such as "G", "ctrl+d" or
// "space". If several actions share the key, the result is the first in the order of the help.
func (m *Map) Action(c Context, keyName string) (Action, bool) {
	return m.On(c, keyName, func(Action) bool { return false })
}

// On is Action for a screen. If several actions share the key, the result is the last one that the screen has: it
// replaces the others there.
func (m *Map) On(c Context, keyName string, has func(Action) bool) (Action, bool) {
	all := m.byKey[c][keyName]
	if len(all) == 0 {
		return "", false
	}
	for _, a := range slices.Backward(all) {
		if has(a) {
			return a, true
		}
	}
	return all[0], true
}

// Instead returns the action of other screens whose keys an action may share; empty if there is none.
func (m *Map) Instead(a Action) Action { return m.of[a].Instead }

// Key returns the name of an action's first key, as hints show it; empty if the action has no key.
func (m *Map) Key(a Action) string {
	if keys := m.of[a].Keys; len(keys) > 0 {
		return keys[0]
	}
	return ""
}

// Use returns the way in which a person may ask for an action.
func (m *Map) Use(a Action) Use { return m.of[a].Use }

// Of lists the actions of a context in the order of the help, including those without a key.
func (m *Map) Of(c Context) []Info {
	return slices.DeleteFunc(slices.Clone(m.infos), func(i Info) bool { return i.Context != c })
}

// check returns the reason why a key name cannot be bound; nil if it can.
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
	mod, base := split(name)
	r, size := utf8.DecodeRuneInString(base)
	character := size == len(base) && unicode.IsPrint(r) && r != ' '
	switch {
	case character && mod == tea.ModShift:
		return fmt.Errorf("a terminal never sends %q: write the character, such as \"A\" or \"!\"", name)
	case character || slices.Contains(keyNames(), base):
		if sent := press(mod, base).Keystroke(); sent != name {
			return fmt.Errorf("a terminal never sends %q: write %q", name, sent)
		}
		return nil
	}
	return fmt.Errorf("unknown key %q: use a character, or one of %s; %s may come before it",
		name, strings.Join(keyNames(), ", "), "ctrl+, alt+ or shift+")
}

// Pressed returns the message for a press of the named key; false if there is no such key.
func Pressed(name string) (tea.KeyPressMsg, bool) {
	if check(name) != nil && name != Interrupt {
		return tea.KeyPressMsg{}, false
	}
	mod, base := split(name)
	return press(mod, base), true
}

// press returns the message of a terminal for a press of a key with modifiers. With a modifier, terminals name a letter
// in lower case.
func press(mod tea.KeyMod, base string) tea.KeyPressMsg {
	press := tea.KeyPressMsg{Mod: mod}
	for _, key := range named() {
		if key.name == base {
			press.Code = key.code
			if base == "space" && mod == 0 {
				press.Text = " "
			}
			return press
		}
	}
	press.Code, _ = utf8.DecodeRuneInString(base)
	switch {
	case mod == 0:
		press.Text = base
	case unicode.IsUpper(press.Code):
		press.Code = unicode.ToLower(press.Code)
		if mod&tea.ModCtrl == 0 { // most terminals send the same for ctrl+A and ctrl+a
			press.Mod |= tea.ModShift
		}
	}
	return press
}

// split parts a key name into its modifiers and the key: "ctrl+up" into ctrl and "up".
func split(name string) (mod tea.KeyMod, base string) {
	modifiers := map[string]tea.KeyMod{
		"ctrl": tea.ModCtrl, "alt": tea.ModAlt, "shift": tea.ModShift,
		"meta": tea.ModMeta, "hyper": tea.ModHyper, "super": tea.ModSuper,
	}
	for {
		before, rest, _ := strings.Cut(name, "+")
		m, ok := modifiers[before]
		if !ok || rest == "" {
			return mod, name
		}
		mod, name = mod|m, rest
	}
}

type namedKey struct {
	name string
	code rune
}

// named returns the keys that have a name instead of a letter.
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
