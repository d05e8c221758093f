package planner

import (
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
)

// Backfill returns the plan of a backfill. first is its first transaction; it may be empty.
func Backfill(t *dynamo.Table, c *layout.Constraint, of plan.Backfill, first []client.Write) (*plan.Plan, error) {
	d := newDraft(t, plan.KindBackfill, t.LockTable(c))
	d.Constraint, d.Backfill = c.Name, &of
	return d.manyTransactions(first)
}

// UndoBackfill returns the plan that undoes a backfill. first is its first transaction; it may be empty.
func UndoBackfill(t *dynamo.Table, was *plan.Plan, first []client.Write) (*plan.Plan, error) {
	d := newDraft(t, plan.KindUndoBackfill, was.Table)
	d.Constraint, d.Backfill, d.Undoes = was.Constraint, was.Backfill, was.ID
	return d.manyTransactions(first)
}

// manyTransactions returns the plan of a change that has many transactions. The plan has only the first one.
func (d *draft) manyTransactions(first []client.Write) (*plan.Plan, error) {
	if err := d.Live.Table.Connection().Denied(d.Table); err != nil {
		return nil, err
	}
	for _, w := range first {
		d.add(w, nil)
	}
	d.Price = plan.Price{}
	if d.writes != nil {
		d.Steps = plan.Steps{{Name: journal.StepName(d.Kind), Token: newToken(), Writes: d.writes}}
	}
	p, err := bind(d.Plan, d.t)
	if err != nil {
		return nil, err
	}
	p.Images = nil // the file of the run has the locks
	for _, table := range []string{d.t.Name, d.Table} {
		p.Tables[table] = d.t.DescriptionOf(table).Identity()
	}
	if p.Live.Conn.GuardOf(d.Table) == client.GuardType {
		p.Typed = p.Subject()
	}
	return p, nil
}

// Abandon returns the plan that ends an adoption. It has no transaction.
func Abandon(t *dynamo.Table, c *layout.Constraint) *plan.Plan {
	at := time.Now()
	return &plan.Plan{
		ID: newID(at), At: at, Kind: plan.KindAbandon, Table: t.LockTable(c), Accounts: t.Name, Constraint: c.Name,
		Tables: map[string]string{t.Name: t.Identity(), t.LockTable(c): t.DescriptionOf(t.LockTable(c)).Identity()},
		Live:   plan.Live{Conn: t.Connection(), Table: t, Account: t.Description.Account},
	}
}

// DeleteUnchanged returns the deletion of a lock that is unchanged and that no release has marked. others describes
// other locks. The deletion requires that the lock still lacks their attributes: an application may add such an
// attribute.
func DeleteUnchanged(
	t *dynamo.Table, table string, key attr.Key, lock attr.Item, others *layout.LockTraits,
) client.Write {
	return newExpression(t.SchemaOf(table), lock).allUnchanged(schema.MarkAttribute).absent(others.Lacks(lock)).
		write(client.Delete, table, key)
}
