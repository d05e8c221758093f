package change

import (
	"fmt"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

func (r *result) writeRefused(b *kit.Box, one change.Receipt) {
	if one.Err != nil {
		_, op, why, do := words.Explain(one.Err)
		b.Para(kit.Must, kit.Strong, words.Sentence(why))
		b.Gap()
		if op != "" {
			label := "tried"
			if words.Stopped(one) {
				label = "while"
			}
			b.Fact(kit.Must, label, kit.Text, op)
		}
		if do != "" {
			b.Fact(kit.Must, "do", kit.Text, do)
		}
		dialog.WriteConfigLines(b, one.Err)
	}
	if mark := words.Mark(one); mark != "" {
		b.Fact(kit.Must, "marker", kit.Text, mark)
	}
	last := ""
	for n, reason := range one.Reasons {
		if words.Stopped(one) && words.AboutMark(reason) { // said beside the mark
			continue
		}
		text := whyRefused(one, reason)
		if r.err != nil && text == last { // of several all may have one
			continue
		}
		last = text
		if r.err == nil && (n > 0 || one.Err != nil) {
			b.Gap()
		}
		b.Para(kit.Must, kit.Strong, text)
	}
	writeSlots(b, one, words.Clock(r.doneAt()))
}

// whyRefused is a reason in words; the differences are listed below it.
func whyRefused(one change.Receipt, reason change.Reason) string {
	if len(reason.Differs) > 0 {
		if all := words.Writes(refusedStep(one)); reason.Slot < len(all) {
			return all[reason.Slot].Key + " changed since you looked."
		}
	}
	return refusedWords(reason)
}

// refusedStep is the step that was refused: for a release that had put its mark, the
// deletion.
func refusedStep(one change.Receipt) change.Step {
	if steps := one.Plan.Steps; !one.Marked.IsZero() && len(steps) > 1 {
		return steps[1]
	}
	return one.Plan.Steps[0]
}

// conditionFailed reports whether a reason is a failed condition.
func conditionFailed(r change.Reason) bool { return r.Code == change.ConditionFailed }

// writeSlots draws each action of the request. For those whose condition failed it adds what
// was read, and what is there now.
func writeSlots(b *kit.Box, one change.Receipt, now string) {
	if one.Plan == nil || len(one.Plan.Steps) == 0 || !slices.ContainsFunc(one.Reasons, conditionFailed) {
		return
	}
	b.Gap()
	for n, w := range words.Writes(refusedStep(one)) {
		why := slices.IndexFunc(one.Reasons,
			func(reason change.Reason) bool { return conditionFailed(reason) && reason.Slot == n })
		sign := kit.Sign{Glyph: kit.GlyphYes, Style: kit.Good, Word: "as you saw it", Quiet: true}
		if why >= 0 {
			sign = kit.Sign{Glyph: kit.GlyphNo, Style: kit.Bad, Word: "changed since"}
		}
		b.Row(kit.Must, func(l *kit.Line) {
			l.To(2)
			l.Put(kit.Muted, fmt.Sprintf("%d  ", n+1))
			l.Words(kit.Text, w.Verb+" "+w.Key, b.Inner()-l.At-18)
			l.To(b.Inner() - 2 - len("x ") - kit.Width(sign.Word))
			sign.Draw(l)
		})
		if why >= 0 {
			writeDifferences(b, one.Reasons[why].Differs, words.Clock(one.Plan.At), now)
		}
	}
}

// writeDifferences draws what was read and what is there now, attribute by attribute.
func writeDifferences(b *kit.Box, differs []change.Difference, read, now string) {
	wide := 0
	for _, d := range differs {
		wide = max(wide, kit.ValueWidth(d.Attribute))
	}
	for _, d := range differs {
		for _, side := range []struct {
			label, at, value string
			look             kit.Style
		}{
			{"read", read, attributeText(d.Was), kit.Text},
			{"now", now, attributeText(d.Now), kit.Bad | kit.Bold},
		} {
			b.Row(kit.Must, func(l *kit.Line) {
				l.To(5)
				l.Put(kit.Muted, side.label)
				l.To(10)
				l.Put(kit.Muted, side.at+"   ")
				l.Fit(kit.Muted, d.Attribute, min(wide, 16))
				l.Put(kit.Muted, "  ")
				l.Fit(side.look, side.value, b.Inner()-l.At-2)
			})
		}
	}
}

// attributeText is the value of an attribute, or a dash if there is none.
func attributeText(v attr.Value) string {
	if !v.Exists() {
		return "—"
	}
	return v.Display()
}

func writeUnknown(b *kit.Box, one change.Receipt) {
	text := "It may have happened or not."
	if one.OnlyMarked() {
		text = fmt.Sprintf("The lock on \"%s\" was not deleted: only its marker was sent.", one.Plan.Value)
	} else if one.Plan != nil && one.Plan.Kind == change.KindRelease {
		text = fmt.Sprintf("The lock on \"%s\" may be gone or not.", one.Plan.Value)
	} else if one.Plan != nil && one.Plan.Done != "" {
		text = fmt.Sprintf("Perhaps %s, and perhaps nothing has changed.", one.Plan.Done)
	}
	asked := " No answer came; nothing else is sent unasked."
	switch {
	case slices.ContainsFunc(one.Sent, func(s change.Sending) bool { return client.Answered(s.Err) }):
		asked = " The same request was sent again, and its answers do not tell; nothing else is sent unasked."
	case len(one.Sent) > 1:
		asked = " The same request was sent again, and no answer came; nothing else is sent unasked."
	}
	b.Para(kit.Must, kit.Strong, text+asked)
	b.Gap()
	if !one.OnlyMarked() && one.Plan != nil {
		for _, l := range one.Plan.Lines {
			if l.Label == change.LabelDelete || l.Label == change.LabelSet {
				b.Fact(kit.Must, string(l.Label), kit.Text, l.Text)
			}
		}
	}
	for _, reason := range one.Reasons {
		if words.AboutMark(reason) {
			b.Fact(kit.Must, "marker", kit.Text, reason.Text)
		}
	}
	err := one.Err
	for _, s := range one.Sent {
		if client.KindOf(s.Err) != client.Cancelled && !client.Answered(s.Err) {
			err = s.Err
		}
	}
	writeSendings(b, one.Sent)
	if err != nil {
		_, _, why, _ := words.Explain(err)
		b.Fact(kit.Must, "why", kit.Text, why)
	}
}

// writeSendings draws when the request was sent: the first time, and the last two of the
// others.
func writeSendings(b *kit.Box, sent []change.Sending) {
	skipped := max(len(sent)-3, 0)
	for n, s := range sent {
		label := "again"
		switch {
		case n == 0:
			label = "sent"
		case n <= skipped:
			continue
		}
		text := words.Clock(s.At) + "   " + answerWords(s.Err) + " after " + words.Lasts(s.Took)
		if n == 0 && skipped > 0 {
			text += fmt.Sprintf(", then %s more", phrase.Count(skipped, "time"))
		}
		b.Fact(kit.Must, label, kit.Text, text)
	}
}

// answerWords says how a sending was answered.
func answerWords(err error) string {
	kind := client.KindOf(err)
	switch {
	case kind == client.Cancelled:
		return "stopped"
	case !client.Answered(err):
		return "no answer"
	case kind == client.Conflict:
		return "busy"
	case kind == client.Failed:
		return "an error"
	}
	return string(kind)
}
