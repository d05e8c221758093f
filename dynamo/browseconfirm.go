package dynamo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// Confirm judges again what is provisional: it waits until every transaction that
// may have been under way is visible, reads every account once more, and then
// each suspected lock (docs/truth.md §3a, steps 5 to 7). What it confirms excludes
// all but a value that was given up and taken again meanwhile.
func (b *Browser) Confirm(ctx context.Context) (View, error) {
	var provisional []*row
	var suspects []*Relation
	for _, r := range b.rows {
		if r.rel != nil && r.rel.confirmable() && len(r.rel.Claimants) == 0 {
			provisional, suspects = append(provisional, r), append(suspects, r.rel)
		}
	}
	if len(provisional) == 0 || !b.view.Complete || b.t.Regions().Unproven() != "" { // a second reading would prove no more
		return b.publish(), nil
	}
	if err := client.Pause(ctx, b.t.conn.Settle()); err != nil {
		return b.last, b.t.conn.Explain("waiting before the second look", err)
	}
	began := time.Now()
	scan := b.t.ClaimScan(suspects...)
	reader := scan.Reader()
	all := sweepAccounts(b.t, b.r)
	err := all.Run(ctx, b.left, func(item attr.Item) { reader.See(b.t.Name, item) })
	reader.Close()
	if err != nil {
		return b.last, err
	}
	if !all.Complete {
		return b.publish(), nil
	}
	for _, r := range provisional {
		before, rel := r.rel.Lock, r.renew()
		owner, err := newLockReader(b.t, b.r).snapshot(ctx, rel, b.t.Match.ownerKeys(rel.Constraint, before))
		if err != nil {
			return b.last, err
		}
		e := b.t.Match.evidence(rel, owner, OthersSettled)
		e.Unsearched = b.t.Tables()[1:]
		claimants, _ := scan.Of(rel).Claimants()
		e.Changed = len(claimants) > 0 || !rel.Lock.Exists || !rel.Lock.Item.Equal(before.Item) || len(rel.Claimants) > 0
		e.Holders = scan.Of(rel).Holders()
		if rel.conclude(e); !e.Changed && e.Holders.Keeps() == "" {
			found := fmt.Sprintf("none of %s uses the value", phrase.Count(int(all.Items), "item"))
			accounts := client.Read{
				At: began, Table: b.t.Name, What: "every account, again", Found: found, How: "consistent", Whole: true,
			}
			lock := client.Read{
				At: time.Now(), Table: rel.Lock.Table, What: rel.Lock.Key.String(), Found: "unchanged", How: "transaction",
			}
			rel.Reads = append(slices.Clone(rel.Reads), accounts, lock)
		}
	}
	b.view.Confirmed = time.Now()
	return b.publish(), nil
}
