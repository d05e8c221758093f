package setting

import (
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/check/twice"
	"tallylock/dynamo/client"
	"tallylock/dynamo/export"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
)

// A check uses a 1/printParts share of its memory for the fingerprints of values, and as much for those of ids. It
// lists at most maxTwice values and maxTwice ids that several items have. All of these share a 1/twiceParts part of its
// memory. Each needs about twiceBytes, and a long text needs more.
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
	if o.Candidates != nil {
		return 0, ""
	}
	values, ids := int64(0), int64(0)
	sources := join.SourcesOf(t)
	if o.Export != nil {
		for _, from := range sources {
			from.Export, _ = export.Of(o.Export, t, from.Name, len(sources) > 1) // Run returns the error
		}
	}
	if o.Wants(finding.DuplicateValue) {
		values = expected(t, sources[0].Items(t), func(item attr.Item) int { return valuesOf(t, item) }, mostValues(t))
	}
	if o.Wants(finding.DuplicateID) {
		for _, from := range sources {
			if !slices.ContainsFunc(t.Layout.Counters, func(l *layout.Counter) bool { return idsIn(t, l, from.Name) }) {
				continue
			}
			count := func(item attr.Item) int { return idsOf(t, item) }
			if from.Name != t.Name {
				count = nil // the sample is of the accounts' table
			}
			ids += expected(t, from.Items(t), count, 1)
		}
	}
	for _, n := range []int64{values, ids} {
		if kept := twice.InMemory(o.Memory / printParts); n > kept {
			bytes += (n - kept) * twice.InFile
		}
	}
	return bytes, twice.TempDir(o.Temp)
}

// expected estimates how many values or ids the items have. It counts them in the sample of the table. If the sample is
// too small, each item has as many as the parameter most says.
func expected(t *dynamo.Table, items int64, count func(attr.Item) int, most int) int64 {
	const fewSampled, margin = 1000, 1.25
	if sampled, _ := t.Sample.Size(); count == nil || sampled < fewSampled {
		return items * int64(most)
	}
	return int64(t.Sample.Mean(count) * margin * float64(items))
}

// mostValues returns how many compared values an account has at most, if none is a list.
func mostValues(t *dynamo.Table) (most int) {
	for _, a := range t.Layout.Accounts {
		n := 0
		for _, con := range a.AllCompared() {
			if con.State.Sure() {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// valuesOf returns how many compared values an item has.
func valuesOf(t *dynamo.Table, item attr.Item) (n int) {
	if kind := t.Layout.KindOf(t.Schema, item); kind != nil {
		for _, con := range kind.AllCompared() {
			if con.State.Sure() {
				n += len(con.AppendValues(nil, item))
			}
		}
	}
	return n
}

// idsIn reports whether the ids of a counter are compared and are in a table.
func idsIn(t *dynamo.Table, l *layout.Counter, table string) bool {
	return SureIDs(l) && slices.ContainsFunc(l.IDs, func(ids layout.IDs) bool { return ids.TableOf(t.Name) == table })
}

// idsOf returns how many ids an item of the accounts' table has.
func idsOf(t *dynamo.Table, item attr.Item) (n int) {
	for _, l := range t.Layout.Counters {
		if !idsIn(t, l, t.Name) {
			continue
		}
		for m := range l.IDs {
			if _, _, ok := l.IDs[m].Of(t.Schema, item); ok {
				n++
			}
		}
	}
	return n
}

// RequireDisk returns an error if the disk has too little room for the temporary files of a check, or if nothing can be
// written there.
func RequireDisk(t *dynamo.Table, o Options) error {
	need, dir := Disk(t, o)
	if need == 0 {
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
