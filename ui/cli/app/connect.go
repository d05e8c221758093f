package app

import (
	"context"
	"strings"
	"sync"

	"tallylock/dynamo"
	"tallylock/dynamo/answers"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
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
	JournalPath string // the path of the journal
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
	s.Flags.ApplyTo(&conn)
	if err := conn.Check(); err != nil {
		return Target{}, exit.Usage("reading --endpoint-url", err.Error(), "")
	}
	if w := s.Flags.Settle; w != nil && w.Duration == 0 {
		s.Note("With --settle 0 tallylock does not wait, and may overlook a sign-up in progress.")
	}
	conn.Settings = s.Flags.Settings().Over(conn.Settings)
	moved := s.Flags.Profile != "" || s.Flags.region != "" || s.Flags.endpoint != ""
	t := TargetOf(ctx, c, conn, conn.Name != "" && !moved)
	t.Options.Asked, t.Options.ReadLayouts = true, s.Flags.Config.LayoutReader()
	t.JournalPath = c.JournalFile(s.Flags.Journal)
	t.Options.Answers = answers.Beside(t.JournalPath)
	t.Options.Place = s.Flags.place()
	return t, nil
}

// ApplyTo applies the flags to a connection.
func (f *Flags) ApplyTo(conn *client.Config) {
	for value, flag := range map[*string]string{
		&conn.Profile: f.Profile, &conn.Region: f.region, &conn.EndpointURL: f.endpoint,
		&conn.Table: f.Table, &conn.Layout: f.Layout,
	} {
		if flag != "" {
			*value = flag
		}
	}
}

// TargetOf makes the target for a connection of the config, or for one that the flags describe. It
// inherits settings from other connections to the same place or table. For chosen, see Inherit.
func TargetOf(ctx context.Context, c configfile.File, conn client.Config, chosen bool) Target {
	var others []client.Config
	for _, other := range c.Connections {
		if other.Name != conn.Name {
			other.Settings = other.Settings.Over(c.Settings)
			others = append(others, other)
		}
	}
	conn.Settings = conn.Settings.Over(c.Settings)
	conn, others = conn.Inherit(ctx, chosen, others...)
	t := Target{
		File:       c,
		Options:    dynamo.Options{Options: conn.Options(), Layout: conn.Layout},
		Table:      conn.Table,
		Production: conn.Production,
		Colour:     conn.Colour,
	}
	t.Options.Layouts, t.Options.Others = c.Layouts, others
	t.Options.ConfigAnswers = conn.Answers != nil
	return t
}

// ConnectionOf returns the connection of --connection. Without it, it returns the default connection,
// unless flags describe another one: a permission for one account must not extend to another.
func (f *Flags) ConnectionOf(c configfile.File) (client.Config, error) {
	name := f.Connection
	if name == "" && f.Profile == "" && f.endpoint == "" {
		name = c.DefaultConnection
	}
	if name == "" {
		return client.Config{}, nil
	}
	var names []string
	for _, conn := range c.Connections {
		if conn.Name == name {
			return conn, nil
		}
		names = append(names, conn.Name)
	}
	if len(names) == 0 {
		return client.Config{}, exit.Usage("choosing the connection "+name, "the config has no connections",
			"describe it as a [[connection]] in the config")
	}
	return client.Config{}, exit.Usage("choosing the connection "+name,
		"the config has no connection of that name"+mistake.Meant(name, names...), "use one of: "+strings.Join(names, ", "))
}

// Unchosen notes that the config has connections, but none is in use. It is empty if one is in use,
// or if there are none.
func (f *Flags) Unchosen(c configfile.File) string {
	if len(c.Connections) == 0 || c.DefaultConnection != "" || f.Connection != "" || f.Profile != "" || f.endpoint != "" {
		return ""
	}
	var names []string
	for _, conn := range c.Connections {
		names = append(names, conn.Name)
	}
	return "No connection of the config is used (" + phrase.List(names) + "): choose one with --connection, or set default_connection."
}

// Connect connects to the target. If an MFA code is needed, it asks for the code here, before a
// screen starts.
func (s *Run) Connect(ctx context.Context, t Target) (*dynamo.Connection, error) {
	var asking sync.WaitGroup
	t.Options.MFA = func() (string, error) {
		asking.Add(1)
		defer asking.Done()
		return askCode(ctx, s)
	}
	defer asking.Wait() // if the connection is cancelled, the question must end, too
	return dynamo.Connect(ctx, t.Options)
}

// ConnectTarget connects to the target of the config and the flags.
func (s *Run) ConnectTarget(ctx context.Context) (Target, *dynamo.Connection, error) {
	t, err := s.ResolveTarget(ctx)
	if err != nil {
		return t, nil, err
	}
	conn, err := s.Connect(ctx, t)
	return t, conn, err
}

// Planner returns a Changer for plans only. It just reads the journal.
func (t Target) Planner() *change.Changer {
	return ChangerOf(journal.OpenReadOnly(t.JournalPath), t.File)
}

// Changer returns a Changer that makes changes and writes them to the journal.
func (t Target) Changer() (*change.Changer, error) {
	journal, err := journal.Open(t.JournalPath)
	if err != nil {
		return nil, err
	}
	return ChangerOf(journal, t.File), nil
}

// ChangerOf returns a Changer for a journal. The config limits its pace.
func ChangerOf(journal *journal.Journal, c configfile.File) *change.Changer {
	return &change.Changer{
		Journal: journal, Who: Who(), MaxReadUnits: c.Check.Options().MaxReadUnits,
		Writes: client.Pace{Rate: change.DefaultWriteUnits},
	}
}
