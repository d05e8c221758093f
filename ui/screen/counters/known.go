package counters

import (
	"time"

	"tallylock/dynamo"
)

// known is what is known of the counters of one connection.
type known struct {
	on     int  // the connection's number
	loop   int  // numbers its polls: what an older one brings is not wanted
	asked  bool // a key asked to have it read again and again, whatever it may read unasked
	conn   *dynamo.Connection
	all    []row
	past   map[string]*history
	ids    map[string]seenIDs // by the counter's id: looked up when the tables were
	tables []*dynamo.Table    // nil: not looked for yet
	where  int                // tables that have counters
	denied int                // tables that could not be opened or read
	alone  bool               // the tables may not be listed: only the open one was looked at
	readAt time.Time
	every  time.Duration // from one poll to the next
	pace   float64       // read units a second
	err    error
	tries  int // that failed, one after the other
	whole  bool
}

// unknown is of connections that nobody has read yet.
func unknown(connections int) []*known {
	all := make([]*known, connections)
	for n := range all {
		all[n] = newKnown(n)
	}
	return all
}

func newKnown(on int) *known { return &known{on: on, past: map[string]*history{}} }

// take puts values beside those of before.
func (k *known) take(counters []dynamo.Counter, found Found) {
	k.all = nil
	tables := map[string]bool{}
	for _, c := range counters {
		id := idOf(c)
		c, at := found.checked(k.on, c, k.ids[id])
		if k.past[id] == nil {
			k.past[id] = &history{}
		}
		k.past[id].add(c.ReadAt, c.Value)
		k.all = append(k.all, row{c, k.past[id], at})
		tables[c.Table] = true
	}
	k.where = len(tables)
}

// seenIDs is what one read told of the ids of a counter.
type seenIDs struct {
	highest string
	all     bool
	at      time.Time
}

// idsOf is what was looked up of ids, for the polls to come.
func idsOf(counters []dynamo.Counter, at time.Time) map[string]seenIDs {
	ids := map[string]seenIDs{}
	for _, c := range counters {
		if c.HighestID != "" || c.IDsChecked {
			ids[idOf(c)] = seenIDs{c.HighestID, c.IDsChecked, at}
		}
	}
	return ids
}

// checked adds the highest id in use, which was read before the counter: as the last check
// of its table knows it, or as it was looked up when the tables were. The time is when
// that was, zero where nobody looked.
func (f Found) checked(on int, c dynamo.Counter, seen seenIDs) (dynamo.Counter, time.Time) {
	if !seen.at.IsZero() {
		c.TakeIDs(seen.highest, seen.all)
	}
	sum, ended := f(on, c.Table)
	if sum == nil || len(sum.Counters) == 0 {
		return c, seen.at
	}
	for _, known := range sum.Counters {
		if known.Counter != c.Name {
			continue
		}
		highest := ""
		if known.HighestID != nil {
			highest = *known.HighestID
		}
		c.TakeIDs(highest, sum.Complete && len(c.Layout.IDs) > 0)
	}
	return c, ended
}

// idOf tells counters apart. The key of a table whose key is the number
// moves; its table and its name do not.
func idOf(c dynamo.Counter) string { return c.Table + "\x00" + c.Name + "\x00" + c.Attribute }
