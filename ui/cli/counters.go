package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/answers"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/record"
	"tallylock/ui/say"
)

// countersCommand lists counters.
func countersCommand(s *invocation) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "counters",
		Short: "List the counters of a table or of all tables",
		Long: `List the counters of the table of --table, of all tables of the connection, or
of all connections of the config, with strongly consistent values. If a
connection fails, the others are still listed; the exit status is 3.`,
		Example: `  tallylock counters
  tallylock counters --table Tickets --output jsonl
  tallylock counters --all-connections --output json`,
		Args: takesNothing,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if all {
				return runCountersOfAll(cmd.Context(), s)
			}
			return runCounters(cmd.Context(), s)
		},
	}
	cmd.Flags().BoolVar(&all, "all-connections", false,
		"list those of all connections of the config, each with the name of its connection")
	return cmd
}

func runCounters(ctx context.Context, s *invocation) error {
	_, conn, err := s.connectTarget(ctx)
	if err != nil {
		return err
	}
	counters, failed, err := countersOf(ctx, s, conn)
	if err != nil {
		return err
	}
	return printCounters(s, counters, failed, false)
}

// runCountersOfAll lists the counters of all connections in the config. It reads one connection at
// a time, since each may ask for an MFA code.
func runCountersOfAll(ctx context.Context, s *invocation) error {
	if given := s.flags.given("connection", "profile", "region", "endpoint-url", "table", "layout"); len(given) > 0 {
		return usage("reading the command line", given[0]+" is about one connection, and --all-connections about all",
			"leave one of them out")
	}
	c, err := s.flags.readConfig()
	if err != nil {
		return err
	}
	if len(c.Connections) == 0 {
		return usage("listing the counters of all connections", "the config has no connections",
			"describe them as [[connection]] in the config")
	}
	var counters []counter.Counter
	var failed []error
	for _, config := range c.Connections {
		found, errs, err := countersOn(ctx, s, c, config)
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

// countersOn reads the counters of one connection in the config.
func countersOn(
	ctx context.Context, s *invocation, c configFile, config client.Config,
) ([]counter.Counter, []error, error) {
	config.Settings = s.flags.settings().Over(config.Settings)
	t := c.target(ctx, config, true)
	t.options.Asked = true
	t.options.Answers = answers.Beside(c.journalPath(s.flags.journal))
	conn, err := s.connect(ctx, t)
	if err != nil {
		return nil, nil, err
	}
	return countersOf(ctx, s, conn)
}

// countersOf reads the counters of a connection and the ids in use. It also returns the errors of
// counters that it could not read.
func countersOf(ctx context.Context, s *invocation, conn *dynamo.Connection) ([]counter.Counter, []error, error) {
	counters, failed, err := readCounters(ctx, s, conn)
	counter.LookUpIDs(ctx, counters)
	return counter.SumShards(counters), failed, err
}

// readCounters reads the counters of a connection. It also returns the errors of counters that it
// could not read.
func readCounters(ctx context.Context, s *invocation, conn *dynamo.Connection) ([]counter.Counter, []error, error) {
	tables, failed, err := counterTables(ctx, s, conn)
	if err != nil {
		return nil, nil, err
	}
	counters, complete, errs := counter.ReadAll(ctx, tables)
	if !complete && len(errs) == 0 {
		errs = append(errs, &client.Error{
			Kind: client.Failed,
			Op:   "reading the counters",
			Why:  "a table has more items than tallylock searches for counters",
			Do:   "describe the counters' keys under [[layout]] in the config",
		})
	}
	return counters, append(failed, errs...), nil
}

// printCounters prints counters, and returns the errors of those that could not be read. named
// includes the name of the connection.
func printCounters(s *invocation, counters []counter.Counter, failed []error, named bool) error {
	if s.flags.output == asText {
		writeCounters(s.printer(), counters, named)
		if len(counters) == 0 && len(failed) == 0 {
			s.note("No counters were recognised.")
		}
		return errors.Join(failed...)
	}
	var out []record.Counter
	for _, c := range counters {
		out = append(out, record.CounterOf(c, named))
	}
	return errors.Join(append(failed, printAll(s, out))...)
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

func writeCounters(p *printer, counters []counter.Counter, named bool) {
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
			{kit.Strong, c.Name},
			{text: c.Table},
			value, numberOf(c.Next),
			{text: stores(c)},
			{text: phrase.Group(c.Step)},
			numberOf(c.HighestID), health(c),
		})
	}
	columns := []column{
		{title: "COUNTER", least: 24}, // `bump` needs the whole name
		{title: "TABLE", least: 6},
		{title: "VALUE", right: true},
		{title: "NEXT", right: true, spare: true},
		{title: "STORES", least: 6, spare: true},
		{title: "STEP", right: true, spare: true},
		{title: "HIGHEST ID", right: true},
		{title: "HEALTH", least: 14},
	}
	if named {
		columns = append([]column{{title: "CONNECTION", least: 8}}, columns...)
		for n, c := range counters {
			rows[n] = append([]cell{{text: c.Open().Connection().Name()}}, rows[n]...)
		}
	}
	p.table(0, columns, rows)
}

// numberOf makes the cell of a number that may be missing.
func numberOf(digits string) cell {
	if digits == "" {
		return cell{kit.Muted, kit.GlyphAbsent}
	}
	return cell{text: phrase.Group(digits)}
}

// health makes the cell for a counter's state and for the count of numbers that are left.
func health(c counter.Counter) cell {
	sign := say.Counter(c)
	room := record.Room(c)
	switch {
	case room == "0":
		return cell{kit.Warn, kit.GlyphUnsafe + " no number left: " + c.Layout.Limit()}
	case room != "":
		sign.Word += ", " + phrase.Group(room) + " left"
	}
	return signed(sign)
}
