package dynamo

import (
	"slices"
	"strings"
)

// CommandLine writes a tallylock command to paste into a POSIX shell.
func CommandLine(words []string, values ...string) string {
	if slices.ContainsFunc(values, func(v string) bool { return strings.HasPrefix(v, "-") }) {
		words = append(slices.Clone(words), "--")
	}
	line := "tallylock"
	for _, word := range slices.Concat(words, values) {
		line += " " + Quote(word)
	}
	return line
}

// Command writes a tallylock command about the table, by the connection that it was
// opened with.
func (t *Table) Command(words []string, values ...string) string {
	return CommandLine(slices.Concat(words, []string{"--table", t.Name}, t.conn.options.Place), values...)
}

// Quote makes one word of a POSIX shell out of any text.
func Quote(s string) string {
	plain := s != ""
	for _, c := range s {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+=,", c) {
			plain = false
		}
	}
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
