package app

import (
	"context"
	"io"
	"os"
	"testing"

	"tallylock/dynamo/client"
)

// A stopped command does not wait for a silent pipe.
func TestReadingEndsWithTheCommand(t *testing.T) {
	t.Parallel()
	silent, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { writer.Close(); silent.Close() })
	s := &Run{App: &App{In: silent}}
	ctx, stop := context.WithCancel(t.Context())
	in := s.Reading(ctx, "-")
	stop()
	_, err = io.ReadAll(in)
	if err = CannotRead(err, "reading", "name a file"); client.KindOf(err) != client.Cancelled {
		t.Errorf("%v; want cancelled", err)
	}
}
