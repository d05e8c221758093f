package help

import (
	"tallylock/dynamo/check"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// drawSigns says in two columns what problems are called, and what that means.
func drawSigns(b *kit.Box) {
	type line struct {
		sign kit.Sign // on the first line of each
		text string
	}
	const at = 16 // no word reaches it
	width := (b.Inner() - 2) / 2
	var sides [2][]line
	kinds := check.Kinds()
	for n, k := range kinds {
		sign, side := words.Kind(k), &sides[2*n/len(kinds)]
		for _, text := range kit.Wrap(words.KindMeans(k), width-at-2) {
			*side = append(*side, line{sign, text})
			sign = kit.Sign{}
		}
	}
	b.Row(kit.Note, func(l *kit.Line) {
		l.To(2)
		l.Put(kit.Muted, "PROBLEMS")
	})
	for n := range max(len(sides[0]), len(sides[1])) {
		b.Row(kit.Note, func(l *kit.Line) {
			for m, side := range sides {
				if n >= len(side) {
					continue
				}
				l.To(2 + m*width)
				l.Put(side[n].sign.Style, side[n].sign.Glyph)
				l.Put(kit.Text, " "+side[n].sign.Word)
				l.To(2 + m*width + at)
				l.Put(kit.Muted, side[n].text)
			}
		})
	}
	b.Gap()
}
