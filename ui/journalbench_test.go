package ui

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/demo"
	"tallylock/ui/kit"
	"tallylock/ui/session"
)

// BenchmarkViewJournal measures a whole screen of 100,000 changes. BenchmarkFilterJournal measures a letter in the
// filter of 100,000 changes.
func BenchmarkViewJournal(b *testing.B) {
	m := journaled(b, 100_000)
	m.app.named("journal").Content().List.Cursor = 50_000
	b.ReportAllocs()
	for b.Loop() {
		m.View()
	}
}

func BenchmarkFilterJournal(b *testing.B) {
	m := journaled(b, 100_000)
	for _, r := range "Fnobody.9" {
		m.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	b.ReportAllocs()
	for b.Loop() {
		m.Update(tea.KeyPressMsg{Code: '9', Text: "9"})
		m.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
	}
}

// journaled returns a model whose screen is a journal of n changes.
func journaled(b *testing.B, n int) Model {
	b.Helper()
	var text bytes.Buffer
	write := func(e journal.Entry) {
		e.At, e.Step = time.Now(), "release"
		line, err := json.Marshal(e)
		if err != nil {
			b.Fatal(err)
		}
		fmt.Fprintf(&text, "%s\n", line)
	}
	for i := range n {
		id := fmt.Sprintf("R-20261119-1720%02d-%08d", i%60, i)
		write(journal.Entry{
			Event: journal.EventSend, Receipt: id, Run: id, Token: id, What: fmt.Sprintf("release email \"somebody.%d@example.net\" of accounts", i),
			Reason: "ticket " + fmt.Sprint(48151+i), Table: "accounts", Who: "sam", Connection: "demo", Region: "embedded",
		})
		if i%1000 > 0 {
			write(journal.Entry{Event: journal.EventAnswer, Receipt: id, Token: id, Outcome: journal.Applied, Sent: journal.Once})
		}
	}
	path := filepath.Join(b.TempDir(), "journal.jsonl")
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	kept, err := journal.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	d, err := demo.New(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	conn, err := dynamo.Connect(b.Context(), d.Options())
	if err != nil {
		b.Fatal(err)
	}
	a := newApp(context.Background(), session.Options{
		Connections: []session.Connection{{Connection: conn, Changer: &change.Changer{Journal: kept}}}, Theme: session.Dark,
	})
	b.Cleanup(a.Tasks.Close)
	a.Size, a.Tab = kit.Size{Width: 80, Height: 24}, a.named("journal").Info()
	m := Model{a}
	m.Update(firstLanded(a.named("journal").Enter()))
	if rows := a.named("journal").Content().Rows.Len(); rows < n {
		b.Fatal(rows)
	}
	return m
}
