package explain

import (
	"cmp"
	"context"
	"slices"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// Journal returns the changes of the journal that wrote the relations' locks, or accounts that hold the value. It
// omits changes that were refused, since they wrote nothing.
func Journal(ctx context.Context, j *journal.Journal, t *dynamo.Table, rels ...*verdict.Relation) ([]Event, error) {
	var events []Event
	for _, s := range subjects(rels) {
		locks := s.lockKeys()
		items := make([]client.Address, 0, len(locks)+len(s.Claimants))
		for _, key := range locks {
			items = append(items, client.Address{Table: s.Lock.Table, Key: key})
		}
		for _, key := range s.accountKeys() {
			items = append(items, client.Address{Table: t.Name, Key: key})
		}
		if len(items) == 0 {
			continue
		}
		records, err := change.ItemHistory(ctx, j, t, items...)
		if err != nil {
			return nil, err
		}
		for _, r := range records {
			entry, err := plan.Load(r)
			if err != nil {
				return nil, err
			}
			for _, step := range r.Steps {
				if outcomeOf(r, step) != journal.Refused {
					events = append(events, s.ofStep(t, r, step, entry.Plan)...)
				}
			}
		}
		filled, err := s.ofBackfills(ctx, j, t, items[:len(locks)])
		if err != nil {
			return nil, err
		}
		events = append(events, filled...)
	}
	return events, nil
}

// ofBackfills returns the events of backfills that put one of the locks, and of their undos. It reads them from the
// files of the runs. If a file is missing, only the mark in the lock shows the backfill.
func (s subject) ofBackfills(
	ctx context.Context, j *journal.Journal, t *dynamo.Table, locks []client.Address,
) (events []Event, err error) {
	writes, err := change.BackfillWrites(j, t, locks...)
	if err != nil {
		return nil, err
	}
	mark := s.Lock.Item[schema.AdoptAttribute]
	var late *Event // the backfill with the lock's mark, if its put got no answer at first, or was refused
	shown := false
	for _, w := range writes {
		e := s.by(w.Record, LockFilled, w.At).about(w.Table, w.Key)
		e.Uncertain = w.Outcome == string(journal.Unknown)
		isMark := mark.Text != "" && w.Key.Equal(s.Lock.Key) && w.Item[schema.AdoptAttribute].Equal(mark)
		switch owner := s.ownerOf(w.Table, w.Key, w.Item); {
		case w.Verb == client.Delete:
			e.Kind, e.Undoes = LockDeleted, w.Record.Undoes
		case w.Outcome == string(journal.Applied):
			e.Owner, e.Until, shown = owner, w.Until.UTC(), shown || isMark
		case isMark && late == nil:
			e.Owner, e.Uncertain, late = owner, false, &e
			continue
		case isMark || !e.Uncertain:
			continue
		}
		events = append(events, e)
	}
	if mark.Text == "" || shown {
		return events, nil
	}
	if late != nil {
		return append(events, *late), nil
	}
	r, err := change.BackfillOf(ctx, j, t, s.Lock.Table, mark.Text)
	if err != nil || r == nil {
		return events, err
	}
	e := s.by(r, LockFilled, r.At).about(s.Lock.Table, s.Lock.Key)
	e.Owner = s.Lock.Owner
	for _, step := range r.Steps {
		if outcomeOf(r, step) != journal.Unknown {
			e.Until = step.Last.UTC()
		}
	}
	return append(events, e), nil
}

// by returns an event of a change in the journal.
func (s subject) by(r *journal.Record, kind Kind, at time.Time) Event {
	e := s.event(kind, at, Source{Kind: FromJournal, Receipt: r.Receipt})
	e.Who, e.AskedBy, e.Reason = cmp.Or(r.AppliedBy, r.Who), r.AskedBy, r.Reason
	return e
}

// outcomeOf returns the outcome of a step. If a step got no answer, and a person resolved the change later, the outcome
// is that of the change.
func outcomeOf(r *journal.Record, step *journal.Step) journal.Outcome {
	if step.Outcome == journal.Unknown && r.Resolved {
		return r.Outcome
	}
	return step.Outcome
}

// accountKeys lists the accounts of the relation, each once.
func (s subject) accountKeys() (keys []attr.Key) {
	add := func(a *schema.Account) {
		if a != nil && !slices.ContainsFunc(keys, a.Key.Equal) {
			keys = append(keys, a.Key)
		}
	}
	add(s.Account)
	for n := range s.Claimants {
		add(&s.Claimants[n])
	}
	add(s.OwnerAccount)
	return keys
}

// ofStep returns the events of one sent step: the events of the lock, or else the events of an account. It returns
// none for a backfill and its undo, since their plans have only the first transaction; see ofBackfills.
func (s subject) ofStep(t *dynamo.Table, r *journal.Record, step *journal.Step, p *plan.Plan) (events []Event) {
	sent := slices.IndexFunc(p.Steps, func(one plan.Step) bool { return one.Name == step.Name })
	if sent < 0 || p.Kind == plan.KindBackfill || p.Kind == plan.KindUndoBackfill {
		return nil
	}
	add := func(kind Kind, table string, key attr.Key) *Event {
		e := s.by(r, kind, step.First).about(table, key)
		e.Undoes, e.Uncertain = r.Undoes, outcomeOf(r, step) == journal.Unknown
		events = append(events, e)
		return &events[len(events)-1]
	}
	for _, w := range p.Steps[sent].Writes {
		if w.Verb == client.Check || w.Table != s.Lock.Table || !slices.ContainsFunc(s.lockKeys(), w.Key.Equal) {
			continue
		}
		before, _ := p.Image(w.Table, w.Key)
		after := plan.ItemAfter(w, before)
		was, is := s.ownerOf(w.Table, w.Key, before), s.ownerOf(w.Table, w.Key, after)
		switch {
		case step.Name == journal.StepMark:
			add(LockMarked, w.Table, w.Key)
		case step.Name == journal.StepUnmark:
			add(LockUnmarked, w.Table, w.Key)
		case w.Verb == client.Put:
			add(LockMade, w.Table, w.Key).Owner = is
		case w.Verb == client.Delete:
			add(LockDeleted, w.Table, w.Key).Before = was
		case was != is:
			e := add(LockMoved, w.Table, w.Key)
			e.Before, e.Owner = was, is
		default:
			add(LockChanged, w.Table, w.Key).Owner = is
		}
	}
	if len(events) > 0 {
		return events
	}
	for _, w := range p.Steps[sent].Writes {
		if w.Verb != client.Check && w.Table == t.Name && slices.ContainsFunc(s.accountKeys(), w.Key.Equal) {
			add(AccountWritten, w.Table, w.Key)
		}
	}
	return events
}

// ownerOf returns the owner that a lock names; empty if the item is nil.
func (s subject) ownerOf(table string, key attr.Key, item attr.Item) string {
	return schema.LockOf(s.Constraint, table, key, item).Owner
}
