package trace

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tallylock/internal/model"
)

var (
	accountNames = []string{"A", "B", "C"}
	valueNames   = []string{"v", "w"}
	fates        = map[model.Answer]string{
		model.Answered: "answered", model.LostAfter: "answer lost", model.LostSent: "request lost",
	}
)

// Quint returns the trace as a module with one test of docs/spec/release.qnt.
func (c *Checker) Quint(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "module %s {\n  import world.* from \"./world\"\n  import release.* from \"./release\"\n\n", name)
	fmt.Fprintf(&b, "  run %sTest =\n    begin(%s, %s, Set())\n", name, quintHolds(c.start.Holds), quintLocks(c.start.Locks))
	var late []model.Request
	state := c.model.Begin()[0]
	state.Releases = nil
	for _, s := range c.steps {
		if s.Kind == model.Plan {
			state.Releases = append(slices.Clone(state.Releases), model.Release{})
		}
		late = state.Late
		fmt.Fprintf(&b, "      .then(%s)\n", c.quintStep(s, late))
		state, _, _ = c.model.Do(state, s)
	}
	b.WriteString("      .expect(freesNoLiveValue and makesNoLock)\n}\n")
	return b.String()
}

// quintStep returns a step as an action of the Quint model.
func (c *Checker) quintStep(s model.Step, late []model.Request) string {
	n := s.Process + 1
	switch s.Kind {
	case model.Transaction:
		return "all { transact(" + quintWrites(s.Writes) + "), sameTool }"
	case model.Reveal:
		return "all { reveal(" + quintKey(s.Number) + "), sameTool }"
	case model.Plan:
		return fmt.Sprintf("plan(%d, %q, %s)", n, valueNames[s.Value], quintVersion(s.Writes[0].Item, s.Writes[0].Version))
	case model.Mark:
		return fmt.Sprintf("mark(%d, %q)", n, fates[s.Answer])
	case model.MarkAgain:
		return fmt.Sprintf("markAgain(%d, %q)", n, fates[s.Answer])
	case model.Settle:
		return fmt.Sprintf("wait(%d)", n)
	case model.Read:
		return fmt.Sprintf("look(%d, %q)", n, accountNames[s.Account])
	case model.EndLook:
		return fmt.Sprintf("endLook(%d)", n)
	case model.Delete:
		return fmt.Sprintf("delete(%d, %q)", n, fates[s.Answer])
	case model.Unmark:
		return fmt.Sprintf("unmark(%d, %q)", n, fates[s.Answer])
	case model.LateCopy:
		r := late[s.Number]
		seen := "Absent"
		if r.Kind != model.Unmark {
			seen = quintVersion(model.LockItem(r.Value), r.Seen)
		}
		return fmt.Sprintf("lateCopy({ kind: %q, value: %q, mark: %d, seen: %s })", r.Kind, valueNames[r.Value], r.Mark, seen)
	}
	return fmt.Sprintf("unknownStep(%q)", s.Kind)
}

func quintKey(item int) string {
	if item < len(accountNames) {
		return fmt.Sprintf("Account(%q)", accountNames[item])
	}
	return fmt.Sprintf("LockOf(%q)", valueNames[item-len(accountNames)])
}

func quintVersion(item int, v model.Version) string {
	switch {
	case v == 0:
		return "Absent"
	case item < len(accountNames):
		return fmt.Sprintf("Holds(%q)", valueNames[v-1])
	}
	l, _ := v.Lock()
	return fmt.Sprintf("Locked({ ...bare, mark: %d })", l.Mark)
}

func quintWrites(writes []model.Write) string {
	var all []string
	for _, w := range writes {
		all = append(all, quintKey(w.Item)+" -> "+quintVersion(w.Item, w.Version))
	}
	return "Map(" + strings.Join(all, ", ") + ")"
}

func quintHolds(holds map[int]int) string {
	var all []string
	for _, a := range slices.Sorted(maps.Keys(holds)) {
		all = append(all, fmt.Sprintf("%q -> %q", accountNames[a], valueNames[holds[a]]))
	}
	return "Map(" + strings.Join(all, ", ") + ")"
}

func quintLocks(locks map[int]model.Lock) string {
	var all []string
	for _, v := range slices.Sorted(maps.Keys(locks)) {
		all = append(all, fmt.Sprintf("%q -> bare", valueNames[v]))
	}
	return "Map(" + strings.Join(all, ", ") + ")"
}
