package write

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/spf13/cobra"

	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
)

// move is one way to change a counter: its flag, and the function that plans it.
type move struct {
	flag, usage string
	plan        func(context.Context, counter.Counter, *big.Int) (*plan.Plan, error)
	least       int64 // the smallest number that the flag takes
	n           *big.Int
}

// Bump changes the number of a counter.
func Bump(s *app.Run) *cobra.Command {
	w := &writing{Run: s, op: "bumping a counter"}
	moves := []*move{
		{flag: "by", usage: "raise the counter by `N` numbers (default 1)", plan: planner.Bump, least: 1, n: big.NewInt(1)},
		{
			flag:  "reserve",
			usage: "reserve `N` numbers for yourself: raise the counter, and print the numbers",
			plan:  planner.Reserve,
			least: 1,
		},
		{flag: "to", usage: "raise the counter to `N`; create the counter if it is missing", plan: planner.Raise},
		{flag: "lower", usage: "lower the counter to `N`; you must type the counter's name", plan: planner.Lower},
	}
	cmd := &cobra.Command{
		Use:   "bump COUNTER",
		Short: "Raise a counter, or reserve numbers",
		Long: `Raise a counter by one number, or as a flag says. COUNTER is a name that
"tallylock counters" prints. With --by N or --reserve N, the counter's value
rises by N times its step. If other programs change the counter at the same
time, bump retries. If an answer is lost, the counter still rises at most once.

--lower is dangerous: a lowered counter hands out the same numbers again. So you
must type the counter's name. --lower fails if another program changes the
counter at the same time.

Without a terminal, as in a pipe or a script, add --yes, and with --lower also
--confirm COUNTER.`,
		Example: "  tallylock bump order_id --reserve 10 --write\n  tallylock bump order_id --reserve 10 --write --yes --output json | jq -r .first\n  tallylock bump us-east-1 --table Tickets --dry-run",
		Args:    app.Takes(1, 1, "a COUNTER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			chosen := moves[:0:0]
			for _, m := range moves {
				if cmd.Flags().Changed(m.flag) {
					chosen = append(chosen, m)
				}
			}
			if len(chosen) > 1 {
				return exit.Usage(w.op, fmt.Sprintf("--%s and --%s are two changes", chosen[0].flag, chosen[1].flag), "use only one of the two flags")
			}
			return w.bump(cmd.Context(), args[0], append(chosen, moves[0])[0])
		},
	}
	for _, m := range moves {
		cmd.Flags().Func(m.flag, m.usage, wholeNumber(&m.n, m.least))
	}
	w.addFlags(cmd)
	app.CompletesArgument(cmd, 0, s.Flags.Counters)
	return cmd
}

func (w *writing) bump(ctx context.Context, name string, m *move) error {
	if err := w.prepare(ctx); err != nil {
		return err
	}
	c, err := w.counterNamed(ctx, name)
	if err != nil {
		return w.carryOut(ctx, nil, err)
	}
	if err := w.allowedOn(c.Table, c.Open().CheckSureCounter(w.op, c.Layout)); err != nil {
		return err
	}
	p, err := m.plan(ctx, c, m.n)
	return w.carryOut(ctx, p, err)
}

// counterNamed finds a counter by its name. If some tables are unreadable, it returns an error, because they may have
// another counter with this name.
func (w *writing) counterNamed(ctx context.Context, name string) (counter.Counter, error) {
	counters, failed, err := w.ReadCounters(ctx, w.conn)
	if err != nil {
		return counter.Counter{}, err
	}
	var found []counter.Counter
	var where []string
	for _, c := range counters {
		if c.Name == name {
			found = append(found, c)
			where = append(where, "--table "+phrase.ShellWord(c.Table))
		}
	}
	switch {
	case len(found) > 1:
		return counter.Counter{}, exit.Usage(fmt.Sprintf("looking for the counter %q", name), "several counters have this name",
			"name the counter's table: "+strings.Join(where, " or "))
	case len(failed) > 0:
		return counter.Counter{}, errors.Join(failed...)
	case len(found) == 0:
		return counter.Counter{}, absent("there is no counter %q; `tallylock counters` lists them", name)
	}
	return found[0], nil
}

// wholeNumber returns a parser for flags. It stores a whole number of any size, and refuses numbers below least.
func wholeNumber(to **big.Int, least int64) func(string) error {
	return func(s string) error {
		n, ok := new(big.Int).SetString(s, 10)
		if !ok || n.Cmp(big.NewInt(least)) < 0 {
			return fmt.Errorf("give a whole number, %d or more", least)
		}
		*to = n
		return nil
	}
}
