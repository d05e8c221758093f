package counters_test

import (
	"math/rand/v2"
	"regexp"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/guess"
)

// renamer replaces every word by another word of the same length and case. Equal words get equal replacements. So only
// the structure of a table remains.
type renamer struct {
	rand  *rand.Rand
	words map[string]string
	taken map[string]bool
}

func newRenamer(seed uint64) *renamer {
	return &renamer{rand.New(rand.NewPCG(seed, 7)), map[string]string{}, map[string]bool{}}
}

var (
	part = regexp.MustCompile(`[A-Za-z0-9]+`)
	word = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)
)

// text renames the words of a text. It keeps parts that contain digits.
func (r *renamer) text(text string) string {
	return part.ReplaceAllStringFunc(text, func(p string) string {
		if strings.ContainsAny(p, "0123456789") {
			return p
		}
		return word.ReplaceAllStringFunc(p, r.word)
	})
}

func (r *renamer) word(w string) string {
	low := strings.ToLower(w)
	for r.words[low] == "" {
		b := make([]byte, len(low))
		for n := range b {
			b[n] = []string{"bcdfghjklmnpqrstvwxz", "aeiou"}[n%2][r.rand.IntN([]int{20, 5}[n%2])]
		}
		if to := string(b); !r.taken[to] || len(to) < 3 {
			r.words[low], r.taken[to] = to, true
		}
	}
	to := r.words[low]
	switch {
	case w == strings.ToUpper(w):
		return strings.ToUpper(to)
	case w == low:
		return to
	}
	return strings.ToUpper(to[:1]) + to[1:]
}

func (r *renamer) table(t guess.Sample) guess.Sample {
	out := guess.Sample{Name: r.text(t.Name), Schema: t.Schema, Whole: t.Whole}
	out.Schema.HashName, out.Schema.RangeName = r.text(t.Schema.HashName), r.text(t.Schema.RangeName)
	for _, item := range t.Items {
		to := attr.Item{}
		for _, name := range item.Names() {
			v := item[name]
			if v.Kind == attr.S {
				v.Text = r.text(v.Text)
			}
			to[r.text(name)] = v
		}
		out.Items = append(out.Items, to)
	}
	return out
}
