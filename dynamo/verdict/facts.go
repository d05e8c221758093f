package verdict

import (
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
)

// Facts is everything that a verdict may rest on: what was read of a value, its lock
// and its accounts, how it was read, and how far the layout may be believed.
type Facts struct {
	Value string
	Lock  schema.Lock
	// Claimants are the accounts that claim the lock, and Owner is the account that
	// the lock names; nil where it does not exist or was not read.
	Claimants []schema.Account
	Owner     *schema.Account
	// OwnerKnown: the lock names an account, and the keys that it could have can be made.
	// NamesClaimant: that account is the first claimant. OwnerUnreadable: it has a value
	// that cannot be read as the layout has it, and may be this one.
	OwnerKnown, NamesClaimant, OwnerUnreadable bool
	// Lapses: locks may expire while their accounts stay.
	Lapses bool
	// OwnerOdd says why the account that the lock names is unknown; empty if it is known.
	OwnerOdd string
	// Unsought says why nobody has looked for the accounts; empty if somebody has. Awaits says what
	// is still to be read, after which the value is judged; empty if nothing is.
	Unsought, Awaits string
	// Lockless: no locks keep the constraint's values. Sharing is the greatest number of claimants
	// that hold the value in one scope, and Index the index that listed accounts, if one did.
	Lockless bool
	Sharing  int
	Index    string
	// Impossible is why no lock can be made of the value; nil where one can.
	Impossible error
	// Malformed: the lock's key has the constraint's prefix and does not fit its template.
	Malformed bool
	// Others says what is known of all other accounts, and OthersWhy why that is not more.
	Others    Others
	OthersWhy string
	// Changed: what was read at two times does not fit together. Handed: the lock named another
	// owner at each reading. Busy: others kept writing to lock and accounts, and they could not be
	// read together. Stopped: the reading was stopped before lock and accounts were read together.
	Changed, Handed, Busy, Stopped bool
	// Apart: lock and accounts could not be read at one moment. Scanned: they were met by
	// a scan only, one after the other. FromSQL: SQL over an export compared the accounts, and no
	// item was searched for the value.
	Apart, Scanned, FromSQL bool
	// Hasty: the lock was read after the account, and what is not held is read again, both together:
	// a transaction of the application may lie between two reads.
	Hasty bool
	// ExpiresAlone: of the lock and its account only one has a TTL.
	ExpiresAlone bool
	// Holders are what else holds the value, of the items that were read.
	Holders Holders
	// Unlikely says why the lock may belong to a sign-up that is not complete; empty if nothing
	// says so.
	Unlikely string
	// Digests: the constraint has unclaimed locks that keep digests, and accounts without locks.
	// UnknownText: the lock keeps a digest, and nobody has given its text. Part: other locks without
	// accounts and accounts without locks were not all followed up.
	Digests, UnknownText, Part bool
	// OtherSpelling is the judgement on the unclaimed lock that keeps the value in another spelling;
	// nil if there is none.
	OtherSpelling *Judgement
	// OtherForm is where an unclaimed lock, with the key OtherLock, may keep the value in another
	// form; nil if none does.
	OtherForm *Holding
	OtherLock attr.Key
	// TablesUnsaid: nobody has said which other tables put locks into the table of the locks.
	TablesUnsaid bool
	// NowhereElse: a person has said that nothing outside the layout holds the values, and other
	// locks name accounts that exist.
	NowhereElse bool
	// Unsearched are tables of the layout that were not searched for the value.
	Unsearched []string
	// Reserved says how long a lock may precede its account, and Now is the time that what
	// the lock says of itself is compared with.
	Reserved layout.Reservation
	Now      time.Time
	// Fit is the constraint's, and Regions what its tables' Regions allow.
	Fit     layout.Fit
	Regions Regions
	// ClaimantFit is the fit of the first claimant's own constraint if that is another one with
	// the same locks; else nil.
	ClaimantFit *layout.Fit
}

// Others is what is known of the accounts that are not among the claimants.
type Others int

// What may be known of other accounts, from the least.
const (
	OthersUnknown Others = iota // some were not read, and nothing says that they will be
	OthersUnread                // some have not been read yet
	OthersIndexed               // an index lists none that claims the lock; it may lag
	OthersAbsent                // each was read once, and none claims the lock
	OthersSettled               // each was read again after the settle time, and none does (docs/truth.md §3a)
)
