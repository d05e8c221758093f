package adopt

import (
	"context"
	"slices"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/scan"
	"tallylock/dynamo/schema"
)

// NoIndex is the code of a refusal: the table has no index with this name that sorts accounts by one of the times.
const NoIndex Code = "NoIndex"

// zoneSlack is the greatest difference between two times whose texts sort in the wrong order, because their time zones
// differ.
const zoneSlack = 28 * time.Hour

// paced returns a context whose reads keep to the rate of the reading.
func (j *judging) paced(ctx context.Context) context.Context {
	pace := &client.Pace{Rate: max(scan.RateOf(j.r.Table.Description, j.o.MaxReadUnits), 0)}
	return pace.Keep(ctx)
}

// TimeIndexes lists the indexes that sort accounts by one of the times.
func (r *Rule) TimeIndexes(by Times) []attr.Index {
	return slices.DeleteFunc(slices.Clone(r.Table.Queryable), func(x attr.Index) bool {
		sort := x.Schema.RangeName
		return sort == "" || sort != by.Created && sort != by.Updated
	})
}

// index returns the index of the options.
func (j *judging) index() (attr.Index, error) {
	all := j.r.TimeIndexes(j.o.Times)
	n := slices.IndexFunc(all, func(x attr.Index) bool { return x.Name == j.o.Index })
	if n < 0 {
		return attr.Index{}, j.r.refuse(NoIndex, j.r.Constraint)
	}
	return all[n], nil
}

// query reads the accounts from an index, the latest first, until an account is too early. It reads each account again
// from the table, since an index may lack attributes and lags behind.
func (j *judging) query(ctx context.Context) error {
	x, err := j.index()
	if err != nil {
		return err
	}
	t, slack := j.r.Table, time.Duration(0)
	if x.Schema.RangeKind == attr.S {
		slack = zoneSlack
	}
	hash := attr.Value{Kind: x.Schema.HashKind, Text: j.o.Partition}
	reader := t.Connection().Reader()
	defer func() { j.sum.ReadUnits += reader.Units }()
	for start := attr.Item(nil); ; {
		in := client.PageInput{Index: x.Name, Backward: true, Start: start, Consistent: x.Local}
		page, err := reader.Query(ctx, t.Name, x.Schema, hash, "", in)
		if err != nil {
			return err
		}
		var keys []attr.Key
		early := false
		for _, item := range page.Items {
			if i, ok := instantOf(item.At(x.Schema.RangeName)); ok && i.at.Before(j.o.Since.Add(-slack)) {
				early = true
				break
			}
			if key, ok := t.Schema.KeyOf(item); ok {
				keys = append(keys, key)
			}
		}
		if err := j.judgeKeys(ctx, reader, keys); err != nil {
			return err
		}
		if start = page.Last; early || start == nil {
			return nil
		}
	}
}

// judgeKeys reads accounts, and judges the accounts that were made or changed after Since.
func (j *judging) judgeKeys(ctx context.Context, reader *client.Reader, keys []attr.Key) error {
	for some := range slices.Chunk(keys, client.MaxBatch) {
		items, err := reader.Get(ctx, j.r.Table.Name, some, true)
		if err != nil {
			return err
		}
		var accounts []newcomer
		for _, key := range some {
			if item := items[key.ID()]; item != nil {
				if at, op, ok := j.place(item); ok {
					accounts = append(accounts, newcomer{item, at, op})
				}
			}
		}
		if err := j.judge(ctx, accounts); err != nil {
			return err
		}
	}
	return nil
}

// lookAgain reads the suspects again after the settle time: a sign-up in progress is visible by then.
func (j *judging) lookAgain(ctx context.Context) error {
	if len(j.suspects) == 0 {
		return nil
	}
	conn := j.r.Table.Connection()
	if err := client.Pause(ctx, conn.Settle()); err != nil {
		return conn.Explain("waiting for sign-ups in progress", err)
	}
	reader := conn.Reader()
	defer func() { j.sum.ReadUnits += reader.Units }()
	for rest := j.suspects; len(rest) > 0; {
		n, items := 0, 0
		for n < len(rest) && (n == 0 || items+1+len(rest[n].lacks) <= dynamo.TogetherItems) {
			items += 1 + len(rest[n].lacks)
			n++
		}
		if err := j.lookTogether(ctx, reader, rest[:n]); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

// lookTogether reads suspects and their missing locks at one moment. If writers change them at that moment, it reads
// one suspect at a time.
func (j *judging) lookTogether(ctx context.Context, reader *client.Reader, some []Came) error {
	var places []client.Address
	at := map[string]int{} // two accounts with one value lack the same lock
	add := func(table string, key attr.Key) {
		id := schema.LockID(table, key)
		if _, known := at[id]; !known {
			at[id] = len(places)
			places = append(places, client.Address{Table: table, Key: key})
		}
	}
	for _, s := range some {
		add(j.r.Table.Name, s.Account)
		for _, key := range s.lacks {
			add(j.r.LockTable, key)
		}
	}
	items, _, err := reader.Together(ctx, places)
	switch {
	case client.KindOf(err) == client.Conflict && len(some) == 1:
		j.sum.Unsettled++
		return nil
	case client.KindOf(err) == client.Conflict:
		for n := range some {
			if err := j.lookTogether(ctx, reader, some[n:n+1]); err != nil {
				return err
			}
		}
		return nil
	case err != nil:
		return err
	}
	item := func(table string, key attr.Key) attr.Item { return items[at[schema.LockID(table, key)]] }
	for _, s := range some {
		locks := map[string]attr.Item{}
		for _, key := range s.lacks {
			locks[key.ID()] = item(j.r.LockTable, key)
		}
		j.settle(s, item(j.r.Table.Name, s.Account), locks)
	}
	return nil
}

// settle judges a suspect by its last reading. locks has the locks that were missing in the first reading.
func (j *judging) settle(s Came, account attr.Item, locks map[string]attr.Item) {
	var wants []Wanted
	if account != nil {
		wants = slices.DeleteFunc(j.r.Wants(account), func(w Wanted) bool {
			return w.Item == nil || !slices.ContainsFunc(s.lacks, w.Claim.Key.Equal)
		})
	}
	if len(wants) < len(s.lacks) {
		j.sum.Unsettled++ // the account is gone, or changed its value
		return
	}
	seen := j.look(wants, locks, newcomer{account, s.At, s.Operation})
	switch {
	case seen.lacks != nil:
		j.count(s.Operation, false)
		j.sum.Without++
		if len(j.sum.Came) < MostCame {
			j.sum.Came = append(j.sum.Came, *seen.lacks)
		}
	case s.more:
		j.sum.Unsettled++
	default:
		j.count(s.Operation, s.silent || seen.silent)
	}
}
