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

// group is a named list of families.
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

// some reports whether case number n runs: each case in a long run, every 35th in a sparse run, and otherwise every
// seventh. Both numbers are odd, so both original and renamed families are chosen.
func some(n int) bool {
	step := 7
	if testrun.Sparse() {
		step = 35
	}
	return testrun.Long() || n%step == 0
}

// variants returns the number of renamed copies of each family.
func variants() uint64 {
	if testrun.Long() {
		return 2
	}
	return 1
}

// withVariants returns a family and its renamed copies.
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

// The program recognises every family, even if all words are replaced: it has to look at values, not at names.
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
