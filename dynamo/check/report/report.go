// Package report collects the results of a check while it runs: findings, notes, counts, and the
// reasons why it is incomplete. It also writes the assumptions behind confirmed findings. Start at
// Report.
package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/remedy"
)

// Report passes each finding to Call, and collects the summary. It is safe for concurrent use.
type Report struct {
	Table      *dynamo.Table
	LayoutHash string // the hash of the table's layout
	Options    *setting.Options
	Call       func(finding.Finding)

	Calls     sync.Mutex // locked during each callback, also by package progress, so that only one runs at a time
	mu        sync.Mutex
	Summary   finding.Summary
	Confirmed map[finding.Kind]bool // the kinds of the confirmed findings
	early     []string              // the notes of Warn
	Conflicts int                   // number of values that could not be read together
}

// Emit reports a finding. It skips a finding of a kind that nobody wants, and only counts a finding that the baseline
// has. It sets the finding's table and ID, and for a finding about locks the layout hash.
func (p *Report) Emit(f finding.Finding) {
	if !p.Options.Wants(f.Kind) {
		return
	}
	f.Table, f.TableID = p.Table.Name, p.Table.ID
	if f.Kind.OfLocks() {
		f.Layout = config.HashOf(p.Table.Layout, f.Constraint)
	}
	if f.Accounts == nil {
		f.Accounts = []attr.Item{}
	}
	if f.Kind != finding.DuplicateID {
		f.ID = f.Hash()
	}
	known := p.Options.Known.Observe(f)
	p.mu.Lock()
	if known {
		p.Summary.Known++
	} else {
		p.Summary.Findings[f.Kind]++
		if f.Confirmed {
			p.Confirmed[f.Kind] = true
		}
		p.Summary.Confirmed = p.Summary.Confirmed && f.Confirmed
	}
	p.mu.Unlock()
	if !known {
		p.Calls.Lock()
		defer p.Calls.Unlock()
		p.Call(f)
	}
}

// SoFar returns the number of findings of each kind, and the notes of Warn.
func (p *Report) SoFar() (findings map[finding.Kind]int, early []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.Summary.Findings), slices.Clone(p.early)
}

// Warn adds a note that casts doubt on later findings. State.Early shows the note at once.
func (p *Report) Warn(format string, args ...any) {
	p.Note(format, args...)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.early = append(p.early, fmt.Sprintf(format, args...))
}

// Note adds a note to the summary, unless the summary already has it.
func (p *Report) Note(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if note := fmt.Sprintf(format, args...); !slices.Contains(p.Summary.Notes, note) {
		p.Summary.Notes = append(p.Summary.Notes, note)
	}
}

// Incomplete adds a reason why the check is incomplete.
func (p *Report) Incomplete(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Summary.Why != "" {
		p.Summary.Why += "; "
	}
	p.Summary.Why += fmt.Sprintf(format, args...)
}

// IncompleteUntil adds a reason why the check is incomplete, and a remedy.
func (p *Report) IncompleteUntil(do remedy.Remedy, format string, args ...any) {
	p.Incomplete("%s", p.Options.With(do, fmt.Sprintf(format, args...)))
}

// Unsettled counts a value that changed between two readings.
func (p *Report) Unsettled() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Summary.Unsettled++
}

// UnsettledValue is Unsettled for a value that the baseline may have. Its finding then stays in the baseline.
func (p *Report) UnsettledValue(constraint, value string) {
	p.Unsettled()
	p.Options.Known.Unsettled(constraint, value)
}

// Reserved counts a lock whose account may still be written.
func (p *Report) Reserved() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Summary.Reserved++
}

// Conflicting reports whether err is a conflict: the application kept writing, so the values could not be read
// together. It adds the values to Conflicts. These values do not count as Unsettled, since no reading shows a change.
func (p *Report) Conflicting(err error, values int) bool {
	if client.KindOf(err) != client.Conflict {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Conflicts += values
	return true
}

// Assumptions returns sentences with the assumptions behind confirmed findings of these kinds: about the readings of
// the items, and about the application.
func Assumptions(t *dynamo.Table, o setting.Options, kinds ...finding.Kind) []string {
	o.Fill()
	var said []string
	has := func(of func(finding.Kind) bool) bool { return slices.ContainsFunc(kinds, of) }
	if has(finding.Kind.OnAbsence) {
		said = append(said, howUnclaimed(t, o))
	}
	if has(finding.Kind.OfLocks) && len(t.Layout.Constraints()) > 0 {
		said = append(said,
			Sentence(fmt.Sprintf("the layout \"%s\", %s, makes the keys of locks as the application does", t.Layout.Name, Origin(t))))
	}
	if slices.Contains(kinds, finding.DriftedKey) {
		said = append(said, Sentence(fmt.Sprintf("the layout \"%s\", %s, makes keys as the application does", t.Layout.Name, Origin(t))))
	}
	if has(finding.Kind.OnAbsence) {
		said = append(
			said,
			"It has every kind of account that uses these locks. A writer that takes a value puts the value's lock in the same transaction"+howTaken(
				t,
			),
		)
	}
	if has(finding.Kind.HandsOut) {
		said = append(said,
			"Applications take a number from the counter before they write an item that carries it, or in the same transaction.")
	}
	switch at := t.Regions(); {
	case len(said) == 0 || at.Unproven() != "":
	case len(at.Others) > 0:
		said = append(
			said,
			fmt.Sprintf("All writes go to %s, as the layout says: writes from other Regions would arrive late, "+
				"and in any order.",
				at.WrittenIn),
		)
	default:
		said = append(said, "All writes go to one Region: writes from other Regions would arrive late, and in any order.")
	}
	return said
}

// howUnclaimed describes how the check made sure that no account claims a lock.
func howUnclaimed(t *dynamo.Table, o setting.Options) string {
	if o.Confirm != setting.ConfirmFull {
		return "Locks name their true holders: each lock was read together with its account, and no account was read again."
	}
	settle := Seconds(t.Connection().Settle())
	if o.Look == setting.Eventual {
		return fmt.Sprintf(
			"No sign-up takes longer than %s (settle), including the lag of a replica: "+
				"after that time all accounts were read again, eventually consistent.",
			settle,
		)
	}
	return fmt.Sprintf(
		"No sign-up takes longer than %s (settle): after that time all accounts were read again, strongly consistent.",
		settle,
	)
}

// Origin returns a clause about the source of the layout: described, accepted or guessed.
func Origin(t *dynamo.Table) string {
	switch t.Layout.State() {
	case layout.Described:
		return "as the config describes it"
	case layout.Accepted:
		return "as it was accepted"
	}
	return "which was only recognised"
}

// howTaken ends the sentence "A writer that takes a value puts the value's lock in the same transaction" with the
// exceptions that the layout describes: two steps, reservations, moves.
func howTaken(t *dynamo.Table) string {
	var moves, steps, reserved []string
	for _, con := range t.Layout.Constraints() {
		if con.Moves {
			moves = append(moves, con.Name)
		}
		if con.MultiTransaction {
			steps = append(steps, con.Name)
		}
		if con.Reserved.For > 0 {
			reserved = append(reserved, con.Name+" for "+con.Reserved.Words())
		}
	}
	said := ""
	if len(steps) > 0 {
		said += fmt.Sprintf(", or within %s (%s takes two steps)", Seconds(t.Connection().Settle()),
			strings.Join(steps, ", "))
	}
	if len(reserved) > 0 {
		said += fmt.Sprintf(", or reserves the value first and takes it within the configured time, by the writer's own clock (%s)",
			strings.Join(reserved, ", "))
	}
	where := "config"
	if !t.Layout.Configured {
		where = "accepted layout"
	}
	if len(moves) > 0 {
		said += fmt.Sprintf(
			", except for %s: the %s says moves = true, so an account may already use an orphaned lock",
			strings.Join(moves, ", "), where,
		)
	}
	return said + "."
}

// Shortened cuts out the middle of a text that is too long. It keeps the beginning, which names the item, and the end,
// which names the problem.
func Shortened(s string) string {
	const each = 120
	if len(s) <= 2*each {
		return s
	}
	return strings.ToValidUTF8(s[:each], "") + "…" + strings.ToValidUTF8(s[len(s)-each:], "")
}

// Seconds writes a short duration: "1 s", "0.3 s".
func Seconds(d time.Duration) string {
	if d < time.Millisecond {
		return d.String()
	}
	return fmt.Sprintf("%g s", d.Seconds())
}

// Sentence makes a clause a sentence: it adds a capital and a full stop. The clause must not be empty.
func Sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] + "." }
