package verdict

import (
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
)

// Facts are the evidence for one verdict. They describe a value, its lock and its accounts, how these were
// read, and how well the layout fits.
type Facts struct {
	Value string
	Lock  schema.Lock
	// Claimants are the accounts that claim the lock. Owner is the account that the lock names. It is nil
	// if the account does not exist or was not read.
	Claimants []schema.Account
	Owner     *schema.Account
	// OwnerKnown: the lock names an account, and the account's possible keys are known. NamesClaimant: the
	// lock names the first claimant. OwnerUnreadable: the layout cannot read a value of the named account,
	// so the account may hold this value.
	OwnerKnown, NamesClaimant, OwnerUnreadable bool
	// Lapses: locks may expire before their accounts do.
	Lapses bool
	// OwnerOdd explains why the account that the lock names is unknown. It is empty if the account is
	// known.
	OwnerOdd string
	// Unsought explains why the program did not search for the accounts. It is empty if it did. Awaits
	// names the reading that the judgement waits for. It is empty if the judgement waits for none.
	Unsought, Awaits string
	// Lockless: the constraint has no locks. Sharing is the greatest number of claimants that hold the
	// value in one scope. Index is the name of the index that listed the accounts; empty if no index did.
	Lockless bool
	Sharing  int
	Index    string
	// Impossible explains why no lock key can be made of the value. It is nil if a key can be made.
	Impossible error
	// Malformed: the lock's key has the constraint's prefix but does not fit its template.
	Malformed bool
	// Others says how much is known about the accounts that are not in Claimants. OthersWhy explains why no
	// more is known.
	Others    Others
	OthersWhy string
	// Changed: two readings contradict each other. Handed: the lock named another owner at each reading.
	// Busy: the application kept writing to the lock and its accounts, so no reading had both. Stopped: the
	// check stopped before it read the lock and its accounts together.
	Changed, Handed, Busy, Stopped bool
	// Apart: the lock and its accounts could not be read at one moment. Scanned: only a scan read them, one
	// after the other. FromSQL: SQL over an export compared the accounts, and no search looked for the
	// value in other items.
	Apart, Scanned, FromSQL bool
	// Hasty: the lock was read after the account, and a transaction may have changed both in between. So
	// every verdict but Held waits for a reading of both together.
	Hasty bool
	// ExpiresAlone: the lock has a TTL and its account has none, or the account has one and the lock has
	// none.
	ExpiresAlone bool
	// Holders are the other items that hold the value, as far as items were read.
	Holders Holders
	// Unlikely explains why the lock may belong to an incomplete sign-up. It is empty if there is no sign
	// of one.
	Unlikely string
	// Digests: the constraint has unclaimed locks with digests, and accounts without locks. UnknownText:
	// this lock has a digest, and its text is unknown. Part: the check did not follow up all other locks
	// without accounts and all accounts without locks.
	Digests, UnknownText, Part bool
	// OtherSpelling is the judgement on the unclaimed lock whose value is another spelling of this value.
	// It is nil if there is none.
	OtherSpelling *Judgement
	// OtherForm is a place in the account that holds the value of an unclaimed lock. That lock may be
	// another form of the missing one. OtherForm is nil if there is no such lock. OtherLock is the key of
	// the unclaimed lock.
	OtherForm *Holding
	OtherLock attr.Key
	// TablesUnsaid: other tables may put locks into the lock's table, and nobody has listed them.
	TablesUnsaid bool
	// NowhereElse: a person has said that no item outside the layout holds values of the constraint. Locks
	// of the constraint name their accounts, so this lock's owner is the only possible holder.
	NowhereElse bool
	// Unsearched are the tables of the layout that were not searched for the value.
	Unsearched []string
	// Reserved says how long a lock may exist before its account does. Now is the present time.
	Reserved layout.Reservation
	Now      time.Time
	// Fit says how well the constraint fits the table. Regions are the limits that replicas in other
	// Regions set.
	Fit     layout.Fit
	Regions Regions
	// ClaimantFit is the fit of the first claimant's constraint, if that is another constraint with the
	// same lock keys. Otherwise it is nil.
	ClaimantFit *layout.Fit
}

// Others says how much is known about the accounts that are not among the claimants.
type Others int

// The values of Others, from the least knowledge to the most.
const (
	OthersUnknown Others = iota // some accounts were not read, and may never be
	OthersUnread                // some accounts have not been read yet
	OthersIndexed               // an index lists no claimant; the index may lag
	OthersAbsent                // all accounts were read once, and no other account claims the lock
	OthersSettled               // read again after the settle time, no other account claims it (docs/truth.md §3a)
)
