// Package keymap holds the key bindings of the inspector: the defaults, which
// follow vim, less and k9s, their words for the help, and what the config's
// [keys] section puts in their place. It knows no screen.
package keymap

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"charm.land/bubbles/v2/help"
	"charm.land/bubbles/v2/key"

	"tallylock/dynamo/mistake"
)

// The keys that cannot be bound: Interrupt cancels what is in flight, then quits, and
// Suspend gives the terminal back to the shell, as everywhere.
const (
	Interrupt = "ctrl+c"
	Suspend   = "ctrl+z"
)

// Map is the bindings of all actions. It does not change once it is made.
type Map struct {
	infos    []Info
	bindings map[Action]key.Binding
	byKey    map[Context]map[string]Action
}

var _ help.KeyMap = (*Map)(nil)

// Default is the map without any override.
func Default() *Map {
	m, err := FromConfig(nil)
	if err != nil { // the defaults are constants, and a test asserts that they fit together
		return &Map{}
	}
	return m
}

// FromConfig makes a map of the defaults and of what the config's [keys] section
// says: action → keys. An empty list takes the action's keys away, and a key that it
// gives to an action is taken from the default of another. Unknown actions, names that
// no key has and keys that it binds twice are errors that name the action.
func FromConfig(overrides map[string][]string) (*Map, error) {
	m := &Map{infos: Actions(), bindings: map[Action]key.Binding{}, byKey: map[Context]map[string]Action{Screen: {}, Dialog: {}}}
	if err := known(m.infos, overrides); err != nil {
		return nil, err
	}
	given := map[Context][]string{}
	for _, info := range m.infos {
		given[info.Context] = append(given[info.Context], overrides[string(info.Action)]...)
	}
	for n, info := range m.infos {
		if keys, ok := overrides[string(info.Action)]; ok {
			info.Keys = slices.Clip(append([]string(nil), keys...)) // nil where there is none
		} else {
			info.Keys = slices.DeleteFunc(slices.Clone(info.Keys), func(k string) bool { return slices.Contains(given[info.Context], k) })
		}
		m.infos[n] = info
		for _, k := range info.Keys {
			if err := check(k); err != nil {
				return nil, mistake.At("keys."+string(info.Action), fmt.Errorf("keys: %s: %w", info.Action, err))
			}
			if other, taken := m.byKey[info.Context][k]; taken {
				return nil, mistake.Errorf("keys."+string(info.Action), "keys: %q is bound to both %s and %s: give one of them another key", k, other, info.Action)
			}
			m.byKey[info.Context][k] = info.Action
		}
		m.bindings[info.Action] = key.NewBinding(key.WithKeys(info.Keys...), key.WithHelp(label(info.Keys), info.Help))
	}
	return m, nil
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
	return mistake.Errorf("keys."+unknown[0], "keys: there is no action %q%s; the actions are %s", unknown[0], mistake.Meant(unknown[0], names...), strings.Join(names, ", "))
}

// Action tells what a key does in a context, by the key's name ("G", "ctrl+d",
// "space").
func (m *Map) Action(c Context, keyName string) (Action, bool) {
	a, ok := m.byKey[c][keyName]
	return a, ok
}

// Key is the name of an action's first key as hints show it, empty where it has
// none.
func (m *Map) Key(a Action) string {
	keys := m.bindings[a].Keys()
	if len(keys) == 0 {
		return ""
	}
	return keys[0]
}

// Binding is an action's binding, for Bubbles that take one.
func (m *Map) Binding(a Action) key.Binding { return m.bindings[a] }

// Of lists the actions of a context, in the order of the help, those without a key, too.
func (m *Map) Of(c Context) []Info {
	return slices.DeleteFunc(slices.Clone(m.infos), func(i Info) bool { return i.Context != c })
}

// Group lists the actions of a group that have a key, in the order of the help.
func (m *Map) Group(c Context, g Group) []Info {
	var out []Info
	for _, info := range m.infos {
		if info.Context == c && info.Group == g && len(info.Keys) > 0 {
			out = append(out, info)
		}
	}
	return out
}

// ShortHelp implements help.KeyMap.
func (m *Map) ShortHelp() []key.Binding {
	return []key.Binding{m.bindings[Find], m.bindings[Open], m.bindings[Copy], m.bindings[Tables], m.bindings[Help], m.bindings[Quit]}
}

// FullHelp implements help.KeyMap.
func (m *Map) FullHelp() [][]key.Binding {
	var columns [][]key.Binding
	for _, g := range []Group{Move, Look, Change, Take} {
		var column []key.Binding
		for _, info := range m.Group(Screen, g) {
			column = append(column, m.bindings[info.Action])
		}
		columns = append(columns, column)
	}
	return columns
}

func label(keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	return keys[0]
}
