package ui

import (
	"context"
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/demo"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
	"tallylock/ui/kit"
	"tallylock/ui/screen/values"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// loaded returns a model that has read n relations.
func loaded(b *testing.B, n, w, h int) *app {
	b.Helper()
	d, err := demo.New(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	conn, err := dynamo.Connect(b.Context(), d.Options())
	if err != nil {
		b.Fatal(err)
	}
	table, err := conn.Open(b.Context(), demo.Table)
	if err != nil {
		b.Fatal(err)
	}
	a := newApp(context.Background(), session.Options{Connections: []session.Connection{{Connection: conn}}, Table: demo.Table, Theme: session.Dark})
	b.Cleanup(a.Tasks.Close)
	a.Table, a.Size = table, kit.Size{Width: w, Height: h}
	constraints := table.Layout.Constraints()
	relations := make([]*verdict.Relation, n)
	for i := range relations {
		relations[i] = relationOf(i, constraints[i%len(constraints)])
	}
	a.browse.Begin(browse.New(table), browse.View{
		Relations: relations, Complete: true, Scanned: int64(n), ReadAt: time.Now(), Confirmed: time.Now(),
		Locks: []browse.LockGroup{{Constraint: constraints[0], Relations: relations}},
	}, time.Now())
	for k := range task.Kinds { // do not wait for further readings
		a.Tasks.Drop(k)
	}
	return a
}

func relationOf(i int, c *layout.Constraint) *verdict.Relation {
	account := &schema.Account{ID: fmt.Sprint(i / 2), Key: key("ACCT#"+fmt.Sprintf("%06x", i/2), "PROFILE")}
	value := fmt.Sprintf("somebody.%d@example.net", i)
	r := &verdict.Relation{
		Constraint: c, Value: value, Account: account, Judgement: verdict.Judgement{Verdict: verdict.Held},
		Lock: schema.Lock{Table: "accounts", Exists: true, Key: key("UNIQ#EMAIL#"+value, "LOCK")},
	}
	if i%100 == 99 {
		r.Account, r.Verdict = nil, verdict.Orphaned
	}
	return r
}

func key(pk, sk string) attr.Key {
	return attr.Key{Hash: attr.Attribute{Name: "PK", Value: attr.String(pk)}, Range: attr.Attribute{Name: "SK", Value: attr.String(sk)}}
}

var rowCounts = []struct {
	name string
	n    int
}{{"1k", 1_000}, {"100k", 100_000}, {"1M", 1_000_000}}

// BenchmarkUpdate measures one step in the list.
func BenchmarkUpdate(b *testing.B) {
	for _, c := range rowCounts {
		b.Run(c.name, func(b *testing.B) {
			m := Model{loaded(b, c.n, 80, 24)}
			m.View()
			m.app.named("accounts").Content().List.Cursor = c.n / 2
			down, up := tea.KeyPressMsg{Code: 'j', Text: "j"}, tea.KeyPressMsg{Code: 'k', Text: "k"}
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				if n%64 < 32 {
					m.Update(down)
				} else {
					m.Update(up)
				}
			}
		})
	}
}

// BenchmarkView measures a whole screen, with the cursor in the middle of the list.
func BenchmarkView(b *testing.B) {
	for _, size := range []kit.Size{{Width: 80, Height: 24}, {Width: 200, Height: 60}} {
		for _, c := range rowCounts {
			b.Run(fmt.Sprintf("%dx%d/%s", size.Width, size.Height, c.name), func(b *testing.B) {
				m := Model{loaded(b, c.n, size.Width, size.Height)}
				m.app.named("accounts").Content().List.Cursor = c.n / 2
				b.ReportAllocs()
				for b.Loop() {
					m.View()
				}
			})
		}
	}
}

// BenchmarkViewLocks measures a whole screen of locks.
func BenchmarkViewLocks(b *testing.B) {
	for _, c := range rowCounts {
		b.Run(c.name, func(b *testing.B) {
			m := Model{loaded(b, c.n, 80, 24)}
			m.app.Tab = values.Locks
			m.app.named("locks").Content().List.Cursor = c.n / 2
			b.ReportAllocs()
			for b.Loop() {
				m.View()
			}
		})
	}
}

// BenchmarkFilter measures the first letter of a filter, a frame, and the removal of the filter. The cursor is in the
// middle of the list.
func BenchmarkFilter(b *testing.B) {
	for _, tab := range []*session.Tab{values.Accounts, values.Locks} {
		for _, c := range rowCounts {
			b.Run(tab.Name+"/"+c.name, func(b *testing.B) {
				m := Model{loaded(b, c.n, 80, 24)}
				m.app.Tab = tab
				m.app.top().Content().List.Cursor = c.n / 2
				b.ReportAllocs()
				for b.Loop() {
					for _, r := range "F9" {
						m.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
					}
					m.View()
					m.Update(tea.KeyPressMsg{Code: tea.KeyEscape})
				}
			})
		}
	}
}

// BenchmarkFilterThrough measures the time until a filter has searched all rows in the background.
func BenchmarkFilterThrough(b *testing.B) {
	for _, c := range rowCounts {
		b.Run(c.name, func(b *testing.B) {
			m := Model{loaded(b, c.n, 80, 24)}
			m.Update(tea.KeyPressMsg{Code: 'F', Text: "F"})
			for b.Loop() {
				_, cmd := m.Update(tea.KeyPressMsg{Code: '9', Text: "9"})
				if msg := firstLanded(cmd); msg != nil {
					m.Update(msg)
				}
				if m.app.named("accounts").(*values.Screen).Looking() {
					b.Fatal("not all rows were looked through")
				}
				m.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
			}
		})
	}
}

// BenchmarkComplete measures a letter of a value on the command line, and a frame. Few values begin with the typed
// text.
func BenchmarkComplete(b *testing.B) {
	for _, c := range rowCounts {
		b.Run(c.name, func(b *testing.B) {
			m := Model{loaded(b, c.n, 80, 24)}
			for _, r := range ":find a" {
				m.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
			}
			b.ReportAllocs()
			for b.Loop() {
				m.Update(tea.KeyPressMsg{Code: 'l', Text: "l"})
				m.View()
				m.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
			}
		})
	}
}

// BenchmarkFirstFrame measures the time to the first frame with accounts. The program opens the demo's table, reads the
// first page, and draws the screen.
func BenchmarkFirstFrame(b *testing.B) {
	d, err := demo.New(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		conn, err := dynamo.Connect(b.Context(), d.Options())
		if err != nil {
			b.Fatal(err)
		}
		m, err := New(context.Background(), session.Options{Connections: []session.Connection{{Connection: conn}}, Table: demo.Table, Theme: session.Dark})
		if err != nil {
			b.Fatal(err)
		}
		m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
		cmd := m.app.start() // opens the table
		for !m.app.browse.Read() {
			_, cmd = m.Update(firstLanded(cmd))
		}
		m.View()
		m.Close()
	}
}

// firstLanded runs commands until one of them returns the result of a task.
func firstLanded(cmd tea.Cmd) tea.Msg {
	if cmd == nil {
		return nil
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			if m := firstLanded(c); m != nil {
				return m
			}
		}
	case task.Done:
		return msg
	}
	return nil
}
