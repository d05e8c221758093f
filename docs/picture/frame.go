package main

import (
	"image"
	"image/color"
	"image/draw"
	"maps"
	"slices"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
	"github.com/go-fonts/dejavu/dejavusansmono"
	"github.com/go-fonts/dejavu/dejavusansmonobold"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// The size of a cell in dots, the base line of its letters, and the margin of the picture.
const (
	cellWidth, cellHeight = 9, 19
	baseline              = 14
	margin                = 8
)

// ground is the background and the text colour of a terminal in a theme.
type ground struct{ back, text color.RGBA }

var grounds = map[string]ground{
	"dark":  {color.RGBA{0x12, 0x16, 0x1c, 0xff}, color.RGBA{0xc9, 0xd1, 0xdc, 0xff}},
	"light": {color.RGBA{0xfc, 0xfc, 0xfb, 0xff}, color.RGBA{0x2b, 0x32, 0x3c, 0xff}},
}

// painter draws terminals.
type painter struct {
	ground
	plain, bold font.Face
}

func newPainter(theme string) (*painter, error) {
	p := &painter{ground: grounds[theme]}
	for _, f := range []struct {
		ttf  []byte
		face *font.Face
	}{{dejavusansmono.TTF, &p.plain}, {dejavusansmonobold.TTF, &p.bold}} {
		parsed, err := opentype.Parse(f.ttf)
		if err != nil {
			return nil, err
		}
		face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: 14.9, DPI: 72, Hinting: font.HintingFull})
		if err != nil {
			return nil, err
		}
		*f.face = face
	}
	return p, nil
}

// screen returns an image of a terminal. The edges of letters have only one or two shades between text and ground,
// so the files stay small.
func (p *painter) screen(term *vt.SafeEmulator) *image.RGBA {
	w, h := term.Width(), term.Height()
	img := image.NewRGBA(image.Rect(0, 0, w*cellWidth+2*margin, h*cellHeight+2*margin))
	draw.Draw(img, img.Bounds(), image.NewUniform(p.back), image.Point{}, draw.Src)
	for y := range h {
		for x := range w {
			if c := term.CellAt(x, y); c != nil {
				p.cell(img, image.Pt(margin+x*cellWidth, margin+y*cellHeight), c)
			}
		}
	}
	return img
}

func (p *painter) cell(img *image.RGBA, at image.Point, c *uv.Cell) {
	back, text := p.back, p.text
	if c.Style.Bg != nil {
		back = rgba(c.Style.Bg)
	}
	if c.Style.Fg != nil {
		text = rgba(c.Style.Fg)
	}
	if c.Style.Attrs&uv.AttrReverse != 0 {
		back, text = text, back
	}
	box := image.Rectangle{at, at.Add(image.Pt(cellWidth*max(c.Width, 1), cellHeight))}
	if back != p.back {
		draw.Draw(img, box, image.NewUniform(back), image.Point{}, draw.Src)
	}
	if strings.TrimSpace(c.Content) == "" || lines(img, box, c.Content, text) {
		return
	}
	face := p.plain
	if c.Style.Attrs&uv.AttrBold != 0 {
		face = p.bold
	}
	mask := image.NewAlpha(image.Rect(0, 0, box.Dx(), box.Dy()))
	d := font.Drawer{Dst: mask, Src: image.Opaque, Face: face, Dot: fixed.P(0, baseline)}
	d.DrawString(c.Content)
	for y := range mask.Rect.Dy() {
		for x := range mask.Rect.Dx() {
			if a := step(mask.AlphaAt(x, y).A); a > 0 {
				img.SetRGBA(at.X+x, at.Y+y, blend(back, text, a))
			}
		}
	}
}

// steps are the shades between ground and text.
const steps = 5

func step(alpha uint8) int { return (int(alpha)*steps + 127) / 255 }

func blend(back, text color.RGBA, part int) color.RGBA {
	mix := func(b, t uint8) uint8 { return uint8((int(b)*(steps-part) + int(t)*part) / steps) }
	return color.RGBA{mix(back.R, text.R), mix(back.G, text.G), mix(back.B, text.B), 0xff}
}

func rgba(c color.Color) color.RGBA {
	r, g, b, _ := c.RGBA()
	return color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 0xff}
}

// few returns a palette with the colours of the images. If there are too many colours, the palette has the most
// frequent ones.
func few(images ...*image.RGBA) color.Palette {
	count := map[color.RGBA]int{}
	for _, img := range images {
		for n := 0; n < len(img.Pix); n += 4 {
			count[color.RGBA{img.Pix[n], img.Pix[n+1], img.Pix[n+2], 0xff}]++
		}
	}
	return commonest(count, 255)
}

// paletted returns an image in the colours of a palette.
func paletted(img *image.RGBA, p color.Palette) *image.Paletted {
	out := image.NewPaletted(img.Bounds(), p)
	at := map[color.RGBA]uint8{}
	for n, i := 0, 0; n < len(img.Pix); n, i = n+4, i+1 {
		c := color.RGBA{img.Pix[n], img.Pix[n+1], img.Pix[n+2], 0xff}
		index, known := at[c]
		if !known {
			index = uint8(p.Index(c))
			at[c] = index
		}
		out.Pix[i] = index
	}
	return out
}

// arms are the lines of a box glyph from the middle of its cell: left, right, up, down. 2 is a heavy line.
var arms = map[string][4]int{
	"─": {1, 1, 0, 0}, "━": {2, 2, 0, 0}, "│": {0, 0, 1, 1}, "┬": {1, 1, 0, 1}, "┴": {1, 1, 1, 0},
	"├": {0, 1, 1, 1}, "┤": {1, 0, 1, 1}, "└": {0, 1, 1, 0}, "┘": {1, 0, 1, 0}, "┌": {0, 1, 0, 1},
	"┐": {1, 0, 0, 1}, "╭": {0, 1, 0, 1}, "╮": {1, 0, 0, 1}, "╰": {0, 1, 1, 0}, "╯": {1, 0, 1, 0},
	"┼": {1, 1, 1, 1}, "╶": {0, 1, 0, 0}, "╴": {1, 0, 0, 0}, "╸": {2, 0, 0, 0},
}

// eighths are the blocks that fill a cell from below.
const eighths = "▁▂▃▄▅▆▇█"

// lines draws a glyph of lines or blocks, so that it meets its neighbours. It returns false for other glyphs.
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

// commonest returns the most frequent colours, at most the given number.
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
