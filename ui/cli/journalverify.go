package cli

import (
	"fmt"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
)

// chainResult is the JSON of a journal whose lines were checked.
type chainResult struct {
	Journal string  `json:"journal"`
	Whole   bool    `json:"whole"`
	Lines   int     `json:"lines"`
	Unread  int     `json:"unread"`
	Broken  *int    `json:"broken"` // the first line that does not follow from the one before
	Why     *string `json:"why"`
}

// verifyJournal tells whether the journal is as it was written.
func verifyJournal(s *invocation, j *journal.Journal) error {
	c, err := j.Verify()
	if err != nil {
		return err
	}
	out := chainResult{
		Journal: j.Path(),
		Whole:   c.Broken == 0,
		Lines:   c.Lines,
		Unread:  c.Unread,
		Why:     attr.NullIfEmpty(c.Why),
	}
	if c.Broken > 0 {
		out.Broken = &c.Broken
	}
	if s.flags.output != asText {
		if err := s.print(out); err != nil {
			return err
		}
	} else {
		sayChain(s.printer(), c)
	}
	if c.Broken > 0 {
		return status(exitFound)
	}
	return nil
}

// sayChain says for people how the lines of the journal follow from each other.
func sayChain(p *printer, c journal.Chain) {
	if c.Broken == 0 {
		p.put(kit.Good, "✓ Whole")
		p.line(kit.Text, " · %s", phrase.Count(c.Lines, "line"))
	} else {
		p.put(kit.Bad, "✗ Broken")
		p.hang(kit.Text, 2, fmt.Sprintf(" · line %d does not follow from the one before it: %s", c.Broken, c.Why))
	}
	if c.Unread > 0 {
		p.hang(kit.Text, 2,
			fmt.Sprintf("  %s cannot be read: a crash tears the line that is being written.", phrase.Count(c.Unread, "line")))
	}
}
