package check

import (
	"slices"

	"tallylock/dynamo/client"
)

// Confirm is how far a check goes to make sure of what it finds.
type Confirm string

// From the least to the most sure.
const (
	// ConfirmNone reports what the passes met; nothing is read again.
	ConfirmNone Confirm = "none"
	// ConfirmReads reads each lock together with its accounts. That settles all
	// but locks that name no owner and that nobody claims.
	ConfirmReads Confirm = "reads"
	// ConfirmFull settles those, too: it waits, and looks at every account again.
	ConfirmFull Confirm = "full"
)

// Look is how the accounts are read when they are looked at again.
type Look string

// The two ways. An eventual look costs half, and holds only where the settle time
// covers the lag of a replica, too.
const (
	Strong   Look = "strong"
	Eventual Look = "eventual"
)

// DefaultMemory is Options.Memory where nothing is said, in bytes, and leastMemory
// the least that a check can work with.
const (
	DefaultMemory = 256 << 20
	leastMemory   = 64 << 10
)

// Options say how a check goes about it. The zero Options are the defaults.
type Options struct {
	Confirm Confirm // ConfirmFull
	Look    Look    // Strong
	// Segments and MaxReadUnits are those of scan.Options.
	Segments     int
	MaxReadUnits float64
	// Memory is about how many bytes may be kept of what is left over. It bounds how
	// many findings a check can tell apart, not how large the table is: where more is
	// wrong, a part of it is looked into, and the check is not complete.
	Memory int64
	// Only are the kinds that are looked for; none means all.
	Only []Kind
	// Known are findings of before: they are counted, and not reported.
	Known *Baseline
	// Export is read instead of the tables, but for what has to be of this moment:
	// with ConfirmNone nothing, with ConfirmReads the candidates' items, and with
	// ConfirmFull every account once more where that has to be.
	Export *Export
	// Candidates take the place of the first reading: SQL has found them in an export.
	Candidates *Candidates
	// Gate, where there is one, holds all requests back while it is shut. What was
	// read stays, and what is read when it opens again is only read later.
	Gate *client.Gate
}

func (o *Options) fill() {
	if o.Confirm == "" {
		o.Confirm = ConfirmFull
	}
	if o.Look == "" {
		o.Look = Strong
	}
	if o.Memory <= 0 {
		o.Memory = DefaultMemory
	}
	o.Memory = max(o.Memory, leastMemory)
}

// exportOnly reports whether no item is read of the tables themselves.
func (o *Options) exportOnly() bool { return o.Export != nil && o.Confirm == ConfirmNone }

// wants reports whether a kind is looked for.
func (o *Options) wants(k Kind) bool { return len(o.Only) == 0 || slices.Contains(o.Only, k) }

// wantsLocks reports whether findings of locks are asked for.
func (o *Options) wantsLocks() bool {
	return slices.ContainsFunc(Kinds(), func(k Kind) bool { return k.ofLocks() && o.wants(k) })
}

// wantsCounters reports whether findings of counters are asked for.
func (o *Options) wantsCounters() bool {
	return slices.ContainsFunc(Kinds(), func(k Kind) bool { return k.Rests() == OnCounters && o.wants(k) })
}
