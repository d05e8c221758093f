package release

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/dynamo/holders"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/scan"
	"tallylock/dynamo/verdict"
)

// fewBytes is the size of the largest table that a look reads in one segment: each further segment costs a
// request.
const fewBytes = 4 << 20

// Look reads every item of all tables of the layout, strongly consistent and to the end. An error means that
// the look is incomplete: nothing may be concluded from it (docs/truth.md §3b). rate limits the read units per
// second: see scan.Options.
func Look(
	ctx context.Context, t *dynamo.Table, claims *holders.Search, rate float64, progress func(scan.Totals),
) (units float64, reads []client.Read, err error) {
	var before scan.Totals
	counted, err := CheckTables(ctx, t)
	if err != nil {
		return 0, nil, err
	}
	for _, name := range t.Tables() {
		d := t.DescriptionOf(name)
		o := scan.Options{
			Attributes: attr.Columns(d.Schema.HashName, d.Schema.RangeName), Whole: true, Consistent: true,
			MaxReadUnits: rate, Progress: new(scan.Progress),
		}
		if d.Bytes <= fewBytes {
			o.Segments = 1
		}
		stop := reportPeriodically(func() {
			read := o.Progress.Totals()
			read.Items += before.Items
			read.Units += before.Units
			read.Throttled += before.Throttled
			progress(read)
		})
		var readers []*holders.Reader
		read, err := scan.Table(ctx, t.Connection().Client, d, o, func() scan.Visitor {
			r := claims.Reader()
			readers = append(readers, r)
			look := &lookVisitor{t: t, table: name, reader: r}
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
		if err := loadedAgain(d, read.Items, counted[name]); err != nil {
			return before.Units, nil, err
		}
	}
	_, err = CheckTables(ctx, t)
	return before.Units, reads, err
}

// loadedAgain returns an error if a table without a TableId had fewer than half of its expected items: perhaps the
// table was replaced and is being loaded again.
func loadedAgain(d client.Description, read, counted int64) error {
	if d.ID != "" || 2*read >= counted {
		return nil
	}
	return &client.Error{
		Kind: client.Failed, Op: "looking for the value in " + d.Name,
		Why: fmt.Sprintf("only %s of about %s were read. Perhaps the table was replaced; the endpoint gives no TableId to check this",
			phrase.Group(fmt.Sprint(read)), phrase.Count(counted, "item")),
		Do: "look at the table, then release the lock again",
	}
}

// CheckTables returns the approximate number of items of each table of a look, by name. It returns an error if
// a table was deleted and created again since it was opened, or if its identity is unknown.
func CheckTables(ctx context.Context, t *dynamo.Table) (items map[string]int64, err error) {
	items = map[string]int64{}
	for _, name := range t.Tables() {
		now, err := t.Connection().Describe(ctx, name)
		if err != nil {
			return nil, err
		}
		why := ""
		switch was := t.DescriptionOf(name).Identity(); {
		case was == "" || now.Identity() == "":
			why = plan.UntoldTable(name)
		case was != now.Identity():
			why = fmt.Sprintf("the table %s was deleted and created again (before: %s; now: %s)", name, was, now.Identity())
		}
		if why != "" {
			return nil, &client.Error{
				Kind: client.Failed, Op: "looking at every item of " + name, Why: why, Do: "open the table again",
			}
		}
		items[name] = now.Items
	}
	return items, nil
}

// lookVisitor passes the items of a look to a holders.Reader.
type lookVisitor struct {
	t      *dynamo.Table
	table  string
	reader *holders.Reader
	whole  scan.WholeRow // the current row
	all    iter.Seq2[string, attr.Value]
	kept   func() attr.Item
}

// Visit passes one item to the reader.
func (o *lookVisitor) Visit(row scan.Row, rest scan.Rest) {
	o.whole.Row, o.whole.Rest = row, rest
	o.reader.SeeFields(o.table, o.t.Classify(o.table, &o.whole), &o.whole, o.all, o.kept)
}

// WhyKept judges a lock again after the look. It returns the reason to keep the lock; nil if there is none.
func WhyKept(t *dynamo.Table, claims holders.Found, of *plan.LockRelease) *plan.Reason {
	now := *of.Rel
	now.Claimants, now.MoreClaimants = claims.Claimants()
	e := t.Facts(&now, nil, verdict.OthersSettled)
	e.Holders = claims.Holders(of.Respelt...)
	e.Digests = !of.DigestChecked && e.UnknownText && !claims.Balanced()
	// Impossible is cleared: the lock exists, even if no key can be made of its value. Reserved is cleared, too: a
	// person has already decided to release a reserved lock.
	e.Impossible, e.Reserved = nil, layout.Reservation{}
	now.Conclude(e)
	kept, _ := errors.AsType[*plan.Refusal](planner.KeptRefusal(t, &now))
	switch why := t.Regions().Refuses(client.Delete); {
	case why != "":
		kept = plan.Refuse(plan.Regions, "%s", why)
	case kept != nil:
	case now.Misfit:
		kept = planner.MisfitRefusal(t.Fit.Misfit("", now.Constraint))
	case now.Digests:
		kept = plan.Refuse(plan.ByHand, "the lock keeps a digest of an unknown text, and some accounts have no lock. The lock may "+
			"belong to one of these accounts. Release the lock by its value")
	case !now.Verdict.NeedsAbsence():
		kept = plan.Refuse(plan.Incomplete, "%s: the lock of the %s \"%s\" stays", now.Why,
			now.Constraint.Name, now.Value)
	default:
		return nil
	}
	return &kept.Reasons[0]
}

// reportPeriodically calls report ten times a second, one call at a time, until stop is called.
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
