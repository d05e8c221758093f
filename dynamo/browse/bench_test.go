package browse_test

import (
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/browse"
	"tallylock/internal/fixture"
)

func BenchmarkBrowse(b *testing.B) {
	c, err := dynamo.Connect(b.Context(), fixture.New(b).Options())
	if err != nil {
		b.Fatal(err)
	}
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
