package dynamo

import (
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
)

// CommandLine writes a tallylock command to paste into a POSIX shell.
func CommandLine(words []string, values ...string) string {
	if slices.ContainsFunc(values, func(v string) bool { return strings.HasPrefix(v, "-") }) {
		words = append(slices.Clone(words), "--")
	}
	line := "tallylock"
	for _, word := range slices.Concat(words, values) {
		line += " " + phrase.ShellWord(word)
	}
	return line
}

// Command writes a tallylock command about the table, by the connection that it was
// opened with.
func (t *Table) Command(words []string, values ...string) string {
	return t.conn.Command(slices.Concat(words, []string{"--table", t.Name}), values...)
}

// Command writes a tallylock command by the flags that the connection was made with.
func (c *Connection) Command(words []string, values ...string) string {
	return CommandLine(slices.Concat(words, c.options.Place), values...)
}

// ReleaseCommand writes the command that releases a relation's lock: by its value, with what
// else its key needs, where those make that very key, and by the whole key else.
func ReleaseCommand(t *Table, r *verdict.Relation) (string, error) {
	words := []string{"release", "--write"}
	if text, ok := namesLock(t, r); ok {
		return t.Command(slices.Concat(words, r.ScopeFlags()), r.Constraint.Name, text), nil
	}
	key, err := attr.Line(r.Lock.Key, "")
	if err != nil {
		return "", err
	}
	return t.Command(append(words, "--key", strings.TrimSpace(string(key))), r.Constraint.Name), nil
}

// namesLock is the text by which a relation's lock is found, together with its scope. It
// reports false where they would lead to another lock, or to none.
func namesLock(t *Table, r *verdict.Relation) (string, bool) {
	c, scope, schema := r.Constraint, r.Scope(), t.SchemaOf(r.Lock.Table)
	text, ok := c.Text(r.Value)
	if !ok || slices.ContainsFunc(c.Scope(), func(name string) bool { return scope[name] == "" }) {
		return "", false
	}
	if text == "" {
		key, err := c.EmptyKey(schema, scope)
		return text, err == nil && key.Equal(r.Lock.Key)
	}
	return text, slices.ContainsFunc([]string{text, c.Normalised(text)}, func(v string) bool {
		key, err := c.LockKey(schema, v, scope)
		return err == nil && key.Equal(r.Lock.Key)
	})
}
