package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
	"tallylock/ui/record"
	"tallylock/ui/say"
)

// findCommand shows who holds a value.
func findCommand(s *app.Run) *cobra.Command {
	var o find.Options
	var in app.Scope
	cmd := &cobra.Command{
		Use:   "find VALUE...",
		Short: "Show who holds a value, or find an account id",
		Long: `Show which account holds a value, such as an email or a username. Or show the
account with the id that you give. find also shows the lock that prevents other
people from taking the value. A few reads by key are usually enough. If they are
not, find reads the whole table, but only if that costs at most
--auto-read-units.`,
		Example:           "  tallylock find ada@lovelace.io --table accounts\n  tallylock find alan --output json",
		Args:              app.Takes(1, app.Many, "a VALUE"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, values []string) error {
			o.Scope = in
			return runFind(s, cmd, values, o)
		},
	}
	cmd.Flags().BoolVar(&o.Scan, "scan", false, "read the whole table, even above --auto-read-units, if nothing else can answer")
	in.AddFlag(cmd.Flags(), "a lock's key besides the value")
	return cmd
}

func runFind(s *app.Run, cmd *cobra.Command, values []string, o find.Options) error {
	ctx := cmd.Context()
	table, err := s.OpenAccounts(ctx)
	if err != nil {
		return err
	}
	o.Near = s.Flags.Output == app.Text // only people confuse similar values
	answers, err := findAll(s, ctx, table, values, o)
	if s.Flags.Output == app.Text {
		for n, a := range answers {
			if n > 0 {
				s.Printer().End()
			}
			writeAnswer(s, s.Printer(), a, table)
		}
		return err
	}
	var found []record.Answer
	for _, a := range answers {
		found = append(found, record.AnswerOf(table, a, say.Evidence, say.Sentence))
	}
	if err == nil || len(found) > 0 {
		app.PrintAll(s, found) // after an error, found has the answers so far
	}
	return err
}

// findAll finds the values. Several values share one reading of the whole table. With an error, it returns the answers
// so far.
func findAll(
	s *app.Run, ctx context.Context, t *dynamo.Table, values []string, o find.Options,
) (answers []*find.Answer, err error) {
	blank := slices.IndexFunc(values, func(v string) bool { return layout.TrimPasted(v) == "" })
	if len(values) == 1 || blank >= 0 { // Find refuses a blank value
		one := values[max(blank, 0)]
		defer s.ShowWait(t.Connection(), "looking for "+one)()
		a, err := find.Find(ctx, t, one, o)
		if err != nil {
			return nil, err
		}
		return []*find.Answer{a}, nil
	}
	end := s.ShowWait(t.Connection(), "looking for "+phrase.Count(len(values), "value"))
	several := find.SeveralOptions{Scan: o.Scan, Agreed: true, Near: o.Near, Scope: o.Scope}
	got, err := find.Several(ctx, t, values, several, func(find.Progress) {})
	end()
	shared, units := 0, got.Units
	for _, a := range got.Answers {
		if a == nil {
			continue // an error ended the search before this value
		}
		answers = append(answers, a)
		if units -= a.ReadUnits; slices.ContainsFunc(a.Reads, func(r client.Read) bool { return r.Whole }) {
			shared++
		}
	}
	if shared > 1 {
		s.Note("%s", say.SharedReading(shared, units, t.Connection().ReportsUnits()))
	}
	return answers, err
}

// writeAnswer writes an answer for people, in the order of the inspector: the account whose id is the query; the
// values that were found, each with its verdict, its effect and the next step; their accounts; a line about the
// other readings; the look-alikes; and the reads.
func writeAnswer(s *app.Run, p *print.Printer, a *find.Answer, t *dynamo.Table) {
	p.Put(kit.Strong, p.Exact(a.Query))
	done := "complete"
	if !a.Complete {
		done = "incomplete"
	}
	table := a.Table
	if !t.Layout.State().Sure() {
		table += ", by a guessed layout"
	}
	p.Line(kit.Muted, "  in %s, %s, %s, %s", table, say.UsedReadUnits(a.ReadUnits, t.Connection().ReportsUnits()),
		say.Lasts(a.Took), done)
	if note := a.Note(); note != "" {
		p.Line(kit.Strong, "%s", p.Exact(say.Sentence(note)))
	}
	if len(a.Locks)+len(a.Accounts)+len(a.Unlocked) == 0 {
		p.End()
		p.Line(kit.Strong, "%s", say.NowhereKept(t))
	}
	writeAccounts(p, a, true)
	found, nothing := a.Readings()
	for _, r := range found {
		if !r.ByID {
			p.End()
			writeRelation(s, p, a, r.Relation, t)
		}
	}
	writeAccounts(p, a, false)
	if rest := say.OtherReadings(a, nothing); rest != "" {
		p.End()
		p.Line(kit.Muted, "%s", rest)
	}
	writeNear(p, a)
	writeReads(p, a.Reads)
}

// indent is the column where the sentence of a verdict begins.
const indent = 14

func writeRelation(s *app.Run, p *print.Printer, a *find.Answer, r *verdict.Relation, t *dynamo.Table) {
	writeVerdict(p, r)
	for _, so := range say.Consequences(r) {
		p.Indented(kit.Text, indent, so)
	}
	var about print.Facts
	if !r.Constraint.Lockless() {
		about.Add("lock", say.Lock(r, time.Now()))
	}
	if further := say.FurtherLocks(r); further != "" {
		about.Add("other lock", further)
	}
	for _, c := range r.Claimants {
		addAccount(&about, "account", c.Key)
	}
	if r.MoreClaimants > 0 {
		about.Add("account", "and "+phrase.Number(r.MoreClaimants)+" more")
	}
	if r.OwnerAccount != nil {
		addAccount(&about, "owner", r.OwnerAccount.Key)
	}
	if r.Provisional && r.Lock.Exists && r.Limited() == "" {
		about.Add("not proven", fmt.Sprintf(
			"a sign-up in progress could still claim the lock: a release marks the lock, waits %g s and looks again before it deletes the lock",
			t.Connection().Settle().Seconds(),
		))
	}
	next, then := nextSteps(s, a, r, t)
	about.Add("next", next)
	about.Add("then", then)
	p.Facts(indent, about)
}

// addAccount names an account, and its age if the id shows it.
func addAccount(about *print.Facts, label string, key attr.Key) {
	about.Add(label, key.String())
	about.Add("made", say.Made(key, time.Now()))
}

func writeVerdict(p *print.Printer, r *verdict.Relation) {
	p.Sign(say.Verdict(r.Verdict, r.Provisional), indent)
	p.Hang(kit.Strong, indent, r.Sentence())
}

// nextSteps returns the commands that repair a problem, or another step after a verdict.
func nextSteps(s *app.Run, a *find.Answer, r *verdict.Relation, t *dynamo.Table) (next, then string) {
	kind, ok := map[verdict.Verdict]finding.Kind{
		verdict.Missing: finding.MissingLock,
		verdict.Foreign: finding.ForeignLock,
	}[r.Verdict]
	if ok && !r.Misfit && !r.Provisional && r.Limited() == "" && r.Asks == nil && r.Lock.Other == nil {
		find := s.Flags.CommandLine([]string{"check", "--table", a.Table, "--only", string(kind), "--output", "jsonl"})
		mend := s.Flags.CommandLine([]string{"mend", "findings.jsonl", "--write"})
		if find == "" || mend == "" {
			return "", ""
		}
		return find + " > findings.jsonl", mend
	}
	return nextStep(s, a, r, t), ""
}

// nextStep returns the next step after a verdict. It has at most one command.
func nextStep(s *app.Run, a *find.Answer, r *verdict.Relation, t *dynamo.Table) string {
	find := s.Flags.CommandLine([]string{"find", "--table", a.Table, "--scan"}, a.Query)
	switch {
	case r.Constraint.Lockless() && (r.Verdict != verdict.Unknown || a.Whole == nil):
		return ""
	case r.Constraint.Lockless():
		return find
	case r.Misfit:
		return say.Do(t.Correct())
	case r.Asks != nil:
		return say.Do(t.Answers.AskOf(r).Offer())
	}
	switch r.Verdict {
	case verdict.Orphaned, verdict.Stale, verdict.Malformed:
		if !r.Lock.Exists || r.Limited() != "" {
			return ""
		}
		return releaseLine(s, a, r)
	case verdict.Reserved:
		return "wait until the reservation ends; if nobody is signing up: " + releaseLine(s, a, r, "--reserved")
	case verdict.Unknown:
		if r.Lock.Other != nil { // nobody can put or release this lock, whoever holds the value
			return ""
		}
		if r.Lock.Table == "" {
			return "give the other parts of the lock's key, with --scope NAME=VALUE: " + strings.Join(r.Constraint.Scope(),
				", ")
		}
		scan := cmp.Or(find, "the same command with --scan")
		if a.ScanDenied {
			return "ask somebody with the auditor policy to run: " + scan
		}
		if r.Pending && a.Whole == nil {
			return "if nobody is signing up: " + releaseLine(s, a, r, "--reserved")
		}
		return scan
	}
	return ""
}

// releaseLine returns the command that releases a lock.
func releaseLine(s *app.Run, a *find.Answer, r *verdict.Relation, more ...string) string {
	flags := slices.Concat([]string{"release", "--table", a.Table, "--write"}, more, app.ScopeArgs(r.Scope()))
	if line := s.Flags.CommandLine(flags, r.Constraint.Name, r.Value); line != "" {
		return line
	}
	return "release it in the inspector: " + cmp.Or(s.Flags.CommandLine([]string{"--table", a.Table, "--write"}),
		"tallylock --write")
}

// writeAccounts lists the accounts whose id is the query, or the other accounts, with their values.
func writeAccounts(p *print.Printer, a *find.Answer, byID bool) {
	for _, h := range a.Accounts {
		if h.ByID != byID {
			continue
		}
		p.End()
		p.Put(kit.Strong, h.Key.String())
		if h.ByID {
			p.Put(kit.Muted, "  found by its id")
		}
		p.End()
		var rows [][]kit.Span
		for _, v := range h.Values {
			rows = append(rows, []kit.Span{
				print.Signed(say.ValueVerdict(v.Verdict, v.Provisional)), {Text: v.Constraint.Name}, {Text: p.Exact(v.Value)},
			})
		}
		p.Table(2, []print.Column{{}, {}, {Least: 20}}, rows)
	}
}

func writeNear(p *print.Printer, a *find.Answer) {
	if len(a.Near) == 0 {
		return
	}
	p.End()
	for _, s := range say.NearWords(a) {
		p.Put(s.Style, s.Text)
	}
	p.End()
	var rows [][]kit.Span
	for _, n := range a.Near {
		rows = append(rows, []kit.Span{
			{Text: n.Relation.Constraint.Name}, {Text: p.Exact(n.Relation.Value)}, kit.Muted.Of(n.How),
		})
	}
	p.Table(2, []print.Column{{}, {Least: 20}, {Least: 20}}, rows)
}

func writeReads(p *print.Printer, reads []client.Read) {
	if len(reads) == 0 {
		return
	}
	p.End()
	p.Line(kit.Muted, "reads")
	var rows [][]kit.Span
	for _, r := range reads {
		rows = append(rows, []kit.Span{
			kit.Muted.Of(phrase.Clock(r.At)), {Text: r.What}, {Text: r.Found}, kit.Muted.Of(r.How),
		})
	}
	p.Table(2, []print.Column{{}, {Least: 20}, {Least: 10}, {Least: 10, Spare: true}}, rows)
}
