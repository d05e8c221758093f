package cli

import (
	"fmt"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
)

// checkEnd is the JSON of a check's last line, checked that of one in one piece.
type checkEnd struct {
	Summary check.Summary `json:"summary"`
}

type checked struct {
	Findings []check.Finding `json:"findings"`
	checkEnd
}

// answer writes what remains to be written once the check is over.
func (c *checking) answer(t *dynamo.Table, summary check.Summary) error {
	switch c.flags.output {
	case asLines:
		return c.print(checkEnd{summary})
	case asJSON:
		if c.findings == nil {
			c.findings = []check.Finding{}
		}
		return c.print(checked{c.findings, checkEnd{summary}})
	}
	p := c.printer()
	if writeCheck(p, t, c.findings, summary); c.unlisted > 0 {
		p.line(kit.Warn, "%s more findings are not listed: --output jsonl writes all of them.",
			phrase.Group(fmt.Sprint(c.unlisted)))
	}
	return nil
}
