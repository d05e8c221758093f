package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/phrase"
)

// journal lists the receipts, settles the open ones, or forgets old ones.
func (s *invocation) journal() *cobra.Command {
	var older age
	var resolve, yes, dryRun, verify, trust bool
	cmd := &cobra.Command{
		Use:   "journal",
		Short: "The receipts of all changes; settle those that are open",
		Long: `The receipts of all changes that were made from here: what is open first, then the
newest. A change is open where its answer was lost, or a release was interrupted.
--resolve reads what became of the open ones, on the connection that they were made
on, and asks what to do about each; nothing is sent again unasked. --yes takes the
safe choice: what reads tell is written down, and marks are taken off (with --write).
Without a terminal, and with --dry-run, it only tells. --prune forgets closed changes.

Each line of the journal carries a hash of itself and of the line before it. --verify
checks them: exit status 1 where a line was edited, put in or taken out. (Lines taken
away at its end cannot be told.) Such a journal is only shown, and not acted on, unless
you add --trust-journal; --prune with --trust-journal chains its lines again.`,
		Example: "  tallylock journal\n  tallylock journal --resolve --write\n  tallylock journal --verify\n  tallylock journal --prune 90d",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if resolve {
				return s.resolve(cmd.Context(), yes, dryRun, trust)
			}
			if yes || dryRun {
				return usage("reading the journal", "--yes and --dry-run belong to --resolve", "add --resolve")
			}
			c, err := s.configured()
			if err != nil {
				return err
			}
			j, err := s.openJournal(c)
			if err != nil {
				return err
			}
			if verify {
				return s.verifyJournal(j)
			}
			if trust {
				j.Trust()
			}
			if cmd.Flags().Changed("prune") {
				n, err := j.Prune(cmd.Context(), time.Now().Add(-older.Duration))
				if err != nil {
					return err
				}
				s.note("Forgot %d changes.", n)
				return nil
			}
			records, unread, err := j.Read()
			if err != nil {
				return err
			}
			slices.Reverse(records)
			slices.SortStableFunc(records, func(a, b *journal.Record) int { return rank(a) - rank(b) })
			if err := s.writeJournal(records); err != nil || unread == 0 {
				return err
			}
			s.note("%s of the journal cannot be read: a crash tore it, or it was edited. Run: tallylock journal --verify", phrase.Count(unread, "line"))
			return nil
		},
	}
	cmd.Flags().BoolVar(&resolve, "resolve", false, "settle the open changes")
	cmd.Flags().BoolVar(&yes, "yes", false, "with --resolve: do not ask, and do what is safe")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "with --resolve: only tell")
	cmd.Flags().BoolVar(&verify, "verify", false, "tell whether the lines of the journal are as they were written")
	cmd.Flags().BoolVar(&trust, "trust-journal", false, "act on the journal although its lines are not as they were written")
	cmd.Flags().Var(&older, "prune", "forget changes older than this `AGE`, such as 90d or 12h, that are closed")
	return cmd
}

// chainResult is the JSON of a journal whose lines were checked.
type chainResult struct {
	Journal   string  `json:"journal"`
	Whole     bool    `json:"whole"`
	Lines     int     `json:"lines"`
	Unchained int     `json:"unchained"` // written before lines had hashes
	Unread    int     `json:"unread"`
	Broken    *int    `json:"broken"` // the first line that does not follow from the one before
	Why       *string `json:"why"`
}

// verifyJournal tells whether the journal is as it was written.
func (s *invocation) verifyJournal(j *journal.Journal) error {
	c, err := j.Verify()
	if err != nil {
		return err
	}
	out := chainResult{Journal: j.Path(), Whole: c.Broken == 0, Lines: c.Lines, Unchained: c.Unchained, Unread: c.Unread, Why: said(c.Why)}
	if c.Broken > 0 {
		out.Broken = &c.Broken
	}
	if s.flags.output != asText {
		if err := s.print(out); err != nil {
			return err
		}
	} else {
		s.sayChain(s.paper(), c)
	}
	if c.Broken > 0 {
		return status(exitFound)
	}
	return nil
}

// sayChain says for people how the lines of the journal follow from each other.
func (s *invocation) sayChain(p *paper, c journal.Chain) {
	if c.Broken == 0 {
		p.put(good, "✓ Whole")
		p.line(plain, " · %s", phrase.Count(c.Lines, "line"))
	} else {
		p.put(bad, "✗ Broken")
		p.hang(plain, 2, fmt.Sprintf(" · line %d does not follow from the one before it: %s", c.Broken, c.Why))
	}
	if c.Unchained > 0 {
		p.hang(plain, 2, fmt.Sprintf("  %s at the beginning have no hash: an older version wrote them, and whether they were edited cannot be told.", phrase.Count(c.Unchained, "line")))
	}
	if c.Unread > 0 {
		p.hang(plain, 2, fmt.Sprintf("  %s cannot be read: a crash tears the line that is being written.", phrase.Count(c.Unread, "line")))
	}
}

// rank puts what is open before everything else.
func rank(r *journal.Record) int {
	if r.Open {
		return 0
	}
	return 1
}

// receipt is the JSON of a change in the journal.
type receipt struct {
	Receipt    string          `json:"receipt"`
	At         time.Time       `json:"at"`
	Kind       string          `json:"kind"`
	Table      string          `json:"table"`
	Constraint *string         `json:"constraint"`
	Value      *string         `json:"value"`
	Counter    *string         `json:"counter"`
	Before     *string         `json:"before"`
	After      *string         `json:"after"`
	Outcome    string          `json:"outcome"`
	Open       bool            `json:"open"`
	Undoes     *string         `json:"undoes"`
	Undone     *string         `json:"undone"` // the receipt that took it back
	Reasons    []change.Reason `json:"reasons"`
	Who        string          `json:"who"`
	Reason     string          `json:"reason"`
	Profile    string          `json:"profile"`
	Account    string          `json:"account"`
	Connection string          `json:"connection"`
	Region     string          `json:"region"`
	Endpoint   string          `json:"endpoint"`
}

func receiptOf(r *journal.Record) (receipt, error) {
	out := receipt{Receipt: r.Receipt, At: r.At, Outcome: string(r.Outcome), Open: r.Open, Reasons: append([]change.Reason{}, change.ReasonsOf(r)...), Undoes: said(r.Undoes), Undone: said(r.Undone)}
	out.Who, out.Profile, out.Account, out.Connection, out.Region, out.Endpoint = r.Who, r.Profile, r.Account, r.Connection, r.Region, r.Endpoint
	e, err := change.Load(r)
	if err != nil {
		return out, err
	}
	if p := e.Plan; p != nil {
		out.Kind, out.Table, out.Reason = string(p.Kind), p.Table, p.Reason
		out.Constraint, out.Value, out.Counter, out.Before, out.After = said(p.Constraint), said(p.Value), said(p.Counter), said(p.Before), said(p.After)
	}
	return out, nil
}

func (s *invocation) writeJournal(records []*journal.Record) error {
	if s.flags.output != asText {
		var out []receipt
		for _, r := range records {
			one, err := receiptOf(r)
			if err != nil {
				return err
			}
			out = append(out, one)
		}
		return printAll(s, out)
	}
	if len(records) == 0 {
		s.note("No change was made from here.")
		return nil
	}
	page := s.paper()
	rows := [][]cell{{{muted, "WHEN", false}, {muted, "WHAT", false}, {muted, "OUTCOME", false}, {muted, "WHO", false}, {muted, "WHY", false}, {muted, "RECEIPT", false}}}
	for _, r := range records {
		i, word := plain, string(r.Outcome)
		switch {
		case r.Open:
			i, word = warn, "open"
		case r.Undone != "":
			word = "undone"
		}
		rows = append(rows, []cell{
			{text: r.At.Local().Format("2006-01-02 15:04:05")}, {text: r.What}, {i, word, false}, {text: r.Who}, {text: r.Reason}, {muted, r.Receipt, false},
		})
	}
	page.table(0, rows...)
	if open := len(journal.Unresolved(records)); open > 0 {
		s.note("%d open: it is not known what became of them. Run: tallylock journal --resolve", open)
	}
	return nil
}

// age is a flag for a span of time, in days, too.
type age struct{ time.Duration }

func (a *age) Type() string { return "AGE" }

// Set implements pflag.Value.
func (a *age) Set(text string) error {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		if err != nil || !(n >= 0) || n > math.MaxInt64/float64(24*time.Hour) {
			return fmt.Errorf("%q is no age: write it as 90d or 12h", text)
		}
		a.Duration = time.Duration(n * float64(24*time.Hour))
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return fmt.Errorf("%q is no age: write it as 90d or 12h", text)
	}
	a.Duration = d
	return nil
}
