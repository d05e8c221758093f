package main

import (
	"context"
	"image"
	"image/gif"
	"os"
	"time"

	"github.com/charmbracelet/x/vt"

	"tallylock/ui/session"
)

// A scene waits for a screen, shows the screen for a time, and then presses keys one by one.
type scene struct {
	wait  string
	stays time.Duration
	keys  []string
}

// job is the main job: a person cannot sign up, because a username is taken.
var job = []scene{
	{"confirmed", 1800 * time.Millisecond, []string{"/"}},
	{"then press enter", 500 * time.Millisecond, []string{"a", "l", "a", "n", "\r"}},
	{"answered in", 4 * time.Second, []string{"r"}},
	{"No, leave it", 2500 * time.Millisecond, []string{"t", "i", "c", "k", "e", "t", " ", "4", "8", "1", "5", "1"}},
	{"ticket 48151", 600 * time.Millisecond, []string{"\t"}},
	{"ticket 48151", 300 * time.Millisecond, []string{"\t"}},
	{"▸ Release the lock", 1500 * time.Millisecond, []string{"\r"}},
	{"R-2", 4 * time.Second, []string{"\x1b"}},
	{"answered in", 2500 * time.Millisecond, nil},
}

// film plays the main job, and draws the changed parts of the screen.
func film(ctx context.Context, dir, out string) error {
	r, err := start(ctx, dir, session.Dark, 80, 24, false)
	if err != nil {
		return err
	}
	p, err := newPainter("dark")
	if err != nil {
		return err
	}
	var shown []*image.RGBA
	var lasts []int
	take := func(stays time.Duration) {
		shown, lasts = append(shown, p.screen(r.term)), append(lasts, int(stays/(10*time.Millisecond)))
	}
	opened := 0 // the film begins only after the table is read
	for n, s := range job {
		if err := r.until(ctx, s.wait, take); err != nil {
			return err
		}
		time.Sleep(200 * time.Millisecond) // waits until the rest of the screen is drawn
		if n == 0 {
			opened = len(shown)
		}
		take(s.stays)
		for k, key := range s.keys {
			r.term.SendText(key)
			time.Sleep(120 * time.Millisecond)
			if k < len(s.keys)-1 {
				take(110 * time.Millisecond)
			}
		}
	}
	shown, lasts = shown[opened:], lasts[opened:]
	if err := r.stop(); err != nil {
		return err
	}
	return write(out, shown, lasts)
}

// write writes the whole first frame. Of each later frame, it writes only the part that changed.
func write(out string, shown []*image.RGBA, lasts []int) error {
	palette := few(shown...)
	all := gif.GIF{Config: image.Config{ColorModel: palette, Width: shown[0].Rect.Dx(), Height: shown[0].Rect.Dy()}}
	var before *image.Paletted
	for n, img := range shown {
		now := paletted(img, palette)
		part := now
		if before != nil {
			r := differing(before, now)
			if r.Empty() {
				all.Delay[len(all.Delay)-1] += lasts[n]
				continue
			}
			part = now.SubImage(r).(*image.Paletted)
		}
		all.Image, all.Delay = append(all.Image, part), append(all.Delay, lasts[n])
		all.Disposal = append(all.Disposal, gif.DisposalNone)
		before = now
	}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	defer f.Close()
	return gif.EncodeAll(f, &all)
}

// differing returns the rectangle in which two images differ.
func differing(a, b *image.Paletted) image.Rectangle {
	var r image.Rectangle
	for y := range a.Rect.Dy() {
		for x := range a.Rect.Dx() {
			if a.ColorIndexAt(x, y) != b.ColorIndexAt(x, y) {
				r = r.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return r
}

// replay returns a terminal that shows an earlier frame.
func replay(frame string) (*vt.SafeEmulator, error) {
	term := vt.NewSafeEmulator(size(frame))
	_, err := term.Write([]byte("\x1b[20h\x1b[?7l" + frame))
	return term, err
}
