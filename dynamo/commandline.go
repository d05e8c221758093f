package dynamo

import (
	"slices"
	"strings"

	"tallylock/dynamo/phrase"
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
	return CommandLine(slices.Concat(words, []string{"--table", t.Name}, t.conn.options.Place), values...)
}
