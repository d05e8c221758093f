package words

import (
	"strings"

	"tallylock/dynamo/change/journal"
	"tallylock/ui/kit"
)

// DrawChange writes what a change does and to what, up to a column; the table
// stands elsewhere.
func DrawChange(l *kit.Line, r *journal.Record, end int) {
	what := strings.TrimSuffix(r.What, " of "+r.Table)
	if r.Undoes != "" {
		l.Words(kit.Muted, "undo: ", end-l.At)
	}
	does, to := what, ""
	if n := strings.IndexAny(what, " \""); n >= 0 {
		does, to = what[:n+1], what[n+1:]
	}
	if n := strings.Index(to, " \""); n >= 0 { // the constraint's name
		does, to = does+to[:n+1], to[n+1:]
	}
	if w := kit.ValueWidth(does + to); w > end-l.At {
		if n := strings.LastIndex(to, ", "); n > 0 && strings.Contains(to[n:], " → ") { // a number is never cut
			to = to[:n]
		} else if first, _, more := strings.Cut(does, " "); more { // the value tells more
			does = first + " "
		}
	}
	l.Words(kit.Muted, does, end-l.At)
	l.Fit(kit.Strong, to, end-l.At)
}
