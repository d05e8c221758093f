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
	"tallylock/ui/words"
)

// target is what the config and the flags say to look at.
type target struct {
	configFile
	options dynamo.Options
	// table is the one that is looked at where a command takes one; empty where
	// nobody has said.
	table      string
	journal    string // its file
	production bool
	colour     client.Colour
}

// resolveTarget reads the config and puts the flags over it. Nothing is sent.
func (s *invocation) resolveTarget(ctx context.Context) (target, error) {
	c, err := s.flags.readConfig()
	if err != nil {
		return target{}, err
	}
	return s.targetFrom(ctx, c)
}

// targetFrom puts the flags over a config.
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

// applyTo puts the flags over a connection.
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

// target is a connection of the config, or one that the flags describe. Whoever has
// described the same place, or the same table, is minded; chosen: see Inherit.
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

// connection is the one that --connection names. Without it, it is the config's
// default, unless flags describe another: what is allowed in one account must not
// reach into a second.
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

// unchosen says that the config has connections, where none of them is used; empty where one
// is, or there are none.
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

// connect connects to what the command line says. A code of a device is asked
// for here, before any screen starts.
func (s *invocation) connect(ctx context.Context, t target) (*dynamo.Connection, error) {
	var asking sync.WaitGroup
	t.options.MFA = func() (string, error) {
		asking.Add(1)
		defer asking.Done()
		return askCode(ctx, s)
	}
	defer asking.Wait() // a connection that is given up does not wait for the answer
	return dynamo.Connect(ctx, t.options)
}

// connectTarget connects to what the config and the flags say.
func (s *invocation) connectTarget(ctx context.Context) (target, *dynamo.Connection, error) {
	t, err := s.resolveTarget(ctx)
	if err != nil {
		return t, nil, err
	}
	conn, err := s.connect(ctx, t)
	return t, conn, err
}

// planner makes plans and no changes: the journal is only read.
func (t target) planner() *change.Changer {
	return changerOf(journal.OpenReadOnly(t.journal), t.configFile)
}

// changer writes changes to the journal.
func (t target) changer() (*change.Changer, error) {
	journal, err := journal.Open(t.journal)
	if err != nil {
		return nil, err
	}
	return changerOf(journal, t.configFile), nil
}

// changerOf writes changes to a journal, at the pace that the config says.
func changerOf(journal *journal.Journal, c configFile) *change.Changer {
	return &change.Changer{
		Journal: journal, Who: who(), MaxReadUnits: c.Check.Options().MaxReadUnits,
		Writes: client.Pace{Rate: change.DefaultWriteUnits}, Say: words.Do,
	}
}

// journalPath is where the journal is, or would be; flag is what --journal says.
func (c configFile) journalPath(flag string) string {
	return cmp.Or(flag, c.Journal, journal.Default())
}

// accountTable opens the table that a question about accounts is asked of: the
// one that is named, or the only one that has accounts.
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
			s.note("not looked at: %s", words.Error(err))
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

// grown is a table as a larger sample shows it, where its own was not enough: no one waits for
// its first rows here.
func grown(ctx context.Context, t *dynamo.Table) (*dynamo.Table, error) {
	more, err := dynamo.Grown(ctx, t)
	if more == nil || err != nil {
		return t, err
	}
	return more, nil
}

// counterTables opens the tables that counters are looked for in: the one of
// --table, or all.
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

// openAll opens every table, and says why some could not be.
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
		return nil, nil, failed[0] // the others would only repeat it
	}
	return tables, failed, nil
}

// noteAnswers says once that stored answers are ignored.
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
