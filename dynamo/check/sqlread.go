package check

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/candidates"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/ids"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/report"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/check/sql"
	"tallylock/dynamo/export"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/scan"
	"tallylock/dynamo/schema"
)

// candidatesPass is a pass that reads the candidates' file instead of the tables. It has a visitor for each table.
type candidatesPass struct {
	run      *run
	visitors []*visitor
}

// read reads the candidates' file. It passes each item that SQL has not judged to a visitor, as if the item came from
// the table. All other rows are results of SQL, and read records them.
func (l *candidatesPass) read(ctx context.Context, p *pass, what progress.Stage) error {
	r := l.run
	r.progress.Enter(progress.Phase{Stage: what})
	defer r.progress.Leave()
	search := p.search
	p.search = nil // the search needs items that the file does not contain
	defer func() { p.search = search }()
	for _, from := range r.sources {
		l.visitors = append(l.visitors, p.newVisitor(from))
	}
	err := r.o.Candidates.Each(func(row candidates.Row) error {
		switch {
		case row.Unjudged != "":
			for _, v := range l.visitors {
				if v.from.Name == row.Of {
					v.unjudged = unjudgedOf(row.Unjudged)
					var item scan.Row
					for _, name := range v.from.Attributes {
						item = append(item, row.Item[name])
					}
					v.Visit(item, scan.Rest{})
				}
			}
		case row.Series != nil:
			l.addIDs(row)
		case row.Derived != nil:
			l.addDrift(row)
		case row.Unlocked:
			l.addValue(row)
		case row.Kind != "" && !row.Again:
			l.addKey(row)
		}
		return ctx.Err()
	})
	if err != nil && ctx.Err() != nil {
		return progress.Stopped(ctx)
	}
	if err != nil {
		return r.o.Candidates.Refuse(err)
	}
	for _, v := range l.visitors {
		v.finish()
	}
	if p.first {
		l.addCounts(p)
	}
	return nil
}

// addCounts adds SQL's counts of the items that SQL has judged.
func (l *candidatesPass) addCounts(p *pass) {
	r := l.run
	for _, row := range r.o.Candidates.Counts {
		switch row.Counted {
		case "derived":
			if of := r.drift.rules[r.drift.nth(row.Derived)]; of != nil {
				of.compared.Add(row.Compared)
				of.drifted.Add(row.Drifted)
			}
		case "items":
			r.report.Summary.Items += row.Count
			p.count.accounts += row.Accounted
			p.count.expiring += row.Expiring
			p.count.keyless += row.Strange
		case "impossible":
			p.count.impossible += row.Count
			for _, account := range row.Accounts {
				key, _ := r.sources[0].Schema.KeyOf(account)
				p.count.example = report.Shortened(key.String()) + ": " + report.Shortened(fmt.Sprintf("%s %q: %s", row.Constraint, row.Value, layout.ErrValue))
			}
		case "constraint":
			for _, of := range r.rules.All {
				if of.Name == row.Constraint {
					tally := &p.count.rules[of.Number]
					tally.locks += row.Locks
					tally.owned += row.Owned
					tally.claims += row.Calls
					tally.unfolded += row.Odd
					p.count.locks += row.Locks
				}
			}
		}
	}
}

// addKey records a row about one lock key. SQL found that the lock and the accounts with this key do not match.
func (l *candidatesPass) addKey(row candidates.Row) {
	v := l.visitors[0]
	r := v.run
	if v.pass.join == nil {
		return
	}
	of := r.rules.Named(row.Constraint)
	if of == nil {
		return
	}
	key, ok := of.LocksIn.Schema.KeyOf(row.Lock)
	if !ok {
		return
	}
	v.key = r.codec.Append(v.key[:0], of.LocksIn, join.KeyText(key.Hash.Value), join.KeyText(key.Range.Value))
	if !v.inPartition() {
		return
	}
	value, _, fits := of.ParseLock(of.LocksIn.Schema, key)
	if row.LockExists {
		l.addLock(row, of, key, value, fits)
	}
	for _, account := range row.Accounts {
		own, ok := r.sources[0].Schema.KeyOf(account)
		if !ok {
			continue
		}
		e := v.batch.Next(1)
		v.fillEntry(e, of, "", join.KeyText(own.Hash.Value))
		if v.expiringBatch != nil && row.AccountExpires {
			v.addExpiring(e.Place, 1)
		}
		if c := v.pass.candidates[e.Place]; c != nil {
			c.AddHolder(v.pass.room, of, v.key, value,
				join.Holder{Hash: own.Hash.Value.Text, Sort: own.Range.Value.Text, Of: r.claimedBy(of, account)}, 0)
		}
	}
	if c := v.pass.candidates[r.seed.Fingerprint(v.key)]; c != nil {
		c.Mu.Lock()
		c.FromSQL = true
		c.MoreHolders += int32(min(row.MoreAccounts, 1<<30))
		c.Mu.Unlock()
	}
}

// addLock records the lock of a row about a lock key. The key is in v.key of the first visitor. value is the value in
// the key, and fits tells whether the key has one.
func (l *candidatesPass) addLock(row candidates.Row, of *join.Rule, key attr.Key, value string, fits bool) {
	v := l.visitors[0]
	r := v.run
	partition := row.Owner
	if row.Owner != "" {
		partition, _ = of.OwnerPartition(row.Owner, func() attr.Key { return key })
	}
	e := v.batch.Next(-1)
	v.fillEntry(e, of, "", partition)
	if v.expiringBatch != nil && row.LockExpires {
		v.addExpiring(e.Place, -1)
	}
	if c := v.pass.candidates[e.Place]; c != nil {
		owner := row.Owner
		if of.OwnedByKey() {
			owner = of.KeyOwner(key)
		}
		c.SawLock(of, v.key,
			layout.Role{Constraint: of.Constraint, Value: value, Malformed: !fits || layout.Nonsense(value)},
			join.LockFacts{Owner: owner})
		// If nothing reads the owner again, the row tells whether there is one.
		own, ok := r.sources[0].Schema.KeyOf(row.OwnerAccount)
		if kind := r.t.Layout.KindOf(r.t.Schema, row.OwnerAccount); ok && kind != nil && r.o.Confirm == setting.ConfirmNone {
			c.AddNamed(schema.Account{Model: kind.Model, Key: own, Item: row.OwnerAccount})
		}
	}
}

// claimedBy returns the rule by which an account claims a lock. Several rules may have locks with the same keys, and a
// row of SQL names only one of them. If the account's key shows the kind of the account, claimedBy returns the rule of
// that kind. Otherwise it returns the rule that the row names.
func (r *run) claimedBy(of *join.Rule, account attr.Item) *join.Rule {
	if kind := r.t.Layout.KindOf(r.t.Schema, account); kind != nil {
		for _, con := range kind.Constraints {
			if one := r.rules.ByConstraint[con]; one != nil && one.First == of.First {
				return one
			}
		}
	}
	return of
}

// addValue records a row about a value that several accounts hold and no lock protects.
func (l *candidatesPass) addValue(row candidates.Row) {
	v := l.visitors[0]
	prints := v.run.values.prints
	con := v.run.t.Layout.UnlockedNamed(row.Constraint)
	if con == nil || prints == nil {
		return
	}
	v.key = v.run.values.appendKey(v.key[:0], con, row.Value, "")
	print := v.run.seed.Fingerprint(v.key)
	if v.pass.first {
		prints.Mark(print)
		return
	}
	if v.pass.shared == nil || !prints.Has(print) {
		return
	}
	for _, a := range v.run.t.Layout.Accounts {
		for _, account := range row.Accounts {
			if key, ok := v.from.Schema.KeyOf(account); ok && slices.Contains(a.Unlocked, con) {
				one := sharing{text: row.Value, con: con, space: v.run.values.space(con)}
				one.addTo(v.pass.shared, print, v.pass.room, v.from, key)
			}
		}
	}
	one := sharing{text: row.Value, con: con, space: v.run.values.space(con)}
	one.at(v.pass.shared, print, func(s *sharing) { s.more += row.MoreAccounts })
}

// addDrift records a row about a drifted key.
func (l *candidatesPass) addDrift(row candidates.Row) {
	v := l.visitors[0]
	c := v.run.drift
	of := c.nth(row.Derived)
	if of == nil || c.rules[of] == nil || !v.pass.first {
		return
	}
	for _, kind := range c.kinds() {
		for _, account := range row.Accounts {
			if key, ok := v.from.Schema.KeyOf(account); ok && slices.Contains(kind.Derived, of) {
				c.add(kind, of, key, row.Seen, row.Expected)
			}
		}
	}
}

// addIDs records a row about an id of a counter, with the items that have the id.
func (l *candidatesPass) addIDs(row candidates.Row) {
	v, visitors := l.visitors[0], l.visitors
	r := v.run
	if *row.Series < 0 || *row.Series >= len(r.t.Layout.Counters) || v.pass.shared == nil && !v.pass.first {
		return
	}
	counter := r.t.Layout.Counters[*row.Series]
	var own attr.Key
	if !counter.KeyIsValue(r.t.Schema) {
		var ok bool
		if own, ok = r.t.Schema.KeyOf(row.Key); !ok {
			return
		}
	}
	name := ids.NameOf(*row.Series, own)
	if v.pass.first {
		v.series.Follow(name, counter, own)
	}
	for _, place := range row.Items {
		for _, at := range visitors {
			if at.from.Name != place.Table && (place.Table != "" || at != v) {
				continue
			}
			key, ok := at.from.Schema.KeyOf(place.Key)
			if !ok {
				continue
			}
			print := r.seed.Fingerprint([]byte(name + "\x00" + row.ID))
			if !v.pass.first {
				if m := r.ids.Series[name]; m != nil && r.ids.prints.Has(print) {
					one := sharing{text: row.ID, series: m}
					one.addTo(v.pass.shared, print, v.pass.room, at.from, key)
				}
				continue
			}
			v.series.Follow(name, counter, own).Add(row.ID, at.from, key)
			if r.ids.prints != nil && row.Kind == finding.DuplicateID {
				r.ids.prints.Mark(print)
			}
		}
	}
}

// unjudged lists the parts of an item that SQL has left for the check to judge. nil means the whole item. Each
// part is one word:
//
//   - the number of a constraint
//   - "u" with the number of a constraint without locks
//   - "d" with the number of a derived key
//   - unjudgedMark
//   - candidates.IDs or candidates.IDsBeside
type unjudged []string

// unjudgedMark is the word for the release mark.
const unjudgedMark = "mark"

// unjudgedOf parses candidates.Row.Unjudged.
func unjudgedOf(said string) unjudged {
	words := unjudged(strings.Fields(said))
	if slices.Contains(words, candidates.WholeItem) {
		return nil
	}
	return words
}

func (p unjudged) hasRule(of *join.Rule) bool {
	return p == nil || slices.Contains(p, strconv.Itoa(of.Number))
}

// hasValues reports whether SQL has left the values of a compared constraint to the check.
func (p unjudged) hasValues(r *run, con *layout.Constraint) bool {
	return p == nil || slices.Contains(p, r.rules.PartOf(r.t.Layout, con))
}

func (p unjudged) hasDerived(c *driftCheck, d *layout.Derived) bool {
	return p == nil || slices.Contains(p, fmt.Sprint("d", slices.Index(c.derived(), d)))
}

func (p unjudged) hasIDs() bool {
	return p == nil || slices.Contains(p, candidates.IDs) || slices.Contains(p, candidates.IDsBeside)
}

// needsAllAccounts reports whether the check must read all accounts again. With candidates from SQL, there are three
// reasons. SQL has left values or ids for the check to judge. No known account claims an existing lock. Or SQL has
// paired a lock with an account that is not in the file. Without a reason, the check reads only the locks together with
// their accounts, which is cheaper.
func (f *followUp) needsAllAccounts(ctx context.Context) (rests bool, err error) {
	if f.run.o.Candidates == nil || f.run.o.Confirm == setting.ConfirmNone {
		return true, nil
	}
	if rests = f.run.values.unresolved || f.run.ids.unresolved; rests && f.run.o.Confirm == setting.ConfirmReads {
		f.run.report.IncompleteUntil(remedy.Of(remedy.ConfirmFull),
			"some values or ids were not judged by SQL; only a look at all accounts finds their other holders")
	}
	if len(f.candidates) == 0 {
		return rests, nil
	}
	p := f.run.newPass(setting.MinCells, false)
	p.candidates = f.candidates
	if err := f.run.scan(ctx, p, progress.FindingKeys, false); err != nil {
		return false, err
	}
	open := 0
	for _, c := range f.candidates {
		c.Mu.Lock()
		switch here := !c.Absent; {
		case here && c.Count < 0 && len(c.Holders) == 0:
			rests = true
		case here && c.Count > 0 && !c.FromSQL && !c.OnPass: // SQL paired the lock with an account not in the file
			rests, open = true, open+1
		}
		c.Holders, c.MoreHolders = nil, 0
		c.Mu.Unlock()
	}
	if open > 0 && f.run.o.Confirm == setting.ConfirmReads {
		f.run.report.IncompleteUntil(remedy.Of(remedy.ConfirmFull),
			"more accounts may hold %d of the values; only a look at all accounts finds these accounts", open)
	}
	return rests, nil
}

// SQL describes the first pass of a check, so that package sql can write this pass as SQL. It asks for the tables' TTL
// attributes, and reads no item.
func SQL(ctx context.Context, t *dynamo.Table) (*sql.Check, error) {
	r := newRun(t, setting.Options{})
	if err := r.expiry.describe(ctx); err != nil {
		return nil, err
	}
	return r.asSQL(), nil
}

// asSQL describes the run's first pass for package sql. The TTL attributes must be known before.
func (r *run) asSQL() *sql.Check {
	t := r.t
	c := &sql.Check{Layout: t.Layout, Hash: r.report.LayoutHash, Mark: schema.MarkAttribute}
	for _, from := range r.sources {
		c.Tables = append(c.Tables,
			sql.Table{Name: from.Name, ID: t.DescriptionOf(from.Name).ID, Schema: from.Schema, Expiry: from.Expiry})
	}
	return c
}

// ManifestOf reads the time, the item count and the table's size from the manifests of an export. The export must be of
// the named table. This table is t, or a table in which t's layout keeps locks or ids.
func ManifestOf(e *scan.Export, t *dynamo.Table, name string) (*sql.Manifest, error) {
	one, err := export.Of(e, t, name, len(e.Tables) > 1)
	if err != nil {
		return nil, err
	}
	return &sql.Manifest{At: one.At, Items: one.Items, Bytes: one.Bytes}, nil
}
