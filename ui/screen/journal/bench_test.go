package journal

import (
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	record "tallylock/dynamo/change/journal"
	"tallylock/ui/kit"
	"tallylock/ui/session"
)

// BenchmarkDraw is the rows of a screen out of 100,000 changes, and BenchmarkFilter a
// letter typed into the filter of so many.
func BenchmarkDraw(b *testing.B) {
	s := many(b, 100_000)
	s.list.Cursor = 50_000
	b.ReportAllocs()
	for b.Loop() {
		c := s.Content()
		c.List.Draw(s.Styles, c.Rows, 80, 20, kit.Base, kit.Selected, false)
	}
}

func BenchmarkFilter(b *testing.B) {
	s := many(b, 100_000)
	s.look.Open()
	s.Typed(tea.PasteMsg{Content: "nobody.99"})
	b.ReportAllocs()
	for b.Loop() {
		s.filter()
	}
}

// many is the screen with so many changes.
func many(b *testing.B, n int) *Screen {
	records := make([]*record.Record, n)
	for i := range records {
		records[i] = &record.Record{
			Receipt: fmt.Sprintf("R-20261119-1720%02d-%08d", i%60, i), At: time.Now(), What: fmt.Sprintf("release email \"somebody.%d@example.net\" of accounts", i),
			Reason: "ticket " + fmt.Sprint(48151+i), Table: "accounts", Who: "sam", Connection: "demo", Region: "embedded", Outcome: change.Applied, Open: i%1000 == 0,
		}
	}
	in := session.New(b.Context(), session.Options{Connections: []session.Connection{{}}}, nil)
	in.Size, in.Tab = kit.Size{Width: 80, Height: 24}, session.JournalTab
	s := New(in)
	s.receipts = newReceipts(records)
	s.filter()
	return s
}
