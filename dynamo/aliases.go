package dynamo

import (
	"tallylock/dynamo/holders"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// The names of packages below, for those above that still use them by this one.
type (
	Account      = schema.Account
	Lock         = schema.Lock
	Verdict      = verdict.Verdict
	Relation     = verdict.Relation
	Judgement    = verdict.Judgement
	Evidence     = verdict.Facts
	Others       = verdict.Others
	Regions      = verdict.Regions
	Holding      = verdict.Holding
	OtherHolders = verdict.Holders
	ClaimScan    = holders.Search
	ClaimReader  = holders.Reader
	Claims       = holders.Found
)

// The constants of the same packages.
const (
	MarkAttribute = schema.MarkAttribute

	Held      = verdict.Held
	Orphaned  = verdict.Orphaned
	Stale     = verdict.Stale
	Foreign   = verdict.Foreign
	Duplicate = verdict.Duplicate
	Malformed = verdict.Malformed
	Missing   = verdict.Missing
	Reserved  = verdict.Reserved
	Free      = verdict.Free
	InUse     = verdict.InUse
	Unknown   = verdict.Unknown

	OthersUnknown = verdict.OthersUnknown
	OthersUnread  = verdict.OthersUnread
	OthersIndexed = verdict.OthersIndexed
	OthersAbsent  = verdict.OthersAbsent
	OthersSettled = verdict.OthersSettled
)
