// Command picture makes the README's pictures from the program's own output: it
// runs the inspector over the demo on a terminal in memory, presses a few keys,
// and has the screen drawn.
package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"golang.org/x/image/draw"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/demo"
	"tallylock/ui"
	"tallylock/ui/session"
)

// shot is a picture: its size in cells, and what is pressed when what was waited for,
// an expression, shows.
type shot struct {
	name          string
	width, height int
	traffic       bool // sign-ups and orders meanwhile
	steps         []step
}

type step struct{ wait, press string }

var shots = []shot{
	{"accounts", 120, 25, false, []step{
		{"confirmed", "n"}, // the first problem is a stuck handle
		{`the username "alan"`, ""},
	}},
	{"find", 120, 34, false, []step{
		{"confirmed", "/"},
		{"Type an email", "alan\r"},
		{"RELEASING WILL", ""},
	}},
	{"counters", 120, 28, true, []step{
		{"confirmed", "3"},
		{"order_id", "jjjjjj"},
		{"order_id .*[▂▃▄▅]{8}", ""},
	}},
	{"findings", 120, 25, false, []step{
		{"confirmed", "4"}, // small tables are checked unasked
		{"Checked", "j"},
	}},
}

const (
	background = "#12161c"
	// base is the background as a terminal is told of it.
	base = "48;2;18;22;28"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: picture DIRECTORY")
		os.Exit(2)
	}
	_ = os.Setenv("LC_ALL", "C.UTF-8") // for the glyphs
	for _, s := range shots {
		if err := picture(s, filepath.Join(os.Args[1], s.name+".png")); err != nil {
			fmt.Fprintln(os.Stderr, "picture:", err)
			os.Exit(1)
		}
	}
}

func picture(s shot, out string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "picture")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	screen, err := s.capture(ctx, dir)
	if err != nil {
		return err
	}
	text := filepath.Join(dir, "screen.ansi")
	if err := os.WriteFile(text, []byte(ground(screen)), 0o600); err != nil {
		return err
	}
	large := filepath.Join(dir, "large.png")
	// A module of its own: it needs other versions of what draws terminals.
	freeze := exec.CommandContext(ctx, "go", "-C", "freeze", "tool", "freeze", text, "--output", large,
		"--background", background, "--font.size", "13", "--padding", "14", "--border.radius", "6")
	freeze.Stderr = os.Stderr
	if err := freeze.Run(); err != nil {
		return err
	}
	return shrink(large, out)
}

// shrink makes a picture a third as wide: freeze draws more dots than a page shows.
func shrink(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	large, err := png.Decode(in)
	if err != nil {
		return err
	}
	small := image.NewRGBA(image.Rect(0, 0, large.Bounds().Dx()/3, large.Bounds().Dy()/3))
	draw.CatmullRom.Scale(small, small.Bounds(), large, large.Bounds(), draw.Src, nil)
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	return errors.Join(encoder.Encode(out, small), out.Close())
}

// sgr is a sequence that sets colours and attributes.
var sgr = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// ground names the terminal's own background wherever a sequence goes back to
// it: freeze would go on with the one before.
func ground(screen string) string {
	return sgr.ReplaceAllStringFunc(screen, func(s string) string {
		codes := strings.Split(sgr.FindStringSubmatch(s)[1], ";")
		for n := 0; n < len(codes); n++ {
			switch codes[n] {
			case "38", "48", "58": // 38;2;r;g;b
				n += 4
			case "49":
				codes[n] = base
			case "0", "":
				codes[n] = "0;" + base
			}
		}
		return "\x1b[" + strings.Join(codes, ";") + "m"
	})
}

// capture is the screen after the last step.
func (s shot) capture(ctx context.Context, dir string) (string, error) {
	d, err := demo.New(ctx)
	if err != nil {
		return "", err
	}
	conn, err := dynamo.Connect(ctx, d.Options())
	if err != nil {
		return "", err
	}
	journal, err := change.OpenJournal(filepath.Join(dir, "journal.jsonl"))
	if err != nil {
		return "", err
	}
	if s.traffic {
		traffic, stop := context.WithCancel(ctx)
		defer stop()
		go d.Traffic(traffic)
	}
	term := vt.NewSafeEmulator(s.width, s.height)
	if _, err := term.Write([]byte("\x1b[20h")); err != nil { // without a tty lines end in a bare line feed
		return "", err
	}
	done := make(chan error, 1)
	go func() {
		done <- ui.Run(ctx, session.Options{
			Connections: []session.Connection{{Connection: conn, Changer: &change.Changer{Journal: journal}}},
			Table:       demo.Table, Theme: session.Dark,
		}, tea.WithInput(term), tea.WithOutput(term), tea.WithoutSignals(), tea.WithWindowSize(s.width, s.height),
			tea.WithColorProfile(colorprofile.TrueColor), tea.WithEnvironment([]string{"TERM=xterm-256color"}))
	}()
	for _, step := range s.steps {
		if err := until(ctx, term, regexp.MustCompile(step.wait)); err != nil {
			return "", err
		}
		term.SendText(step.press)
	}
	time.Sleep(500 * time.Millisecond) // what the last keys did is drawn
	screen := term.Render()
	term.SendText("q")
	return screen, <-done
}

func until(ctx context.Context, term *vt.SafeEmulator, text *regexp.Regexp) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if text.MatchString(ansi.Strip(term.Render())) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%q never showed:\n%s", text, ansi.Strip(term.Render()))
		case <-tick.C:
		}
	}
}
