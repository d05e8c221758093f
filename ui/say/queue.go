package say

import (
	"strings"
	"time"

	"tallylock/dynamo/change/queue"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
)

// Queued describes a plan of the queue in a few words: "release username "alan" of accounts".
func Queued(e *queue.Entry) string {
	if n := len(e.Plan.Changes); n > 1 {
		return phrase.Count(n, "change") + ": " + e.Shown.Title
	}
	return e.Plan.Changes[0].Does
}

// QueueState returns the sign for the state of a plan in the queue.
func QueueState(s queue.State) kit.Sign {
	switch s {
	case queue.Waiting:
		return kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: "waits"}
	case queue.Applying:
		return kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: "applying"}
	case queue.Applied:
		return kit.Sign{Glyph: kit.GlyphYes, Style: kit.Good, Word: "applied", Quiet: true}
	case queue.Refused:
		return kit.Sign{Glyph: kit.GlyphNo, Style: kit.Bad, Word: "refused", Quiet: true}
	case queue.Expired:
		return kit.Sign{Glyph: kit.GlyphAbsent, Style: kit.Muted, Word: "expired", Quiet: true}
	}
	return kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: "unknown"}
}

// QueueBecame says what became of a plan of the queue.
func QueueBecame(e *queue.Entry, now time.Time) string {
	by := e.DecidedBy + ", " + strings.Join(strings.Fields(When(e.Decided, now)), " ")
	switch e.State {
	case queue.Applying:
		return "being applied by " + by
	case queue.Applied:
		if e.Why != "" {
			return "applied in part; decided by " + by + ". The rest was refused: " + e.Why
		}
		return "applied by " + by
	case queue.Refused:
		if e.SentAndRefused() {
			return by + ", tried to apply it. DynamoDB refused: " + e.Why
		}
		return "refused by " + by + ": " + e.Why
	case queue.Unknown:
		return "sent by " + by + ", and its outcome is unknown: an operator resolves it in the journal"
	case queue.Expired:
		if len(e.Receipts) > 0 {
			return "a part was applied; nobody applied the rest within 24 hours: ask again"
		}
		return "nobody applied it within 24 hours: ask again"
	}
	if len(e.Receipts) > 0 {
		return "a part was applied; the rest waits for an operator"
	}
	return "it waits for an operator"
}
