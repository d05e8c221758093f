package cli

import (
	"cmp"
	"slices"

	"tallylock/dynamo"
	"tallylock/ui/kit"
	"tallylock/ui/session"
)

// place is how a command reaches the same place as this one.
func (f *flags) place() []string {
	return f.given("config", "connection", "profile", "region", "endpoint-url", "layout", "journal")
}

// command is commandLine of words that are our own; without the place, which the person has just
// typed, where that would not arrive as it is shown.
func (f *flags) command(words ...string) string {
	return cmp.Or(f.commandLine(words), dynamo.CommandLine(words))
}

// commandLine is a tallylock command that reaches the same place as this one, to
// paste. It is empty where it would not arrive as it is shown: text that
// has to be made harmless, or plain, is not the same text any more.
func (f *flags) commandLine(words []string, values ...string) string {
	line := dynamo.CommandLine(slices.Concat(words, f.place()), values...)
	shown := harmless(line)
	if f.ascii || session.PlainLocale() {
		shown, _ = kit.ASCII(line)
	}
	if shown != line {
		return ""
	}
	return line
}
