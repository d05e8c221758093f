package check

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
)

// report collects what a check says: it calls the caller's function with each finding, and
// writes the summary. It is safe for concurrent use.
type report struct {
	table  *dynamo.Table
	layout string // its hash
	o      *Options
	call   func(Finding)

	calls     sync.Mutex // held while a function of the caller runs, progress's too
	mu        sync.Mutex
	summary   Summary
	confirmed map[Kind]bool // the kinds with a confirmed finding
	early     []string      // the notes made before the tables are read
	conflicts int           // values that could not be read together
}

// emit reports a finding, unless its kind is not wanted or the baseline has it. A guessed
// constraint confirms none.
func (p *report) emit(f Finding) {
	if !p.o.wants(f.Kind) {
		return
	}
	f.Table, f.TableID = p.table.Name, p.table.ID
	if f.Kind.ofLocks() {
		f.Layout = p.table.Layout.HashOf(f.Constraint)
	}
	if f.Accounts == nil {
		f.Accounts = []attr.Item{}
	}
	if f.Relation != nil && !f.Relation.Constraint.State.Sure() {
		f.Confirmed = false
	}
	if f.Kind != DuplicateID {
		f.ID = idOf(f)
	}
	known := p.o.Known.has(f)
	p.mu.Lock()
	if known {
		p.summary.Known++
	} else {
		p.summary.Findings[f.Kind]++
		if f.Confirmed {
			p.confirmed[f.Kind] = true
		}
		p.summary.Confirmed = p.summary.Confirmed && f.Confirmed
	}
	p.mu.Unlock()
	if !known {
		p.calls.Lock()
		defer p.calls.Unlock()
		p.call(f)
	}
}

// soFar returns the number of findings of each kind, and the early notes.
func (p *report) soFar() (findings map[Kind]int, early []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.summary.Findings), slices.Clone(p.early)
}

// warn adds a note before the tables are read: State.Early shows it at once.
func (p *report) warn(format string, args ...any) {
	p.note(format, args...)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.early = append(p.early, fmt.Sprintf(format, args...))
}

// note adds something that people should know besides the findings.
func (p *report) note(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if note := fmt.Sprintf(format, args...); !slices.Contains(p.summary.Notes, note) {
		p.summary.Notes = append(p.summary.Notes, note)
	}
}

// incomplete adds a reason why the check is not complete.
func (p *report) incomplete(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.summary.Why != "" {
		p.summary.Why += "; "
	}
	p.summary.Why += fmt.Sprintf(format, args...)
}

// unsettled counts a value that changed while it was read again.
func (p *report) unsettled() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.summary.Unsettled++
}

// reserved counts a lock whose account may still come.
func (p *report) reserved() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.summary.Reserved++
}

// conflicting reports whether values could not be read together because others kept
// writing to them, and counts them: they are not unsettled, since nothing shows a change.
func (p *report) conflicting(err error, values int) bool {
	if client.KindOf(err) != client.Conflict {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conflicts += values
	return true
}
