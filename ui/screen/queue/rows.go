package queue

import (
	"time"

	"tallylock/dynamo/change/queue"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// lines implements the interfaces of a list for the entries.
type lines struct {
	rows  []*queue.Entry
	table *kit.Table[line]
	now   time.Time
}

// line is an entry to draw. now is the current time.
type line struct {
	*queue.Entry
	now time.Time
}

// Len implements kit.Source.
func (l lines) Len() int { return len(l.rows) }

// Row implements kit.Source.
func (l lines) Row(n int) (first, last int, ok bool) { return n, n, true }

// Name identifies a row by its entry.
func (l lines) Name(n int) string { return l.rows[n].ID + kit.NameEnds }

// Problem reports whether a plan waits, or its outcome is unknown.
func (l lines) Problem(n int) bool {
	return l.rows[n].State == queue.Waiting || l.rows[n].State == queue.Unknown
}

// Draw implements kit.Source.
func (l lines) Draw(to *kit.Line, n int, _ bool) { l.table.Draw(to, line{l.rows[n], l.now}) }

// columns are the columns of the list. To add a column, add it here.
var columns = []kit.Column[line]{
	{Head: "SINCE", Cells: 12, Draw: func(l *kit.Line, r line, w int) { l.Words(kit.Muted, say.When(r.Asked, r.now), w) }},
	{Head: "WHO", Cells: 8, Gap: 2, Draw: func(l *kit.Line, r line, w int) { l.Fit(kit.Strong, r.AskedBy, w) }},
	{
		Head: "ASKS FOR", Cells: 24, Min: 20, Grow: 2, Gap: 2,
		Draw: func(l *kit.Line, r line, w int) { l.Words(kit.Text, say.Queued(r.Entry), w) },
	},
	{
		Head: "WHY", Cells: 22, Grow: 1, Gap: 2, Spare: 2,
		Draw: func(l *kit.Line, r line, w int) { l.Words(kit.Muted, r.Plan.Reason, w) },
	},
	{
		Head: "UNTIL", Cells: 12, Gap: 2, Spare: 1,
		Draw: func(l *kit.Line, r line, w int) { l.Words(kit.Muted, say.When(r.Until, r.now), w) },
	},
	{Head: "STATE", Cells: 13, Gap: 2, Draw: func(l *kit.Line, r line, _ int) { say.QueueState(r.State).Draw(l) }},
}
