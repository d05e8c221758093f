package ui

import (
	"time"

	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// coverageOf is the completeness line of accounts and locks.
func (a *app) coverageOf(at, of int, onlyProblems bool) *kit.Coverage {
	b := a.browse
	c := &kit.Coverage{Working: -1, Part: 1}
	for _, e := range [2]task.Kind{task.Opening, task.Paging} {
		if since, busy := a.Tasks.Since(e); busy {
			c.Working = a.Phase(since)
		}
	}
	if b == nil {
		return c
	}
	if !b.read {
		c.Part = 0
		if b.awaited() {
			c.Right = []kit.Span{kit.Muted.Of("first page, " + words.Lasts(a.Now().Sub(b.began).Truncate(100*time.Millisecond)))}
		} else {
			c.Part, c.Right = 1, []kit.Span{kit.Muted.Of("nothing has been read")}
		}
		return c
	}
	c.Left = a.placeIn(at, of, onlyProblems)
	v := b.view
	switch {
	case a.unjudged():
		c.Part, c.Right = words.Part(v.Scanned, v.Expected), []kit.Span{kit.Warn.Of(a.awaits())}
	case a.isOld():
		c.Right = []kit.Span{kit.Muted.Of("as it was at "), kit.Text.Of(words.Clock(v.ReadAt)), kit.Muted.Of(", " + words.Ago(a.Now().Sub(v.ReadAt)))}
	case v.Complete:
		c.Right = a.sureness()
	default:
		c.Part = words.Part(v.Scanned, v.Expected)
		c.Right = []kit.Span{kit.Warn.Of(words.Percent(c.Part) + " read · provisional")}
	}
	return c
}

// placeIn is where the cursor is among the rows, their order, and what is marked or broken.
func (a *app) placeIn(at, of int, onlyProblems bool) []kit.Span {
	b := a.browse
	out := []kit.Span{kit.Muted.Of(words.Position(at, of, false))}
	word := b.order.words()
	if word != "" && a.Tab == session.AccountsTab {
		out = append(out, kit.Muted.Of(" · "), kit.Text.Of(word))
	}
	switch n := b.rows.broken; {
	case len(a.Marks.Order) > 0:
		out = append(out, a.MarkedWords()...)
	case onlyProblems:
		out = append(out, kit.Muted.Of(" · "), kit.Text.Of("only problems"))
	case n > 0 && (word == "" || a.Size.Width >= 100):
		k, mark := kit.Bad|kit.Bold, ""
		if b.rows.unsure == n {
			k, mark = kit.Muted, "?"
		}
		out = append(out, kit.Muted.Of(" · "), k.Of(phrase.Count(n, "problem")+mark))
	}
	return out
}

// sureness is how sure the verdicts on a table are that was read to its end.
func (a *app) sureness() []kit.Span {
	b := a.browse
	v := b.view
	out, sep := []kit.Span{kit.Muted.Of("whole table, " + phrase.Count(int(v.Scanned), "item"))}, kit.Muted.Of(" · ")
	if a.Size.Width < 80 {
		out, sep = nil, kit.Span{}
	}
	switch {
	case b.rows.open > 0:
		return append(out, sep, kit.Warn.Of(phrase.Count(b.rows.open, "value")+" not judged yet"))
	case !v.Confirmed.IsZero():
		return append(out, sep, kit.Good.Of(kit.GlyphYes), kit.Muted.Of(" confirmed "+v.Confirmed.Local().Format("15:04")))
	case len(v.Provisional()) == 0:
		return append(out, sep, kit.Muted.Of("read "+v.ReadAt.Local().Format("15:04")))
	}
	word := "provisional"
	if _, on := a.Tasks.Since(task.Confirming); on {
		word = "looking again"
	}
	return append(out, sep, kit.Warn.Of(word))
}

// awaits is what a table that is being opened waits for.
func (a *app) awaits() string {
	switch {
	case a.opening == "":
		return "not judged"
	case a.accounts.raw():
		return "recognising the layout"
	}
	return "judging the layout"
}
