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

// items are those of a place.
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

// look tells what each place holds, marks aside, and how many marks there are.
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

// resolver is how somebody goes about open changes.
type resolver struct {
	name string
	// eager ones finish and send again what they can; others wait until reads tell.
	eager bool
	// busy: the application was at the same items first.
	busy bool
}

// choose is what the resolver does; empty for nothing yet.
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

// resolve goes on until nothing is open any more.
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

// A process is killed at each step of a change. Whatever was written down and
// done by then, the journal never lies, lists every mark, and can be resolved to
// the truth; and resolving frees, blocks and counts nothing that the change did
// not mean.
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
				moments := []moment{{at: at}}[:testrun.Runs(1, at%3/2)] // of three reads one tells as much
				if op == "TransactWriteItems" {
					moments = append(moments, moment{at: at, applied: true}, moment{at: at, torn: true})
				}
				if !testrun.Long() && len(moments) > 1 {
					moments = moments[at%len(moments):][:1]
				}
				for _, when := range moments {
					resolvers := []resolver{{name: "waiting"}, {name: "eager", eager: true}, {name: "after others", eager: true, busy: true}}
					if !testrun.Long() {
						resolvers = resolvers[at%len(resolvers):][:1] // each of them, by turns
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

// inquest looks at what a process has left, resolves it, and looks again.
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

// truth compares what the journal says of a change with what the table holds.
func (m *murder) truth(when string, r *journal.Record, now, before, after string) {
	m.t.Helper()
	if r.Outcome == journal.Applied && (now != after || before == after) || r.Outcome == journal.Refused && now != before {
		m.t.Errorf("%s: %s is said to be %s %v, and the table holds\n%s", when, r.What, r.Outcome, r.Reasons, now)
	}
}
