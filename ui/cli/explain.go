package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/explain"
	"tallylock/dynamo/find"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
	"tallylock/ui/record"
	"tallylock/ui/say"
)

// explainCommand shows the past of a value.
func explainCommand(s *app.Run) *cobra.Command {
	var o find.Options
	var in app.Scope
	var exports []string
	cmd := &cobra.Command{
		Use:   "explain VALUE",
		Short: "Show the past of a value and its lock",
		Long: `Show the past of a value and its lock as a timeline, the oldest event first. The
events come from the journal, from the times and ids in the items, and from
exports. Each line names its source. The timeline is not a verdict: tallylock
guesses the meaning of an attribute from its name, and an incremental export has
only the net change of its window.

explain reads the same items as find. Exports cost no read units, only S3
requests. --export takes full and incremental exports of the layout's tables,
and may be given several times. An incremental export needs the view type
NEW_AND_OLD_IMAGES. explain refuses incremental exports whose windows overlap.
The timeline also shows the periods that no export covers. If an item was
removed after its time to live, the timeline names TTL as the likely cause.`,
		Example: "  tallylock explain alan --table accounts\n" +
			"  tallylock explain alan --export s3://backups/dynamodb/AWSDynamoDB/01695097218000-d6299cbd",
		Args:              app.Takes(1, 1, "a VALUE"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, values []string) error {
			o.Scope = in
			return runExplain(cmd.Context(), s, values[0], o, exports)
		},
	}
	cmd.Flags().BoolVar(&o.Scan, "scan", false, "read the whole table, even above --auto-read-units, if nothing else finds the accounts")
	cmd.Flags().StringArrayVar(&exports, "export", nil,
		"also read the exports in `DIR`, or one export at s3://BUCKET/PREFIX/AWSDynamoDB/ID; repeatable")
	in.AddFlag(cmd.Flags(), "a lock's key besides the value")
	return cmd
}

func runExplain(ctx context.Context, s *app.Run, value string, o find.Options, exports []string) error {
	for _, at := range exports { // a wrong address needs no request
		if _, _, _, err := app.ExportAddress(at); err != nil {
			return err
		}
	}
	if strings.TrimSpace(value) == "" {
		return exit.Usage("explaining a value", "the value is empty", "give an email, a username or an account id")
	}
	t, err := s.OpenAccounts(ctx)
	if err != nil {
		return err
	}
	x, err := explainExports(ctx, s, t, exports)
	if err != nil {
		return err
	}
	c, err := s.Flags.Config.Read()
	if err != nil {
		return err
	}
	a, err := findAll(s, ctx, t, []string{value}, o)
	if err != nil {
		return err
	}
	end := func() {}
	defer func() { end() }()
	began := time.Now()
	past, err := explain.Of(ctx, t, a[0], explain.Options{
		Journal: journal.OpenReadOnly(c.JournalFile(s.Flags.Journal)), Exports: x, Now: began,
		Reading: func(what, dir string) {
			end()
			end = s.ShowWait(app.Files(dir), "reading "+what)
		},
	})
	end()
	end = func() {}
	if err != nil {
		return err
	}
	if s.Flags.Output != app.Text {
		events := make([]record.Event, len(past.Events))
		for n, e := range past.Events {
			events[n] = record.EventOf(e, say.EventText(e, began))
		}
		app.PrintAll(s, events)
		noteSkipped(s, x)
		for _, note := range say.PastGaps(past) {
			s.Note("%s", note)
		}
		return nil
	}
	writePast(s, s.Printer(), t, a[0], past, x, began)
	noteSkipped(s, x)
	return nil
}

// explainExports opens the exports. It reads only their manifests. It returns nil if there are none.
func explainExports(ctx context.Context, s *app.Run, t *dynamo.Table, places []string) (*explain.Exports, error) {
	if len(places) == 0 {
		return nil, nil
	}
	x := &explain.Exports{}
	connected := func() (*dynamo.Connection, error) { return t.Connection(), nil }
	for _, at := range places {
		full, increments, err := s.OpenExports(ctx, at, connected)
		if err != nil {
			return nil, err
		}
		x.Add(full, increments)
	}
	return x, x.Check(t)
}

// noteSkipped names the exported tables that say nothing about the value.
func noteSkipped(s *app.Run, x *explain.Exports) {
	if x != nil && len(x.Skipped) > 0 {
		s.Note("explain skipped the exports of tables that the layout does not use: %s.", phrase.List(x.Skipped))
	}
}

// whenWidth is the width of a time in UTC with a gap behind it.
const whenWidth = 25

// writePast writes the timeline for people.
func writePast(
	s *app.Run, p *print.Printer, t *dynamo.Table, a *find.Answer, past *explain.Past, x *explain.Exports, now time.Time,
) {
	p.Put(kit.Strong, p.Exact(a.Query))
	table := a.Table
	if !t.Layout.State().Sure() {
		table += ", by a guessed layout"
	}
	read := say.UsedReadUnits(a.ReadUnits, t.Connection().ReportsUnits())
	if x != nil {
		read += ", " + phrase.Count(len(x.Full)+len(x.Increments), "export") + " read"
	}
	p.Line(kit.Muted, "  in %s, %s", table, read)
	if note := a.Note(); note != "" {
		p.Line(kit.Strong, "%s", p.Exact(say.Sentence(note)))
	}
	several := severalValues(past.Events)
	for _, e := range past.Events {
		p.End()
		when := phrase.UTC(e.At)
		p.Put(kit.Text, when+strings.Repeat(" ", whenWidth-len(when)))
		text := say.EventText(e, now)
		if several && e.Constraint != "" {
			text = e.Constraint + " " + phrase.Quote(e.Value) + ": " + text
		}
		p.Hang(kit.Text, whenWidth, text)
		p.Indented(kit.Muted, whenWidth, say.EventFoot(e, now))
	}
	p.End()
	if !past.Dated() {
		p.Hang(kit.Strong, 0, say.NoDates)
	}
	for _, note := range say.PastNotes(past) {
		p.Hang(kit.Muted, 0, note)
	}
	if !a.Complete {
		p.Hang(kit.Muted, 0, "Some accounts were not read, so a holder may be missing.")
	}
	if line := s.Flags.CommandLine([]string{"find", "--table", a.Table}, a.Query); line != "" {
		p.Hang(kit.Muted, 0, "This is not a verdict. To judge the lock now, run: "+line)
	}
}

// severalValues reports whether events are about more than one value.
func severalValues(events []explain.Event) bool {
	first := ""
	for _, e := range events {
		subject := e.Constraint + "\x00" + e.Value
		switch {
		case e.Constraint == "":
		case first == "":
			first = subject
		case first != subject:
			return true
		}
	}
	return false
}
