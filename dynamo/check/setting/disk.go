package setting

import (
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/candidates"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/check/sql"
	"tallylock/dynamo/check/twice"
	"tallylock/dynamo/client"
	"tallylock/dynamo/export"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
)

// A check uses a 1/printParts share of its memory for the fingerprints of values, and as much for those of ids. It
// lists at most maxTwice values and maxTwice ids that several items have. Together, these values and ids take up to
// 1/twiceParts of its memory. Each needs about twiceBytes, and a long text needs more.
const (
	printParts = 5
	maxTwice   = 100_000
	twiceParts = 3
	twiceBytes = 384
)

// Prints returns an empty collection of fingerprints for values or for ids.
func (o *Options) Prints() *twice.Prints {
	return twice.New(o.Memory/printParts, int(min(maxTwice, MaxShared(o.Memory))), twice.TempDir(o.Temp))
}

// MaxShared returns the size of all values and ids that a check with this much memory lists, by SizeOfShared.
func MaxShared(memory int64) int64 { return memory / twiceParts / twiceBytes }

// SizeOfShared returns the size of a value or an id with a text of this many bytes. A usual one has the size 1.
func SizeOfShared(bytes int) int64 { return 1 + int64(bytes)/twiceBytes }

// Disk estimates how many bytes of temporary files a check of the table writes to the directory dir. It is 0 if the
// memory is enough, or if the number of items is unknown.
func Disk(t *dynamo.Table, o Options) (bytes int64, dir string) {
	o.Fill()
	e := estimator{Table: t, o: &o, sources: join.SourcesOf(t)}
	e.rules = join.RulesOf(t, e.sources, &join.Codec{Sources: e.sources})
	values, ids := int64(0), int64(0)
	if o.Candidates != nil {
		values, ids = e.unjudgedValues(), e.unjudgedIDs()
	} else {
		values, ids = e.values(), e.ids()
	}
	for _, n := range []int64{values, ids} {
		if kept := twice.InMemory(o.Memory / printParts); n > kept {
			bytes += (n - kept) * twice.InFile
		}
	}
	return bytes, twice.TempDir(o.Temp)
}

// estimator estimates how many fingerprints a check collects.
type estimator struct {
	*dynamo.Table
	o       *Options
	sources []*join.Source
	rules   join.Rules
}

// values estimates the number of compared values in the table or its export.
func (e *estimator) values() int64 {
	if !e.o.Wants(finding.DuplicateValue) {
		return 0
	}
	most := 0 // the largest number of values of an account without lists
	for _, a := range e.Layout.Accounts {
		most = max(most, len(e.compared(a)))
	}
	return e.expected(e.sources[0], func(item attr.Item) (n int) {
		if kind := e.Layout.KindOf(e.Schema, item); kind != nil {
			for _, con := range e.compared(kind) {
				n += len(con.AppendValues(nil, item))
			}
		}
		return n
	}, most)
}

// compared lists the constraints of an account whose values a later pass follows up.
func (e *estimator) compared(a *layout.Account) (all []*layout.Constraint) {
	for _, con := range a.AllCompared() {
		if e.rules.Followed(con, e.o.Candidates != nil) {
			all = append(all, con)
		}
	}
	return all
}

// unjudgedValues returns the number of fingerprints for the values that SQL has left to the check. It counts a list
// as one value.
func (e *estimator) unjudgedValues() (n int64) {
	if !e.o.Wants(finding.DuplicateValue) {
		return 0
	}
	most := int64(0) // for a whole item
	for _, a := range e.Layout.Accounts {
		each := int64(0)
		for _, con := range e.compared(a) {
			prints := int64(1)
			if sql.JudgesValues(con) {
				prints = markedPrints
			}
			each += prints
			n += prints * e.unjudged(e.Name, e.rules.PartOf(e.Layout, con))
		}
		most = max(most, each)
	}
	return n + most*e.unjudged(e.Name, candidates.WholeItem)
}

// markedPrints is the number of fingerprints for one value or id that SQL has left to the check, if an item judged by
// SQL may have it, too. The check adds the fingerprint, and marks it (twice.Prints.Mark).
const markedPrints = 3

// unjudged counts the items with a part that SQL has left to the check. word names the part.
func (e *estimator) unjudged(table, word string) int64 {
	return e.o.Candidates.Unjudged[candidates.Part{Table: table, Word: word}]
}

// ids estimates the number of ids in the tables or their exports.
func (e *estimator) ids() (n int64) {
	for _, from := range e.sources {
		if !e.hasIDs(from) {
			continue
		}
		count := e.idsOf
		if from.Name != e.Name {
			count = nil // the sample is of the accounts' table
		}
		n += e.expected(from, count, 1)
	}
	return n
}

// unjudgedIDs returns the number of fingerprints for the ids that SQL has left to the check.
func (e *estimator) unjudgedIDs() (n int64) {
	for _, from := range e.sources {
		if e.hasIDs(from) {
			n += e.unjudged(from.Name, candidates.WholeItem) + e.unjudged(from.Name, candidates.IDs) +
				markedPrints*e.unjudged(from.Name, candidates.IDsBeside)
		}
	}
	return n
}

// hasIDs reports whether the check compares ids of a table.
func (e *estimator) hasIDs(from *join.Source) bool {
	return e.o.Wants(finding.DuplicateID) &&
		slices.ContainsFunc(e.Layout.Counters, func(l *layout.Counter) bool { return e.idsIn(l, from.Name) })
}

// idsIn reports whether the ids of a counter are compared and are in a table.
func (e *estimator) idsIn(l *layout.Counter, table string) bool {
	in := func(ids layout.IDs) bool { return ids.TableOf(e.Name) == table }
	return e.o.FollowedIDs(l) && slices.ContainsFunc(l.IDs, in)
}

// idsOf returns how many ids an item of the accounts' table has.
func (e *estimator) idsOf(item attr.Item) (n int) {
	for _, l := range e.Layout.Counters {
		if !e.idsIn(l, e.Name) {
			continue
		}
		for m := range l.IDs {
			if _, _, ok := l.IDs[m].Of(e.Schema, item); ok {
				n++
			}
		}
	}
	return n
}

// expected estimates how many values or ids the items of a table or its export have. It counts them in the sample of
// the table. If the sample is too small, it assumes the number most for each item.
func (e *estimator) expected(from *join.Source, count func(attr.Item) int, most int) int64 {
	if e.o.Export != nil {
		from.Export, _ = export.Of(e.o.Export, e.Table, from.Name, len(e.sources) > 1) // Run returns the error
	}
	const fewSampled, margin = 1000, 1.25
	if sampled, _ := e.Sample.Size(); count == nil || sampled < fewSampled {
		return from.Items(e.Table) * int64(most)
	}
	return int64(e.Sample.Mean(count) * margin * float64(from.Items(e.Table)))
}

// RequireDisk returns an error if the disk has too little room for the temporary files of a check, or if nothing can be
// written there. If this program has run the SQL, there is no error: running the SQL again would cost more than an
// incomplete check.
func RequireDisk(t *dynamo.Table, o Options) error {
	need, dir := Disk(t, o)
	if need == 0 || o.Candidates != nil && o.Candidates.File == "" {
		return nil
	}
	why := ""
	if err := twice.Try(dir); err != nil {
		why = "nothing can be written to " + dir + ": " + phrase.WithoutPath(err)
	} else if free, known := twice.Free(dir); known && free < need {
		why = dir + " has only " + megabytes(free)
	}
	if why == "" {
		return nil
	}
	return &client.Error{
		Kind: client.Usage, Op: "checking " + t.Name,
		Why: "comparing its values and ids needs about " + megabytes(need) + " for temporary files, but " + why +
			"; nothing was read",
		Remedy: remedy.Of(remedy.OtherTemp),
	}
}

func megabytes(bytes int64) string { return phrase.Number((bytes+999_999)/1_000_000) + " MB" }
