package kit

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// Chart shows the rate of a counter over time, with one bar for each part of time. The newest bar
// is at the right.
type Chart struct {
	Parts []float64 // the rates; below 0 if a part was not read
	Width int
	Part  time.Duration // the time of one bar
	Read  time.Time     // when the reading began
	To    time.Time
	Lives bool // the chart is live: To is now
}

// Bars returns the number of bars in a chart of w cells. If few parts were read, the bars are few and
// wide, so that a new chart is not almost empty.
func Bars(w, read int) int {
	const fewest = 15
	return w / max(w/max(read, fewest), 1)
}

// Draw writes the chart into a block: the bars, an axis, times below it, and a summary.
func (c Chart) Draw(d *Block, rows int) {
	cells := c.Width / len(c.Parts)
	before := c.Width - cells*len(c.Parts)
	unread := before + cells*c.unread()
	top := nice(slices.Max(append([]float64{0}, c.Parts...)))
	rows -= rows % 2 // an even number, so that half the height is a whole row
	for r := rows - 1; r >= 0; r-- {
		d.Row(func(l *Line) {
			label := ""
			if r == rows-1 || r == rows/2-1 {
				label = scale(top * float64(r+1) / float64(rows))
			}
			l.Ends(Muted, label, 7)
			l.To(8)
			mark := Wall
			if label != "" {
				mark = "┤"
			}
			l.Put(Faint, mark)
			l.To(9 + before)
			for i, p := range c.Parts {
				l.Run(barLook(i, len(c.Parts)), eighth(p/top*float64(rows)-float64(r)), cells)
			}
		})
	}
	d.Row(func(l *Line) {
		l.Ends(Muted, "0", 7)
		l.To(8)
		l.Put(Faint, TreeLast)
		l.To(9 + unread)
		l.Run(Faint, RuleThin, c.Width-unread)
	})
	c.times(d, unread)
	d.Gap()
	c.sum(d)
}

// unread counts the parts at the beginning that were not read.
func (c Chart) unread() int {
	n := slices.IndexFunc(c.Parts, func(p float64) bool { return p >= 0 })
	if n < 0 {
		return len(c.Parts)
	}
	return n
}

// from returns the beginning of the first part that was read.
func (c Chart) from() time.Time {
	from := c.To.Add(-c.Part * time.Duration(len(c.Parts)-c.unread()))
	if from.Before(c.Read) {
		return c.Read
	}
	return from
}

// times writes times below the axis, as many as fit.
func (c Chart) times(d *Block, unread int) {
	from, wide := c.from(), c.Width-unread
	d.Row(func(l *Line) {
		if wide >= 18 {
			l.To(9 + unread)
			l.Put(Muted, timeOfDay(from))
		}
		if wide > 40 {
			mid := timeOfDay(from.Add(c.To.Sub(from) / 2))
			l.To(9 + unread + wide/2 - len(mid)/2)
			l.Put(Muted, mid)
		}
		to := "now"
		if !c.Lives {
			to = timeOfDay(c.To)
		}
		l.Ends(Muted, to, 9+c.Width)
	})
}

// sum writes the highest, the mean and the lowest rate.
func (c Chart) sum(d *Block) {
	read := c.Parts[c.unread():]
	d.Row(func(l *Line) {
		l.To(9)
		if len(read) == 0 {
			l.Put(Muted, "nothing to show yet")
			return
		}
		high, sum := slices.Max(read), 0.0
		if high == 0 {
			l.Put(Muted, "no increase since "+timeOfDay(c.from()))
			return
		}
		for _, p := range read {
			sum += p
		}
		peak := c.To.Add(-c.Part * time.Duration(len(read)-1-slices.Index(read, high)))
		l.Put(Muted, "highest ")
		l.Put(Strong, scale(high))
		l.Put(Muted, " at "+timeOfDay(peak)+"   mean ")
		l.Put(Strong, scale(sum/float64(len(read))))
		l.Put(Muted, "   lowest ")
		l.Put(Strong, scale(slices.Min(read)))
	})
}

func barLook(n, of int) Style {
	if n == of-1 {
		return Accent
	}
	return Fill
}

// eighth returns the block character for a bar that fills this part of a cell.
func eighth(part float64) string {
	blocks := [9]string{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}
	return blocks[max(min(int(part*8+0.5), 8), 0)]
}

// nice returns a round number that is at least high, for the top of the axis.
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
	case f < 1: // two digits: half of 0.5 is 0.25, not 0.2
		return strconv.FormatFloat(math.Round(f*100)/100, 'f', -1, 64)
	case f < 10 && f != math.Trunc(f):
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	return fmt.Sprintf("%.0f", f)
}

// timeOfDay writes a time on the axis.
func timeOfDay(t time.Time) string { return t.Local().Format("15:04:05") }

// Spark writes a small line of bars, one for each rate. The highest rate has the highest bar. Zero
// is a faint line. A rate below 0 was not read, and is empty.
func Spark(l *Line, parts []float64) {
	bars := [4]string{"▂", "▃", "▄", "▅"}
	high := 0.0
	for _, p := range parts {
		high = max(high, p)
	}
	for n, p := range parts {
		switch {
		case p < 0:
			l.Put(Text, " ")
		case p == 0 || high == 0:
			l.Run(Faint, "▁", 1)
		default:
			k := Fill
			if n == len(parts)-1 {
				k = Accent
			}
			l.Run(k, bars[min(int(p/high*4), 3)], 1)
		}
	}
}
