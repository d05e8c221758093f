package change

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// release is what applying the plan needs besides the plan itself.
type release struct {
	rel *dynamo.Relation
	// marked: mark, settle, look, delete if still marked (docs/truth.md §3b). Else
	// one transaction that rests on the owner (docs/truth.md §3c).
	marked bool
	// respelt are the accounts whose spelling of the value the plan itself mends.
	respelt []attr.Key
	// along is what is written in the transaction that deletes the marked lock.
	along []client.Write
	// begun: its mark was sent, which is never done twice.
	begun bool
}

// Even is what a person allows a release besides.
type Even string

// EvenReserved allows a release of a lock whose account may still come. Its value has to
// be typed.
const EvenReserved Even = "reserved"

// Released is the lock that a change has released, with its table; nil of any other change.
func (r Receipt) Released() (*dynamo.Table, *dynamo.Relation) {
	if r.Outcome != Applied || r.Plan.release == nil {
		return nil, nil
	}
	return r.Plan.table, r.Plan.release.rel
}

// PlanRelease plans to release a lock, after reading again whether anybody
// claims it. It answers a *Refusal where somebody does or may still, or the lock is gone.
func PlanRelease(ctx context.Context, t *dynamo.Table, rel *dynamo.Relation, even ...Even) (*Plan, error) {
	return planReread(ctx, t, rel, dynamo.RereadOptions{}, even...)
}

// PlanReleaseAt is PlanRelease of the lock of a constraint that has a key, whatever
// value that is of: one that can only come from a mistake may be of none.
func PlanReleaseAt(ctx context.Context, t *dynamo.Table, constraint string, key attr.Item, even ...Even) (*Plan, error) {
	rel, err := releaseAt(ctx, t, constraint, key)
	if err != nil {
		return nil, err
	}
	return PlanRelease(ctx, t, rel, even...)
}

// releaseAt is the lock of a constraint that has a key.
func releaseAt(ctx context.Context, t *dynamo.Table, constraint string, key attr.Item) (*dynamo.Relation, error) {
	_, con := t.Layout.Constraint(constraint)
	op := "looking for the " + constraint + " of a lock of " + t.Name
	if con == nil {
		return nil, &client.Error{
			Kind: client.Usage,
			Op:   op,
			Why:  fmt.Sprintf("the layout %s has no such constraint", t.Layout.Name),
			Do:   "name one of its own; nothing was sent",
		}
	}
	table := con.LockTable(t.Name)
	at, ok := t.SchemaOf(table).KeyOf(key)
	if !ok || len(key) != len(at.Item()) {
		return nil, &client.Error{
			Kind: client.Usage,
			Op:   op,
			Why:  "this is no key of the table " + table,
			Do:   "give it as DynamoDB JSON, as a finding has it; nothing was sent",
		}
	}
	items, err := t.ConsistentReader().Read(ctx, table, []attr.Key{at})
	if err != nil {
		return nil, err
	}
	if items[at.ID()] == nil {
		return nil, refusal(Absent, "there is no lock %s", at)
	}
	return t.LockAt(constraint, table, items[at.ID()])
}

// Preview says in the plan's words what a release of a lock would do, from what was
// read of it at a moment. It reads nothing: PlanRelease does before anything is
// asked. It answers a *Refusal where the lock would not be released.
func Preview(t *dynamo.Table, rel *dynamo.Relation, at time.Time) ([]Line, error) {
	p, err := planReleaseAt(t, rel, at, EvenReserved)
	if err != nil {
		return nil, err
	}
	return p.Lines, nil
}

// planReread plans to release a lock after reading it again.
func planReread(ctx context.Context, t *dynamo.Table, rel *dynamo.Relation, o dynamo.RereadOptions, even ...Even) (*Plan, error) {
	o.OneClaimant = true
	fresh, _, err := t.Reread(ctx, o, rel)
	if err != nil {
		return nil, err
	}
	return planRelease(t, fresh[0], even...)
}

// planRelease plans to release a lock that was just read.
func planRelease(t *dynamo.Table, now *dynamo.Relation, even ...Even) (*Plan, error) {
	return planReleaseAt(t, now, time.Now(), even...)
}

func planReleaseAt(t *dynamo.Table, now *dynamo.Relation, at time.Time, even ...Even) (*Plan, error) {
	if !now.Lock.Exists {
		return nil, refusal(Absent, "there is no lock %s", now.Lock.Key)
	}
	if len(now.Claimants) > 0 {
		return nil, held(now)
	}
	if now.Pending && !slices.Contains(even, EvenReserved) {
		return nil, reserved(now)
	}
	mistake, err := t.LockAt(now.Constraint.Name, now.Lock.Table, now.Lock.Item)
	mistaken := err == nil && mistake.Malformed
	if mistaken && mistake.Value != now.Value {
		same := *now
		same.Value = mistake.Value // as it is read of the lock
		now = &same
	}
	p := &Plan{
		At: at, Kind: KindRelease, Table: now.Lock.Table, table: t,
		Constraint: now.Constraint.Name, Value: now.Value, Title: "Release a lock", Button: "Release the lock",
		Sentence: fmt.Sprintf("Frees the %s \"%s\". Anybody can sign up as \"%s\" afterwards. No account is changed.", now.Constraint.Name, now.Value, now.Value),
		Done:     fmt.Sprintf("the %s \"%s\" is free", now.Constraint.Name, now.Value),
	}
	sure := now.Verdict == dynamo.Orphaned || now.Verdict == dynamo.Stale || now.Verdict == dynamo.Malformed
	named := sure && !now.Provisional && t.Fit.OwnerSupported(now) && len(t.Match.OwnerKeys(now)) > 0 && len(t.Match.OwnerKinds(now)) == 1
	// An owner who is not there may be about to come: only a mark waits for that.
	named = named && !now.Constraint.Moves && !now.Constraint.TwoSteps && now.Constraint.Reserved.For == 0
	p.release = &release{rel: now, marked: !named}
	p.asked = Asked{Constraint: p.Constraint, Value: p.Value, Lock: now.Lock.Key.Item(), Reserved: now.Pending}
	if named {
		byOwner(p)
	} else {
		byMark(p)
	}
	if mistaken {
		p.Sentence = fmt.Sprintf("Deletes a lock that can only come from a mistake: %s. No account is changed. What wrote it may write another.", now.Lock.Key)
		p.Done = fmt.Sprintf("the lock %s is gone", now.Lock.Key)
	}
	if now.Pending {
		p.Sentence += " " + pending(now) + ": whoever is signing up with it loses it."
	}
	if now.Constraint.Moves || mistaken || now.Pending {
		p.Typed = p.Subject()
	}
	p.Lines = append(p.Lines, Line{LabelUndo, "puts it back, if nobody has the value by then"})
	return p.on(t)
}

func held(rel *dynamo.Relation) *Refusal {
	who := rel.Claimants[0].Key
	if n := len(rel.Claimants); n > 1 {
		return refusal(Held, "%d accounts hold the %s \"%s\", %s among them: its lock is not released", n, rel.Constraint.Name, rel.Value, who)
	}
	return refusal(Held, "%s holds the %s \"%s\": its lock is not released", who, rel.Constraint.Name, rel.Value)
}

// pending says until when an account may still come for a lock.
func pending(rel *dynamo.Relation) string {
	if rel.Until.IsZero() {
		return fmt.Sprintf("The %s \"%s\" may be reserved, and its lock does not say since when", rel.Constraint.Name, rel.Value)
	}
	return fmt.Sprintf("The %s \"%s\" is reserved until %s", rel.Constraint.Name, rel.Value, rel.UntilWords())
}

// reserved refuses to release a lock whose account may still come.
func reserved(rel *dynamo.Relation) *Refusal {
	do := "wait until then, or release it with --reserved"
	if rel.Until.IsZero() {
		do = "if nobody is signing up with it, release it with --reserved"
	}
	return refusal(Reserved, "%s, and its account may still come: %s", pending(rel), do)
}

// byOwner plans one transaction: delete the lock if it is as it was seen, and
// its owner is still gone, or still holds the other value that was seen.
func byOwner(p *Plan) {
	rel := p.release.rel
	d := &draft{Plan: p, t: p.table, onlyIf: []string{"unchanged since " + clock(p.At)}}
	d.delete(rel.Lock)
	d.former(rel, p.table.Match.OwnerKeys(rel))
	d.Steps = []Step{{Name: journal.StepDelete, Token: newToken(), Writes: d.writes}}
	d.say(LabelOnlyIf, sentence(d.onlyIf))
	d.say(LabelPrice, d.Price.String())
}

func other(owner *dynamo.Account, attribute string) string {
	if v := owner.Item.At(attribute); v.Exists() {
		return `"` + v.Display() + `"`
	}
	return "no " + attribute
}

// byMark plans mark and delete, with a look between them, and the step that
// takes the mark off again.
func byMark(p *Plan) {
	t, rel := p.table, p.release.rel
	lock, key := rel.Lock.Item, rel.Lock.Key
	p.saw(rel.Lock.Table, key, lock)
	p.Steps = p.release.steps(t.SchemaOf(rel.Lock.Table))
	marked := with(lock, dynamo.MarkAttribute, p.Steps[0].Writes[0].Values[":mark"])
	p.Price = Price{WriteUnits: 2 * units(marked.Size()), ReadUnits: dynamo.SearchCost(t).Units, About: true}
	if t.Bytes == 0 {
		p.Price.Uncounted = true // the table is new: AWS counts every six hours
	}
	attributes := "with no other attribute"
	if n := len(lock) - len(key.Item()); n > 0 {
		attributes = fmt.Sprintf("with the same %s", plural(big.NewInt(int64(n)), "attribute"))
	}
	p.Lines = []Line{
		{LabelDelete, rel.Lock.Key.String()},
		{LabelOnlyIf, fmt.Sprintf("unchanged since %s, %s", clock(p.At), attributes)},
		{LabelFirst, fmt.Sprintf("marks it, waits %g s, and looks at every item for one that holds \"%s\"", t.Connection().Settle().Round(time.Millisecond).Seconds(), rel.Value)},
		{LabelPrice, p.Price.String()},
	}
}

// steps are those of a release that marks its lock, with a mark of their own.
func (r *release) steps(schema attr.Schema) []Step {
	rel, mark := r.rel, attr.String(newMark())
	lock, key := rel.Lock.Item, rel.Lock.Key
	// A mark that an earlier release left behind is part of what was seen, so
	// the condition names it and the new one takes over.
	absent := []string{dynamo.MarkAttribute}
	if owner := rel.Constraint.Owner; owner != "" && rel.Lock.Owner == "" {
		absent = append(absent, owner)
	}
	set := given(schema, lock).all(absent...).mark(mark).write(client.Update, rel.Lock.Table, key)
	set.Update = "SET #mark = :mark"
	marked := with(lock, dynamo.MarkAttribute, mark)
	remove := given(schema, marked).all().write(client.Delete, rel.Lock.Table, key)
	off := given(schema, lock).mark(mark).write(client.Update, rel.Lock.Table, key)
	off.Update, off.Condition = "REMOVE #mark", "attribute_exists(#pk) AND #mark = :mark"
	remove.Key, off.Key = set.Key, set.Key // a batch has thousands

	return []Step{
		{Name: journal.StepMark, Token: newToken(), Writes: []client.Write{set}},
		{Name: journal.StepDelete, Token: newToken(), Writes: append([]client.Write{remove}, r.along...), Only: "every account was read and none holds the value"},
		{Name: journal.StepUnmark, Token: newToken(), Writes: []client.Write{off}, Only: "an account holds the value, or the look was not finished"},
	}
}

// markedAnew is the same plan with another mark. The lock has none by now: what an earlier
// release had left there was taken over, and taken off with this plan's own.
func markedAnew(p *Plan, now time.Time) *Plan {
	again, r, rel := *p, *p.release, *p.release.rel
	rel.Lock.Item = unmarked(rel.Lock.Item)
	r.rel, again.release = &rel, &r
	again.ID, again.Steps = newID(now), r.steps(p.table.SchemaOf(rel.Lock.Table))
	return &again
}

// newMark is 128 fresh random bits: no mark is ever written twice.
func newMark() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // crypto/rand never fails
	return hex.EncodeToString(b[:])
}

func plural(n *big.Int, what string) string {
	if n.IsInt64() && n.Int64() == 1 {
		return "one " + what
	}
	return phrase.Group(n.String()) + " " + what + "s"
}

func clock(t time.Time) string { return t.Format("15:04:05") }
