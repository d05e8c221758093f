package findings

import (
	"fmt"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/demo"
	"tallylock/ui/kit"
	"tallylock/ui/reading"
	"tallylock/ui/session"
)

// BenchmarkDraw draws the rows and the detail of a screen with n findings. The cursor is in the middle, and the check
// is still running.
func BenchmarkDraw(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := many(b, n)
			s.run().list.Cursor = n / 2
			b.ReportAllocs()
			for b.Loop() {
				c := s.Content()
				c.List.Draw(s.Styles, c.Rows, 92, 30, kit.Base, kit.Selected, false)
				c.DetailSide(s.Block(47, 30, kit.Base, false))
			}
		})
	}
}

// many returns the screen of a running check with n findings.
func many(b *testing.B, n int) *Screen {
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
	in := session.New(b.Context(), session.Options{Connections: []session.Connection{{Connection: conn}}}, nil)
	in.Size, in.Tab, in.Table = kit.Size{Width: 140, Height: 40}, Tab, table
	s := New(in, &reading.New(in, nil).Known)
	r := &run{Session: in, found: newFound(table), began: in.Now()}
	for i := range n {
		value := fmt.Sprintf("somebody.%d@example.net", i)
		one := newRow(finding.Finding{
			Kind: finding.Kinds()[i%3], Table: demo.Table, Constraint: "email", Value: value, Confirmed: i%5 > 0,
			Lock:   attr.Item{"PK": attr.String("UNIQ#EMAIL#" + value), "SK": attr.String("LOCK")},
			Detail: "No account holds it.", Evidence: "All accounts were read.",
		})
		r.all = append(r.all, one)
		r.add(one)
	}
	s.runs[s.open()] = r
	return s
}
