package cli

import (
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/session"
)

// place is how a command reaches the same place as this one.
func (f *flags) place() []string {
	return f.given("config", "connection", "profile", "region", "endpoint-url", "layout", "journal")
}

// command is commandLine of words that are our own. Where the place would not arrive as it is
// shown, its flags are named: the person has just typed them.
func (f *flags) command(words ...string) string {
	if line := f.commandLine(words); line != "" {
		return line
	}
	var names []string
	for at, word := range f.place() {
		if at%2 == 0 {
			names = append(names, word)
		}
	}
	return dynamo.CommandLine(words) + ", with the same " + phrase.List(names)
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
