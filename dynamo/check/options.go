package check

import (
	"slices"

	"tallylock/dynamo/client"
	"tallylock/dynamo/export"
)

// Confirm is how far a check goes to confirm what it finds.
type Confirm string

// In the order of how sure the findings are.
const (
	// ConfirmNone reports what the pass met; nothing is read again.
	ConfirmNone Confirm = "none"
	// ConfirmReads reads each lock together with its accounts. That settles all but locks
	// that no account claims and that name no owner.
	ConfirmReads Confirm = "reads"
	// ConfirmFull settles those, too: it waits, and reads all accounts again.
	ConfirmFull Confirm = "full"
)

// Look is how consistently the accounts are read again.
type Look string

// Eventual costs half of Strong, and is right only if the grace period covers the lag of a
// replica, too.
const (
	Strong   Look = "strong"
	Eventual Look = "eventual"
)

// DefaultMemory is Options.Memory if that is 0, in bytes, and minMemory is the least that a
// check can work with.
const (
	DefaultMemory = 256 << 20
	minMemory     = 64 << 10
)

// Options say how a table is checked. The zero Options are the defaults.
type Options struct {
	Confirm Confirm // "" means ConfirmFull
	Look    Look    // "" means Strong
	// Segments and MaxReadUnits are those of scan.Options.
	Segments     int
	MaxReadUnits float64
	// Memory is about how many bytes may be used for what is left over. It bounds how many
	// findings a check can follow up, not how large the table is: if more is wrong, a part of
	// it is followed up, and the check is not complete.
	Memory int64
	// Only are the kinds that are looked for; empty means all.
	Only []Kind
	// Known are findings of an earlier check: they are counted, and not reported again.
	Known *Baseline
	// Export is read instead of the tables, except for what must be current: with ConfirmNone
	// nothing, with ConfirmReads the candidates' items, with ConfirmFull all accounts once
	// more if any lock is unclaimed.
	Export *export.Export
	// Candidates replace the first reading: SQL has found them in an export.
	Candidates *Candidates
	// Gate, if not nil, holds back all requests while it is shut. What was read before stays
	// valid.
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
	o.Memory = max(o.Memory, minMemory)
}

// exportOnly reports whether nothing is read from the tables themselves.
func (o *Options) exportOnly() bool { return o.Export != nil && o.Confirm == ConfirmNone }

// wants reports whether a kind is looked for.
func (o *Options) wants(k Kind) bool { return len(o.Only) == 0 || slices.Contains(o.Only, k) }

// wantsLocks reports whether any kind about locks is looked for.
func (o *Options) wantsLocks() bool {
	return slices.ContainsFunc(Kinds(), func(k Kind) bool { return k.ofLocks() && o.wants(k) })
}

// wantsCounters reports whether any kind about counters is looked for.
func (o *Options) wantsCounters() bool {
	return slices.ContainsFunc(Kinds(), func(k Kind) bool { return k.Rests() == OnCounters && o.wants(k) })
}
