// Package journal has the command journal: it lists all changes, and resolves open ones.
package journal

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// options has the flags of `journal`.
type options struct {
	older                               *age
	resolve, yes, dryRun, verify, trust bool
}

// Command lists the changes in the journal, resolves open ones, or forgets old ones.
func Command(s *app.Run) *cobra.Command {
	var ask options
	cmd := &cobra.Command{
		Use:   "journal",
		Short: "List all changes, and resolve the open ones",
		Long: `List all changes in the journal, each with its receipt: first the open changes,
then the others, the newest first. A change is open if its answer was lost. An
interrupted release is open, too.

--resolve reads the tables to find out the outcome of each open change, on the
connection of the change. It shows the outcome, and you choose the next step.
tallylock sends a request again only if you choose that. With --yes, --resolve
does not ask and takes the safe step: it records the outcome and, with --write,
removes marks. Without a terminal, or with --dry-run, --resolve only reports.

--prune deletes old closed changes from the journal.

Each line of the journal has a hash of itself and of the line before it.
--verify checks these hashes. The exit status is 1 if a line was edited,
inserted or removed. --verify cannot detect that lines at the end were removed.
If somebody has edited the journal, tallylock only lists it, unless you add
--trust-journal. --prune with --trust-journal writes new hashes.`,
		Example: `  tallylock journal
  tallylock journal --resolve --write
  tallylock journal --verify
  tallylock journal --prune 90d`,
		Args: app.TakesNothing,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runJournal(cmd.Context(), s, ask)
		},
	}
	cmd.Flags().BoolVar(&ask.resolve, "resolve", false, "find out the outcome of open changes, and close them")
	cmd.Flags().BoolVar(&ask.yes, "yes", false, "with --resolve: do not ask, and take the safe step")
	cmd.Flags().BoolVar(&ask.dryRun, "dry-run", false, "with --resolve: only report")
	cmd.Flags().BoolVar(&ask.verify, "verify", false, "check that nobody has edited the journal")
	cmd.Flags().BoolVar(&ask.trust, "trust-journal", false, "use the journal although somebody has edited it")
	cmd.Flags().Func("prune", "delete closed changes older than this `AGE` from the journal, such as 90d or 12h", app.Parsed(&ask.older))
	return cmd
}

func runJournal(ctx context.Context, s *app.Run, ask options) error {
	if ask.resolve {
		return resolveOpen(ctx, s, ask)
	}
	if ask.yes || ask.dryRun {
		return exit.Usage("reading the journal", "--yes and --dry-run have an effect only with --resolve", "add --resolve")
	}
	c, err := s.Flags.Config.Read()
	if err != nil {
		return err
	}
	path := c.JournalFile(s.Flags.Journal)
	if ask.older != nil {
		j, err := journal.Open(path)
		if err != nil {
			return err
		}
		if ask.trust {
			j.Trust()
		}
		n, err := j.Prune(ctx, time.Now().Add(-time.Duration(*ask.older)))
		if err != nil {
			return err
		}
		s.Note("Deleted %s from the journal.", phrase.Count(n, "change"))
		return nil
	}
	j := journal.OpenReadOnly(path)
	if ask.verify {
		return verifyJournal(s, j)
	}
	records, unread, err := j.Read()
	if err != nil {
		return err
	}
	slices.Reverse(records)
	slices.SortStableFunc(records, func(a, b *journal.Record) int { return rank(a) - rank(b) })
	writeJournal(s, records)
	if unread > 0 {
		s.Note("%s of the journal cannot be read. The cause is a crash or an edit. Run: %s", phrase.Count(unread, "line"),
			s.Flags.Command("journal", "--verify"))
	}
	return nil
}

// rank sorts open changes before all others.
func rank(r *journal.Record) int {
	if r.Open {
		return 0
	}
	return 1
}

// Receipt is the JSON of one change in the journal.
type Receipt struct {
	Receipt    string        `json:"receipt"`
	At         time.Time     `json:"at"`
	Kind       string        `json:"kind"`
	Table      string        `json:"table"`
	Constraint *string       `json:"constraint"`
	Value      *string       `json:"value"`
	Counter    *string       `json:"counter"`
	Before     *string       `json:"before"`
	After      *string       `json:"after"`
	Outcome    string        `json:"outcome"`
	Open       bool          `json:"open"`
	Undoes     *string       `json:"undoes"`
	Undone     *string       `json:"undone"` // the receipt of the change that undid this change
	Reasons    []plan.Reason `json:"reasons"`
	Who        string        `json:"who"`
	AppliedBy  *string       `json:"applied_by"` // the person who made the change over SSH
	AskedBy    *string       `json:"asked_by"`   // the person who asked for the change over SSH
	Reason     string        `json:"reason"`
	Profile    string        `json:"profile"`
	Account    string        `json:"account"`
	Connection string        `json:"connection"`
	Region     string        `json:"region"`
	Endpoint   string        `json:"endpoint"`
}

func receiptOf(r *journal.Record) Receipt {
	return Receipt{
		Receipt:    r.Receipt,
		At:         r.At,
		Kind:       r.About.Kind,
		Table:      r.Table,
		Constraint: attr.NullIfEmpty(r.About.Constraint),
		Value:      attr.NullIfEmpty(r.About.Value),
		Counter:    attr.NullIfEmpty(r.About.Counter),
		Before:     attr.NullIfEmpty(r.About.Before),
		After:      attr.NullIfEmpty(r.About.After),
		Outcome:    string(r.Outcome),
		Open:       r.Open,
		Undoes:     attr.NullIfEmpty(r.Undoes),
		Undone:     attr.NullIfEmpty(r.Undone),
		Reasons:    say.Reasons(plan.ReasonsOf(r)),
		Who:        r.Who,
		AppliedBy:  attr.NullIfEmpty(r.AppliedBy),
		AskedBy:    attr.NullIfEmpty(r.AskedBy),
		Reason:     r.Reason,
		Profile:    r.Profile, Account: r.Account, Connection: r.Connection, Region: r.Region, Endpoint: r.Endpoint,
	}
}

func writeJournal(s *app.Run, records []*journal.Record) {
	if s.Flags.Output != app.Text {
		var out []Receipt
		for _, r := range records {
			out = append(out, receiptOf(r))
		}
		app.PrintAll(s, out)
		return
	}
	if len(records) == 0 {
		s.Note("This journal has no changes.")
		return
	}
	var rows [][]kit.Span
	for _, r := range records {
		became := say.Outcome(r)
		if r.Open { // --resolve resolves open changes
			became.Word = "open"
		}
		rows = append(rows, []kit.Span{
			{Text: r.At.Local().Format("2006-01-02 15:04")},
			{Text: r.What},
			print.Signed(became),
			{Text: say.Makers(r.Who, r.AppliedBy, r.AskedBy)},
			{Text: r.Reason},
			kit.Muted.Of(r.Receipt),
		})
	}
	s.Printer().Table(0, []print.Column{
		{Title: "WHEN"},
		{Title: "WHAT", Least: 22},
		{Title: "OUTCOME"},
		{Title: "WHO", Least: 6, Spare: true},
		{Title: "WHY", Least: 12, Spare: true},
		{Title: "RECEIPT"},
	}, rows)
	if open := len(journal.Unresolved(records)); open > 0 {
		s.Note("%s Run: %s", say.OpenChanges(open), s.Flags.Command("journal", "--resolve"))
	}
}

// age is a duration, which may be in days.
type age time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *age) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if days, ok := strings.CutSuffix(string(text), "d"); ok {
		var n float64
		n, err = strconv.ParseFloat(days, 64)
		if !(n <= math.MaxInt64/float64(24*time.Hour)) { // this also refuses NaN
			n = -1
		}
		d = time.Duration(n * float64(24*time.Hour))
	}
	if err != nil || d < 0 {
		return fmt.Errorf("%q is not an age: write an age such as 90d or 12h", text)
	}
	*a = age(d)
	return nil
}

// Chain is the JSON of --verify.
type Chain struct {
	Journal string  `json:"journal"`
	Whole   bool    `json:"whole"`
	Lines   int     `json:"lines"`
	Unread  int     `json:"unread"`
	Broken  *int    `json:"broken"` // the first line that does not fit the line before it
	Why     *string `json:"why"`
}

// verifyJournal reports whether lines of the journal were edited.
func verifyJournal(s *app.Run, j *journal.Journal) error {
	c, err := j.Verify()
	if err != nil {
		return err
	}
	out := Chain{
		Journal: j.Path(),
		Whole:   c.Broken == 0,
		Lines:   c.Lines,
		Unread:  c.Unread,
		Why:     attr.NullIfEmpty(c.Why),
	}
	if c.Broken > 0 {
		out.Broken = &c.Broken
	}
	if s.Flags.Output != app.Text {
		s.Print(out)
	} else {
		sayChain(s.Printer(), c)
	}
	if c.Broken > 0 {
		return exit.Found
	}
	return nil
}

// sayChain prints the result of --verify for people.
func sayChain(p *print.Printer, c journal.Chain) {
	if c.Broken == 0 {
		p.Put(kit.Good, "✓ No edit found")
		p.Line(kit.Text, " · %s", phrase.Count(c.Lines, "line"))
	} else {
		p.Put(kit.Bad, "✗ Edit found")
		p.Hang(kit.Text, 2, fmt.Sprintf(" · line %d does not match the line before it: %s", c.Broken, c.Why))
	}
	if c.Unread > 0 {
		p.Hang(kit.Text, 2,
			fmt.Sprintf("  %s cannot be read. A crash during a write leaves such lines.", phrase.Count(c.Unread, "line")))
	}
}
