package corpus_test

import (
	"testing"

	"github.com/pelletier/go-toml/v2"

	"tallylock/dynamo/layout/config"
)

// opens is the number of times that a table is opened to compare the layouts.
const opens = 5

// Equal tables give equal layouts, byte for byte. The printed layout gives the same answers when it is described in the
// config.
func TestRecognisedAgain(t *testing.T) {
	report := &report{}
	t.Run("each", func(t *testing.T) {
		for _, g := range recognised {
			for n, f := range g.families {
				if !some(n) {
					continue
				}
				t.Run(g.name+"/"+f.name, func(t *testing.T) {
					t.Parallel()
					w := f.build()
					e := w.engine(t)
					first, err := w.opened(t, e)
					if err != nil {
						t.Fatal(err)
					}
					text := tomlOf(t, first)
					for range opens - 1 {
						again, err := w.opened(t, w.engine(t))
						if err != nil {
							t.Fatal(err)
						}
						if now := tomlOf(t, again); now != text {
							t.Errorf("it was\n%s\nand is\n%s", text, now)
						}
					}
					if len(first.Layout.Constraints()) == 0 || g.name == "attacks" {
						return // the program believes a described layout, even the wrong layout of an attack
					}
					var printed struct{ Layout []config.Layout }
					if err := toml.Unmarshal([]byte(text), &printed); err != nil {
						t.Fatalf("%v\n%s", err, text)
					}
					report.add(g.name+", as printed", f.name, w.judge(t, e, printed.Layout...))
				})
			}
		}
	})
	report.tell(t, bars{"catalogue": 100, "libraries": 100, "seen again and again": 95, "public designs": 95})
}
