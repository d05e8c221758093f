package layout

import (
	"errors"
	"fmt"
	"strings"
)

// Template renders a key from named variables and parses a key back into them:
// "UNIQ#EMAIL#{v}", "ACCT#{id}". A brace is written twice to stand for itself.
//
// {v}, the protected value, is greedy to the end, since values contain every
// character that layouts use to separate; all other variables end at the next
// literal. The zero Template has no text and renders nothing.
type Template struct {
	text  string
	parts []part
}

// part is either literal text or the name of a variable.
type part struct {
	literal, name string
}

// errTemplate is what a template that cannot work is refused with.
var errTemplate = errors.New("bad key template")

// ParseTemplate reads a template. Two variables must not touch: nothing would
// tell where one ends.
func ParseTemplate(text string) (Template, error) {
	t := Template{text: text}
	literal := ""
	for rest := text; rest != ""; {
		switch {
		case strings.HasPrefix(rest, "{{"), strings.HasPrefix(rest, "}}"):
			literal += rest[:1]
			rest = rest[2:]
		case rest[0] == '{':
			end := strings.IndexByte(rest, '}')
			if end < 2 {
				return Template{}, fmt.Errorf("%w %q: a brace opens that closes no variable name", errTemplate, text)
			}
			if literal != "" {
				t.parts = append(t.parts, part{literal: literal})
				literal = ""
			} else if len(t.parts) > 0 {
				return Template{}, fmt.Errorf("%w %q: two variables touch, put a character between them", errTemplate, text)
			}
			t.parts = append(t.parts, part{name: rest[1:end]})
			rest = rest[end+1:]
		case rest[0] == '}':
			return Template{}, fmt.Errorf("%w %q: a brace closes that was not opened", errTemplate, text)
		default:
			literal += rest[:1]
			rest = rest[1:]
		}
	}
	if literal != "" {
		t.parts = append(t.parts, part{literal: literal})
	}
	return t, nil
}

// String is the template as it was written.
func (t Template) String() string { return t.text }

// Empty reports whether there is no template: the sort key of a table that has
// none.
func (t Template) Empty() bool { return t.text == "" }

// Prefix is the literal text that every key of the template begins with.
func (t Template) Prefix() string {
	if len(t.parts) > 0 {
		return t.parts[0].literal
	}
	return ""
}

// Constant reports whether the template has no variables: one key, always.
func (t Template) Constant() bool {
	return len(t.parts) == 0 || (len(t.parts) == 1 && t.parts[0].name == "")
}

// Variables lists the names used, in order, repeats included.
func (t Template) Variables() []string {
	var names []string
	for _, p := range t.parts {
		if p.name != "" {
			names = append(names, p.name)
		}
	}
	return names
}

// Uses reports whether the template has the variable.
func (t Template) Uses(name string) bool {
	for _, p := range t.parts {
		if p.name == name {
			return true
		}
	}
	return false
}

// errNoValue is wrapped where a variable has no value or an empty one.
var errNoValue = errors.New("has no value")

// render writes the template. hash is what {pk} stands for.
func (t Template) render(vars *bindings, hash string) (string, error) {
	if len(t.parts) == 2 && t.parts[0].name == "" && t.parts[1].name != "" { // UNIQ#EMAIL#{v}
		if v := of(vars, t.parts[1].name, hash); v != "" {
			return t.parts[0].literal + v, nil
		}
	}
	if len(t.parts) == 1 && t.parts[0].name == "" {
		return t.parts[0].literal, nil
	}
	var b strings.Builder
	for _, p := range t.parts {
		if p.name == "" {
			b.WriteString(p.literal)
			continue
		}
		v := of(vars, p.name, hash)
		if v == "" {
			return "", fmt.Errorf("{%s} of the key template %q %w", p.name, t.text, errNoValue)
		}
		b.WriteString(v)
	}
	return b.String(), nil
}

// without is render, and nothing in the place of what has no value.
func (t Template) without(vars *bindings, hash string) string {
	var b strings.Builder
	for _, p := range t.parts {
		b.WriteString(p.literal)
		if p.name != "" {
			b.WriteString(of(vars, p.name, hash))
		}
	}
	return b.String()
}

func of(vars *bindings, name, hash string) string {
	if name == hashKey && hash != "" {
		return hash
	}
	return vars.get(name)
}

// parse adds the variables that text holds to vars. A variable that vars has
// already must hold the same again. Where it does not fit vars stays as it is.
func (t Template) parse(text string, vars *bindings) bool {
	if len(t.parts) > 0 && !strings.HasPrefix(text, t.parts[0].literal) {
		return false // most texts are another template's
	}
	return match(t.parts, text, vars)
}

// fits reports whether text is one of the template's.
func (t Template) fits(text string) bool {
	var vars bindings
	return t.parse(text, &vars)
}

func match(parts []part, text string, vars *bindings) bool {
	if len(parts) == 0 {
		return text == ""
	}
	head, rest := parts[0], parts[1:]
	if head.name == "" {
		return strings.HasPrefix(text, head.literal) && match(rest, text[len(head.literal):], vars)
	}
	if len(rest) == 0 {
		return vars.add(head.name, text)
	}
	stop := rest[0].literal // two variables never touch
	if head.name == value {
		for end := len(text); ; {
			end = strings.LastIndex(text[:end], stop)
			if end < 0 {
				return false
			}
			if try(vars, head.name, text[:end], rest, text[end:]) {
				return true
			}
		}
	}
	for from := 0; ; {
		at := strings.Index(text[from:], stop)
		if at < 0 {
			return false
		}
		if try(vars, head.name, text[:from+at], rest, text[from+at:]) {
			return true
		}
		from += at + 1
	}
}

// try binds a variable and matches the rest, and takes the binding back where
// the rest does not fit.
func try(vars *bindings, name, bound string, parts []part, rest string) bool {
	before := vars.n
	if vars.add(name, bound) && match(parts, rest, vars) {
		return true
	}
	vars.n = before
	return false
}
