package corpus_test

import (
	"fmt"
	"iter"
	"os"
	"testing"

	"tallylock/internal/testrun"
)

func TestMain(m *testing.M) {
	testrun.Isolate()
	os.Exit(m.Run())
}

// group is some families under one name.
type group struct {
	name     string
	families []family
}

var recognised = []group{
	{"catalogue", catalogue},
	{"libraries", libraries},
	{"seen again and again", seen},
	{"public designs", public},
	{"misleading", misleading},
	{"attacks", attacks},
}

// some picks cases by their place in a list: all in a long run, and otherwise every
// seventh. Seven is odd, so that families come as they are and with other words.
func some(n int) bool { return testrun.Long() || n%7 == 0 }

// variants is how many of each family have other words.
func variants() uint64 {
	if testrun.Long() {
		return 2
	}
	return 1
}

// withVariants gives a family as it is, and with all of its words replaced.
func withVariants(f family) iter.Seq2[string, family] {
	return func(yield func(string, family) bool) {
		for seed := range variants() + 1 {
			name, f := f.name, f
			if seed > 0 {
				name, f = fmt.Sprint(name, "~", seed), newRenamer(seed).family(f)
			}
			if !yield(name, f) {
				return
			}
		}
	}
}

// Every family is recognised as it is, and with all of its words replaced: what a layout
// is lies in the values, not in the names that somebody gave it.
func TestRecognised(t *testing.T) {
	report := &report{}
	t.Run("each", func(t *testing.T) {
		for _, g := range recognised {
			n := 0
			for _, f := range g.families {
				for name, f := range withVariants(f) {
					if n++; !some(n - 1) {
						continue
					}
					group := g.name
					if name != f.name {
						group += ", other words"
					}
					t.Run(g.name+"/"+name, func(t *testing.T) {
						t.Parallel()
						w := f.build()
						report.add(group, name, w.judge(t, w.engine(t)))
					})
				}
			}
		}
	})
	report.tell(t, bars{"catalogue": 100, "libraries": 100, "seen again and again": 95, "public designs": 95, "misleading": 55, "attacks": 45})
}
