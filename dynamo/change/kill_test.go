package change_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/schema"
	"tallylock/internal/testrun"
)

type place struct{ table, prefix string }

// items returns the items of a place.
func (f *fixture) items(p place) []item {
	f.t.Helper()
	var all []item
	for pages := dynamodb.NewScanPaginator(f.App(), &dynamodb.ScanInput{TableName: &p.table}); pages.HasMorePages(); {
		page, err := pages.NextPage(context.Background())
		if err != nil {
			f.t.Fatal(err)
		}
		all = append(all, page.Items...)
	}
	return slices.DeleteFunc(all, func(i item) bool { return p.prefix != "" && !strings.HasPrefix(text(i["PK"]), p.prefix) })
}

// look returns the items of each place without their marks, and the number of the marks.
func (f *fixture) look(places []place) (seen []string, marks int) {
	f.t.Helper()
	for _, p := range places {
		var lines []string
		for _, i := range f.items(p) {
			if i[schema.MarkAttribute] != nil {
				delete(i, schema.MarkAttribute)
				marks++
			}
			var line []string
			for name, v := range i {
				line = append(line, fmt.Sprintf("%s=%s", name, text(v)))
			}
			slices.Sort(line)
			lines = append(lines, strings.Join(line, " "))
		}
		slices.Sort(lines)
		seen = append(seen, strings.Join(lines, "\n"))
	}
	return seen, marks
}

// resolver is a way to resolve open changes.
type resolver struct {
	name string
	// eager is set if the resolver finishes changes, or sends them again. Otherwise it waits until reads tell the outcome.
	eager bool
	// busy is set if the application writes the same items before the resolver starts.
	busy bool
}

// choose returns the action of the resolver; empty if it waits.
func (s resolver) choose(of *change.Resolution) change.Action {
	if s.eager {
		for _, do := range []change.Action{change.Finish, change.SendAgain} {
			if _, offered := of.Choice(do); offered {
				return do
			}
		}
	}
	if safe, ok := of.Safe(); ok {
		return safe.Do
	}
	return ""
}

// resolve resolves changes until none is open.
func (m *murder) resolve(by resolver) {
	m.t.Helper()
	conn, err := overHTTP(m.t.Context(), m.url, 0)
	if err != nil {
		m.t.Fatal(err)
	}
	for range 5 {
		records, err := m.changer.Journal.Records()
		if err != nil {
			m.t.Fatal(err)
		}
		todo := map[change.Action][]*change.Resolution{}
		var later time.Time
		for _, r := range journal.Unresolved(records) {
			s, err := m.changer.Examine(m.t.Context(), conn, r)
			if err != nil {
				m.t.Fatal(err)
			}
			if do := by.choose(s); do != "" {
				todo[do] = append(todo[do], s)
			} else if later = s.Later; later.IsZero() {
				later = s.Until
			}
		}
		if len(todo) == 0 && later.IsZero() {
			return
		}
		for do, all := range todo {
			for _, r := range m.changer.ResolveAll(m.t.Context(), all, do, nil) {
				if r.Err != nil {
					m.t.Errorf("%s: %v", do, r.Err)
				}
			}
		}
		if d := later.Sub(m.clock()); d > 0 {
			m.later(d + time.Second)
		}
	}
	m.t.Error("it is never resolved")
}

// A process is killed at each step of a change. At any of these moments, the journal is true, lists every mark, and can
// be resolved to the true outcome. Resolving has no effect that the change would not have.
func TestAProcessIsKilledAtEachStep(t *testing.T) {
	t.Parallel()
	for name, v := range killedProcesses {
		t.Run(name, func(t *testing.T) {
			whole := scene(t, moment{at: never})
			before, _ := whole.look(v.watch)
			whole.run(name)
			after, _ := whole.look(v.watch)
			var wg sync.WaitGroup
			for at, op := range whole.ops {
				moments := []moment{{at: at}}[:testrun.Runs(1, at%3/2)] // one of three reads is enough
				if op == "TransactWriteItems" {
					moments = append(moments, moment{at: at, applied: true}, moment{at: at, torn: true})
				}
				if !testrun.Long() && len(moments) > 1 {
					moments = moments[at%len(moments):][:1]
				}
				for _, when := range moments {
					resolvers := []resolver{{name: "waiting"}, {name: "eager", eager: true}, {name: "after others", eager: true, busy: true}}
					if !testrun.Long() {
						resolvers = resolvers[at%len(resolvers):][:1] // one resolver each, in turn
					}
					for _, by := range resolvers {
						wg.Go(func() {
							t.Run(fmt.Sprintf("%s, resolved by %s", when, by.name), func(t *testing.T) {
								m := scene(t, when)
								m.run(name)
								m.inquest(v, by, before, after)
							})
						})
					}
				}
				wg.Wait()
			}
		})
	}
}

// inquest examines what a process has left, resolves its changes, and examines everything again.
func (m *murder) inquest(v killedProcess, by resolver, before, after []string) {
	left, marks := m.look(v.watch)
	records, err := m.changer.Journal.Records()
	if err != nil {
		m.t.Fatal(err)
	}
	if open := len(journal.Unresolved(records)); marks > open {
		m.t.Errorf("%d marks are left, and the journal lists %d open changes", marks, open)
	}
	for n := range v.watch {
		if left[n] != before[n] && left[n] != after[n] {
			m.t.Fatalf("the table holds\n%s", left[n])
		}
		if n >= len(records) {
			if left[n] != before[n] {
				m.t.Error("something was done that the journal does not know")
			}
		} else if r := records[n]; !r.Open {
			m.truth("the journal", r, left[n], before[n], after[n])
		}
	}
	if by.busy {
		v.meanwhile(m.fixture)
	}
	then, _ := m.look(v.watch)
	m.resolve(by)
	now, marks := m.look(v.watch)
	if marks != 0 {
		m.t.Errorf("%d marks are left", marks)
	}
	if records, err = m.changer.Journal.Records(); err != nil {
		m.t.Fatal(err)
	}
	for n := range v.watch {
		if (by.busy || !by.eager || n >= len(records)) && now[n] != then[n] {
			m.t.Errorf("resolving made\n%s\nof\n%s", now[n], then[n])
		}
		if n >= len(records) {
			continue
		}
		r := records[n]
		switch {
		case by.busy:
			m.truth("after others", r, left[n], before[n], after[n])
		case by.eager && r.Outcome == journal.Unknown:
			m.t.Errorf("%s was not found out: %v", r.What, r.Reasons)
		default:
			m.truth("resolved", r, now[n], before[n], after[n])
		}
	}
}

// truth compares the outcome of a change in the journal with the items in the table.
func (m *murder) truth(when string, r *journal.Record, now, before, after string) {
	m.t.Helper()
	if r.Outcome == journal.Applied && (now != after || before == after) || r.Outcome == journal.Refused && now != before {
		m.t.Errorf("%s: %s is said to be %s %v, and the table holds\n%s", when, r.What, r.Outcome, r.Reasons, now)
	}
}
