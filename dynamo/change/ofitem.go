package change

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
)

// OfItem lists the changes that wrote one item, or were to: the newest first. The
// item lives in t, or in a table of its locks. Changes of another place that has a
// table of that name are left out.
func (j *Journal) OfItem(ctx context.Context, t *dynamo.Table, table string, key attr.Key) ([]*Record, error) {
	receipts, err := j.naming(ctx, t, table, key)
	if err != nil || len(receipts) == 0 {
		return nil, err
	}
	all, err := j.Records()
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(r *Record) bool { return !receipts[r.Receipt] })
	slices.Reverse(all)
	return all, nil
}

// naming are the receipts of the changes that name an item among their writes.
func (j *Journal) naming(ctx context.Context, t *dynamo.Table, table string, key attr.Key) (map[string]bool, error) {
	hash, err := key.Hash.Value.MarshalJSON()
	if err != nil {
		return nil, j.wrap("reading", err)
	}
	f, err := os.Open(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, j.wrap("reading", err)
	}
	defer f.Close()
	found := map[string]bool{}
	for line, err := range lines(f) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, j.wrap("reading", err)
		}
		if !bytes.Contains(line, hash) { // spares nearly every plan
			continue
		}
		var e Entry
		if json.Unmarshal(line, &e) == nil && e.Event == "send" && e.writes(t, table, key) {
			found[e.Receipt] = true
		}
	}
	return found, nil
}

// writes reports whether what is sent writes an item of the table as it is now.
func (e Entry) writes(t *dynamo.Table, table string, key attr.Key) bool {
	conn := t.Connection()
	if e.Plan == nil || e.Region != conn.Region() || e.Endpoint != conn.Endpoint() {
		return false
	}
	if was, is := e.Plan.Tables[table], t.IDOf(table); was != "" && is != "" && was != is {
		return false
	}
	for _, s := range e.Plan.Steps {
		for _, w := range s.Writes {
			if w.Verb != client.Check && w.Table == table && w.KeyIn(t.SchemaOf(table)).Equal(key.Item()) {
				return true
			}
		}
	}
	return false
}
