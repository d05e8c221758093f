package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"

	"tallylock/dynamo"
	"tallylock/dynamo/answers"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/mistake"
	"tallylock/dynamo/phrase"
	"tallylock/ui/say"
)

// target is the connection and the table that the config and the flags select.
type target struct {
	configFile
	options dynamo.Options
	// table is the table for commands that need one. It is empty if neither the config nor a flag
	// names one.
	table      string
	journal    string // the path of the journal
	production bool
	colour     client.Colour
}

// resolveTarget reads the config and applies the flags. It sends no request.
func (s *invocation) resolveTarget(ctx context.Context) (target, error) {
	c, err := s.flags.readConfig()
	if err != nil {
		return target{}, err
	}
	return s.targetFrom(ctx, c)
}

// targetFrom applies the flags to a config.
func (s *invocation) targetFrom(ctx context.Context, c configFile) (target, error) {
	conn, err := c.connection(&s.flags)
	if err != nil {
		return target{}, err
	}
	s.flags.applyTo(&conn)
	if err := conn.Check(); err != nil {
		return target{}, usage("reading --endpoint-url", err.Error(), "")
	}
	if w := s.flags.settle; w != nil && w.Duration == 0 {
		s.note("With --settle 0 tallylock does not wait, and may overlook a sign-up in progress.")
	}
	conn.Settings = s.flags.settings().Over(conn.Settings)
	moved := s.flags.profile != "" || s.flags.region != "" || s.flags.endpoint != ""
	t := c.target(ctx, conn, conn.Name != "" && !moved)
	t.options.Asked, t.options.ReadLayouts = true, s.flags.layoutReader()
	t.journal = c.journalPath(s.flags.journal)
	t.options.Answers = answers.Beside(t.journal)
	t.options.Place = s.flags.place()
	return t, nil
}

// applyTo applies the flags to a connection.
func (f *flags) applyTo(conn *client.Config) {
	for value, flag := range map[*string]string{
		&conn.Profile: f.profile, &conn.Region: f.region, &conn.EndpointURL: f.endpoint,
		&conn.Table: f.table, &conn.Layout: f.layout,
	} {
		if flag != "" {
			*value = flag
		}
	}
}

// target makes the target for a connection of the config, or for one that the flags describe. It
// inherits settings from other connections to the same place or table. For chosen, see Inherit.
func (c configFile) target(ctx context.Context, conn client.Config, chosen bool) target {
	var others []client.Config
	for _, other := range c.Connections {
		if other.Name != conn.Name {
			other.Settings = other.Settings.Over(c.Settings)
			others = append(others, other)
		}
	}
	conn.Settings = conn.Settings.Over(c.Settings)
	conn, others = conn.Inherit(ctx, chosen, others...)
	t := target{
		configFile: c,
		options:    dynamo.Options{Options: conn.Options(), Layout: conn.Layout},
		table:      conn.Table,
		production: conn.Production,
		colour:     conn.Colour,
	}
	t.options.Layouts, t.options.Others = c.Layouts, others
	t.options.ConfigAnswers = conn.Answers != nil
	return t
}

// connection returns the connection of --connection. Without it, it returns the default connection,
// unless flags describe another one: a permission for one account must not extend to another.
func (c configFile) connection(f *flags) (client.Config, error) {
	name := f.connection
	if name == "" && f.profile == "" && f.endpoint == "" {
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
		return client.Config{}, usage("choosing the connection "+name, "the config has no connections",
			"describe it as a [[connection]] in the config")
	}
	return client.Config{}, usage("choosing the connection "+name,
		"the config has no connection of that name"+mistake.Meant(name, names...), "use one of: "+strings.Join(names, ", "))
}

// unchosen notes that the config has connections, but none is in use. It is empty if one is in use,
// or if there are none.
func (c configFile) unchosen(f *flags) string {
	if len(c.Connections) == 0 || c.DefaultConnection != "" || f.connection != "" || f.profile != "" || f.endpoint != "" {
		return ""
	}
	var names []string
	for _, conn := range c.Connections {
		names = append(names, conn.Name)
	}
	return "No connection of the config is used (" + phrase.List(names) + "): choose one with --connection, or set default_connection."
}

// connect connects to the target. If an MFA code is needed, it asks for the code here, before a
// screen starts.
func (s *invocation) connect(ctx context.Context, t target) (*dynamo.Connection, error) {
	var asking sync.WaitGroup
	t.options.MFA = func() (string, error) {
		asking.Add(1)
		defer asking.Done()
		return askCode(ctx, s)
	}
	defer asking.Wait() // if the connection is cancelled, the question must end, too
	return dynamo.Connect(ctx, t.options)
}

// connectTarget connects to the target of the config and the flags.
func (s *invocation) connectTarget(ctx context.Context) (target, *dynamo.Connection, error) {
	t, err := s.resolveTarget(ctx)
	if err != nil {
		return t, nil, err
	}
	conn, err := s.connect(ctx, t)
	return t, conn, err
}

// planner returns a Changer for plans only. It just reads the journal.
func (t target) planner() *change.Changer {
	return changerOf(journal.OpenReadOnly(t.journal), t.configFile)
}

// changer returns a Changer that makes changes and writes them to the journal.
func (t target) changer() (*change.Changer, error) {
	journal, err := journal.Open(t.journal)
	if err != nil {
		return nil, err
	}
	return changerOf(journal, t.configFile), nil
}

// changerOf returns a Changer for a journal. The config limits its pace.
func changerOf(journal *journal.Journal, c configFile) *change.Changer {
	return &change.Changer{
		Journal: journal, Who: who(), MaxReadUnits: c.Check.Options().MaxReadUnits,
		Writes: client.Pace{Rate: change.DefaultWriteUnits},
	}
}

// journalPath returns where the journal is, or would be. flag is the value of --journal.
func (c configFile) journalPath(flag string) string {
	return cmp.Or(flag, c.Journal, journal.Default())
}

// accountTable opens the table for a command about accounts: the one that is named, or else the
// only table with accounts.
func accountTable(ctx context.Context, s *invocation, t target, conn *dynamo.Connection) (*dynamo.Table, error) {
	if t.table != "" {
		defer s.showWait(conn.Where(), "opening "+t.table)()
		table, err := conn.Open(ctx, t.table)
		if err != nil {
			return nil, err
		}
		s.noteAnswers(conn)
		return grown(ctx, table)
	}
	tables, failed, err := openAll(ctx, s, conn)
	if err != nil {
		return nil, err
	}
	var having []*dynamo.Table
	for _, table := range tables {
		if len(table.Layout.Accounts) > 0 {
			having = append(having, table)
		}
	}
	const op = "choosing the table"
	switch {
	case len(having) == 1:
		for _, err := range failed {
			s.note("not looked at: %s", say.Error(err))
		}
		return having[0], nil
	case len(having) > 1:
		return nil, usage(op, "several tables have accounts", "name one: "+tableFlags(having))
	case len(failed) > 0:
		return nil, failed[0]
	}
	return nil, &client.Error{
		Kind: client.NoLayout,
		Op:   op,
		Why:  fmt.Sprintf("no table of %s has accounts that tallylock recognises", conn.Where()),
		Do:   "name one with --table and its layout with --layout, or describe it under [[layout]] in the config",
	}
}

// grown returns the table with a larger sample if its sample was too small. Commands can wait for
// it, since no screen waits for the first rows.
func grown(ctx context.Context, t *dynamo.Table) (*dynamo.Table, error) {
	more, err := dynamo.Grown(ctx, t)
	if more == nil || err != nil {
		return t, err
	}
	return more, nil
}

// counterTables opens the tables to search for counters: the table of --table, or all.
func counterTables(ctx context.Context, s *invocation, conn *dynamo.Connection) ([]*dynamo.Table, []error, error) {
	if s.flags.table != "" {
		defer s.showWait(conn.Where(), "opening "+s.flags.table)()
		table, err := conn.Open(ctx, s.flags.table)
		if err != nil {
			return nil, nil, err
		}
		if table.Layout.Empty() {
			if table, err = grown(ctx, table); err != nil {
				return nil, nil, err
			}
		}
		if table.Layout.Empty() {
			return nil, nil, table.NoLayout("reading the counters of " + table.Name)
		}
		return []*dynamo.Table{table}, nil, nil
	}
	return openAll(ctx, s, conn)
}

// openAll opens all tables. failed has the errors of tables that could not be opened or recognised.
func openAll(
	ctx context.Context, s *invocation, conn *dynamo.Connection,
) (tables []*dynamo.Table, failed []error, err error) {
	defer s.showWait(conn.Where(), "opening its tables")()
	opened, err := conn.OpenAll(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	s.noteAnswers(conn)
	for _, o := range opened {
		if o.Err != nil {
			failed = append(failed, o.Err)
			continue
		}
		tables = append(tables, o.Table)
		if err := dynamo.Unrecognised(o.Table, "looking at "+o.Table.Name); err != nil {
			failed = append(failed, err)
		}
	}
	if ctx.Err() != nil && len(failed) > 0 {
		return nil, nil, failed[0] // the other errors would say the same
	}
	return tables, failed, nil
}

// noteAnswers prints a note if stored answers are unreadable and so ignored.
func (s *invocation) noteAnswers(conn *dynamo.Connection) {
	if text := conn.Answers.Ignored(); text != "" {
		s.note("%s", text)
	}
}

func tableFlags(tables []*dynamo.Table) string {
	var flags []string
	for _, t := range tables {
		flags = append(flags, "--table "+phrase.ShellWord(t.Name))
	}
	return strings.Join(flags, " or ")
}
