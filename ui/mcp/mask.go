package mcp

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// mask hides the values of tables. A masked answer is made field by field: it has only fields that this package sets,
// and each text is a word of this program, a name from the layout, or a name that the mask gives. So a new field of an
// answer is hidden until somebody adds it here.
//
// The mask gives each value, account or other text a name, such as value-1. Equal texts get equal names in one session.
// The names tell nothing else, not even the length of the text.
type mask struct {
	secret [32]byte
	names  map[[sha256.Size]byte]string
	counts map[string]int
}

func newMask() *mask {
	m := &mask{names: map[[sha256.Size]byte]string{}, counts: map[string]int{}}
	_, _ = rand.Read(m.secret[:]) // it never fails
	return m
}

// hidden is the text in place of a text that gets no name.
const hidden = "masked"

// mostNames limits the texts with a name of their own.
const mostNames = 100_000

// name returns the name of a text. kind is the first part of the name, such as value or account. Once there are
// mostNames names, the result for a new text is kind alone.
func (m *mask) name(kind, text string) string {
	at := sha256.Sum256([]byte(kind + "\x00" + text))
	name, known := m.names[at]
	if known {
		return name
	}
	if len(m.names) >= mostNames {
		return kind
	}
	m.counts[kind]++
	name = fmt.Sprintf("%s-%d", kind, m.counts[kind])
	m.names[at] = name
	return name
}

// id replaces an id. The real id is a hash of values, so a person could test a guessed value with it. The new id also
// depends on a secret.
func (m *mask) id(real string) string {
	h := hmac.New(sha256.New, m.secret[:])
	h.Write([]byte(real))
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// key masks a key. It keeps the names of the key's attributes, because they come from the table, and not from an item.
func (m *mask) key(kind string, k attr.Key) attr.Key {
	if k.Hash.Name == "" {
		return k
	}
	out := attr.Key{Hash: attr.Attribute{Name: k.Hash.Name, Value: attr.String(m.name(kind, k.ID()))}}
	if k.Range.Name != "" {
		out.Range = attr.Attribute{Name: k.Range.Name, Value: attr.String(hidden)}
	}
	return out
}

// item masks a key that a finding has as an item.
func (m *mask) item(kind string, of attr.Item, schema attr.Schema) attr.Item {
	k, ok := schema.KeyOf(of)
	if !ok {
		return nil
	}
	return m.key(kind, k).Item()
}

// value masks a value. query is the text that the assistant sent in this call: the assistant may see its own text.
func (m *mask) value(value, query string) string {
	if value != "" && value == query {
		return query
	}
	return m.name("value", value)
}

// counter masks the name of a counter. A name in the config stays, unless the counter's key adds to the name. A counter
// without a name has the name of its table.
func (m *mask) counter(t *dynamo.Table, c *layout.Counter, name string) string {
	if c != nil && c.State == layout.Described && (c.Name == name || c.Name == "" && name == t.Name) && c.Fixed(t.Schema) {
		return name
	}
	return m.name("counter", name)
}

// counterNamed masks the name of a counter whose layout is unknown.
func (m *mask) counterNamed(t *dynamo.Table, name string) string {
	for _, c := range t.Layout.Counters {
		if c.NameOr(t.Name) == name {
			return m.counter(t, c, name)
		}
	}
	return m.name("counter", name)
}

// constraint returns the name of a constraint, if the config describes it. It masks any other name: the name of a
// guessed constraint may contain a value, such as a key of a map, and a file of findings may have any text there.
func (m *mask) constraint(t *dynamo.Table, name string) string {
	_, c := t.Layout.Constraint(name)
	if c == nil {
		c = t.Layout.UnlockedNamed(name)
	}
	if c != nil && c.State == layout.Described {
		return c.Name
	}
	return m.name("constraint", name)
}

// table returns the name of a table, if the layout has it.
func (m *mask) table(t *dynamo.Table, name string) string {
	if name == "" || slices.Contains(t.Tables(), name) {
		return name
	}
	return m.name("table", name)
}

// template masks the texts of a key template, if no person has described it: they come from the keys of items. It keeps
// the variables of a fixed meaning, and the characters between words.
func (m *mask) template(text layout.Template, state layout.State) string {
	if state == layout.Described {
		return text.String()
	}
	var b strings.Builder
	for _, piece := range text.Pieces() {
		switch {
		case piece.Length != nil:
			b.WriteString("{len:" + m.template(*piece.Length, state) + "}")
		case piece.Digest != nil:
			b.WriteString("{sha256:" + m.template(*piece.Digest, state) + "}")
		case slices.Contains([]string{"id", "v", "pk"}, piece.Variable):
			b.WriteString("{" + piece.Variable + "}")
		case piece.Variable != "":
			b.WriteString("{" + m.name("variable", piece.Variable) + "}")
		default:
			b.WriteString(m.words(piece.Literal))
		}
	}
	return b.String()
}

// words masks the words of a text, and keeps the separators between them.
func (m *mask) words(text string) string {
	var b strings.Builder
	word := ""
	flush := func() {
		if word != "" {
			b.WriteString(m.name("word", word))
		}
		word = ""
	}
	for _, r := range text {
		if strings.ContainsRune(layout.Separators+"*", r) {
			flush()
			b.WriteRune(r)
			continue
		}
		word += string(r)
	}
	flush()
	return b.String()
}

// attribute returns the name of an attribute, if a person has described it.
func (m *mask) attribute(name string, state layout.State) string {
	if state == layout.Described || name == "" {
		return name
	}
	return m.name("attribute", name)
}
