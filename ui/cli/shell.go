package cli

import (
	"slices"

	"tallylock/dynamo"
	"tallylock/ui/kit"
	"tallylock/ui/session"
)

// place is how a command reaches the same place as this one.
func (f *flags) place() []string {
	return f.given("config", "connection", "profile", "region", "endpoint-url", "layout", "journal")
}

// commandLine is a tallylock command that reaches the same place as this one, to
// paste. It reports false where it would not arrive as it is shown: text that
// has to be made harmless, or plain, is not the same text any more.
func (f *flags) commandLine(words []string, values ...string) (string, bool) {
	line := dynamo.CommandLine(slices.Concat(words, f.place()), values...)
	shown := harmless(line)
	if f.ascii || session.PlainLocale() {
		shown, _ = kit.ASCII(line)
	}
	return line, shown == line
}
