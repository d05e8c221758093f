package keymap

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
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
		modifier, rest, ok := strings.Cut(base, "+")
		if !ok || rest == "" || !slices.Contains(modifiers(), modifier) {
			break
		}
		base = rest
	}
	if r, size := utf8.DecodeRuneInString(base); size == len(base) && unicode.IsPrint(r) && r != ' ' {
		return nil
	}
	if slices.Contains(named(), base) {
		return nil
	}
	return fmt.Errorf("%q is the name of no key: letters stand for themselves, others are called %s, with %s before them",
		name, strings.Join(named(), ", "), "ctrl+, alt+ or shift+")
}

func modifiers() []string { return []string{"ctrl", "alt", "shift", "meta", "hyper", "super"} }

func named() []string {
	names := []string{
		"space", "enter", "esc", "tab", "backspace", "delete", "insert",
		"up", "down", "left", "right", "home", "end", "pgup", "pgdown",
	}
	for n := 1; n <= 12; n++ {
		names = append(names, fmt.Sprintf("f%d", n))
	}
	return names
}
