package warehouse

import (
	"errors"
	"slices"

	"tallylock/dynamo/client"
)

// outcomeError is the error of a statement with its outcome.
type outcomeError struct {
	error
	outcome client.ExecutionOutcome
}

// Unwrap returns the error without the outcome.
func (e outcomeError) Unwrap() error { return e.error }

// with adds the outcome of a statement to its error, if there is one.
func with(outcome client.ExecutionOutcome, err error) error {
	if err == nil {
		return nil
	}
	return outcomeError{err, outcome}
}

// outcomeOf returns the outcome of a statement whose error is err. An error without an outcome happened after the
// statement.
func outcomeOf(err error) client.ExecutionOutcome {
	if e, ok := errors.AsType[outcomeError](err); ok {
		return e.outcome
	}
	return client.ExecutionSucceeded
}

// without returns the leftover without a table; nil if nothing else is left.
func (l *Left) without(table string) *Left {
	if l == nil {
		return nil
	}
	l.Tables = slices.DeleteFunc(l.Tables, func(name string) bool { return name == table })
	if len(l.Tables) == 0 && l.Folder == "" {
		return nil
	}
	return l
}

// settle corrects the leftover of a run by the outcome of its failed statement. table is the table that the statement
// creates. If the statement may still run, the table is a leftover: the statement may write it after the run has
// dropped it.
func (r *Run) settle(left *Left, outcome client.ExecutionOutcome, table string) *Left {
	writing := slices.Clone(r.pending)
	switch outcome {
	case client.ExecutionFailed:
		left = left.without(table)
	case client.ExecutionUnknown:
		writing = append(writing, table)
	}
	if len(writing) == 0 {
		return left
	}
	all := Left{Run: r.id, Err: &client.Error{
		Kind: client.Unreachable, Why: r.engine.Place() + " did not say that the statement has ended, so it may still write",
	}}
	if left != nil {
		all = *left
	}
	for _, name := range writing {
		if name != "" && !slices.Contains(all.Tables, name) {
			all.Tables = append(all.Tables, name)
		}
	}
	if all.Folder = r.engine.Folder(r.id); all.String() == "" {
		return nil
	}
	return &all
}
