package find_test

import (
	"fmt"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/find"
	"tallylock/internal/fixture"
)

// BenchmarkFind measures a search without the network. With owners in the locks, the search uses point reads. Without
// them, it reads every account.
func BenchmarkFind(b *testing.B) {
	c, err := dynamo.Connect(b.Context(), fixture.New(b).Options())
	if err != nil {
		b.Fatal(err)
	}
	for _, table := range []string{"members", "accounts"} {
		t, err := c.Open(b.Context(), table)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(table, "/", dynamo.Keeps(t)), func(b *testing.B) {
			b.ReportAllocs()
			units := c.Units()
			for b.Loop() {
				if _, err := find.Find(b.Context(), t, "ada@lovelace.io", find.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((c.Units()-units)/float64(b.N), "units/op")
		})
	}
}
