package cli

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// wrapped breaks text into lines between its words. A command stays on one line; where it is
// too long for any, it goes on after a backslash, as a shell reads it when it is pasted.
func wrapped(text string, room int) []string {
	var lines []string
	line := ""
	for n, piece := range pieces(text) {
		whole := strings.Join(piece, " ")
		switch {
		case n == 0:
			line = whole
		case ansi.StringWidth(line)+1+ansi.StringWidth(whole) <= room:
			line += " " + whole
			continue
		default:
			lines = append(lines, line)
			line = whole
		}
		if len(piece) > 1 && ansi.StringWidth(whole) > room {
			parts := continued(piece, room)
			lines = append(lines, parts[:len(parts)-1]...)
			line = parts[len(parts)-1]
		}
	}
	return append(lines, line)
}

// continued breaks a command between its words. A flag stays beside its value, and > beside its file.
func continued(words []string, room int) []string {
	lines := []string{words[0]}
	for n, word := range words[1:] {
		last := &lines[len(lines)-1]
		with := ansi.StringWidth(*last) + 1 + ansi.StringWidth(word)
		if n+2 < len(words) && (word == ">" || strings.HasPrefix(word, "-") && !strings.HasPrefix(words[n+2], "-")) {
			with += 1 + ansi.StringWidth(words[n+2])
		}
		if n+2 < len(words) {
			with += len(` \`)
		}
		if with <= room {
			*last += " " + word
			continue
		}
		*last += ` \`
		lines = append(lines, "  "+word)
	}
	return lines
}

// pieces are the words of a text, and each command in it as the words of a shell.
func pieces(text string) [][]string {
	var all [][]string
	for {
		begins := len(all) == 0 || strings.HasSuffix(all[len(all)-1][0], ":")
		if begins && strings.HasPrefix(text, "tallylock ") {
			command, rest := commandIn(text)
			all = append(all, command)
			if rest == "" {
				return all
			}
			text = rest
			continue
		}
		word, rest, more := strings.Cut(text, " ")
		all = append(all, []string{word})
		if !more {
			return all
		}
		text = rest
	}
}

// commandIn takes the command off which a text begins with: it ends with the sentence.
func commandIn(text string) (words []string, rest string) {
	begun, quoted := 0, false
	for n, r := range text {
		switch {
		case r == '\'' && (quoted || n == 0 || text[n-1] != '\\'):
			quoted = !quoted
		case r == ' ' && !quoted:
			words = append(words, text[begun:n])
			begun = n + 1
			if strings.ContainsRune(";.,", rune(text[n-1])) {
				return words, text[begun:]
			}
		}
	}
	return slices.Concat(words, []string{text[begun:]}), ""
}
