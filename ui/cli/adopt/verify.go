package adopt

import (
	"context"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// Verification is the result of --verify. In jsonl, it is the last line.
type Verification struct {
	Constraint string `json:"constraint"`
	Table      string `json:"table"`
	TableID    string `json:"table_id,omitempty"`
	// Holds says whether the rule holds.
	Holds  bool            `json:"holds"`
	Verify *adopt.Verified `json:"verify"`
	// Unfit lists values that cannot have a lock, of at most 1,000 accounts.
	Unfit []adopt.Problem `json:"unfit_values"`
	// Next is the command of the phase to repeat; empty if the rule holds.
	Next string `json:"next"`
}

// VerificationAll is the json of --verify, with the findings of the check.
type VerificationAll struct {
	Findings []finding.Finding `json:"findings"`
	Verification
}

// mostVerified is the greatest number of findings that text and json list.
const mostVerified = 1000

// runVerify checks the rule, and records the result.
func (a *adopting) runVerify(ctx context.Context) error {
	if err := a.state.Allows(adopt.PhaseVerify); err != nil {
		return err
	}
	changer, err := a.target.Changer(true)
	if err != nil {
		return err
	}
	if err := changer.CheckUndos(a.table, a.rule.Constraint); err != nil {
		return a.planRefused("checking that each "+a.constraint+" is unique", err, "nothing was read")
	}
	o, err := a.options(ctx)
	if err != nil {
		return err
	}
	cost := setting.Estimate(a.table, adopt.VerifyOptions(o))
	if err := a.confirmCost(ctx, say.BeforeCheck(a.table.Name, cost, false), cost); err != nil {
		return err
	}
	bar := app.NewProgress(a.Run)
	var found []finding.Finding
	v, err := adopt.Verify(ctx, a.rule, a.state, o, func(f finding.Finding) {
		switch {
		case a.Flags.Output == app.JSONLines:
			bar.Clear()
			a.Print(f)
		case len(found) < mostVerified:
			found = append(found, f)
		}
	}, showState(bar))
	bar.Clear()
	if v.Since != nil {
		if err = a.record.Withdraw(v); err != nil {
			return err
		}
	}
	if v.Since != nil { // Withdraw has not taken the result back
		v.Receipt, err = changer.RecordAdopted(context.WithoutCancel(ctx), a.table, a.rule.Constraint, *v.Since, a.reason)
		if err != nil {
			return err
		}
	}
	if e := (adopt.Event{Verify: v}); client.KindOf(err) != client.Cancelled || e.Disproves() {
		if kept := a.keep(ctx, e); err == nil {
			err = kept
		}
	}
	a.answerVerify(v, found)
	switch {
	case err != nil:
		return err
	case v.Since != nil:
		return nil
	case v.Problems() == 0:
		return exit.Failed
	}
	return exit.Found
}

// answerVerify writes the result of --verify.
func (a *adopting) answerVerify(v *adopt.Verified, found []finding.Finding) {
	result := Verification{
		Constraint: a.constraint, Table: a.table.Name, TableID: a.table.ID, Holds: v.Since != nil, Verify: v,
		Unfit: append([]adopt.Problem{}, v.UnfitValues...), Next: a.phaseCommand(v.Repeat),
	}
	switch a.Flags.Output {
	case app.JSONLines:
		a.Print(result)
		return
	case app.JSON:
		a.Print(VerificationAll{append([]finding.Finding{}, found...), result})
		return
	}
	p := a.Printer()
	for n, f := range found {
		if n == mostShown {
			p.Line(kit.Muted, "  %s more; --output jsonl lists all", phrase.Number(len(found)-n))
			break
		}
		p.Put(kit.Bad, "  "+string(f.Kind))
		p.Hang(kit.Text, 4+len(f.Kind), "  "+f.Detail)
	}
	for n, one := range v.UnfitValues {
		if n == mostShown {
			p.Line(kit.Muted, "  %s more values; --output json lists the values of up to 1,000 accounts", phrase.Number(v.Unfit-int64(n)))
			break
		}
		p.Put(kit.Bad, "  "+string(one.Kind))
		p.Hang(kit.Text, 4+len(one.Kind), "  "+say.UnfitAccount(one, a.keyOf(one.Accounts[0].Key)))
	}
	if v.Since != nil {
		p.Line(kit.Good, "%s", kit.GlyphYes+" "+say.RuleHolds(a.rule, v))
		p.Line(kit.Muted, "  receipt %s", v.Receipt)
		return
	}
	p.Hang(kit.Warn, 0, say.RuleUnproven(a.rule, v))
	if v.Repeat == adopt.PhaseWriters {
		p.Hang(kit.Text, 0, "Next: "+say.AfterOldWriter(a.state.Writers, a.command))
		return
	}
	p.Hang(kit.Text, 0, "Next: "+result.Next)
}
