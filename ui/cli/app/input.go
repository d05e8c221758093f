package app

import (
	"context"
	"errors"
	"io"
	"os"

	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/exit"
)

// Reading returns the text of a file, or standard input if the name is "-". A pipe may block
// forever, so reading ends when ctx ends.
func (s *Run) Reading(ctx context.Context, file string) io.ReadCloser {
	text, in := io.Pipe()
	context.AfterFunc(ctx, func() { _ = in.CloseWithError(ctx.Err()) })
	go func() {
		from, err := s.In, error(nil)
		if file != "-" {
			from, err = os.Open(file)
		}
		if err == nil {
			_, err = io.Copy(in, from)
		}
		if from != s.In {
			_ = from.Close() // errors of closing do not matter after reading
		}
		_ = in.CloseWithError(err) // never fails
	}()
	return text
}

// CannotRead returns the error for a file that could not be read completely. It returns nil if err
// is nil.
func CannotRead(err error, op, do string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return &client.Error{Kind: client.Cancelled, Op: op, Why: "stopped before the end of the input", Err: err}
	}
	return exit.Usage(op, phrase.WithoutPath(err), do)
}
