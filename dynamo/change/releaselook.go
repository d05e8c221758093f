package change

import (
	"context"
	"fmt"
	"iter"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/scan"
)

// fewBytes is the largest table that a look reads in one segment: each further one costs a
// request.
const fewBytes = 4 << 20

// look reads every item of all tables of the layout, strongly consistent and to the end. It
// sends nothing before it is called. An error means that the look is not complete: nothing
// may be concluded from it (docs/truth.md §3b).
func (c *Changer) look(
	ctx context.Context, t *dynamo.Table, claims *dynamo.ClaimScan, progress func(Progress),
) (units float64, reads []client.Read, err error) {
	all := dynamo.LookCost(t).Items
	var before scan.Totals
	for _, name := range t.Tables() {
		d := t.DescriptionOf(name)
		o := scan.Options{
			Attributes: attr.Columns(d.Schema.HashName, d.Schema.RangeName), Whole: true, Consistent: true,
			MaxReadUnits: c.MaxReadUnits, Progress: new(scan.Progress),
		}
		if d.Bytes <= fewBytes {
			o.Segments = 1
		}
		stop := reportPeriodically(func() {
			read := o.Progress.Totals()
			progress(Progress{
				Stage:     StageLook,
				Done:      before.Items + read.Items,
				Total:     all,
				ReadUnits: before.Units + read.Units,
				Throttled: before.Throttled + read.Throttled,
			})
		})
		var readers []*dynamo.ClaimReader
		read, err := scan.Table(ctx, t.Connection().Client, d, o, func() scan.Visitor {
			r := claims.Reader()
			readers = append(readers, r)
			look := &lookVisitor{table: name, reader: r}
			look.whole.Names = o.Attributes
			look.all, look.kept = look.whole.All, look.whole.Item
			return look
		})
		stop()
		for _, r := range readers {
			r.Close()
		}
		before.Items += read.Items
		before.Units += read.Units
		before.Throttled += read.Throttled
		if err != nil {
			return before.Units, nil, err
		}
		reads = append(reads, client.Read{
			At: time.Now(), Table: name, What: "every item", Found: phrase.Count(read.Items, "item") + " read",
			How: "consistent", Units: read.Units,
		})
	}
	return before.Units, reads, nil
}

// lookVisitor passes the items of a look to a claim scan.
type lookVisitor struct {
	table  string
	reader *dynamo.ClaimReader
	whole  scan.WholeRow // the row, and its methods
	all    iter.Seq2[string, attr.Value]
	kept   func() attr.Item
}

// Visit is not called: a look reads whole items.
func (o *lookVisitor) Visit(row scan.Row) { o.VisitWhole(row, scan.Rest{}) }

// VisitWhole adds one item.
func (o *lookVisitor) VisitWhole(row scan.Row, rest scan.Rest) {
	o.whole.Row, o.whole.Rest = row, rest
	o.reader.SeeFields(o.table, &o.whole, o.all, o.kept)
}

// whyKept returns the reason why a lock must be kept, after the look; nil if there is none.
func (r *releaseRun) whyKept(
	ctx context.Context, claims dynamo.Claims, rel *dynamo.Relation, respelt []attr.Key,
) (*Reason, error) {
	if claimants := claims.Claimants(); len(claimants) > 0 {
		now := *rel
		now.Claimants = claimants
		return &heldRefusal(&now).Reasons[0], nil
	}
	if err := r.table.Fit.Misfit("", rel.Constraint); err != nil {
		return &misfitRefusal(err).Reasons[0], nil
	}
	if h := dynamo.Undecided(claims.Sightings()); h != nil {
		return &undecidedRefusal(r.table, rel, *h).Reasons[0], nil
	}
	if other, found := claims.Otherwise(); found && trustedOnly(r.table, nil) { // two may keep their values in one place
		// Only a person says that the layout fits: nothing shows what is kept apart.
		return &refuse(Held, "%s holds the %s \"%s\" in another spelling or scope, and nothing that was seen shows that the application keeps those apart", other.Account, rel.Constraint.Name, rel.Value).Reasons[0], nil
	}
	doubt, err := claims.Doubt(ctx, respelt...)
	if err != nil || doubt == "" {
		return nil, err
	}
	return &Reason{
		Code: Incomplete,
		Text: fmt.Sprintf("it cannot be told that nobody holds the %s \"%s\": %s", rel.Constraint.Name, rel.Value, doubt),
	}, nil
}

// mentionReads lists what a look met that contains a lock's value without holding it: copies,
// texts that locks never keep, and longer texts.
func mentionReads(claims dynamo.Claims, rel *dynamo.Relation) []client.Read {
	var reads []client.Read
	add := func(found string) {
		reads = append(reads,
			client.Read{At: time.Now(), Table: rel.Lock.Table, What: "mentions", Found: found, How: "consistent"})
	}
	for _, h := range claims.Sightings() {
		if h.As == dynamo.HoldsCopy || h.As == dynamo.HoldsOther {
			add(h.String())
		}
	}
	if n := claims.Mentions(); n > 0 {
		says := "%s contain \"%s\" (ignored)"
		if n == 1 {
			says = "%s contains \"%s\" (ignored)"
		}
		add(fmt.Sprintf(says, phrase.Count(int64(n), "longer text"), rel.Value))
	}
	return reads
}

// undecidedRefusal refuses to release a lock whose value is in an item that may be an
// account, and says how to decide that.
func undecidedRefusal(t *dynamo.Table, rel *dynamo.Relation, h dynamo.Sighting) *Refusal {
	if h.As == dynamo.HoldsAccount {
		return refuse(Held, "%s: the lock of the %s \"%s\" stays", h, rel.Constraint.Name, rel.Value)
	}
	r := refuse(Held, "%s %s", h, h.Say(t))
	r.Reasons[0].Asks = h.Ask(t)
	return r
}

// reportPeriodically calls report ten times a second, one call at a time, until it is
// stopped.
func reportPeriodically(report func()) (stop func()) {
	done, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		ticker := time.NewTicker(100 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				report()
			}
		}
	}()
	return func() {
		close(done)
		<-over
		report()
	}
}
