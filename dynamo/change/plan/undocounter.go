package plan

import (
	"context"
	"fmt"

	"tallylock/dynamo"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/phrase"
)

// CountedOn says why a counter is not set back: it no longer holds what the change left.
func CountedOn(counter, now, left string) string {
	return fmt.Sprintf(
		"%s says %s by now, and the change left %s: numbers were handed out since, and are never taken back", counter,
		phrase.Group(now), phrase.Group(left),
	)
}

// CounterNamed returns the counter with a name, of one of the tables of t.
func CounterNamed(ctx context.Context, t *dynamo.Table, name, table string) (counter.Counter, error) {
	counters, _, err := counter.Read(ctx, t)
	if err != nil {
		return counter.Counter{}, err
	}
	for _, c := range counters {
		if c.Name == name && c.Table == table {
			return c, nil
		}
	}
	return counter.Counter{}, Refuse(Absent, "there is no counter %s in %s any more", name, table)
}
