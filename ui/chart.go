package ui

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// chart is the rate of one counter over time, one bar a part.
type chart struct {
	parts []float64
	from  time.Time
	to    time.Time
}

// draw writes the chart into a block: an axis, bars in eighths of a row, times
// under them, and a sum in words.
func (c chart) draw(d *doc, rows int) {
	high, sum, low, n := 0.0, 0.0, math.Inf(1), 0
	at := 0
	for i, p := range c.parts {
		if p < 0 {
			continue
		}
		if p > high {
			high, at = p, i
		}
		low, sum, n = min(low, p), sum+p, n+1
	}
	top := nice(high)
	rows -= rows % 2 // its half is a row of its own
	for r := rows - 1; r >= 0; r-- {
		d.row(func(l *line) {
			label := ""
			if r == rows-1 || r == rows/2-1 {
				label = scale(top * float64(r+1) / float64(rows))
			}
			l.ends(asMuted, label, 7)
			l.to(8)
			mark := wall
			if label != "" {
				mark = "┤"
			}
			l.put(asFaint, mark)
			for i, p := range c.parts {
				l.run(barLook(i, len(c.parts)), eighth(p/top*float64(rows)-float64(r)), 1)
			}
		})
	}
	d.row(func(l *line) {
		l.ends(asMuted, "0", 7)
		l.to(8)
		l.put(asFaint, treeLast)
		l.run(asFaint, ruleThin, len(c.parts))
	})
	d.row(func(l *line) {
		l.to(9)
		l.put(asMuted, clock(c.from))
		if len(c.parts) > 40 {
			mid := clock(c.from.Add(c.to.Sub(c.from) / 2))
			l.to(9 + len(c.parts)/2 - len(mid)/2)
			l.put(asMuted, mid)
		}
		l.ends(asMuted, "now", 9+len(c.parts))
	})
	d.gap()
	d.row(func(l *line) {
		l.to(9)
		if n == 0 {
			l.put(asMuted, "nothing to show yet")
			return
		}
		peak := c.from.Add(c.to.Sub(c.from) * time.Duration(at+1) / time.Duration(len(c.parts)))
		l.put(asMuted, "highest ")
		l.put(asStrong, scale(high))
		l.put(asMuted, " at "+clock(peak)+"   mean ")
		l.put(asStrong, scale(sum/float64(n)))
		l.put(asMuted, "   lowest ")
		l.put(asStrong, scale(low))
	})
}

func barLook(n, of int) look {
	if n == of-1 {
		return asAccent
	}
	return asFill
}

// eighth is the block that fills so much of a cell.
func eighth(part float64) string {
	blocks := [9]string{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}
	return blocks[max(min(int(part*8+0.5), 8), 0)]
}

// nice is the end of a scale that reaches a value.
func nice(high float64) float64 {
	if high <= 0 {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(high)))
	for _, m := range [5]float64{1, 2, 4, 5, 10} {
		if m*unit >= high {
			return m * unit
		}
	}
	return 10 * unit
}

func scale(f float64) string {
	switch {
	case f == 0:
		return "0"
	case f < 1: // half of 0.5 is no 0.2
		return strconv.FormatFloat(math.Round(f*100)/100, 'f', -1, 64)
	case f < 10 && f != math.Trunc(f):
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	return fmt.Sprintf("%.0f", f)
}
