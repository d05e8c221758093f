package plan

import "tallylock/dynamo/client"

// Kind is a kind of change.
type Kind string

// The kinds of change.
const (
	KindRelease Kind = "release"
	KindBump    Kind = "bump"
	KindReserve Kind = "reserve" // a bump that says which numbers it takes
	KindRaise   Kind = "raise"
	KindLower   Kind = "lower"
	KindCreate  Kind = "create"  // a counter that did not exist
	KindConvert Kind = "convert" // a counter that held no whole number

	KindRecreate      Kind = "recreate" // a lock that was missing
	KindGive          Kind = "give"     // a lock to its right owner
	KindReplace       Kind = "replace"  // a lock in the wrong spelling by the right one
	KindExpire        Kind = "expire"   // locks as late as their account
	KindValue         Kind = "value"    // an account's value, with its lock
	KindDeleteAccount Kind = "delete-account"
	KindRestore       Kind = "restore-account" // a deleted one, with all its locks
	KindRemove        Kind = "remove"          // a counter that a change created
)

// operations has an entry for each kind. A new kind is an entry here, a constant above, and a
// planner in a file of its own.
var operations = map[Kind]operation{
	KindRelease:  {actions: []actions{{client.Delete: 1}}, about: aboutLock, undo: undoPutBack},
	KindRecreate: {actions: []actions{{client.Put: 1}}, about: aboutLock, undo: undoRelease},
	KindGive:     {actions: []actions{{client.Update: 1}}, about: aboutLock},
	KindReplace:  {actions: []actions{{client.Put: 1, client.Delete: 1}}, about: aboutLock, respells: true},
	KindExpire:   {actions: []actions{{client.Update: many}}, about: aboutLocks},
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
		inverse: KindRestore,
		typed:   true,
	},
	KindRestore: {
		words:   "restore account",
		actions: []actions{{client.Put: many}},
		about:   aboutAccount,
		recurs:  true,
		inverse: KindDeleteAccount,
	},
	KindCreate: {actions: []actions{{client.Put: 1}, {client.Update: 1}}, recurs: true, inverse: KindRemove},
	KindRemove: {
		actions: []actions{{client.Delete: 1}, {client.Update: 1}},
		recurs:  true,
		inverse: KindCreate,
		typed:   true,
	},
	KindBump:    {actions: setsNumber, numbers: true, shared: true, undo: undoNumber},
	KindReserve: {actions: setsNumber, numbers: true, shared: true, undo: undoNever},
	KindRaise:   {actions: setsNumber, numbers: true, shared: true, undo: undoNumber},
	KindLower:   {actions: setsNumber, numbers: true, recurs: true, undo: undoNumber},
	KindConvert: {actions: setsNumber, typed: true},
}

// operation is what reading, undoing and resolving a change needs to know of its kind.
type operation struct {
	// words describe the kind to people, if its name does not.
	words string
	// actions are the sets of actions, besides conditions, that a change of the kind may
	// have, also when it undoes another of its kind. A stored plan with any other set was not
	// made here.
	actions []actions
	about   subject
	// respells: the lock may be of any spelling of the plan's value.
	respells bool
	// numbers: it sets the counter to the number in the plan.
	numbers bool
	// shared: the application changes the same number, so finding it as the plan leaves it
	// does not tell who did it.
	shared bool
	// recurs: the items may legitimately return to their former state. Then the conditions do
	// not stop a copy of the request that arrives after its token was forgotten. They do for
	// other kinds: a bumped counter only rises; releasing, putting or giving a lock, or
	// mending a counter, is right whenever the same fault is there; and a mark is never set
	// twice.
	recurs bool
	// undo says how it is undone, and inverse is the kind of the change that does so, if
	// another.
	undo    undoing
	inverse Kind
	// typed: when it undoes another change, its subject has to be typed.
	typed bool
}

// IsShared reports whether the application changes the same number as a change of the kind: finding it as the
// plan leaves it does not tell who did it.
func (k Kind) IsShared() bool { return operations[k].shared }

// subject says which items a change writes.
type subject int

const (
	aboutCounter subject = iota
	aboutLock            // the one of the plan's value
	aboutLocks           // those that the plan's account claims
	aboutAccount         // the account, and the locks that it claims before or after
)

// undoing says how a change is undone.
type undoing int

const (
	undoEach    undoing = iota // every item is restored
	undoPutBack                // the lock is put back, if nobody took the value
	undoRelease                // the lock is released like any other
	undoNumber                 // the counter is set back, if nobody counted since
	undoNever                  // numbers that were handed out are never taken back
)

// actions counts actions, besides conditions, by verb.
type actions map[client.Verb]int

// Counts in actions.
const (
	many = -1 // at least one
	any0 = -2 // any number
)

// setsNumber are the actions that set a counter. One whose key is its value takes two.
var setsNumber = []actions{{client.Update: 1}, {client.Put: 1, client.Delete: 1}}
