package layout

import (
	"errors"
	"fmt"
	"strings"
)

// Template renders a key from named variables and parses a key back into them: "UNIQ#EMAIL#{v}",
// "ACCT#{id}". A literal brace is written twice.
//
// {v} is the protected value. It matches as much text as possible, since a value may contain the
// characters that layouts use as separators. Every other variable ends at the next literal. If {id}
// is the whole template, it matches only texts without #. {len:v} and {sha256:User#{v}} are
// functions: see function. The zero Template has no text and renders nothing.
type Template struct {
	text  string
	parts []part
	// computed: the template has functions. A text then fits only if the template renders the same
	// text again from the parsed variables.
	computed bool
}

// Separators are the characters that layouts put between the parts of a key.
const Separators = "#:/|"

var braces = strings.NewReplacer("{", "{{", "}", "}}")

// Literal writes each brace of a text twice, so that ParseTemplate reads the braces as literal
// text.
func Literal(text string) string { return braces.Replace(text) }

// part is literal text, a variable, or a function. A digest can only be of the protected value, so
// its part has the name "v".
type part struct {
	literal, name string
	function      *function
}

// errTemplate is the error for an invalid template.
var errTemplate = errors.New("bad key template")

// ParseTemplate reads a template. It refuses two variables without text between them: a key would
// not show where the first one ends.
func ParseTemplate(text string) (Template, error) {
	t, err := parseTemplate(text)
	if err == nil {
		err = t.sensible()
	}
	if err != nil {
		return Template{}, fmt.Errorf("%w %q: %w", errTemplate, text, err)
	}
	return t, nil
}

func parseTemplate(text string) (Template, error) {
	t := Template{text: text}
	literal := ""
	for rest := text; rest != ""; {
		switch {
		case strings.HasPrefix(rest, "{{"), strings.HasPrefix(rest, "}}"):
			literal += rest[:1]
			rest = rest[2:]
		case rest[0] == '{':
			p, after, err := parsePlace(rest)
			if err != nil {
				return t, err
			}
			if literal != "" {
				t.parts = append(t.parts, part{literal: literal})
				literal = ""
			} else if len(t.parts) > 0 {
				return t, errors.New("two variables touch: put a character between them")
			}
			t.parts, t.computed = append(t.parts, p), t.computed || p.function != nil
			rest = after
		case rest[0] == '}':
			return t, errors.New("a closing brace has no opening brace")
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

// String returns the template as it was written.
func (t Template) String() string { return t.text }

// Empty reports whether the template has no text. The template of the sort key is empty if the
// table has no sort key.
func (t Template) Empty() bool { return t.text == "" }

// Prefix returns the literal text at the start of the template. Every key of the template begins
// with it.
func (t Template) Prefix() string {
	if len(t.parts) > 0 {
		return t.parts[0].literal
	}
	return ""
}

// Constant reports whether the template has no variables. Then it renders only one key.
func (t Template) Constant() bool {
	return len(t.parts) == 0 || (len(t.parts) == 1 && t.parts[0].name == "")
}

// Variables lists the names of the template's variables in order, with repeats.
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

// errNoValue is the error for a variable that is not bound or is empty.
var errNoValue = errors.New("has no value")

// render renders the template. If hash is not empty, it is the value of {pk}.
func (t Template) render(vars *bindings, hash string) (string, error) {
	if len(t.parts) == 2 && t.parts[0].name == "" && t.parts[1].name != "" { // for example UNIQ#EMAIL#{v}
		if v := of(vars, t.parts[1].name, hash); v != "" {
			return t.parts[0].literal + v, nil
		}
	}
	if len(t.parts) == 1 && t.parts[0].name == "" {
		return t.parts[0].literal, nil
	}
	text, missing := t.assemble(vars, hash)
	if missing != "" {
		return "", fmt.Errorf("{%s} of the key template %q %w", missing, t.text, errNoValue)
	}
	return text, nil
}

// Render renders the template from its variables. It returns an error if a variable has no value. For a sort
// key, vars has the partition key under the name HashVariable.
func (t Template) Render(vars map[string]string) (string, error) {
	all := bindingsOf(vars)
	return t.render(&all, "")
}

// assemble works like render, but returns no error. If a variable has no value, missing is the name
// of the variable.
func (t Template) assemble(vars *bindings, hash string) (text, missing string) {
	var b strings.Builder
	for n := range t.parts {
		p := &t.parts[n]
		text := p.literal
		if p.name != "" || p.function != nil {
			if text, missing = p.render(vars, hash); missing != "" {
				return "", missing
			}
		}
		b.WriteString(text)
	}
	return b.String(), ""
}

func (p *part) render(vars *bindings, hash string) (text, missing string) {
	switch {
	case p.name != "":
		if text = of(vars, p.name, hash); text == "" {
			missing = p.name
		}
		return text, missing
	case p.function == nil:
		return p.literal, ""
	}
	if text, missing = p.function.text.assemble(vars, hash); missing != "" {
		return "", missing
	}
	return p.function.of(text), ""
}

// without works like render, but leaves out the variables without a value.
func (t Template) without(vars *bindings, hash string) string {
	var b strings.Builder
	for _, p := range t.parts {
		v := of(vars, p.name, hash)
		if p.function != nil && v == "" {
			v = p.function.of(p.function.text.without(vars, hash))
		}
		b.WriteString(p.literal + v)
	}
	return b.String()
}

func of(vars *bindings, name, hash string) string {
	if name == hashKey && hash != "" {
		return hash
	}
	return vars.get(name)
}

// parse reads the variables of the template from text and adds them to vars. If vars already has a
// variable, text must have the same value for it. If text does not fit, vars does not change.
func (t Template) parse(text string, vars *bindings) bool {
	if len(t.parts) > 0 && !strings.HasPrefix(text, t.parts[0].literal) {
		return false // the quick way: most texts belong to other templates
	}
	if t.bareID() && strings.Contains(text, idEnd) {
		return false
	}
	if t.computed {
		return match(t.parts, text, vars, &made{t: t, text: text})
	}
	return match(t.parts, text, vars, nil)
}

// idEnd is a character that an {id} cannot contain if the whole template is {id}. Otherwise {id}
// would match the keys of all items, such as ORDER#17.
const idEnd = "#"

func (t Template) bareID() bool { return len(t.parts) == 1 && t.parts[0].name == identity }

// beforeID returns the literal before the id. plain is false if the template is not a literal and an id.
func (t Template) beforeID() (literal string, plain bool) {
	if t.computed || len(t.parts) != 2 || t.parts[0].name != "" || t.parts[1].name != identity {
		return "", false
	}
	return t.parts[0].literal, true
}

// Computed reports whether the template has functions.
func (t Template) Computed() bool { return t.computed }

// Digests reports whether the template has a digest of the value.
func (t Template) Digests() bool { return t.digested() != nil }

// Fits reports whether text fits the template.
func (t Template) Fits(text string) bool {
	var vars bindings
	return t.parse(text, &vars)
}

// match reads the variables of parts from text and binds them. If the template has no functions, of
// is nil. Otherwise of has the whole template and the whole text.
func match(parts []part, text string, vars *bindings, of *made) bool {
	if len(parts) == 0 {
		return text == "" && of.rendered(vars)
	}
	head, rest := &parts[0], parts[1:]
	switch {
	case head.function != nil:
		return head.function.match(head.name, rest, text, vars, of)
	case head.name == "":
		return strings.HasPrefix(text, head.literal) && match(rest, text[len(head.literal):], vars, of)
	case len(rest) == 0 && of == nil:
		return vars.add(head.name, text)
	case of != nil && of.length.name == head.name:
		n := of.length.n
		return n > 0 && n <= len(text) && try(vars, head.name, text[:n], rest, text[n:], of)
	case len(rest) == 0:
		return try(vars, head.name, text, rest, "", of)
	}
	stop := rest[0].literal // two variables never touch, so the next part is a literal
	if head.name == value {
		for end := len(text); ; {
			end = strings.LastIndex(text[:end], stop)
			if end < 0 {
				return false
			}
			if try(vars, head.name, text[:end], rest, text[end:], of) {
				return true
			}
		}
	}
	for from := 0; ; {
		at := strings.Index(text[from:], stop)
		if at < 0 {
			return false
		}
		if try(vars, head.name, text[:from+at], rest, text[from+at:], of) {
			return true
		}
		from += at + 1
	}
}

// try binds a variable and matches the rest. If the rest does not fit, it removes the binding.
func try(vars *bindings, name, bound string, parts []part, rest string, of *made) bool {
	before := vars.n
	if vars.add(name, bound) && match(parts, rest, vars, of) {
		return true
	}
	vars.n = before
	return false
}

// binding is a variable of a template with its value.
type binding struct{ name, text string }

// bindings are the variables of one key, with their values. A table has very many keys, so an array
// saves allocations. The zero bindings are empty.
type bindings struct {
	n   int
	all [room]binding
}

// MostVariables is the greatest number of variables that the templates of one key may have
// together.
const MostVariables = 12

const room = MostVariables

func bindingsOf(vars map[string]string) bindings {
	var b bindings
	for name, text := range vars {
		b.add(name, text)
	}
	return b
}

// get returns the value of a variable; empty if it is not bound.
func (b *bindings) get(name string) string {
	for n := range b.all[:b.n] {
		if b.all[n].name == name {
			return b.all[n].text
		}
	}
	return ""
}

// has reports whether a variable is bound. A bound variable is never empty.
func (b *bindings) has(name string) bool { return b.get(name) != "" }

// add binds a variable to text if it is not bound. It reports whether the variable is now bound to
// text.
func (b *bindings) add(name, text string) bool {
	if text == "" {
		return false
	}
	for n := range b.all[:b.n] {
		if b.all[n].name == name {
			return b.all[n].text == text
		}
	}
	if b.n == room {
		return false
	}
	b.all[b.n] = binding{name, text}
	b.n++
	return true
}

func (b *bindings) set(name, text string) {
	b.drop(name)
	b.add(name, text)
}

func (b *bindings) drop(name string) {
	for n := range b.all[:b.n] {
		if b.all[n].name == name {
			copy(b.all[n:b.n], b.all[n+1:b.n])
			b.n--
			return
		}
	}
}

// vars returns the bindings as a map; nil if there are none.
func (b *bindings) vars() map[string]string {
	if b.n == 0 {
		return nil
	}
	vars := make(map[string]string, b.n)
	for _, one := range b.all[:b.n] {
		vars[one.name] = one.text
	}
	return vars
}

// Piece is a part of a template: literal text, a variable, or a function. Packages that translate
// templates into another language, such as SQL, use it.
type Piece struct {
	Literal, Variable string
	// Length is the template in {len:…}, and Digest is the one in {sha256:…}. Each is nil if the
	// piece is not that function.
	Length, Digest *Template
}

// Pieces splits a template into its parts.
func (t Template) Pieces() []Piece {
	var all []Piece
	for _, p := range t.parts {
		one := Piece{Literal: p.literal, Variable: p.name}
		if f := p.function; f != nil {
			one.Variable = ""
			if f.name == digestOf {
				one.Digest = &f.text
			} else {
				one.Length = &f.text
			}
		}
		all = append(all, one)
	}
	return all
}

// The variables with a fixed meaning. Any other variable is an attribute of the account, or a part
// of its key.
const (
	ValueVariable  = value
	HashVariable   = hashKey
	NumberVariable = idVariable
	IDVariable     = identity
)
