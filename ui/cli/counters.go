package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tallylock/dynamo/counter"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
	"tallylock/ui/record"
	"tallylock/ui/say"
)

// countersCommand lists counters.
func countersCommand(s *app.Run) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "counters",
		Short: "List the counters of a table or of all tables",
		Long: `List the counters of all tables of the connection. With --table, list the
counters of one table. With --all-connections, list the counters of all
connections of the config. The values are strongly consistent.

tallylock also compares counters with the ids in use, until it has used the
read units of --auto-read-units. To compare the remaining counters, run a
check. If a connection fails, tallylock still lists the counters of the other
connections, and the exit status is 3.`,
		Example: `  tallylock counters
  tallylock counters --table Tickets --output jsonl
  tallylock counters --all-connections --output json`,
		Args: app.TakesNothing,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if all {
				return runCountersOfAll(cmd.Context(), s)
			}
			return runCounters(cmd.Context(), s)
		},
	}
	cmd.Flags().BoolVar(&all, "all-connections", false,
		"list the counters of all connections of the config, each with the name of its connection")
	return cmd
}

func runCounters(ctx context.Context, s *app.Run) error {
	t, err := s.ResolveTarget(ctx)
	if err != nil {
		return err
	}
	counters, failed, err := countersOf(ctx, s, t)
	if err != nil {
		return err
	}
	return printCounters(s, counters, failed, false)
}

// runCountersOfAll lists the counters of all connections in the config. It reads one connection at
// a time, since each may ask for an MFA code.
func runCountersOfAll(ctx context.Context, s *app.Run) error {
	if given := s.Flags.Given("connection", "profile", "region", "endpoint-url", "table", "layout"); len(given) > 0 {
		return exit.Usage("reading the command line", given[0]+" is about one connection, but --all-connections is about all connections",
			"leave out "+given[0]+", or --all-connections")
	}
	c, err := s.Flags.Config.Read()
	if err != nil {
		return err
	}
	if len(c.Connections) == 0 {
		return exit.Usage("listing the counters of all connections", "the config has no connections",
			"describe each connection as a [[connection]] in the config")
	}
	var counters []counter.Counter
	var failed []error
	for _, config := range c.Connections {
		config.Settings = s.Flags.Settings().Over(config.Settings)
		found, errs, err := countersOf(ctx, s, s.TargetOf(ctx, c, config, true))
		counters = append(counters, found...)
		for _, err := range append(errs, err) {
			if err != nil {
				failed = append(failed, fmt.Errorf("%s: %w", config.Name, err))
			}
		}
		if ctx.Err() != nil {
			break
		}
	}
	return printCounters(s, counters, failed, true)
}

// countersOf connects, and reads the counters and the ids in use. It also returns the errors of
// counters that it could not read.
func countersOf(ctx context.Context, s *app.Run, t app.Target) ([]counter.Counter, []error, error) {
	conn, err := s.Connect(ctx, t)
	if err != nil {
		return nil, nil, err
	}
	counters, failed, err := s.ReadCounters(ctx, conn)
	counter.LookUpIDs(ctx, counters, conn.AutoReadUnits())
	return counter.SumShards(counters), failed, err
}

// printCounters prints counters, and returns the errors of counters that could not be read. If named
// is set, it also prints the name of each counter's connection.
func printCounters(s *app.Run, counters []counter.Counter, failed []error, named bool) error {
	if s.Flags.Output == app.Text {
		writeCounters(s.Printer(), counters, named)
		if len(counters) == 0 && len(failed) == 0 {
			s.Note("tallylock recognised no counters.")
		}
		return errors.Join(failed...)
	}
	var out []record.Counter
	for _, c := range counters {
		out = append(out, record.CounterOf(c, named))
	}
	app.PrintAll(s, out)
	return errors.Join(failed...)
}

// stores describes the meaning of a counter's number. A question mark follows if the meaning is a
// guess.
func stores(c counter.Counter) string {
	said := string(c.Semantics)
	if c.Layout.Guess && c.Layout.Evidence != "" {
		said += "?"
	}
	if c.Shards > 0 {
		said += ", sum of " + phrase.Number(c.Shards)
	}
	return said
}

func writeCounters(p *print.Printer, counters []counter.Counter, named bool) {
	if len(counters) == 0 {
		return
	}
	var rows [][]kit.Span
	for _, c := range counters {
		value := kit.Span{Text: phrase.Group(c.Value)}
		if !c.Exists {
			value = kit.Muted.Of("none")
		}
		rows = append(rows, []kit.Span{
			kit.Strong.Of(c.Name),
			{Text: c.Table},
			value, numberOf(c.Next),
			{Text: stores(c)},
			{Text: phrase.Group(c.Step)},
			numberOf(c.HighestID), health(c),
		})
	}
	columns := []print.Column{
		{Title: "COUNTER", Least: 24}, // `bump` needs the whole name
		{Title: "TABLE", Least: 6},
		{Title: "VALUE", Right: true},
		{Title: "NEXT", Right: true, Spare: true},
		{Title: "STORES", Least: 6, Spare: true},
		{Title: "STEP", Right: true, Spare: true},
		{Title: "HIGHEST ID", Right: true},
		{Title: "HEALTH", Least: 14},
	}
	if named {
		columns = append([]print.Column{{Title: "CONNECTION", Least: 8}}, columns...)
		for n, c := range counters {
			rows[n] = append([]kit.Span{{Text: c.Open().Connection().Name()}}, rows[n]...)
		}
	}
	p.Table(0, columns, rows)
}

// numberOf makes the cell of a number that may be missing.
func numberOf(digits string) kit.Span {
	if digits == "" {
		return kit.Muted.Of(kit.GlyphAbsent)
	}
	return kit.Span{Text: phrase.Group(digits)}
}

// health makes the cell for a counter's state and for the count of numbers that are left.
func health(c counter.Counter) kit.Span {
	sign := say.Counter(c)
	room := record.Room(c)
	switch {
	case room == "0":
		return kit.Warn.Of(kit.GlyphUnsafe + " no number left: " + c.Layout.Limit())
	case room != "":
		sign.Word += ", " + phrase.Group(room) + " left"
	default:
		if rooms := c.Rooms(); len(rooms) > 0 && rooms[0].Proposed {
			sign.Word += ", " + say.Left(rooms[0])
		}
	}
	return print.Signed(sign)
}
