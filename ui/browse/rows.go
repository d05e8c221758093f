package browse

import (
	"context"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/ui/screen"
	"tallylock/ui/words"
)

// Rows are the rows of a list, made of what is known of a table. Once made they stay as they
// are.
type Rows interface {
	// Len is how many there are; heads of groups are none.
	Len() int
	// First are the first n of each kind.
	First(n int) Rows
	// Holding are those that hold the letters, in their order.
	Holding(ctx context.Context, want string) (Rows, error)
}

// Arranged are the rows of a list: all of them, and those that are problems.
type Arranged struct{ All, Problems Rows }

// none are the rows before any have been read.
type none struct{}

func (none) Len() int                                      { return 0 }
func (none) First(int) Rows                                { return none{} }
func (none) Holding(context.Context, string) (Rows, error) { return none{}, nil }

// Each does something with each of many rows, until the context ends.
func Each[T any](ctx context.Context, rows []T, do func(T)) error {
	for n, row := range rows {
		if n%atOnce == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		do(row)
	}
	return nil
}

// Holds reports whether what a row says of a value holds the letters.
func Holds(r *dynamo.Relation, want string) bool {
	if screen.Holds(want, r.Value, r.Constraint.Name, r.Lock.Owner, words.Verdict(r.Verdict, false).Word) ||
		holdsKey(r.Lock.Key, want) {
		return true
	}
	for _, a := range [2]*dynamo.Account{r.Account, r.OwnerAccount} {
		if a != nil && holdsKey(a.Key, want) {
			return true
		}
	}
	return false
}

func holdsKey(k attr.Key, want string) bool {
	return screen.Holds(want, k.Hash.Value.Display(), k.Range.Value.Display())
}
