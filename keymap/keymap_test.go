package keymap_test

import (
	"slices"
	"strings"
	"testing"

	"tallylock/keymap"
)

// The default keys do not collide, every action has a key, and no key is " ".
func TestDefaults(t *testing.T) {
	m, err := keymap.FromConfig(nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[keymap.Action]bool{}
	for _, info := range keymap.Actions() {
		if seen[info.Action] {
			t.Errorf("%s is listed twice", info.Action)
		}
		seen[info.Action] = true
		if len(info.Keys) == 0 {
			t.Errorf("%s lacks keys", info.Action)
		}
		for _, k := range info.Keys {
			if got, ok := m.On(info.Context, k, func(a keymap.Action) bool { return a == info.Action }); !ok || got != info.Action {
				t.Errorf("%q does %q, want %q", k, got, info.Action)
			}
		}
	}
	if _, ok := m.Action(keymap.Screen, keymap.Interrupt); ok {
		t.Error("ctrl+c is bound")
	}
}

func TestOverrides(t *testing.T) {
	m, err := keymap.FromConfig(map[string][]string{"release": {"ctrl+x", "R"}, "sort": {}})
	if err != nil {
		t.Fatal(err)
	}
	if a, _ := m.Action(keymap.Screen, "R"); a != keymap.Release {
		t.Errorf("R does %q", a)
	}
	if a, ok := m.Action(keymap.Screen, "r"); ok {
		t.Errorf("r still does %q", a)
	}
	if got := m.Key(keymap.Release); got != "ctrl+x" {
		t.Errorf("the hint for release is %q", got)
	}
	if got := m.Key(keymap.Sort); got != "" {
		t.Errorf("sort still has the key %q", got)
	}
	if a, ok := m.Action(keymap.Screen, "s"); ok {
		t.Errorf("s still does %q", a)
	}
}

// A key that the config gives to an action is removed from the default keys of other actions.
func TestAConfiguredKeyTakesItFromADefault(t *testing.T) {
	m, err := keymap.FromConfig(map[string][]string{"release": {"A"}})
	if err != nil {
		t.Fatal(err)
	}
	if a, _ := m.Action(keymap.Screen, "A"); a != keymap.Release {
		t.Errorf("A does %q", a)
	}
	if got := m.Key(keymap.Everywhere); got != "" {
		t.Errorf("the hint for all connections is %q", got)
	}
}

func TestMistakesAreNamed(t *testing.T) {
	for _, c := range []struct {
		name  string
		keys  map[string][]string
		words []string
	}{
		{"unknown action", map[string][]string{"relaese": {"r"}}, []string{`"relaese"`, "release"}},
		{"collision", map[string][]string{"release": {"j"}, "down": {"j"}}, []string{`"j"`, "down", "release"}},
		{"twice in one list", map[string][]string{"release": {"R", "R"}}, []string{`"R"`, "release"}},
		{"space", map[string][]string{"pause": {" "}}, []string{"pause", `"space"`}},
		{"empty", map[string][]string{"pause": {""}}, []string{"pause"}},
		{"no key", map[string][]string{"pause": {"spacebar"}}, []string{"pause", `"spacebar"`, "space"}},
		{"a letter with shift", map[string][]string{"pause": {"shift+a"}}, []string{"pause", `"shift+a"`, `"A"`}},
		{"ctrl and a capital", map[string][]string{"pause": {"ctrl+A"}}, []string{"pause", `"ctrl+A"`, `"ctrl+a"`}},
		{"alt and a capital", map[string][]string{"pause": {"alt+S"}}, []string{"pause", `"alt+shift+s"`}},
		{"the order of modifiers", map[string][]string{"pause": {"shift+ctrl+up"}}, []string{"pause", `"ctrl+shift+up"`}},
		{"the interrupt", map[string][]string{"pause": {"ctrl+c"}}, []string{"pause", "ctrl+c"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := keymap.FromConfig(c.keys)
			if err == nil {
				t.Fatal("it is accepted")
			}
			for _, w := range c.words {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q does not say %s", err, w)
				}
			}
		})
	}
}

// Screen and Dialog are separate contexts: tab and enter have a meaning in each of them.
func TestContextsAreApart(t *testing.T) {
	m := keymap.Default()
	if a, _ := m.Action(keymap.Screen, "enter"); a != keymap.Open {
		t.Errorf("enter on a screen does %q", a)
	}
	if a, _ := m.Action(keymap.Dialog, "enter"); a != keymap.Press {
		t.Errorf("enter in a dialog does %q", a)
	}
}

// Pressing the key of a name gives the press that the map knows by this name.
func TestPressed(t *testing.T) {
	for _, info := range keymap.Actions() {
		for _, name := range info.Keys {
			if press, ok := keymap.Pressed(name); !ok || press.String() != name {
				t.Errorf("%q is pressed as %q, %v", name, press.String(), ok)
			}
		}
	}
	for _, name := range []string{"ctrl+c", "alt+x", "ctrl+shift+up", "f12", "é", "+"} {
		if press, ok := keymap.Pressed(name); !ok || press.String() != name {
			t.Errorf("%q is pressed as %q, %v", name, press.String(), ok)
		}
	}
	for _, name := range []string{"", "↑↓", "1 … 5", "hyper"} {
		if press, ok := keymap.Pressed(name); ok {
			t.Errorf("%q is pressed as %q", name, press.String())
		}
	}
}

// If an action takes the last key of another action, and the config does not mention the other action, the error names
// both.
func TestNoActionLosesItsLastKeyUnsaid(t *testing.T) {
	_, err := keymap.FromConfig(map[string][]string{"open": {"q"}})
	if err == nil || !strings.Contains(err.Error(), `open takes "q" from quit`) {
		t.Errorf("it says %v", err)
	}
	for _, quit := range [][]string{{"Q"}, {}} {
		if _, err := keymap.FromConfig(map[string][]string{"open": {"q"}, "quit": quit}); err != nil {
			t.Errorf("quit = %q: %v", quit, err)
		}
	}
}

// Actions of different screens share a key. Each may get another key, and a key that the config gives to one of them
// stays with the others.
func TestActionsOfDifferentScreensShareAKey(t *testing.T) {
	on := func(m *keymap.Map, key string, screen ...keymap.Action) keymap.Action {
		a, _ := m.On(keymap.Screen, key, func(a keymap.Action) bool { return slices.Contains(screen, a) })
		return a
	}
	m := keymap.Default()
	if got := on(m, "D", keymap.Refuse, keymap.Apply); got != keymap.Refuse {
		t.Errorf("D in the queue does %q", got)
	}
	if got := on(m, "D", keymap.Release); got != keymap.DeleteAccount {
		t.Errorf("D elsewhere does %q", got)
	}
	m, err := keymap.FromConfig(map[string][]string{"refuse": {"D", "ctrl+x"}, "abandon": {"ctrl+x"}})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]keymap.Action{"D": keymap.DeleteAccount, "ctrl+x": keymap.Refuse} {
		if got := on(m, key, keymap.DeleteAccount); got != want {
			t.Errorf("%s does %q, want %q", key, got, want)
		}
	}
	if _, err := keymap.FromConfig(map[string][]string{"take-out": {"b"}, "take-back": {"b"}}); err == nil {
		t.Error("two actions of one screen share a key")
	}
	if m, err = keymap.FromConfig(map[string][]string{"release": {"D"}}); err != nil {
		t.Fatal(err)
	}
	if got := m.Key(keymap.Refuse); got != "" {
		t.Errorf("refuse still has %q, which is release now", got)
	}
}
