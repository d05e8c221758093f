package verdict

import (
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
)

// Facts is everything that a verdict may rest on: the readings of a value, its lock and its accounts, how
// they were read, and how far the layout may be believed.
type Facts struct {
	Value string
	Lock  schema.Lock
	// Claimants are the accounts that claim the lock. Owner is the account that the lock names; nil if it
	// does not exist or was not read.
	Claimants []schema.Account
	Owner     *schema.Account
	// OwnerKnown: the lock names an account, and the account's possible keys are known. NamesClaimant: that
	// account is the first claimant. OwnerUnreadable: that account has a value that the layout cannot read,
	// so it may hold this value.
	OwnerKnown, NamesClaimant, OwnerUnreadable bool
	// Lapses: locks may expire while their accounts stay.
	Lapses bool
	// OwnerOdd says why the account that the lock names is unknown; empty if it is known.
	OwnerOdd string
	// Unsought says why nobody has looked for the accounts; empty if somebody has. Awaits names the reading
	// that the judgement waits for; empty if the judgement waits for none.
	Unsought, Awaits string
	// Lockless: the constraint has no locks. Sharing is the greatest number of claimants that hold the
	// value in one scope. Index is the index that listed the accounts; empty if none did.
	Lockless bool
	Sharing  int
	Index    string
	// Impossible is the reason that no lock key can be made of the value; nil if one can.
	Impossible error
	// Malformed: the lock's key has the constraint's prefix and does not fit its template.
	Malformed bool
	// Others says how far all other accounts are known. OthersWhy says why no more is known.
	Others    Others
	OthersWhy string
	// Changed: two readings contradict each other. Handed: the lock named another owner at each reading.
	// Busy: others kept writing to the lock and its accounts, so they could not be read together. Stopped:
	// the reading stopped before the lock and its accounts were read together.
	Changed, Handed, Busy, Stopped bool
	// Apart: the lock and its accounts could not be read at one moment. Scanned: only a scan read them, one
	// after the other. FromSQL: SQL over an export compared the accounts, and no item was searched for the
	// value.
	Apart, Scanned, FromSQL bool
	// Hasty: the lock was read after the account. A transaction of the application may lie between the two
	// reads, so every verdict but Held waits for a reading of both together.
	Hasty bool
	// ExpiresAlone: either the lock or its account has a TTL, but not both.
	ExpiresAlone bool
	// Holders are the other items that hold the value, among the items that were read.
	Holders Holders
	// Unlikely says why the lock may belong to an incomplete sign-up; empty if nothing suggests that.
	Unlikely string
	// Digests: the constraint has unclaimed locks that keep digests, and accounts without locks.
	// UnknownText: the lock keeps a digest, and nobody has given its text. Part: the check did not follow
	// up all other locks without accounts and all accounts without locks.
	Digests, UnknownText, Part bool
	// OtherSpelling is the judgement on the unclaimed lock that keeps the value in another spelling;
	// nil if there is none.
	OtherSpelling *Judgement
	// OtherForm is the place where the account holds its value in the form of another, unclaimed lock; nil
	// if there is no such lock. OtherLock is the key of that lock.
	OtherForm *Holding
	OtherLock attr.Key
	// TablesUnsaid: nobody has said which other tables put locks into the table of the locks.
	TablesUnsaid bool
	// NowhereElse: a person has said that nothing outside the layout holds the values. Also, other locks
	// name accounts that exist.
	NowhereElse bool
	// Unsearched are the tables of the layout that nobody searched for the value.
	Unsearched []string
	// Reserved says how long a lock may precede its account. Now is the time to compare with the lock's own
	// time.
	Reserved layout.Reservation
	Now      time.Time
	// Fit is the fit of the constraint. Regions are the limits from the Regions of its tables.
	Fit     layout.Fit
	Regions Regions
	// ClaimantFit is the fit of the first claimant's own constraint, if that is another constraint with the
	// same locks; else nil.
	ClaimantFit *layout.Fit
}

// Others says how far the accounts are known that are not among the claimants.
type Others int

// The values of Others, from the least knowledge to the most.
const (
	OthersUnknown Others = iota // some were not read, and may never be
	OthersUnread                // some have not been read yet
	OthersIndexed               // an index lists no claimant; the index may lag
	OthersAbsent                // each was read once, and none claims the lock
	OthersSettled               // read again after the settle time, none claims the lock (docs/truth.md §3a)
)
