package doctor

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
)

// The IAM actions that doctor tests.
const (
	listTables    = "dynamodb:ListTables"
	describeTable = "dynamodb:DescribeTable"
	describeTTL   = "dynamodb:DescribeTimeToLive"
	getItem       = "dynamodb:GetItem"
	batchGetItem  = "dynamodb:BatchGetItem"
	query         = "dynamodb:Query"
	scan          = "dynamodb:Scan"
)

// nobody is the text in the keys of test reads. The table needs no item with such a key.
const nobody = "tallylock doctor"

// tries holds the data for the tests of one table. key is the key that test reads ask for.
type tries struct {
	run
	client.Description
	key   attr.Key
	asked *client.Reader
}

// without ends a sentence about a missing permission. what names the features that need the permission.
func without(what string) string { return "; without this permission: " + what }

// lacks returns the Line for an action that failed with err. If AWS denied the action, the Line offers to
// print a policy. This policy allows the action on the table.
func (r run) lacks(tried, table string, err error) Line {
	l := Failed(tried, err)
	if client.KindOf(err) != client.Denied {
		return l
	}
	role := client.Viewer
	if tried == scan {
		role = client.Auditor
	}
	l.Do = append(l.Do, remedy.Remedy{Code: remedy.PrintPolicy, Args: []string{string(role)}, Table: table})
	return l
}

// table tests the permissions for one table, and the features of the endpoint. chosen is a text that says
// why doctor took this table. It is empty if a person named the table.
func (r run) table(ctx context.Context, name, chosen string) {
	d, err := r.c.Describe(ctx, name)
	if err != nil {
		l := r.lacks(describeTable, name, err)
		if client.KindOf(err) == client.Denied {
			l.Outcome += without("tables cannot be opened")
		}
		r.say(l)
		r.say(Line{"other permissions", Untried, "the keys of " + name + " are unknown", nil})
		return
	}
	r.say(Line{describeTable, Works, fmt.Sprintf("%s%s has about %s", name, chosen, phrase.Count(d.Items, "item")), nil})
	t := tries{run: r, Description: d, asked: r.c.Reader()}
	t.key = d.Schema.KeyFrom(textOf(d.Schema.HashKind), textOf(d.Schema.RangeKind))
	t.reads(ctx)
	if ctx.Err() != nil {
		return
	}
	t.scans(ctx)
	t.writes(ctx)
}

// textOf returns the value of a key attribute in test reads. k is the type of the attribute.
func textOf(k attr.Kind) string {
	if k == attr.N {
		return "0"
	}
	return nobody
}

// reads tests the reads of single items, and queries of the table and of one index. It also tests whether
// the time to live can be read.
func (t tries) reads(ctx context.Context) {
	t.expiry(ctx)
	_, apart, err := t.asked.Together(ctx, []client.Address{{Table: t.Name, Key: t.key}})
	switch {
	case err == nil && apart && t.Strong:
		t.say(Line{
			"transactional reads",
			Doubtful,
			"a table with multi-Region strong consistency has no transactional reads: tallylock reads items one after the other, and cannot make changes",
			nil,
		})
	case err == nil && apart:
		t.say(Line{
			"transactional reads",
			Doubtful,
			"the endpoint has no transactional reads: tallylock reads items one after the other, so verdicts on broken values stay provisional",
			nil,
		})
	default:
		t.tried(getItem, "one key was read, in a transaction", "no find, no check, no change", err)
	}
	_, err = t.asked.Get(ctx, t.Name, []attr.Key{t.key}, true)
	t.tried(batchGetItem, "one key was read", "no browsing, no find", err)
	_, err = t.asked.Query(ctx, t.Name, t.Schema, t.key.Hash.Value, "", client.PageInput{Limit: 1, Consistent: true})
	t.tried(query, "one partition was queried", "no find if a key needs more than the value, no highest ids", err)
	if len(t.Indexes) == 0 {
		return
	}
	by := slices.Min(slices.Collect(maps.Keys(t.Indexes)))
	index, kind := t.Indexes[by], cmp.Or(t.Kinds[by], attr.S)
	_, err = t.asked.Query(ctx, t.Name, attr.Schema{HashName: by}, attr.Value{Kind: kind, Text: textOf(kind)}, "",
		client.PageInput{Index: index, Limit: 1})
	t.tried(query+" of indexes", "the index "+index+" was queried",
		"find cannot use an index. The policy must name table/"+t.Name+"/index/*", err)
}

// expiry tests whether the table's time-to-live setting can be read. A check without this permission still
// works, but it does not look for accounts that expire.
func (t tries) expiry(ctx context.Context) {
	attribute, err := t.asked.TimeToLive(ctx, t.Name)
	if err == nil {
		word := "items do not expire"
		if attribute != "" {
			word = "items expire by " + attribute
		}
		t.say(Line{describeTTL, Works, word, nil})
		return
	}
	l := t.lacks(describeTTL, t.Name, err)
	l.State = Doubtful
	l.Outcome += "; so a check does not look for accounts that expire without their locks"
	if client.KindOf(err) == client.Unsupported {
		l.Do = do("everything else works without it")
	}
	t.say(l)
}

// tried reports the result of an action. works is the outcome in words if err is nil. lost names the
// features that need the action.
func (t tries) tried(action, works, lost string, err error) {
	if err == nil {
		t.say(Line{action, Works, works, nil})
		return
	}
	l := t.lacks(action, t.Name, err)
	if client.KindOf(err) == client.Denied {
		l.Outcome += without(lost)
	}
	t.say(l)
}

// scans tests a scan, a consistent scan, and a scan with a projection. It also reports whether the endpoint
// counts read units.
func (t tries) scans(ctx context.Context) {
	const consistent, projected = "consistent scan", "projection"
	page, err := t.asked.Scan(ctx, t.Name, client.PageInput{Limit: 1})
	t.tried(scan, "one item was read, but is not shown", "no browsing, no recognised layout, no check, no release", err)
	if err != nil {
		t.say(Line{consistent, Untried, "it needs " + scan, nil})
		t.say(Line{projected, Untried, "it needs " + scan, nil})
		return
	}
	if _, err = t.asked.Scan(ctx, t.Name, client.PageInput{Limit: 1, Consistent: true}); err != nil {
		t.say(Failed(consistent, err))
	} else {
		t.say(Line{consistent, Works, "answered", nil})
	}
	empty := len(page.Items) == 0
	names := []string{t.Schema.HashName}
	if t.Schema.RangeName != "" {
		names = append(names, t.Schema.RangeName)
	}
	page, err = t.asked.Scan(ctx, t.Name, client.PageInput{Limit: 1, Attributes: names})
	switch more := len(page.Items) > 0 && len(page.Items[0]) > len(names); {
	case err != nil:
		t.say(Failed(projected, err))
	case more:
		t.say(
			Line{projected, Doubtful, "the endpoint was asked for keys only, but sends whole items: reading takes longer", nil},
		)
	case empty:
		t.say(
			Line{projected, Doubtful, "answered, but the table's first page is empty, so the test proves nothing", nil},
		)
	default:
		t.say(Line{projected, Works, "the endpoint sent only the keys", nil})
	}
	if t.c.ReportsUnits() {
		t.say(Line{"read units", Works, fmt.Sprintf("the endpoint reports read units: %g so far", t.c.Units()), nil})
	} else {
		t.say(Line{
			"read units", Doubtful,
			"the endpoint does not report read units, so tallylock shows no prices and cannot keep limits", nil,
		})
	}
}
