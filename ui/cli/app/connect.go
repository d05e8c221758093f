package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"tallylock/dynamo"
	"tallylock/dynamo/answers"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/mistake"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/configfile"
	"tallylock/ui/cli/exit"
)

// Target is the connection and the table that the config and the flags select.
type Target struct {
	configfile.File
	Options dynamo.Options
	// Table is the table for commands that need one. It is empty if neither the config nor a flag
	// names one.
	Table       string
	JournalPath string        // the path of the journal
	conn        client.Config // the connection before it inherits settings
	called      string        // the connection's name in the config
	Production  bool
	Colour      client.Colour
}

// ResolveTarget reads the config and applies the flags. It sends no request.
func (s *Run) ResolveTarget(ctx context.Context) (Target, error) {
	c, err := s.Flags.Config.Read()
	if err != nil {
		return Target{}, err
	}
	return s.TargetFrom(ctx, c)
}

// TargetFrom applies the flags to a config.
func (s *Run) TargetFrom(ctx context.Context, c configfile.File) (Target, error) {
	conn, err := s.Flags.ConnectionOf(c)
	if err != nil {
		return Target{}, err
	}
	if err := conn.Check(); err != nil {
		return Target{}, exit.Usage("reading --endpoint-url", err.Error(), "")
	}
	if w := s.Flags.Settle; w != nil && w.Duration == 0 {
		s.Note("With --settle 0 tallylock does not wait, and may overlook a sign-up in progress.")
	}
	conn.Settings = s.Flags.Settings().Over(conn.Settings)
	moved := s.Flags.Profile != "" || s.Flags.region != "" || s.Flags.endpoint != ""
	t := s.TargetOf(ctx, c, conn, conn.Name != "" && !moved)
	t.Options.Place = s.Flags.place()
	if moved && !s.Flags.set.Changed("write") {
		t.Options.Write = t.Options.Write && writesMoved(ctx, c, conn, t.Options.Others)
	}
	return t, nil
}

// writesMoved reports whether a connection of the config still writes after flags have changed its profile, Region or
// endpoint. Its own permission to write does not extend to another place. A flag may add a Region if there was none.
func writesMoved(ctx context.Context, c configfile.File, conn client.Config, elsewhere []client.Config) bool {
	n := slices.Index(c.ConnectionNames(), conn.Name)
	if n < 0 || c.Connections[n].Write == nil {
		return true // the permission is the one of all connections
	}
	own := c.Connections[n]
	if own.RegionMeant(ctx) == "" {
		own.Region = conn.Region
	}
	return conn.SurelyAt(ctx, own) || writesAt(ctx, c, conn, elsewhere)
}

// TargetOf makes the target for a connection of the config, or for a connection that the flags
// describe. The target inherits settings from other connections to the same place or table. For
// chosen, see Inherit.
func (s *Run) TargetOf(ctx context.Context, c configfile.File, conn client.Config, chosen bool) Target {
	var others []client.Config
	for _, other := range c.Connections {
		if other.Name != conn.Name {
			other.Settings = other.Settings.Over(c.Settings)
			others = append(others, other)
		}
	}
	own := conn
	conn.Settings = conn.Settings.Over(c.Settings)
	conn, others = conn.Inherit(ctx, chosen, others...)
	t := Target{
		File:       c,
		conn:       own,
		called:     conn.Name,
		Options:    dynamo.Options{Options: conn.Options(), Layout: conn.Layout},
		Table:      conn.Table,
		Production: conn.Production,
		Colour:     conn.Colour,
	}
	t.JournalPath = c.JournalFile(s.Flags.Journal)
	t.Options.Asked, t.Options.Answers = true, answers.Beside(t.JournalPath)
	t.Options.Layouts, t.Options.ReadLayouts, t.Options.Others = c.Layouts, s.Flags.Config.LayoutReader(), others
	t.Options.ConfigAnswers = conn.Answers != nil
	return t
}

// With returns the target of the same connection with another AWS profile or Region. If profile or region is empty, it
// does not change. The connection keeps its settings, and inherits stricter settings of other connections to the new
// place. A permission to write does not extend to another place: the result writes only if the config has connections
// to the new place, and all of these connections write.
func (s *Run) With(ctx context.Context, t Target, profile, region string) Target {
	conn, place := t.conn, t.Options.Place
	if t.called != "" {
		place = given(place, "--connection", t.called)
	}
	if profile != "" {
		conn.Profile, place = profile, given(place, "--profile", profile)
		if t.called != "" { // another AWS account may have the same tables
			conn.Name = t.called + " (" + profile + ")"
		}
	}
	if region != "" {
		conn.Region, place = region, given(place, "--region", region)
	}
	to := s.TargetOf(ctx, t.File, conn, false)
	to.called, to.Options.Place = t.called, place
	to.Options.Asked, to.Options.MFA = t.Options.Asked, NoCode
	to.Options.Answers, to.Options.ReadLayouts = t.Options.Answers, t.Options.ReadLayouts
	to.Options.Write = to.Options.Write && writesAt(ctx, t.File, conn, to.Options.Others)
	return to
}

// writesAt reports whether the config permits writes at the place of conn. At least one connection must surely go
// there, and all connections that may go there must write. The connection with the name of conn does not count.
// elsewhere has the connections to other places.
func writesAt(ctx context.Context, c configfile.File, conn client.Config, elsewhere []client.Config) bool {
	some := false
	for _, one := range c.Connections {
		same := func(other client.Config) bool { return other.Name == one.Name }
		if one.Name == conn.Name || slices.ContainsFunc(elsewhere, same) {
			continue
		}
		if write := one.Settings.Over(c.Settings).Write; write == nil || !*write {
			return false
		}
		some = some || conn.SurelyAt(ctx, one)
	}
	return some
}

// given returns arguments with a flag and its value, in place of an earlier value.
func given(args []string, flag, value string) []string {
	var out []string
	for pair := range slices.Chunk(args, 2) {
		if pair[0] != flag {
			out = append(out, pair...)
		}
	}
	return append(out, flag, value)
}

// ConnectionOf returns the connection that --connection names. Without --connection, it returns the
// default connection, unless flags describe another connection: a permission for one AWS account must
// not extend to another account.
func (f *Flags) ConnectionOf(c configfile.File) (client.Config, error) {
	name := f.Connection
	if name == "" && f.Profile == "" && f.endpoint == "" {
		name = c.DefaultConnection
	}
	var conn client.Config
	names := c.ConnectionNames()
	switch n := slices.Index(names, name); {
	case n >= 0:
		conn = c.Connections[n]
	case name != "" && len(names) == 0:
		return conn, exit.Usage("choosing the connection "+name, "the config has no connections",
			"describe this connection as a [[connection]] in the config")
	case name != "":
		return conn, exit.Usage("choosing the connection "+name,
			"the config has no connection of this name"+mistake.Meant(name, names...), "use one of: "+strings.Join(names, ", "))
	}
	conn.Profile = cmp.Or(f.Profile, conn.Profile)
	conn.Region = cmp.Or(f.region, conn.Region)
	conn.EndpointURL = cmp.Or(f.endpoint, conn.EndpointURL)
	conn.Table = cmp.Or(f.Table, conn.Table)
	conn.Layout = cmp.Or(f.Layout, conn.Layout)
	return conn, nil
}

// Unchosen returns a note if the config has connections, but none is in use. Otherwise it returns "".
func (f *Flags) Unchosen(c configfile.File) string {
	if len(c.Connections) == 0 || c.DefaultConnection != "" || f.Connection != "" || f.Profile != "" || f.endpoint != "" {
		return ""
	}
	return "tallylock uses no connection of your config (" + phrase.List(c.ConnectionNames()) + "). Choose a connection with --connection, or set default_connection in the config."
}

// Connect connects to the target. If an MFA code is needed, it asks for the code here, before a
// screen starts.
func (s *Run) Connect(ctx context.Context, t Target) (*dynamo.Connection, error) {
	var asking sync.WaitGroup
	t.Options.MFA = func() (string, error) {
		asking.Add(1)
		defer asking.Done()
		return s.askCode(ctx)
	}
	defer asking.Wait() // if the connection is cancelled, the question must end, too
	// A line that is drawn again and again would overwrite the questions of a credential_process.
	end := (&ProgressLine{note: s.Note}).showWait(Files("the source of the AWS credentials"), "connecting")
	s.wait.Store(&end)
	defer end()
	return dynamo.Connect(ctx, t.Options)
}

// Changer returns a Changer that writes its changes to the journal. Unless it writes, it only reads
// the journal, and makes plans.
func (t Target) Changer(write bool) (*change.Changer, error) {
	if !write {
		return ChangerOf(journal.OpenReadOnly(t.JournalPath), t.File), nil
	}
	j, err := journal.Open(t.JournalPath)
	return ChangerOf(j, t.File), err
}

// ChangerOf returns a Changer for a journal. The config limits its pace.
func ChangerOf(journal *journal.Journal, c configfile.File) *change.Changer {
	return &change.Changer{
		Journal: journal, Who: Who(), MaxReadUnits: c.Check.Options().MaxReadUnits,
		Writes: client.Pace{Rate: WriteRate(c.Check)},
	}
}

// WriteRate returns the rate at which many changes are applied together, in write units a second. 0 means no limit.
func WriteRate(c setting.Config) float64 {
	if c.MaxWriteUnits != nil {
		return c.MaxWriteUnits.Units
	}
	return change.DefaultWriteUnits
}

// WriteUnitsFlag adds the flag --max-write-units, which overrides the config.
func WriteUnitsFlag(set *pflag.FlagSet, to *setting.Config) {
	set.Func("max-write-units", fmt.Sprintf("use at most `N` write units a second; 0 means no limit (default: max_write_units of the config, or %d)", change.DefaultWriteUnits),
		Parsed(&to.MaxWriteUnits))
}
