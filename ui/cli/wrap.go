package cli

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// wrapped breaks text into lines between its words. A command stays on one line, so that it can be
// pasted: if it is too long, the terminal wraps it.
func wrapped(text string, room int) []string {
	var lines []string
	line := ""
	for n, piece := range pieces(text) {
		switch {
		case n == 0:
			line = piece
		case ansi.StringWidth(line)+1+ansi.StringWidth(piece) <= room:
			line += " " + piece
		default:
			lines = append(lines, line)
			line = piece
		}
	}
	return append(lines, line)
}

// pieces are the words of a text, and each command in it as a whole: at the beginning, or behind a
// colon.
func pieces(text string) (all []string) {
	for text != "" || len(all) == 0 {
		end := strings.IndexByte(text, ' ')
		if begins := len(all) == 0 || strings.HasSuffix(all[len(all)-1], ":"); begins && strings.HasPrefix(text, "tallylock ") {
			end = commandEnd(text)
		}
		if end < 0 {
			return append(all, text)
		}
		all, text = append(all, text[:end]), text[end+1:]
	}
	return all
}

// commandEnd is where the command ends that a text begins with: with the sentence. -1: it is all of
// the text.
func commandEnd(text string) int {
	quoted := false
	for n, r := range text {
		switch {
		case r == '\'' && (quoted || n == 0 || text[n-1] != '\\'):
			quoted = !quoted
		case r == ' ' && !quoted && strings.ContainsRune(";.,", rune(text[n-1])):
			return n
		}
	}
	return -1
}
