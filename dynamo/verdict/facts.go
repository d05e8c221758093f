package verdict

import (
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
)

// Facts are the evidence for one verdict: a value, its lock, its accounts, how the program read them, and
// how well the layout fits.
type Facts struct {
	Value string
	Lock  schema.Lock
	// Claimants are the accounts that claim the lock. Owner is the account that the lock names. Owner is
	// nil if that account does not exist or was not read.
	Claimants []schema.Account
	Owner     *schema.Account
	// OwnerKnown: the lock names an account, and the account's possible keys are known. NamesClaimant: the
	// lock names the first claimant. OwnerUnreadable: the named account has a value that the layout cannot
	// read, and this may be the lock's value.
	OwnerKnown, NamesClaimant, OwnerUnreadable bool
	// Lapses: locks may expire before their accounts do.
	Lapses bool
	// OwnerOdd explains why the owner's text in the lock does not identify an account. It is empty if the text is
	// readable, or if the lock names no owner.
	OwnerOdd string
	// Other explains why the item at the lock's key is no lock. It is empty if there is no such item.
	Other string
	// Unsought explains why the program did not search for the accounts. It is empty if the program
	// searched. Awaits names a reading that the judgement waits for. It is empty if no reading is missing.
	Unsought, Awaits string
	// Lockless: the constraint has no locks. Sharing is the number of claimants in one scope. If there are
	// several scopes, it is the largest number. Index is the name of the index that listed the accounts. It
	// is empty if no index listed them.
	Lockless bool
	Sharing  int
	Index    string
	// Impossible explains why no lock key can be made of the value. It is nil if a key can be made.
	Impossible error
	// Malformed: a variable in the lock's key is empty, or the value in the key is nonsense (layout.Role).
	Malformed bool
	// Others says how much is known about the accounts that are not in Claimants. OthersWhy explains why
	// the program does not know more.
	Others    Others
	OthersWhy string
	// Changed: two readings contradict each other. Handed: each reading found a different owner in the
	// lock. Busy: the application kept writing to the lock and its accounts, so no reading covered all of
	// them. Stopped: the check stopped before it read the lock and its accounts together.
	Changed, Handed, Busy, Stopped bool
	// Apart: the lock and its accounts could not be read at one moment. Scanned: only a scan read them, one
	// after the other. FromSQL: SQL over an export compared the accounts, and no search looked for the
	// value in other items.
	Apart, Scanned, FromSQL bool
	// Hasty: the lock was read after the account. A transaction may have changed both in between. So every
	// verdict except Held waits until both are read together.
	Hasty bool
	// ExpiresAlone: only one of the two, lock or account, has a TTL. It will expire without the other.
	ExpiresAlone bool
	// Holders are other items that hold the value. Items that were not read are not among them.
	Holders Holders
	// Unlikely explains why the lock may belong to an incomplete sign-up. It is empty if nothing points to
	// an incomplete sign-up.
	Unlikely string
	// Digests: the constraint has unclaimed locks with digests, and accounts without locks. They may belong
	// together. UnknownText: this lock has a digest, and the digest's text is unknown. Part: the check
	// followed up only some of the locks without accounts and of the accounts without locks.
	Digests, UnknownText, Part bool
	// OtherSpelling is the judgement on the unclaimed lock whose value is another spelling of this value.
	// It is nil if there is no such lock.
	OtherSpelling *Judgement
	// OtherForm is set for an account whose lock is missing, if an unclaimed lock may be this lock in another form.
	// OtherLock is the key of the unclaimed lock. OtherForm is the place in the account that holds the unclaimed lock's
	// value.
	OtherForm *Holding
	OtherLock attr.Key
	// TablesUnsaid: other tables may put locks into the lock's table, and no person has said which tables
	// do.
	TablesUnsaid bool
	// NowhereElse: only this lock's owner can hold the value. A person has said that no item outside the
	// layout holds values of the constraint, and the constraint's locks name their accounts.
	NowhereElse bool
	// Unsearched are the tables of the layout that were not searched for the value.
	Unsearched []string
	// Reserved says how long a lock may exist before its account does. Now is the present time.
	Reserved layout.Reservation
	Now      time.Time
	// Fit says how well the constraint fits the table. Regions says what replicas in other Regions make
	// uncertain.
	Fit     layout.Fit
	Regions Regions
	// ClaimantFit is the fit of the first claimant's constraint, if this constraint is not the lock's own
	// but has the same lock keys. Otherwise it is nil.
	ClaimantFit *layout.Fit
}

// Others says how much is known about the accounts that are not among the claimants.
type Others int

// The values of Others, from the least knowledge to the most.
const (
	OthersUnknown Others = iota // some accounts were not read, and may never be
	OthersUnread                // some accounts have not been read yet
	OthersIndexed               // an index lists no other claimant; the index may lag
	OthersAbsent                // all accounts were read once, and no other account claims the lock
	OthersSettled               // all accounts were read twice, the second time after the settle time (docs/truth.md §3a)
)
