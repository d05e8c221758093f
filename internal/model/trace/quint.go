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

// Quint returns the trace as a module with one test. It is a test of docs/spec/adopt.qnt if the trace has steps of a
// backfill, or writers without locks. Otherwise it is a test of docs/spec/release.qnt.
func (c *Checker) Quint(name string) string {
	adopts := slices.Contains(c.model.Without, model.TheGainRule)
	for _, s := range c.steps {
		adopts = adopts || s.Kind == model.Backfill || s.Kind == model.Undo
	}
	of, begin, expect := "release", "begin(%s, %s, Set())", "safeInTraces"
	if adopts {
		of, begin, expect = "adopt", "beginWithLocks(%s, %s, Set())", "harmlessInTraces"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "module %s {\n  import world.* from \"./world\"\n  import %s.* from \"./%[2]s\"\n\n", name, of)
	fmt.Fprintf(&b, "  run %sTest =\n    "+begin+"\n", name, quintHolds(c.start.Holds), quintLocks(c.start.Locks))
	state := c.model.Begin()[0]
	state.Releases = nil
	for _, s := range c.steps {
		switch s.Kind {
		case model.Plan:
			state.Releases = append(slices.Clone(state.Releases), model.Release{})
		case model.Put:
			state.PutBack = model.PutBack{Read: true, Account: s.Account, Value: s.Value}
		}
		step := c.quintStep(s, state.Late)
		if adopts && s.Kind == model.Transaction {
			step = "applies(" + quintWrites(s.Writes) + ")"
		}
		fmt.Fprintf(&b, "      .then(%s)\n", step)
		state, _, _ = c.model.Do(state, s)
	}
	fmt.Fprintf(&b, "      .expect(%s)\n}\n", expect)
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
	case model.Put:
		return fmt.Sprintf("putBack(%q, %q)", valueNames[s.Value], accountNames[s.Account])
	case model.Backfill:
		return fmt.Sprintf("fill(%s, %d, %q)", quintOf(c.model.RequestOf(s)), s.Number, fates[s.Answer])
	case model.Undo:
		return fmt.Sprintf("unfill(%s, %d, %q)", quintOf(c.model.RequestOf(s)), s.Number, fates[s.Answer])
	case model.LateCopy:
		return "lateCopy(" + quintRequest(late[s.Number]) + ")"
	}
	return fmt.Sprintf("unknownStep(%q)", s.Kind)
}

// quintRequest returns the request of a late copy in Quint.
func quintRequest(r model.Request) string {
	switch r.Kind {
	case model.Backfill:
		return fmt.Sprintf("{ kind: \"fill\", mark: %d, locks: %s }", r.Mark, quintOf(r))
	case model.Undo:
		return fmt.Sprintf("{ kind: \"undo\", mark: %d, locks: %s }", r.Mark, quintOf(r))
	}
	seen := "Absent"
	if r.Kind != model.Unmark {
		seen = quintVersion(model.LockItem(r.Value), r.Seen)
	}
	return fmt.Sprintf("{ kind: %q, value: %q, mark: %d, seen: %s }", r.Kind, valueNames[r.Value], r.Mark, seen)
}

// quintOf returns the accounts of a request's locks, by value.
func quintOf(r model.Request) string {
	var all []string
	for value, by := range r.Of {
		if by > 0 {
			all = append(all, fmt.Sprintf("%q -> %q", valueNames[value], accountNames[by-1]))
		}
	}
	return "Map(" + strings.Join(all, ", ") + ")"
}

func quintKey(item int) string {
	if value := item - model.LockItem(0); value >= 0 {
		return fmt.Sprintf("LockOf(%q)", valueNames[value])
	}
	return fmt.Sprintf("Account(%q)", accountNames[item])
}

func quintVersion(item int, v model.Version) string {
	switch {
	case v == 0:
		return "Absent"
	case item < model.LockItem(0):
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
