package screen

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/find"
	"tallylock/dynamo/verdict"
	"tallylock/ui/kit"
)

// Item shows an item of a table, or of one of its lock tables. Owner is the table whose layout
// leads to the item. Counter is set if the item is opened as a counter.
type Item struct {
	Owner   *dynamo.Table
	Table   string
	Key     attr.Key
	Counter *counter.Counter
}

// Lock shows the lock of a relation in the list of locks.
type Lock struct{ Relation *verdict.Relation }

// Account shows the account of a relation in the list of accounts.
type Account struct{ Relation *verdict.Relation }

// Layout shows the layout of the open table.
type Layout struct{}

// Examples lists the items of the open table, for a person to point at.
type Examples struct{}

// Value finds who holds a value. If Text is empty, a person types the value.
type Value struct{ Text string }

// Values finds who holds each of several values. If Read is set, they are read at once, unless the price is above the
// limit of read units. Otherwise a person sees the price first.
type Values struct {
	Texts []string
	Read  bool
}

// Adopt shows the adoption of a constraint of the open table.
type Adopt struct{ Constraint string }

// Timeline shows the past of a relation's value and lock. At is the time when the relation was read.
type Timeline struct {
	Relation *verdict.Relation
	At       time.Time
}

// Items shows the items that a query finds.
type Items struct{ Query *find.Query }

// Tables shows the choice of tables. Commands returns the commands that a person can type there.
type Tables struct{ Commands func() []Typed }

// Opener opens screens of one kind on top of the tab and other screens. The program does not know the types of these
// screens: to add one, add its package and its line in ui.newScreens.
type Opener struct {
	// Open returns the screen for a target, and a command that reads it. The screen is nil if Open does not know
	// targets of this kind. stack holds the screens on top of the tab, the top one last.
	Open func(target any, stack []Screen) (Screen, tea.Cmd)
	// Command returns the command that opens the screen from every other one; nil if there is none.
	Command func() Command
	// Typed returns the command that a person types for the screen; nil if there is none. If the opener has a Command, a
	// person types this command instead of the name of the Command's action.
	Typed func() Typed
}

// Typed is a command that a person types, instead of a table's name.
type Typed struct {
	Name  string
	Short string // a short name; empty for none
	Words string // what the command does
	Key   string // the key of the same action; empty for none
	Why   string // why the command does nothing now; empty if it works
	Takes string // the placeholder for an argument, in capitals; empty if there is none
	Needs bool   // the command does nothing without its argument
	// Offers returns possible arguments for the text typed so far; nil for none.
	Offers func(follows string) []Offer
	// About draws more about the command than Words says; nil for none.
	About func(d *kit.Block)
	Run   func(follows string) tea.Cmd
}

// Offer is a possible argument of a command.
type Offer struct {
	Text string
	More bool // the argument is incomplete: more must be typed
}
