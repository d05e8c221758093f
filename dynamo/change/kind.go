package change

import "tallylock/dynamo/client"

// Kind is what a change does.
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

// operations are the kinds of change. A new kind is a line here, a constant above, and a
// planner in a file of its own.
var operations = map[Kind]operation{
	KindRelease:       {actions: []actions{{client.Delete: 1}}, about: aboutLock, undo: undoPutBack},
	KindRecreate:      {actions: []actions{{client.Put: 1}}, about: aboutLock, undo: undoRelease},
	KindGive:          {actions: []actions{{client.Update: 1}}, about: aboutLock},
	KindReplace:       {actions: []actions{{client.Put: 1, client.Delete: 1}}, about: aboutLock, respells: true},
	KindExpire:        {actions: []actions{{client.Update: many}}, about: aboutLocks},
	KindValue:         {words: "change", actions: []actions{{client.Update: many, client.Put: any0, client.Delete: any0}}, about: aboutAccount, recurs: true},
	KindDeleteAccount: {words: "delete account", actions: []actions{{client.Delete: many}}, about: aboutAccount, recurs: true, inverse: KindRestore, typed: true},
	KindRestore:       {words: "restore account", actions: []actions{{client.Put: many}}, about: aboutAccount, recurs: true, inverse: KindDeleteAccount},
	KindCreate:        {actions: []actions{{client.Put: 1}, {client.Update: 1}}, recurs: true, inverse: KindRemove},
	KindRemove:        {actions: []actions{{client.Delete: 1}, {client.Update: 1}}, recurs: true, inverse: KindCreate, typed: true},
	KindBump:          {actions: setsNumber, numbers: true, shared: true, undo: undoNumber},
	KindReserve:       {actions: setsNumber, numbers: true, shared: true, undo: undoNever},
	KindRaise:         {actions: setsNumber, numbers: true, shared: true, undo: undoNumber},
	KindLower:         {actions: setsNumber, numbers: true, recurs: true, undo: undoNumber},
	KindConvert:       {actions: setsNumber, typed: true},
}

// operation is what reading, undoing and resolving a change has to know of its kind.
type operation struct {
	// words say for people what it does, where the kind's name does not.
	words string
	// actions are what it does besides its conditions: one of these. Taking one back that
	// keeps its kind is among them. A stored plan that does anything else was not made
	// here.
	actions []actions
	about   subject
	// respells: the lock is of the plan's value in any spelling.
	respells bool
	// numbers: it sets the counter to the number that the plan names.
	numbers bool
	// shared: the application moves the same number, so that it is as the plan leaves it
	// does not tell who has made it so.
	shared bool
	// recurs: what it changes can rightly come to be again as it was before. A copy of the
	// request that arrives after its token was forgotten is then not shut out by its
	// conditions. Of the others it is: a counter that was bumped only rises; a lock that
	// was released, put or given, or a counter that was mended, is mended rightly whenever
	// it is as wrong as it was; and what rests on a mark rests on one that nothing sets
	// again.
	recurs bool
	// undo says how it is taken back, and inverse of what kind the change that does so is,
	// where that is another.
	undo    undoing
	inverse Kind
	// typed: where it takes another change back, what it is about has to be typed.
	typed bool
}

// subject is what the writes of a change are on.
type subject int

const (
	aboutCounter subject = iota
	aboutLock            // the one of the plan's value
	aboutLocks           // those that the plan's account claims
	aboutAccount         // the account, and the locks that it claims before or after
)

// undoing is how a change is taken back.
type undoing int

const (
	undoEach    undoing = iota // every item is made what it was
	undoPutBack                // the lock is put back, if nobody has taken the value
	undoRelease                // the lock is released like any other
	undoNumber                 // the counter is set back, if nobody has counted since
	undoNever                  // numbers that were handed out are never taken back
)

// actions are what a change does besides its conditions, by verb.
type actions map[client.Verb]int

// many is one action or more, and any0 any number of them.
const (
	many = -1
	any0 = -2
)

// setsNumber are the actions of a counter that is given another value. One whose key is
// its value takes two.
var setsNumber = []actions{{client.Update: 1}, {client.Put: 1, client.Delete: 1}}
