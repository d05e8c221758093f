package dynamo

import (
	"context"
	"slices"
	"time"

	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// mostHolders is how many accounts of one value are read again together. Where more hold it,
// that is known already, and each further page would pay for all of them again.
const mostHolders = 10

// takeUnlocked makes the rows of an account's values that no locks keep.
func (v *values) takeUnlocked(kind *layout.Account, a *Account) (rows []*Relation) {
	for _, c := range kind.Unlocked {
		for _, text := range c.AppendValues(nil, a.Item) {
			rel := &Relation{Constraint: c, Value: text, Account: a, Claimants: []Account{*a}, Judgement: notYet(whyHolders)}
			v.claims[rel.Subject()] = append(v.claims[rel.Subject()], rel)
			rows = append(rows, rel)
		}
	}
	return rows
}

// judgeUnlocked judges fresh rows of values that no locks keep. Accounts that hold the same
// are read again together: one may have taken the value after the other gave it up.
func (v *values) judgeUnlocked(ctx context.Context) error {
	for _, rel := range v.unlocked {
		shared := v.claims[rel.Subject()]
		some := shared[:min(len(shared), mostHolders)]
		switch {
		case !rel.Unjudged: // read with another
		case len(shared) == 1:
			rel.Judgement = JudgeUse(UseEvidence{Accounts: 1})
		case slices.Contains(some, rel):
			if err := v.readHolders(ctx, some); err != nil {
				return err
			}
		default:
			if len(some[0].Claimants) > 1 {
				rel.Claimants = some[0].Claimants
			}
			rel.Judgement = JudgeUse(UseEvidence{Accounts: len(rel.Claimants), Scanned: true})
		}
	}
	v.unlocked = nil
	return nil
}

// readHolders reads accounts together that were met with one value, and judges their rows.
// Rows of earlier Views are replaced, the others are nobody's yet.
func (v *values) readHolders(ctx context.Context, rows []*Relation) error {
	b := v.b
	var places []client.Address
	for _, row := range rows {
		places = append(places, client.Address{Table: b.t.Name, Key: row.Account.Key})
	}
	items, apart, err := b.r.Together(ctx, places)
	busy := client.KindOf(err) == client.Conflict // each was met with the value, at a time of its own
	if err != nil && !busy {
		return err
	}
	holds := make([]bool, len(rows))
	var holders []Account
	for n, row := range rows {
		a := row.Account
		if holds[n] = busy; !busy {
			var kind *layout.Account
			kind, a = b.t.Match.account(items[n])
			holds[n] = a != nil && slices.Contains(kind.Unlocked, row.Constraint) &&
				slices.Contains(row.Constraint.AppendValues(nil, a.Item), row.Value) &&
				(&Relation{Constraint: row.Constraint, Value: row.Value, Account: a}).Subject() == row.Subject()
		}
		if holds[n] {
			holders = append(holders, *a)
		}
	}
	read := client.Read{
		At:    time.Now(),
		Table: b.t.Name,
		What:  phrase.Count(len(rows), "account"),
		Found: phrase.Number(len(holders)) + " hold it",
		How:   "transaction",
	}
	for n, row := range rows {
		now := row
		if !row.Unjudged {
			copied := *row
			now = &copied
		}
		e := UseEvidence{Accounts: len(holders), Apart: apart, Scanned: busy}
		now.Claimants, now.Reads = holders, []client.Read{read}
		switch {
		case busy:
			now.Reads = nil
		case !holds[n]:
			now.Claimants, e = nil, UseEvidence{OthersWhy: "it changed while it was read; read the table again"}
		}
		if now.Judgement = JudgeUse(e); now != row {
			v.replace(row, now)
		}
	}
	return nil
}

// inspectUnlocked are the values of one account that no locks keep, judged together with the
// accounts that were seen with them before.
func inspectUnlocked(
	ctx context.Context, t *Table, r *client.Reader, kind *layout.Account, a *Account, seen []*Relation,
) ([]*Relation, error) {
	v := values{b: &Browser{t: t, r: r}, claims: map[string][]*Relation{}}
	own := v.takeUnlocked(kind, a)
	v.unlocked = own
	others := map[string]bool{}
	for _, rel := range seen {
		for n := range rel.Claimants {
			other, id := &rel.Claimants[n], rel.Subject()
			if at := id + "\x00" + other.Key.ID(); len(v.claims[id]) > 0 && !other.Key.Equal(a.Key) && !others[at] {
				others[at] = true
				v.claims[id] = append(v.claims[id],
					&Relation{Constraint: rel.Constraint, Value: rel.Value, Account: other, Judgement: notYet(whyHolders)})
			}
		}
	}
	return own, v.judgeUnlocked(ctx)
}
