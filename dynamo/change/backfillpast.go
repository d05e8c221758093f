package change

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/change/backfill"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
)

// BackfillWrite is a write of a lock by a backfill or by its undo.
type BackfillWrite struct {
	client.Write
	// Record is the backfill or the undo.
	Record *journal.Record
	backfill.Sent
}

// BackfillWrites returns the writes of some locks by the backfills of a table and by their undos. It reads them from
// the files of the runs. It omits runs without a file, and runs of an earlier table with the same name.
func BackfillWrites(j *journal.Journal, t *dynamo.Table, locks ...client.Address) (all []BackfillWrite, err error) {
	records, err := j.Records()
	if err != nil {
		return nil, err
	}
	byReceipt := map[string]*journal.Record{}
	for _, r := range records {
		byReceipt[r.Receipt] = r
	}
	texts, err := partitionKeys(locks)
	if err != nil {
		return nil, err
	}
	wants := func(w client.Write) bool {
		return w.Verb != client.Check && slices.ContainsFunc(locks, func(a client.Address) bool {
			return a.Table == w.Table && a.Key.Equal(w.Key)
		})
	}
	for _, r := range records {
		if !IsBackfill(r) {
			continue
		}
		e, err := plan.Load(r)
		if err != nil {
			return nil, err
		}
		if p := e.Plan; p.Backfill == nil || p.Accounts != t.Name || !inTable(p, e.Entry, t, p.Table) {
			continue
		}
		path := j.FileOf(r.Receipt)
		sent, err := backfill.History(path, headerOf(e.Plan), texts, wants)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, keysError("reading", path, err)
		}
		undo := byReceipt[cmp.Or(r.Undone, r.Undoing)]
		for _, s := range sent {
			for _, w := range s.Writes {
				of := r
				if w.Verb == client.Delete {
					of = undo
				}
				if wants(w) && of != nil {
					all = append(all, BackfillWrite{Write: w, Record: of, Sent: *s})
				}
			}
		}
	}
	return all, nil
}
