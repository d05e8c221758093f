package plan

import "tallylock/dynamo/client"

// Kind is a kind of change.
type Kind string

// The kinds of change.
const (
	KindRelease Kind = "release"
	KindBump    Kind = "bump"
	KindReserve Kind = "reserve" // a bump that reports the numbers it takes
	KindRaise   Kind = "raise"
	KindLower   Kind = "lower"
	KindCreate  Kind = "create"  // creates a counter
	KindConvert Kind = "convert" // replaces a counter's invalid value by a whole number

	KindRecreate      Kind = "recreate" // puts a missing lock
	KindGive          Kind = "give"     // gives a lock to its right owner
	KindReplace       Kind = "replace"  // replaces a lock in the wrong spelling by the right one
	KindExpire        Kind = "expire"   // lets locks expire together with their account
	KindValue         Kind = "value"    // changes an account's value, with its lock
	KindDeleteAccount Kind = "delete-account"
	KindRestore       Kind = "restore-account" // restores a deleted account, with all its locks
	KindRemove        Kind = "remove"          // removes a counter that a change created

	// A backfill is many transactions with one receipt. Its plan has only the first transaction; the file of the run
	// has all.
	KindBackfill     Kind = "backfill"      // puts the missing locks of all accounts
	KindUndoBackfill Kind = "undo-backfill" // deletes the locks of a backfill
	KindAbandon      Kind = "abandon-adopt" // ends an adoption, and writes nothing
	KindAdopt        Kind = "adopt"         // records that an adopted rule holds, and writes nothing
)

// operations has an entry for each kind. A new kind needs an entry here, a constant above, and a planner in
// package planner.
var operations = map[Kind]operation{
	KindRelease:  {actions: []actions{{client.Delete: 1}}, about: aboutLock},
	KindRecreate: {words: "put lock of", actions: []actions{{client.Put: 1}}, about: aboutLock},
	KindGive:     {words: "correct lock of", actions: []actions{{client.Update: 1}}, about: aboutLock},
	KindReplace: {
		words:    "replace lock of",
		actions:  []actions{{client.Put: 1, client.Delete: 1}},
		about:    aboutLock,
		respells: true,
	},
	KindExpire: {words: "set expiry of locks of", actions: []actions{{client.Update: many}}, about: aboutLocks},
	KindValue: {
		words:   "change",
		actions: []actions{{client.Update: many, client.Put: any0, client.Delete: any0}},
		about:   aboutAccount,
		recurs:  true,
	},
	KindDeleteAccount: {
		words:   "delete account",
		actions: []actions{{client.Delete: many}},
		about:   aboutAccount,
		recurs:  true,
	},
	KindRestore: {
		words:   "restore account",
		actions: []actions{{client.Put: many}},
		about:   aboutAccount,
		recurs:  true,
	},
	KindCreate:  {actions: []actions{{client.Put: 1}, {client.Update: 1}}, recurs: true},
	KindRemove:  {actions: []actions{{client.Delete: 1}, {client.Update: 1}}, recurs: true},
	KindBump:    {actions: setsNumber, numbers: true, shared: true},
	KindReserve: {actions: setsNumber, numbers: true, shared: true, lasting: true},
	KindRaise:   {actions: setsNumber, numbers: true, shared: true},
	KindLower:   {actions: setsNumber, numbers: true, recurs: true},
	KindConvert: {actions: setsNumber},

	KindBackfill:     {actions: []actions{{client.Put: many}}, about: aboutLocks},
	KindUndoBackfill: {words: "undo the backfill of", actions: []actions{{client.Delete: many}}, about: aboutLocks},
	KindAbandon:      {words: "abandon the adoption of", about: aboutLocks},
	KindAdopt:        {about: aboutLocks},
}

// operation describes a kind of change. The code that reads or resolves a stored change uses it.
type operation struct {
	// words is the name of the kind on screen; if empty, the kind's own name is used.
	words string
	// actions lists the sets of writes that a step of the kind may have; conditions do not count. If the undo of a
	// kind is of the same kind, the list also has the writes of the undo. A stored plan with another set was not made
	// by this program.
	actions []actions
	about   subject
	// respells is set if the lock's value may be another spelling of the plan's value.
	respells bool
	// numbers is set if the change sets the counter to the number in the plan.
	numbers bool
	// shared is set if the application also changes the number. So the plan's number in the table does not prove
	// that the plan was applied.
	shared bool
	// recurs is set if the items may normally return to the state before the change. A late duplicate of the request then
	// makes the change a second time, if DynamoDB has forgotten the token. Other kinds are safe. A bumped counter only
	// rises, so the conditions stop the duplicate. Each mark is set once. If the same fault exists again, it is right to
	// release, put or give the lock again, or to mend the counter again.
	recurs bool
	// lasting is set if the change can never be undone: it hands out numbers, and handed-out numbers are never
	// taken back.
	lasting bool
}

// IsShared reports whether the application also changes the number that this kind of change sets. If so, the plan's
// number in the table does not prove that the plan was applied.
func (k Kind) IsShared() bool { return operations[k].shared }

// subject is the kind of items that a change writes.
type subject int

const (
	aboutCounter subject = iota
	aboutLock            // the lock of the plan's value
	aboutLocks           // the locks that the plan's account claims
	aboutAccount         // the account, and the locks that it claims before or after the change
)

// actions counts the writes of a step by verb. Conditions do not count.
type actions map[client.Verb]int

// Special counts in actions.
const (
	many = -1 // at least one
	any0 = -2 // any number
)

// setsNumber lists the writes that set a counter: one update, or two writes if the number is the item's key. The
// two writes put the new item and delete the old one.
var setsNumber = []actions{{client.Update: 1}, {client.Put: 1, client.Delete: 1}}
