// Command picture makes the pictures of docs/ from the program's own output. It draws the frames that the tests of ui
// write with TALLYLOCK_FRAMES, the counters under traffic, and the main job as a film.
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"golang.org/x/sync/errgroup"

	"tallylock/ui/session"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: picture REPOSITORY FRAMES")
		os.Exit(2)
	}
	_ = os.Setenv("LC_ALL", "C.UTF-8") // needed to draw the glyphs
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if err := all(ctx, os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

func all(ctx context.Context, root, frames string) error {
	docs := filepath.Join(root, "docs")
	if err := screens(root, frames); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "picture")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := film(ctx, dir, filepath.Join(docs, "release.gif")); err != nil {
		return err
	}
	return counters(ctx, dir, docs)
}

// drawn lists the screens that need a minute of traffic. They are drawn from the running demo, not from frames.
var drawn = map[string]bool{"counters": true}

// screens draws the frames in FRAMES/dark and FRAMES/light whose golden files have changed. It writes the sums of all
// golden files, and deletes the pictures of screens that no longer exist.
func screens(root, frames string) error {
	out := filepath.Join(root, "docs", "screens")
	before, err := os.ReadFile(filepath.Join(out, "frames.sum"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	old := map[string]bool{} // the pictures of screens that no longer exist
	files, err := filepath.Glob(filepath.Join(out, "*.png"))
	if err != nil {
		return err
	}
	for _, file := range files {
		old[file] = true
	}
	var sums []string
	for theme := range grounds {
		p, err := newPainter(theme)
		if err != nil {
			return err
		}
		files, err := filepath.Glob(filepath.Join(frames, theme, "*", "*.ansi"))
		if err != nil {
			return err
		}
		for _, file := range files {
			test, name := filepath.Base(filepath.Dir(file)), strings.TrimSuffix(filepath.Base(file), ".ansi")
			golden := filepath.Join("ui", "testdata", test, name+".golden")
			seen, err := os.ReadFile(filepath.Join(root, golden))
			if err != nil {
				return err
			}
			sum := fmt.Sprintf("%x  %s\n", sha256.Sum256(seen), golden)
			sums = append(sums, sum)
			picture := filepath.Join(out, called(test, name)+"-"+theme+".png")
			delete(old, picture)
			if drawn[called(test, name)] {
				continue
			}
			if _, err := os.Stat(picture); err == nil && strings.Contains(string(before), sum) {
				continue // only times in the frame have changed
			}
			if err := p.frame(file, picture); err != nil {
				return err
			}
		}
	}
	for file := range old {
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	slices.SortFunc(sums, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return os.WriteFile(filepath.Join(out, "frames.sum"), []byte(strings.Join(slices.Compact(sums), "")), 0o644)
}

// frame draws a frame that a test wrote.
func (p *painter) frame(file, picture string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	term, err := replay(string(text))
	if err != nil {
		return err
	}
	return p.save(term, picture)
}

// called returns the name of a frame's picture. It begins with the test's name, because two tests may have a frame with
// the same name.
func called(test, name string) string {
	of := strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(test, "Test"), "Screens"))
	if of == "" || strings.HasPrefix(name, of) {
		return name
	}
	return of + "-" + name
}

// size returns the size of a frame.
func size(frame string) (int, int) {
	rows, width := strings.Split(frame, "\n"), 0
	for _, row := range rows {
		width = max(width, ansi.StringWidth(row))
	}
	return width, len(rows)
}

// counters draws the screen of counters after a minute of traffic: a small picture in both themes, and a larger one.
func counters(ctx context.Context, dir, docs string) error {
	dark, light := filepath.Join(docs, "screens", "counters-dark.png"), filepath.Join(docs, "screens", "counters-light.png")
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return counter(ctx, session.Dark, 80, 24, filepath.Join(dir, "1"), dark) })
	g.Go(func() error { return counter(ctx, session.Light, 80, 24, filepath.Join(dir, "2"), light) })
	g.Go(func() error {
		return counter(ctx, session.Dark, 120, 32, filepath.Join(dir, "3"), filepath.Join(docs, "counters.png"))
	})
	return g.Wait()
}

func counter(ctx context.Context, theme session.Theme, width, height int, dir, out string) error {
	r, err := start(ctx, dir, theme, width, height, true)
	if err != nil {
		return err
	}
	if err := r.until(ctx, "confirmed", nil); err != nil {
		return err
	}
	r.term.SendText("3")
	if err := r.until(ctx, "order_id", nil); err != nil {
		return err
	}
	r.term.SendText("jjjjjj")
	if err := r.until(ctx, "order_id .*[▂▃▄▅]{10}", nil); err != nil {
		return err
	}
	p, err := newPainter(string(theme))
	if err != nil {
		return err
	}
	if err := p.save(r.term, out); err != nil {
		return err
	}
	return r.stop()
}

func (p *painter) save(term *vt.SafeEmulator, file string) error {
	img := p.screen(term)
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer out.Close()
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	return encoder.Encode(out, paletted(img, few(img)))
}
