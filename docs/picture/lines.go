package main

import (
	"image"
	"image/color"
	"image/draw"
	"maps"
	"slices"
)

// arms are the lines of a box glyph from the middle of its cell: left, right, up, down; 2 is
// a heavy one.
var arms = map[string][4]int{
	"─": {1, 1, 0, 0}, "━": {2, 2, 0, 0}, "│": {0, 0, 1, 1}, "┬": {1, 1, 0, 1}, "┴": {1, 1, 1, 0},
	"├": {0, 1, 1, 1}, "┤": {1, 0, 1, 1}, "└": {0, 1, 1, 0}, "┘": {1, 0, 1, 0}, "┌": {0, 1, 0, 1},
	"┐": {1, 0, 0, 1}, "╭": {0, 1, 0, 1}, "╮": {1, 0, 0, 1}, "╰": {0, 1, 1, 0}, "╯": {1, 0, 1, 0},
	"┼": {1, 1, 1, 1}, "╶": {0, 1, 0, 0}, "╴": {1, 0, 0, 0}, "╸": {2, 0, 0, 0},
}

// eighths are the blocks that fill a cell from below.
const eighths = "▁▂▃▄▅▆▇█"

// lines draws a glyph of lines or blocks, so that it meets those beside it, and reports
// whether it is one.
func lines(img *image.RGBA, box image.Rectangle, glyph string, c color.RGBA) bool {
	fill := func(r image.Rectangle) { draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src) }
	if n := slices.Index([]rune(eighths), []rune(glyph)[0]); n >= 0 {
		box.Min.Y = box.Max.Y - (box.Dy()*(n+1)+4)/8
		fill(box)
		return true
	}
	x, y := (box.Min.X+box.Max.X)/2, (box.Min.Y+box.Max.Y)/2
	switch glyph {
	case "▎":
		fill(image.Rect(box.Min.X, box.Min.Y, box.Min.X+2, box.Max.Y))
		return true
	case "╌":
		fill(image.Rect(box.Min.X+1, y, box.Min.X+4, y+1))
		fill(image.Rect(box.Min.X+6, y, box.Max.X, y+1))
		return true
	}
	a, ok := arms[glyph]
	if !ok {
		return false
	}
	across := []struct {
		weight int
		r      image.Rectangle
	}{
		{a[0], image.Rect(box.Min.X, y, x+1, y+a[0])},
		{a[1], image.Rect(x, y, box.Max.X, y+a[1])},
		{a[2], image.Rect(x, box.Min.Y, x+a[2], y+1)},
		{a[3], image.Rect(x, y, x+a[3], box.Max.Y)},
	}
	for _, arm := range across {
		if arm.weight > 0 {
			fill(arm.r)
		}
	}
	return true
}

// commonest are at most so many of the colours.
func commonest(count map[color.RGBA]int, most int) color.Palette {
	all := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return (int(a.R)<<16 | int(a.G)<<8 | int(a.B)) - (int(b.R)<<16 | int(b.G)<<8 | int(b.B))
	})
	out := color.Palette{}
	for _, c := range all[:min(len(all), most)] {
		out = append(out, c)
	}
	return out
}
