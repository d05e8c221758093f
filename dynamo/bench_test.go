package dynamo_test

import (
	"testing"

	"tallylock/dynamo"
	"tallylock/internal/fixture"
)

func BenchmarkOpen(b *testing.B) {
	c, err := dynamo.Connect(b.Context(), fixture.New(b).Options())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := c.Open(b.Context(), "accounts"); err != nil {
			b.Fatal(err)
		}
	}
}
