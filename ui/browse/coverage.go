package browse

import (
	"time"

	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// Coverage is the completeness line of accounts and locks.
func (k *Known) Coverage(at, of int, n *Narrowing) *kit.Coverage {
	b := k.pass
	c := &kit.Coverage{Working: -1, Part: 1}
	for _, e := range [3]task.Kind{task.Opening, task.Paging, n.by} {
		if since, busy := k.Tasks.Since(e); busy {
			c.Working = k.Phase(since)
		}
	}
	if b == nil {
		return c
	}
	if !b.read {
		c.Part = 0
		if b.awaited() {
			c.Right = []kit.Span{kit.Muted.Of("first page, " + words.Lasts(k.Now().Sub(b.began).Truncate(100*time.Millisecond)))}
		} else {
			c.Part, c.Right = 1, []kit.Span{kit.Muted.Of("nothing has been read")}
		}
		return c
	}
	c.Left = k.placeIn(at, of, n)
	v := b.view
	switch {
	case k.Unjudged():
		c.Part, c.Right = words.Part(v.Scanned, v.Expected), []kit.Span{kit.Warn.Of(k.awaits())}
	case k.Old():
		c.Right = []kit.Span{kit.Muted.Of("as it was at "), kit.Text.Of(words.Clock(v.ReadAt)), kit.Muted.Of(", " + words.Ago(k.Now().Sub(v.ReadAt)))}
	case v.Complete:
		c.Right = k.sureness(n)
	default:
		c.Part = words.Part(v.Scanned, v.Expected)
		how := " read · provisional"
		if (b.stopped || b.paused) && k.Size.Width >= 80 {
			how += " · " + k.Keys.Key(keymap.Pause) + " reads on"
		}
		c.Right = []kit.Span{kit.Warn.Of(words.Percent(c.Part) + how)}
	}
	return c
}

// placeIn is where the cursor is among the rows, their order, and what is marked or broken.
func (k *Known) placeIn(at, of int, narrow *Narrowing) []kit.Span {
	b := k.pass
	out := []kit.Span{kit.Muted.Of(words.Position(at, of, false))}
	word := b.order.words()
	if narrow.On() {
		word = ""
		found := " found, of " + phrase.Number(narrow.all().len()) + " that were read"
		if since, busy := k.Tasks.Since(narrow.by); busy && narrow.Looking() && k.Phase(since) >= 0 {
			found = " so far, filtering…"
		}
		out = append(out, kit.Muted.Of(found))
	}
	if word != "" && k.Tab == session.AccountsTab {
		out = append(out, kit.Muted.Of(" · "), kit.Text.Of(word))
	}
	switch n := b.rows.Broken; {
	case len(k.Marks.Order) > 0:
		out = append(out, k.Marks.Words()...)
	case narrow.OnlyProblems:
		out = append(out, kit.Muted.Of(" · "), kit.Text.Of("only problems"))
	case narrow.On():
	case n > 0 && (word == "" || k.Size.Width >= 100):
		style, mark := kit.Bad|kit.Bold, ""
		if b.rows.unsure == n {
			style, mark = kit.Muted, "?"
		}
		out = append(out, kit.Muted.Of(" · "), style.Of(phrase.Count(n, "problem")+mark))
	}
	return out
}

// sureness is how sure the verdicts on a table are that was read to its end.
func (k *Known) sureness(n *Narrowing) []kit.Span {
	b := k.pass
	v := b.view
	out, sep := []kit.Span{kit.Muted.Of("whole table, " + phrase.Count(int(v.Scanned), "item"))}, kit.Muted.Of(" · ")
	if k.Size.Width < 80 || n.On() && k.Size.Width < 100 { // what the letters leave is to be seen
		out, sep = nil, kit.Span{}
	}
	switch {
	case b.rows.Open > 0:
		return append(out, sep, kit.Warn.Of(phrase.Count(b.rows.Open, "value")+" not judged yet"))
	case !v.Confirmed.IsZero():
		return append(out, sep, kit.Good.Of(kit.GlyphYes), kit.Muted.Of(" confirmed "+v.Confirmed.Local().Format("15:04")))
	case len(v.Provisional()) == 0:
		return append(out, sep, kit.Muted.Of("read "+v.ReadAt.Local().Format("15:04")))
	}
	word := "provisional"
	if _, on := k.Tasks.Since(task.Confirming); on {
		word = "looking again"
	}
	return append(out, sep, kit.Warn.Of(word))
}
