package check

import (
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
)

// Assumptions returns what confirmed findings of these kinds rest on besides what was read
// for each: how it was read, and what the layout says of the application. Each is a sentence.
func Assumptions(t *dynamo.Table, o Options, kinds ...Kind) []string {
	o.fill()
	var said []string
	has := func(of func(Kind) bool) bool { return slices.ContainsFunc(kinds, of) }
	if has(Kind.OnAbsence) {
		said = append(said, howUnclaimed(t, o))
	}
	if has(Kind.ofLocks) && len(t.Layout.Constraints()) > 0 {
		said = append(said,
			sentence(fmt.Sprintf("the layout %s, %s, makes the keys of locks as the application does", t.Layout.Name, Origin(t))))
	}
	if slices.Contains(kinds, DriftedKey) {
		said = append(said, sentence(fmt.Sprintf("the layout %s, %s, says what keys are made of", t.Layout.Name, Origin(t))))
	}
	if has(Kind.OnAbsence) {
		said = append(
			said,
			"It has every kind of account that uses these locks, and whoever takes a value puts its lock again in the same transaction"+howTaken(
				t,
			),
		)
	}
	if has(Kind.handsOut) {
		said = append(said,
			"Applications take a number from the counter before they write an item that carries it, or in the same transaction.")
	}
	switch at := t.Regions(); {
	case len(said) == 0 || at.Unproven() != "":
	case len(at.Others) > 0:
		said = append(
			said,
			fmt.Sprintf("Only %s is written, as the layout says: what others write is seen late, and in any order.",
				at.WrittenIn),
		)
	default:
		said = append(said, "One Region is written: what others write is seen late, and in any order.")
	}
	return said
}

// howUnclaimed says how it was established that no account claims a lock.
func howUnclaimed(t *dynamo.Table, o Options) string {
	if o.Confirm != ConfirmFull {
		return "Each lock was read together with the account that it names, and no account was read again: locks name their true holders."
	}
	settle := seconds(t.Connection().Settle())
	if o.Look == Eventual {
		return fmt.Sprintf(
			"All accounts were read again, eventually consistent, at least %s later (settle): no sign-up takes longer than that, with the lag of a replica.",
			settle,
		)
	}
	return fmt.Sprintf(
		"All accounts were read again, strongly consistent, at least %s later (settle): no sign-up takes longer than that.",
		settle,
	)
}

// Origin says who answers for the table's layout.
func Origin(t *dynamo.Table) string {
	switch t.Layout.State() {
	case layout.Described:
		return "as the config describes it"
	case layout.Accepted:
		return "as it was accepted"
	}
	return "which was recognised and not described"
}

// howTaken says what the layout assumes that the application does when it takes a value.
func howTaken(t *dynamo.Table) string {
	var moves, steps, reserved []string
	for _, con := range t.Layout.Constraints() {
		if con.Moves {
			moves = append(moves, con.Name)
		}
		if con.TwoSteps {
			steps = append(steps, con.Name)
		}
		if con.Reserved.For > 0 {
			reserved = append(reserved, con.Name+" for "+con.Reserved.Words())
		}
	}
	said := ""
	if len(steps) > 0 {
		said += fmt.Sprintf(", or within %s (%s takes two steps)", seconds(t.Connection().Settle()),
			strings.Join(steps, ", "))
	}
	if len(reserved) > 0 {
		said += fmt.Sprintf(", or reserves it before and takes it in that time, by its own clock (%s)",
			strings.Join(reserved, ", "))
	}
	where := "config"
	if !t.Layout.Configured {
		where = "accepted layout"
	}
	if len(moves) > 0 {
		said += fmt.Sprintf(
			", but for %s, of which the %s says that it moves otherwise: there, a lock that nobody held may be held by now",
			strings.Join(moves, ", "), where,
		)
	}
	return said + "."
}
