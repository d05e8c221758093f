package counters

import (
	"slices"
	"time"

	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/counter"
	"tallylock/ui/say"
)

// inUse holds the ids of a counter that are in use, as a reading or a check found them.
type inUse struct {
	highest string // empty if no id was found
	all     bool   // all ids were read
	at      time.Time
	most    string // the highest number of the counter since that time
}

// above reports whether a is a higher number than b. Every number is higher than a text that is no number.
func above(a, b string) bool {
	one, ok := say.WholeNumber(a)
	other, known := say.WholeNumber(b)
	return ok && (!known || one.Cmp(other) > 0)
}

// idsOf returns the ids that the reading of a counter found. ok is false if it did not look for them.
func idsOf(c counter.Counter, at time.Time) (ids inUse, ok bool) {
	return inUse{c.HighestID, c.IDsChecked, at, c.Value}, c.HighestID != "" || c.IDsChecked
}

// check returns the ids that the last check of the counter's table found. ok is false if it did not list the counter.
func (f Found) check(k *known, c counter.Counter) (ids inUse, ok bool) {
	sum, ended := f(k.on, c.Table)
	if sum == nil {
		return ids, false
	}
	n := slices.IndexFunc(sum.Counters, func(one finding.CounterState) bool { return one.Counter == c.Name })
	if n < 0 {
		return ids, false
	}
	ids = inUse{all: sum.Complete && len(c.Layout.IDs) > 0, at: ended}
	if one := sum.Counters[n]; one.HighestID != nil {
		ids.highest = *one.HighestID
	}
	if value := sum.Counters[n].Value; value != nil {
		ids.most = *value
	}
	return ids, true
}

// add adds the ids of a check. The later reading of all ids replaces the earlier one.
func (ids *inUse) add(by inUse) {
	switch {
	case by.at.Equal(ids.at), ids.all && ids.at.After(by.at):
		return // these ids are known already, or a later reading has all ids
	case by.all && by.at.After(ids.at):
		*ids = by
		return
	}
	if above(by.highest, ids.highest) || ids.at.IsZero() {
		ids.highest, ids.at = by.highest, by.at
	}
	if ids.all = ids.all || by.all; above(by.most, ids.most) {
		ids.most = by.most
	}
}

// checked adds the highest id in use to a counter, and returns when the ids were read; zero if they were not. If the
// counter went back after that, it may be behind an id that it handed out later. So its ids count as unread.
func (f Found) checked(k *known, c counter.Counter) (counter.Counter, time.Time) {
	id := idOf(c)
	ids, ok := k.ids[id]
	if by, found := f.check(k, c); found {
		ids.add(by)
		ok = true
	}
	if !ok {
		return c, time.Time{}
	}
	if above(c.Value, ids.most) {
		ids.most = c.Value
	}
	k.ids[id] = ids
	c.TakeIDs(ids.highest, ids.all && !above(ids.most, c.Value))
	return c, ids.at
}
