package corpus_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout"
)

// numbered has tables with counters, or with numbers that look like counters.
type numbered struct {
	name string
	// tables have the names and keys, written as in family.tables. The first table is opened.
	tables []string
	// items are lines: name=text name:number. A line that begins with 40x stands for 40 items. In these items, % is the
	// number of the item from 1 on, %% is this number with leading zeros, and ~ is a random word. A line that begins with
	// @1 is in the second table.
	items string
	// want lists the counters in order, each as attribute, semantics, value and highest id. It is
	// empty if there are none.
	want string
}

var repeated = regexp.MustCompile(`^(\d+)x `)

// build makes the tables.
func (n numbered) build() *world {
	w := &world{}
	for _, t := range n.tables {
		w.tables = append(w.tables, describe(t))
	}
	for line := range strings.SplitSeq(n.items, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		at, many := 0, 0
		if rest, ok := strings.CutPrefix(line, "@1 "); ok {
			at, line = 1, rest
		}
		if found := repeated.FindString(line); found != "" {
			_, _ = fmt.Sscanf(found, "%dx", &many)
			line = line[len(found):]
		}
		for k := range max(many, 1) {
			text := line
			if many > 0 {
				text = strings.NewReplacer("%%", fmt.Sprintf("%06d", k+1), "%", fmt.Sprint(k+1), "~", fmt.Sprintf("%08x", uint32(k+91)*2654435761)).Replace(line)
			}
			item := jsonItem{}
			for _, field := range strings.Fields(text) {
				end := strings.IndexAny(field, "=:")
				kind := "S"
				if field[end] == ':' {
					kind = "N"
				}
				item[field[:end]] = map[string]any{kind: field[end+1:]}
			}
			w.tables[at].items = append(w.tables[at].items, item)
		}
	}
	return w
}

// renamed returns a copy with other words.
func (n numbered) renamed(seed uint64) numbered {
	r := newRenamer(seed)
	out := numbered{name: n.name}
	for _, t := range n.tables {
		out.tables = append(out.tables, r.table(t))
	}
	for line := range strings.SplitSeq(n.items, "\n") {
		line = strings.TrimSpace(line)
		many := repeated.FindString(line)
		var fields []string
		for _, field := range strings.Fields(line[len(many):]) {
			fields = append(fields, r.plain(field))
		}
		out.items += many + strings.Join(fields, " ") + "\n"
	}
	for of := range strings.SplitSeq(n.want, "; ") {
		name, rest, _ := strings.Cut(of, " ")
		if out.want != "" {
			out.want += "; "
		}
		out.want += strings.TrimSpace(r.plain(name) + " " + rest)
	}
	return out
}

// judge opens the table and compares its counters with the wanted ones. If the words are replaced, a counter may stay
// unknown, but the result must not be wrong.
func (n numbered) judge(t *testing.T) *judgement {
	w := n.build()
	e := w.engine(t)
	j := &judgement{}
	table, err := w.opened(t, e)
	if err != nil {
		j.lacks("not opened: %v", err)
		return j
	}
	j.toml = tomlOf(t, table)
	found, complete, err := counter.Read(t.Context(), table)
	if err != nil || !complete {
		j.lacks("counters: %v, complete %v", err, complete)
	}
	counter.LookUpIDs(t.Context(), found, table.Connection().AutoReadUnits())
	var got, want []string
	for _, c := range counter.SumShards(found) {
		said := strings.TrimSpace(fmt.Sprint(c.Attribute, " ", c.Semantics, " ", c.Value, " ", c.HighestID))
		if got = append(got, said); !slices.Contains(strings.Split(n.want, "; "), said) {
			j.wrong("%s (%s)", said, c.Layout.Evidence)
		}
		if c.Semantics != layout.Tally && c.Layout.Evidence == "" {
			j.lacks("nothing says why %s is a counter", c.Name)
		}
	}
	if want = strings.Split(n.want, "; "); n.want == "" {
		want = nil
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		j.lacks("%s; there are %s", strings.Join(got, "; "), n.want)
	}
	return j
}

// The program recognises common counters, their semantics, and the highest id if one read shows it. If the words are
// replaced, the counters may stay unknown. No other number is recognised as a counter.
func TestCounters(t *testing.T) {
	report := &report{}
	t.Run("each", func(t *testing.T) {
		for _, g := range []struct {
			name string
			of   []numbered
		}{{"counters", commonCounters}, {"look-alikes", lookAlikes}} {
			for _, n := range g.of {
				t.Run(g.name+"/"+n.name, func(t *testing.T) {
					t.Parallel()
					report.add(g.name, n.name, n.judge(t))
					for seed := range variants() {
						report.add(g.name+", other words", fmt.Sprint(n.name, "~", seed+1), n.renamed(seed+1).judge(t))
					}
				})
			}
		}
	})
	report.tell(t, bars{"counters": 100, "counters, other words": 10, "look-alikes": 100})
}
