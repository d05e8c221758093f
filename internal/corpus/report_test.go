package corpus_test

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"tallylock/internal/testrun"
)

// served answers requests.
type served interface{ Transport() http.RoundTripper }

// report collects the judgements of many tables.
type report struct {
	mu      sync.Mutex
	results []row
}

type row struct {
	group, name string
	*judgement
}

func (r *report) add(group, name string, j *judgement) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.results = append(r.results, row{group, name, j})
}

// bars has a percentage for each group: the share of its tables that must be right.
type bars map[string]int

// tell logs the counts of each group, and each table that is not right. If bars is not nil, it fails if a table is
// wrong, or if too few tables of a group are right. The bar of "catalogue" also applies to "catalogue, other words".
func (r *report) tell(t *testing.T, bars bars) {
	t.Helper()
	slices.SortFunc(r.results, func(a, b row) int {
		return cmp.Or(strings.Compare(a.group, b.group), strings.Compare(a.name, b.name))
	})
	counts, all := map[string][3]int{}, []string{}
	var lines strings.Builder
	for _, one := range r.results {
		if !slices.Contains(all, one.group) {
			all = append(all, one.group)
		}
		count := counts[one.group]
		count[one.result()]++
		counts[one.group] = count
		if one.result() == right {
			continue
		}
		why := slices.Concat(one.misled, one.lacking)
		fmt.Fprintf(&lines, "%-8s %s %s: %s\n", one.result(), one.group, one.name, strings.Join(why[:min(3, len(why))], "; "))
		if one.toml != "" {
			lines.WriteString("    " + strings.ReplaceAll(strings.TrimSpace(one.toml), "\n", "\n    ") + "\n")
		}
	}
	fmt.Fprintf(&lines, "%-32s %6s %8s %6s\n", "", right, unknown, wrong)
	for _, group := range all {
		count := counts[group]
		fmt.Fprintf(&lines, "%-32s %6d %8d %6d\n", group, count[right], count[unknown], count[wrong])
		if bars == nil {
			continue
		}
		bar, ok := bars[group]
		if !ok {
			of, _, _ := strings.Cut(group, ",")
			bar = bars[of]
		}
		enough := count[right]
		if !testrun.Long() && bar < 100 {
			enough++ // the bar is for all cases: in a sample, one more may be unknown
		}
		if total := count[right] + count[unknown] + count[wrong]; 100*enough < bar*total {
			t.Errorf("%s: %d of %d are right, and %d %% should be", group, count[right], total, bar)
		}
		if count[wrong] > 0 {
			t.Errorf("%s: %d are wrong", group, count[wrong])
		}
	}
	t.Log("\n" + lines.String())
}
