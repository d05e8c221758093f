package adopt

import (
	"fmt"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/mistake"
)

// Code says why a constraint cannot be adopted, why a phase cannot begin, or why a value cannot have a lock. Package
// say has the words.
type Code string

// The codes of constraints that cannot be adopted.
const (
	Unknown        Code = "Unknown"        // the layout has no constraint with this name
	Lockless       Code = "Lockless"       // the layout describes no locks for the constraint
	Ownerless      Code = "Ownerless"      // the layout has no owner, but adopted locks must name their account
	KeyedByAccount Code = "KeyedByAccount" // lock keys contain the account's id, so locks keep nothing unique
	SeveralForms   Code = "SeveralForms"   // lock keys have several forms
	Moves          Code = "Moves"          // the application moves a value without putting its lock
	TwoSteps       Code = "TwoSteps"       // the application writes account and lock in several transactions
	Lapses         Code = "Lapses"         // locks may expire before their accounts
	SeveralTables  Code = "SeveralTables"  // accounts of other tables have locks in the same table
	OtherHolders   Code = "OtherHolders"   // items that are no accounts hold values, too
	AmbiguousOwner Code = "AmbiguousOwner" // an owner does not tell the kind of its account
	SeveralRegions Code = "SeveralRegions" // other Regions may write the table
	OtherOwnerForm Code = "OtherOwnerForm" // existing locks name their accounts in another form than new locks would
)

// The codes of phases that cannot begin.
const (
	Unsurveyed    Code = "Unsurveyed"    // there is no complete survey
	Unverified    Code = "Unverified"    // the application's writers are not verified
	WithoutLock   Code = "WithoutLock"   // an account was made or changed without its lock
	Unconfirmed   Code = "Unconfirmed"   // nobody has confirmed the writers that could not be verified
	NoBackfill    Code = "NoBackfill"    // no backfill has reached its end
	Running       Code = "Running"       // another process runs a phase of this adoption
	LayoutChanged Code = "LayoutChanged" // the layout has changed since the earlier phase
	NotBegun      Code = "NotBegun"      // there is nothing to abandon
)

// The codes of values that cannot have a lock.
const (
	Empty     Code = "empty"      // the value is empty, perhaps after normalising
	WrongType Code = "wrong-type" // the value is not a text, a number or bytes
	Nonsense  Code = "nonsense"   // the value is "undefined" or "null"
	NoKey     Code = "no-key"     // the layout makes no key of the value, for example because it is too long
	NoOwner   Code = "no-owner"   // the layout cannot name the account as the owner of a lock
)

// Refusal is the reason why a constraint cannot be adopted, or why a phase cannot begin.
type Refusal struct {
	Code       Code
	Table      string
	Constraint string
	// Shared is the constraint with the fault, if it is not Constraint but has the same lock keys.
	Shared string
	// Names are the constraints of the table. Meant is the end of a sentence that suggests a similar name. Both are only
	// for the code Unknown.
	Names []string
	Meant string
	// Tables are the other tables with accounts, for the code SeveralTables.
	Tables []string
	// Kinds has the keys of two kinds of accounts, for the code AmbiguousOwner.
	Kinds []string
	// Lock is the key of a lock in another form, for the code OtherOwnerForm.
	Lock attr.Key
	// Why has the details of the code SeveralRegions.
	Why string
	// At is the place in the config that describes the constraint; empty if unknown.
	At string
	// Phase is the phase that cannot begin. Count and Of are numbers of accounts: Count of the Of judged accounts came
	// without their lock.
	Phase     Phase
	Count, Of int
	// Writers is the last judgement of the writers, if Phase is set; nil if there is none.
	Writers *Writers
}

// Error implements error. It is for logs: package say has the words for people.
func (r *Refusal) Error() string {
	return fmt.Sprintf("adopting %s of %s: %s", r.Constraint, r.Table, r.Code)
}

// refuse returns a refusal because of one of the constraints.
func (r *Rule) refuse(code Code, c *layout.Constraint) *Refusal {
	refusal := &Refusal{Code: code, Table: r.Table.Name, Constraint: r.Constraint.Name, Tables: c.AlsoIn}
	refusal.At = c.Origin.Of(settings[code])
	if c != r.Constraint {
		refusal.Shared = c.Name
	}
	return refusal
}

// settings has the setting of the config that causes a refusal.
var settings = map[Code]string{
	KeyedByAccount: "pk", SeveralForms: "also", Moves: "moves", TwoSteps: "two_steps", Lapses: "lapses",
	SeveralTables: "also_in", OtherHolders: "holders", OtherOwnerForm: "owner_form", AmbiguousOwner: "owner_form",
}

// unknown refuses a constraint that the layout does not have, or that has no locks.
func unknown(t *dynamo.Table, name string) *Refusal {
	refusal := &Refusal{Code: Unknown, Table: t.Name, Constraint: name}
	if c := t.Layout.UnlockedNamed(name); c != nil {
		refusal.Code, refusal.At = Lockless, c.Origin.Of("unique")
		return refusal
	}
	for _, c := range t.Layout.Constraints() {
		refusal.Names = append(refusal.Names, c.Name)
	}
	refusal.Meant = mistake.Meant(name, refusal.Names...)
	return refusal
}
