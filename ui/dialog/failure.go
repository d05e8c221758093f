package dialog

import (
	"errors"
	"strings"

	"tallylock/dynamo"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// WriteFailure draws why something could not be stored, with the lines that say it in the config
// if only that can. It draws nothing if err is nil.
func WriteFailure(b *kit.Box, err error) {
	if err == nil {
		return
	}
	_, _, why, do := words.Explain(err)
	b.Fact(kit.Must, "but", kit.Warn, words.Sentence(why)+" "+words.Sentence(do))
	WriteConfigLines(b, err)
}

// WriteConfigLines draws the lines for the config of an answer that only the config can give.
func WriteConfigLines(b *kit.Box, err error) {
	only, ok := errors.AsType[*dynamo.ConfigLines](err)
	if !ok {
		return
	}
	for line := range strings.Lines(only.Lines) {
		b.Para(kit.Must, kit.Strong, strings.TrimSuffix(line, "\n"))
	}
}
