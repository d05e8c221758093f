package dynamo_test

import (
	"fmt"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/demo"
	"tallylock/dynamo/find"
)

func connectBench(b *testing.B) *dynamo.Connection {
	d, err := demo.New(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	c, err := dynamo.Connect(b.Context(), d.Options())
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// What a question costs beside the network: by owner it is point reads, without
// one a read of every account.
func BenchmarkFind(b *testing.B) {
	c := connectBench(b)
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

func BenchmarkOpen(b *testing.B) {
	c := connectBench(b)
	for b.Loop() {
		if _, err := c.Open(b.Context(), "accounts"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBrowse(b *testing.B) {
	c := connectBench(b)
	t, err := c.Open(b.Context(), "accounts")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := browse.New(t).Next(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
