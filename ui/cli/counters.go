package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/record"
	"tallylock/ui/words"
)

// countersCommand lists counters.
func countersCommand(s *invocation) *cobra.Command {
	return &cobra.Command{
		Use:   "counters",
		Short: "List the counters of a table, or of all tables",
		Long: `The counters of the table that --table names, or of all tables of the
connection. Their values are read strongly consistent.`,
		Example: "  tallylock counters\n  tallylock counters --table Tickets --output jsonl",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runCounters(cmd.Context(), s) },
	}
}

func runCounters(ctx context.Context, s *invocation) error {
	_, conn, err := s.reach(ctx)
	if err != nil {
		return err
	}
	tables, failed, err := counterTables(ctx, s, conn)
	if err != nil {
		return err
	}
	counters, complete, errs := dynamo.Counters(ctx, tables)
	failed = append(failed, errs...)
	dynamo.LookUpIDs(ctx, counters, mostLookedUp)
	if !complete && len(errs) == 0 {
		failed = append(failed, partly())
	}
	counters = dynamo.SumShards(counters)
	if s.flags.output == asText {
		writeCounters(s.printer(), counters)
		if len(counters) == 0 && len(failed) == 0 {
			s.note("There is no counter that we know.")
		}
		return errors.Join(failed...)
	}
	var out []record.Counter
	for _, c := range counters {
		out = append(out, record.CounterOf(c, false))
	}
	return errors.Join(append(failed, printAll(s, out))...)
}

// mostLookedUp is of how many counters the highest id is looked up, where one read tells.
const mostLookedUp = 50

// partly is the error of counters that were not all read.
func partly() error {
	return &client.Error{Kind: client.Failed, Op: "reading the counters", Why: "a table has more items than are looked at for counters", Do: "describe the counters' keys under [[layout]] in the config"}
}

// stores says what a counter's number means, with a mark where that is a guess.
func stores(c dynamo.Counter) string {
	said := string(c.Semantics)
	if c.Layout.Guess && c.Layout.Evidence != "" {
		said += "?"
	}
	if c.Shards > 0 {
		said += ", sum of " + phrase.Number(c.Shards)
	}
	return said
}

// said is nil for what is empty.
func said(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func writeCounters(p *printer, counters []dynamo.Counter) {
	if len(counters) == 0 {
		return
	}
	var rows [][]cell
	for _, c := range counters {
		value := cell{text: phrase.Group(c.Value)}
		if !c.Exists {
			value = cell{kit.Muted, "none"}
		}
		rows = append(rows, []cell{
			{kit.Strong, c.Name}, {text: c.Table}, value, numberOf(c.Next), {text: stores(c)}, {text: phrase.Group(c.Step)}, numberOf(c.HighestID), health(c),
		})
	}
	p.table(0, []column{
		{title: "COUNTER", least: 10},
		{title: "TABLE", least: 6},
		{title: "VALUE", right: true},
		{title: "NEXT", right: true, spare: true},
		{title: "STORES", least: 6, spare: true},
		{title: "STEP", right: true, spare: true},
		{title: "HIGHEST ID", right: true},
		{title: "HEALTH", least: 14},
	}, rows)
}

// numberOf is the cell of a number, which need not be there.
func numberOf(digits string) cell {
	if digits == "" {
		return cell{kit.Muted, kit.GlyphAbsent}
	}
	return cell{text: phrase.Group(digits)}
}

// health is the cell of a counter's health, and of how many numbers it has left.
func health(c dynamo.Counter) cell {
	sign := words.Counter(c)
	room := record.Room(c)
	switch {
	case room == "0":
		return cell{kit.Warn, kit.GlyphUnsafe + " no number left: " + c.Layout.Limit()}
	case room != "":
		sign.Word += ", " + phrase.Group(room) + " left"
	}
	return signed(sign)
}
