package adopt

import (
	"time"

	"tallylock/dynamo/adopt"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// Standing is the output of adopt without a phase: the results so far, and the next phase.
type Standing struct {
	Constraint string `json:"constraint"`
	Table      string `json:"table"`
	TableID    string `json:"table_id,omitempty"`
	// Record is the file with the results of the phases.
	Record string       `json:"record"`
	Phases *adopt.State `json:"phases"`
	// NextPhase is the next phase, and Next its command. Both are empty if the rule holds.
	NextPhase adopt.Phase `json:"next_phase"`
	Next      string      `json:"next"`
}

// standing shows the state of each phase, and the next command.
func (a *adopting) standing() error {
	if a.Flags.Output != app.Text {
		a.Print(Standing{
			Constraint: a.constraint, Table: a.table.Name, TableID: a.table.ID, Record: a.record.Path(), Phases: a.state,
			NextPhase: a.state.Step(), Next: a.next(),
		})
		return nil
	}
	p, now := a.Printer(), time.Now()
	p.Put(kit.Strong, a.constraint+" of "+a.table.Name)
	p.Line(kit.Muted, "  adoption")
	if at := a.state.AbandonedAt; !at.IsZero() {
		p.Line(kit.Warn, "  abandoned %s", say.Ago(now.Sub(at)))
	}
	var facts print.Facts
	for _, phase := range adopt.Phases() {
		facts.Add(string(phase), say.AdoptPhase(a.state, phase, now))
	}
	facts.Add("record", a.record.Path())
	p.Facts(2, facts)
	if next := a.next(); next != "" {
		p.Hang(kit.Text, 0, "Next: "+next)
	}
	return nil
}
