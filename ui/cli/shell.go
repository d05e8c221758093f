package cli

import (
	"strings"

	"tallylock/dynamo/change"
)

// commandLine is a tallylock command that reaches the same place as this one, to
// paste. It reports false where it would not arrive as it is shown: text that
// has to be made harmless is not the same text any more.
func (s *session) commandLine(words []string, values ...string) (string, bool) {
	words = append(words, s.flags.given("config", "connection", "profile", "region", "endpoint-url", "layout")...)
	for _, v := range values {
		if strings.HasPrefix(v, "-") {
			words = append(words, "--")
			break
		}
	}
	line := "tallylock"
	for _, word := range append(words, values...) {
		line += " " + change.Quote(word)
	}
	return line, harmless(line) == line
}
