package report

import (
	"path/filepath"
	"regexp"
	"strings"

	"tallylock/dynamo"
	"tallylock/ui/safe"
	"tallylock/ui/words"
)

// text is what the report says beside its findings, as it may be shown.
func (a About) text(s string) string {
	s = safe.Text(words.Masked(s))
	if a.Mask {
		s = masked(s)
	}
	return s
}

// texts are several of them.
func (a About) texts(all []string) []string {
	shown := make([]string, len(all))
	for n, s := range all {
		shown[n] = a.text(s)
	}
	return shown
}

// place is where something was read, whose name may be a customer's.
func (a About) place(at string) string {
	if a.Mask {
		return dynamo.Masked(at, []string{"s3"})
	}
	return at
}

// unplaced is a note that does not say where something was read, where that is masked.
func (a About) unplaced(note string) string {
	if !a.Mask {
		return note
	}
	var places []string
	if a.Options.Export != nil {
		places = append(places, a.Options.Export.Dir)
	}
	if a.Options.Candidates != nil {
		places = append(places, a.Options.Candidates.File)
	}
	for _, at := range places {
		if at != "" {
			note = strings.NewReplacer(at, a.place(at), filepath.Clean(at), a.place(filepath.Clean(at))).Replace(note)
		}
	}
	return objects.ReplaceAllStringFunc(note, a.place)
}

// What errors, which others may have worded, quote of a table or say of people: texts in
// quotation marks, mail addresses, objects of S3, whose directory it is, and examples, which
// end it. A value may have such marks itself: what stands between the first and the last is
// taken for quoted. An apostrophe begins nothing.
var (
	quoted    = regexp.MustCompile(`(?s)".*"|“.*”|\B'.*'`)
	addresses = regexp.MustCompile(`\S+@\S+`)
	homes     = regexp.MustCompile(`([/\\](?:home|Users)[/\\]+)[^/\\]+`)
	objects   = regexp.MustCompile(`s3://[^\s;]+`)
	examples  = regexp.MustCompile(`(?s), such as .*`)
)

// masked is a printable sentence without what it quotes of a table.
func masked(s string) string {
	for _, what := range []*regexp.Regexp{quoted, addresses} {
		s = what.ReplaceAllStringFunc(s, func(q string) string { return dynamo.Masked(q, nil) })
	}
	s = homes.ReplaceAllString(s, "$1***")
	return examples.ReplaceAllString(s, ".")
}
