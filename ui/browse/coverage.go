package browse

import (
	"time"

	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// Coverage is the completeness line of accounts and locks: where the cursor is among how many
// rows, and what their order is called; empty for that in which they were read.
func Coverage(n *Narrowing, at, of int, order string) *kit.Coverage {
	r, b := n.reading, n.reading.pass
	c := screen.Cover(r.Session, task.Opening, task.Paging, n.by)
	if b == nil {
		return c
	}
	if !b.read {
		c.Part = 0
		if b.awaited() {
			c.Right = []kit.Span{kit.Muted.Of("first page, " + words.Lasts(r.Now().Sub(b.began).Truncate(100*time.Millisecond)))}
		} else {
			c.Part, c.Right = 1, []kit.Span{kit.Muted.Of("nothing has been read")}
		}
		return c
	}
	c.Left = placeIn(n, at, of, order)
	v := b.view
	switch {
	case r.Unjudged():
		c.Part, c.Right = words.Part(v.Scanned, v.Expected), []kit.Span{kit.Warn.Of(r.Awaits())}
	case r.Old():
		c.Right = []kit.Span{
			kit.Muted.Of("as it was at "),
			kit.Text.Of(words.Clock(v.ReadAt)),
			kit.Muted.Of(", " + words.Ago(r.Now().Sub(v.ReadAt))),
		}
	case v.Complete:
		c.Right = sureness(n)
	default:
		c.Part = words.Part(v.Scanned, v.Expected)
		how := " read · provisional"
		switch {
		case r.Table == nil || !r.Table.Connection().SessionSpent():
		case r.Size.Width >= 100:
			how += " · session_read_units reached"
		default:
			how = " read · limit reached"
		}
		if (b.stopped || b.paused) && r.Size.Width >= 80 {
			how += " · " + r.Keys.Key(keymap.Pause) + " reads on"
		}
		c.Right = []kit.Span{kit.Warn.Of(words.Percent(c.Part) + how)}
	}
	return c
}

// placeIn is where the cursor is among the rows, their order, and what is marked or broken.
func placeIn(n *Narrowing, at, of int, order string) []kit.Span {
	r, b := n.reading, n.reading.pass
	out := []kit.Span{kit.Muted.Of(words.Position(at, of, false))}
	if n.On() {
		order = ""
		found := " found, of " + phrase.Number(n.all().Len()) + " that were read"
		if n.OnlyProblems {
			found = " found, of " + phrase.Number(n.all().Len()) + " with problems"
		}
		if since, busy := r.Tasks.Since(n.by); busy && n.Looking() && r.Phase(since) >= 0 {
			found = " so far, filtering…"
		}
		out = append(out, kit.Muted.Of(found))
	}
	if order != "" {
		out = append(out, kit.Muted.Of(" · "), kit.Text.Of(order))
	}
	switch broken := b.counts.Broken; {
	case len(r.Marks.Order) > 0:
		out = append(out, r.Marks.Words()...)
	case n.On():
	case n.OnlyProblems:
		out = append(out, kit.Muted.Of(" · "), kit.Text.Of("only problems"))
	case broken > 0 && (order == "" || r.Size.Width >= 100):
		style, mark := kit.Bad|kit.Bold, ""
		if b.counts.unsure == broken {
			style, mark = kit.Muted, "?"
		}
		out = append(out, kit.Muted.Of(" · "), style.Of(phrase.Count(broken, "problem")+mark))
	}
	return out
}

// sureness is how sure the verdicts on a table are that was read to its end.
func sureness(n *Narrowing) []kit.Span {
	r, b := n.reading, n.reading.pass
	v := b.view
	out, sep := []kit.Span{kit.Muted.Of("whole table, " + phrase.Count(int(v.Scanned), "item"))}, kit.Muted.Of(" · ")
	if r.Size.Width < 80 || n.On() && r.Size.Width < 100 { // what the letters leave is to be seen
		out, sep = nil, kit.Span{}
	}
	switch {
	case b.counts.Open > 0:
		return append(out, sep, kit.Warn.Of(phrase.Count(b.counts.Open, "value")+" not judged yet"))
	case !v.Confirmed.IsZero():
		return append(out, sep, kit.Good.Of(kit.GlyphYes), kit.Muted.Of(" confirmed "+v.Confirmed.Local().Format("15:04")))
	case len(v.Provisional()) == 0:
		return append(out, sep, kit.Muted.Of("read "+v.ReadAt.Local().Format("15:04")))
	}
	word := "provisional"
	if _, on := r.Tasks.Since(task.Confirming); on {
		word = "looking again"
	}
	return append(out, sep, kit.Warn.Of(word))
}
