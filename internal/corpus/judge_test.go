package corpus_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
)

// result is the judgement of one table.
type result int

// The results, best first. Wrong is far worse than unknown.
const (
	right result = iota
	unknown
	wrong
)

func (r result) String() string { return []string{"right", "unknown", "wrong"}[r] }

// judgement collects the errors of an answer.
type judgement struct {
	// misled has certain statements that are false. lacking has missing statements, and uncertain ones that are false.
	misled, lacking []string
	toml            string
}

func (j *judgement) wrong(format string, a ...any) {
	j.misled = append(j.misled, fmt.Sprintf(format, a...))
}

func (j *judgement) lacks(format string, a ...any) {
	j.lacking = append(j.lacking, fmt.Sprintf(format, a...))
}

func (j *judgement) result() result {
	switch {
	case len(j.misled) > 0:
		return wrong
	case len(j.lacking) > 0:
		return unknown
	}
	return right
}

// opened opens a table as a person would, with the given layouts, if any.
func (w *world) opened(t *testing.T, e served, layouts ...config.Layout) (*dynamo.Table, error) {
	t.Helper()
	conn, err := dynamo.Connect(t.Context(), dynamo.Options{Options: client.Options{Transport: e.Transport(), Settle: time.Microsecond, AutoReadUnits: 500}, Layouts: layouts})
	if err != nil {
		t.Fatal(err)
	}
	table, err := conn.Open(t.Context(), w.tables[0].name())
	if err != nil {
		return nil, err
	}
	if more, err := dynamo.Grown(t.Context(), table); more != nil || err != nil {
		return more, err
	}
	return table, nil
}

// tomlOf returns the recognised layout as TOML.
func tomlOf(t *testing.T, table *dynamo.Table) string {
	t.Helper()
	return string(config.Of(table.Layout, table.Name).TOML())
}

// judge opens a table, checks it and asks for values.
func (w *world) judge(t *testing.T, e served, layouts ...config.Layout) *judgement {
	t.Helper()
	j := &judgement{}
	table, err := w.opened(t, e, layouts...)
	if err != nil {
		j.lacks("not opened: %v", err)
		return j
	}
	j.toml = tomlOf(t, table)
	if len(table.Layout.Constraints()) == 0 {
		j.lacks("no layout was recognised")
		return j
	}
	w.judgeCheck(t.Context(), j, table)
	for _, p := range w.probes {
		w.judgeFind(t.Context(), j, table, p)
	}
	return j
}

func (w *world) judgeCheck(ctx context.Context, j *judgement, table *dynamo.Table) {
	found, sum, err := findings(ctx, table)
	if err != nil {
		j.lacks("check: %v", err)
	} else if !sum.Complete {
		j.lacks("check: not complete: %s", sum.Why)
	}
	seen := map[string]bool{}
	for _, f := range found {
		at := w.place(orElse(f.LockTable, f.Table), f.Lock)
		e, says := w.entries[at], fmt.Sprintf("check: %s %s at %s", f.Kind, f.Subject(), at)
		switch {
		case e != nil && e.says(string(f.Kind), !f.Confirmed) && w.accountsRight(e, f):
			seen[at] = true // right; a finding by a guessed layout need not be confirmed
		case f.Confirmed:
			j.wrong("%s", says)
		default:
			j.lacks("%s is false, and not confirmed", says)
		}
	}
	for _, at := range slices.Sorted(maps.Keys(w.entries)) {
		if e := w.entries[at]; e.verdicts[0] != held && !seen[at] {
			j.lacks("check: %s at %s was not found", e.verdicts[0], at)
		}
	}
}

// says reports whether a verdict is right. With a guessed layout the program reads no owners, so it may
// take a stale lock for an orphaned one.
func (e *entry) says(verdict string, unsure bool) bool {
	return slices.Contains(e.verdicts, verdict) || unsure && verdict == orphaned && slices.Contains(e.verdicts, stale)
}

// accountsRight reports whether a finding of a missing lock names exactly the account that holds the value. It is true
// for other findings.
func (w *world) accountsRight(e *entry, f finding.Finding) bool {
	return e.verdicts[0] != missing || len(f.Accounts) == 1 && w.place(f.Table, f.Accounts[0]) == e.account
}

func findings(ctx context.Context, table *dynamo.Table) ([]finding.Finding, finding.Summary, error) {
	var mu sync.Mutex
	var found []finding.Finding
	sum, err := check.Run(ctx, table, setting.Options{}, func(f finding.Finding) {
		mu.Lock()
		defer mu.Unlock()
		found = append(found, f)
	}, nil)
	return found, sum, err
}

// judgeFind asks for a value, and again in its scope if the layout has scopes.
func (w *world) judgeFind(ctx context.Context, j *judgement, table *dynamo.Table, p probe) {
	good, why := false, ""
	for _, scope := range w.scopes(table, p.scope) {
		answer, err := find.Find(ctx, table, p.query, find.Options{Scope: scope, Scan: true})
		if err != nil {
			why = err.Error()
			continue
		}
		relations, answered := slices.Clone(answer.Locks), false
		for _, a := range answer.Accounts {
			relations = append(relations, a.Values...)
		}
		var said []string
		for _, r := range answer.Locks {
			said = append(said, fmt.Sprintf("%s %s", r.Constraint.Name, r.Verdict))
			answered = answered || w.answers(table, p, r)
		}
		for _, r := range relations {
			w.judgeRelation(j, table, p, r, answered)
		}
		good = good || answered
		why = strings.Join(said, ", ")
	}
	if !good {
		j.lacks("find %s (%s): %s", p.query, p.want(), orElse(why, "nothing"))
	}
}

func (p probe) want() string {
	if p.entry == nil {
		return free
	}
	return p.entry.verdicts[0]
}

// scopes returns the scopes for a question: no scope, and if locks have a scope, also the given word for each variable
// of the layout's keys.
func (w *world) scopes(table *dynamo.Table, word string) []map[string]string {
	if !w.scoped {
		return []map[string]string{nil}
	}
	of := map[string]string{}
	for _, c := range table.Layout.Constraints() {
		for _, name := range c.Scope() {
			of[name] = word
		}
	}
	if len(of) == 0 {
		return []map[string]string{nil}
	}
	return []map[string]string{nil, of}
}

// answers reports whether a relation answers a question. An unknown verdict on the right lock counts as an answer: the
// layout is right, but other items hold the value.
func (w *world) answers(table *dynamo.Table, p probe, r *verdict.Relation) bool {
	if p.entry == nil {
		return r.Verdict == verdict.Free || r.Verdict == verdict.Unknown
	}
	return w.entries[w.place(orElse(r.Lock.Table, table.Name), r.Lock.Key.Item())] == p.entry && (r.Verdict == verdict.Unknown || p.entry.says(nameOf(r.Verdict), r.Provisional))
}

// judgeRelation compares a verdict with the truth about its lock. If the verdict on another lock is Free although the
// value is held, that is wrong, unless the answer has the right lock, too.
func (w *world) judgeRelation(j *judgement, table *dynamo.Table, p probe, r *verdict.Relation, answered bool) {
	if r.Verdict == verdict.Unknown {
		return
	}
	at := w.place(orElse(r.Lock.Table, table.Name), r.Lock.Key.Item())
	e, verdict := w.entries[at], nameOf(r.Verdict)
	ok := verdict == free && e == nil
	if ok && !answered && p.entry != nil && r.Value == p.query && slices.Contains(w.attributes[p.of], r.Constraint.Attribute) {
		ok = false
	}
	if e != nil {
		ok = e.says(verdict, r.Provisional)
		if ok && (verdict == held || verdict == missing) {
			ok = r.Account != nil && w.place(table.Name, r.Account.Key.Item()) == e.account
		}
	}
	switch {
	case ok:
	case r.Provisional:
		j.lacks("find %s (%s): %s %s at %s is false, and provisional", p.query, p.want(), r.Constraint.Name, verdict, at)
	default:
		j.wrong("find %s (%s): %s %s at %s", p.query, p.want(), r.Constraint.Name, verdict, at)
	}
}

// nameOf returns the name of the finding that a verdict leads to, or else the name of the verdict.
func nameOf(v verdict.Verdict) string {
	switch v {
	case verdict.Duplicate:
		return duplicate
	case verdict.Orphaned, verdict.Stale, verdict.Missing, verdict.Foreign, verdict.Malformed:
		return string(v) + "-lock"
	}
	return string(v)
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
