package layout

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// function makes a part of a key from another text: {len:v} is the length of the value in bytes,
// and {sha256:User#{v}} is a digest. text is the template after the colon. {len:v} is short for
// {len:{v}}.
type function struct {
	name string
	text Template
}

// The names of the functions.
const (
	lengthOf = "len"
	digestOf = "sha256"
)

// digestSize is the length of a digest in hexadecimal characters.
const digestSize = 64

func (f *function) of(text string) string {
	if f.name == digestOf {
		return digest(text)
	}
	return strconv.Itoa(len(text))
}

// parsePlace reads a variable or a function in braces at the beginning of text.
func parsePlace(text string) (p part, rest string, err error) {
	end := strings.IndexAny(text[1:], ":{}") + 1
	switch {
	case end < 2 || text[end] == '{':
		return p, "", errors.New("a brace is not closed: add }")
	case text[end] == '}':
		return part{name: text[1:end]}, text[end+1:], nil
	}
	f := &function{name: text[1:end]}
	if f.name != lengthOf && f.name != digestOf {
		return p, "", fmt.Errorf(
			"unknown function %q: the functions are {len:v} and {sha256:TEXT}",
			f.name,
		)
	}
	close := closing(text[end+1:])
	if close < 0 {
		return p, "", fmt.Errorf("the brace of {%s: is not closed: add }", f.name)
	}
	inner, rest := text[end+1:end+1+close], text[end+2+close:]
	if f.name == lengthOf && !strings.Contains(inner, "{") {
		inner = "{" + inner + "}"
	}
	if f.text, err = parseTemplate(inner); err != nil {
		return p, "", fmt.Errorf("in {%s:…}: %w", f.name, err)
	}
	if f.text.computed {
		return p, "", fmt.Errorf("{%s:…} must not contain another function", f.name)
	}
	p = part{function: f}
	if f.name == digestOf {
		p.name = value
	}
	return p, rest, nil
}

// closing returns the index of the brace that closes a function, or −1 if no brace does. text
// begins after the function's colon. In text, {{ is a literal brace, and } always closes.
func closing(text string) int {
	inside := false
	for n := 0; n < len(text); n++ {
		switch {
		case text[n] == '}' && !inside:
			return n
		case text[n] == '}':
			inside = false
		case text[n] == '{' && !inside && strings.HasPrefix(text[n+1:], "{"):
			n++
		case text[n] == '{':
			inside = true
		}
	}
	return -1
}

// sensible refuses a template whose keys cannot be read. If the template has the length of a
// variable, it must also contain the variable itself. A digest must be of the value, and the
// template must not contain the value in another way.
func (t Template) sensible() error {
	var plain []string
	digests := ""
	for _, p := range t.parts {
		switch {
		case p.function == nil:
			plain = append(plain, p.name)
		case p.function.name == digestOf && digests != "" && digests != p.function.text.text:
			return errors.New("the template has two digests, but a value needs exactly one")
		case p.function.name == digestOf:
			digests = p.function.text.text
		}
	}
	for _, p := range t.parts {
		if p.function == nil {
			continue
		}
		said := p.function.text.Variables()
		for _, name := range said {
			switch {
			case p.function.name == digestOf && name != value:
				return fmt.Errorf("{sha256:…} has {%s}, but may only have {v}, the value", name)
			case p.function.name == lengthOf && !slices.Contains(plain, name):
				return fmt.Errorf("{len:…} is the length of {%s}, but {%[1]s} itself is missing", name)
			}
		}
		if p.function.name == digestOf && (len(said) == 0 || slices.Contains(plain, value)) {
			return errors.New("{v} must be inside {sha256:…}, and nowhere else")
		}
	}
	return nil
}

// match matches a function at the beginning of text, and then the rest. For a digest, it binds name
// to the digest. For a length, it reads the number and stores it in of.length: the length shows
// where the variable ends. At the end of text, rendered checks all lengths.
func (f *function) match(name string, parts []part, text string, vars *bindings, of *made) bool {
	if f.name == digestOf {
		return isDigest(text) && try(vars, name, text[:digestSize], parts, text[digestSize:], of)
	}
	name, rest := f.single()
	before, n := of.length, 0
	defer func() { of.length = before }()
	for end := 1; end <= len(text) && n <= maxHash && text[end-1] >= '0' && text[end-1] <= '9'; end++ {
		n = 10*n + int(text[end-1]-'0')
		of.length = measure{name, n - rest}
		if match(parts, text[end:], vars, of) {
			return true
		}
	}
	return false
}

// single returns the variable of a function that has exactly one, and the length of the literals
// around it. Otherwise it returns "" and 0.
func (f *function) single() (name string, rest int) {
	said := f.text.Variables()
	if len(said) != 1 {
		return "", 0
	}
	return said[0], len(f.text.literals())
}

func isDigest(text string) bool {
	if len(text) < digestSize {
		return false
	}
	for n := range digestSize {
		if c := text[n]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// made has a template with functions, and the whole text to match.
type made struct {
	t    Template
	text string
	// length is the last length that match has read from a {len:…} in text.
	length measure
}

// measure is the length of a variable in bytes. If name is empty, it measures no variable.
type measure struct {
	name string
	n    int
}

// rendered reports whether the template renders the whole text from the variables.
func (w *made) rendered(vars *bindings) bool {
	if w == nil {
		return true
	}
	text, err := w.t.render(vars, "")
	return err == nil && text == w.text
}

// digested returns the template in {sha256:…}. It returns nil if there is no digest.
func (t *Template) digested() *Template {
	for n := range t.parts {
		if f := t.parts[n].function; f != nil && f.name == digestOf {
			return &f.text
		}
	}
	return nil
}
