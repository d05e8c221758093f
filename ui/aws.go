package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/client"
	"tallylock/dynamo/mistake"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// awsChoice is the AWS profile or the AWS Region that a person typed. The other one is empty.
type awsChoice struct{ profile, region string }

// awsRefusal says why a choice could not be used. The field from names the connection that the program keeps.
type awsRefusal struct {
	to   awsChoice
	from string
	err  error
	hint string // a similar name; empty for none
}

// about writes the failed choice, the reason and the next step.
func (r *awsRefusal) about(d *kit.Block) {
	e := say.Explain(r.err)
	d.Para(1, kit.Warn, fmt.Sprintf("Cannot use %s: the connection is still %s.", r.to, r.from))
	d.Para(1, kit.Text, strings.TrimSpace(say.Sentence(e.Why)+" "+r.hint))
	d.Para(1, kit.Muted, say.Sentence(e.Do))
}

// reached is a connection with the names of its tables. The field names is nil if listing tables is denied. The field
// hint is part of the message if connecting failed.
type reached struct {
	conn  session.Connection
	names []string
	hint  string
}

// first returns the table to choose first: the usual one of the connection, or else the first of its tables.
func (r *reached) first() string {
	if len(r.names) == 0 || slices.Contains(r.names, r.conn.Table) {
		return r.conn.Table
	}
	return r.names[0]
}

// awsCommands returns the commands that open the connection with another AWS profile, or in another AWS Region.
func (a *app) awsCommands() []screen.Typed {
	why := a.Options.Guest.WhyServer()
	if why == "" && a.Connection().With == nil {
		why = "the demo uses no AWS credentials"
	}
	command := func(name, does string, names func() []string, to func(name string) awsChoice) screen.Typed {
		c := screen.Typed{
			Name: name, Words: does, Takes: "NAME", Needs: true, Why: why,
			Offers: func(typed string) []screen.Offer { return beginning(names(), typed) },
			Run:    func(typed string) tea.Cmd { return a.connectWith(to(strings.TrimSpace(typed))) },
		}
		if r := a.refused; r != nil && to(r.to.profile+r.to.region) == r.to {
			c.About = r.about
		}
		return c
	}
	return []screen.Typed{
		command("profile", "use another AWS profile", func() []string { return a.profiles },
			func(name string) awsChoice { return awsChoice{profile: name} }),
		command("region", "use another AWS Region", a.regions,
			func(name string) awsChoice { return awsChoice{region: name} }),
	}
}

// beginning offers the names that begin with the typed text.
func beginning(names []string, typed string) (out []screen.Offer) {
	for _, name := range names {
		if strings.HasPrefix(name, typed) {
			out = append(out, screen.Offer{Text: name})
		}
	}
	return out
}

// regions returns the AWS Regions, first those that have a replica of the open table.
func (a *app) regions() []string {
	all := client.AWSRegions()
	if a.Table == nil {
		return all
	}
	near := a.Table.Regions().Others
	slices.SortStableFunc(all, func(one, other string) int {
		return slices.Index(near, other) - slices.Index(near, one)
	})
	return all
}

// readProfiles reads the names of the AWS profiles, which the command line then offers. The demo reads none.
func (a *app) readProfiles() tea.Cmd {
	if a.Connection().With == nil {
		return nil
	}
	files := a.Options.AWS
	return task.Start(a.Tasks, task.Profiling, func(context.Context) ([]string, error) {
		return files.Profiles(), nil
	}, func(names []string, _ error) tea.Cmd {
		a.profiles = names
		return a.offerAgain()
	})
}

// offerAgain makes the command line offer its commands again, because they have changed.
func (a *app) offerAgain() tea.Cmd {
	if on, ok := a.top().(screen.Refresher); ok && a.top() == a.tables {
		return on.Refresh()
	}
	return nil
}

// connectWith opens the connection with another AWS profile or in another Region. The earlier connection stays open
// until a table of the new connection is open.
func (a *app) connectWith(to awsChoice) tea.Cmd {
	from, files := a.Connection(), a.Options.AWS
	a.refused = nil
	return task.Start(a.Tasks, task.Connecting, func(ctx context.Context) (r reached, err error) {
		if r.conn, err = from.With(ctx, to.profile, to.region); err == nil {
			r.names, err = r.conn.TableNames(ctx)
		}
		if r.conn.Connection != nil && client.KindOf(err) == client.Denied {
			return r, nil // a person can still open tables by name
		}
		r.hint = to.hint(files)
		return r, err
	}, func(r reached, err error) tea.Cmd {
		switch {
		case err == nil:
			return a.useConnection(r)
		case client.KindOf(err) == client.Cancelled:
			return nil
		}
		a.refused = &awsRefusal{to, from.Name(), err, r.hint}
		return a.offerAgain()
	})
}

// useConnection adds a connection. If the choice of tables is still on the screen, it opens the table with the
// requested name there. If there is no such table, a person chooses one. If another screen or a dialog is open, a
// message names the key that lists the tables.
func (a *app) useConnection(r reached) tea.Cmd {
	on, name := a.added(r.conn), a.Wanted
	choice, choosing := a.top().(screen.TablesOf)
	switch {
	case on == a.On:
		return a.Say("Already connected to " + r.conn.Name() + ", " + r.conn.Where() + ".")
	case a.dialog != nil || !choosing:
		return a.Say("Connected to " + r.conn.Name() + ". Press " + a.Keys.Key(keymap.Tables) + " to list its tables.")
	case name != "" && (r.names == nil || slices.Contains(r.names, name)):
		return a.Send(message.Place{On: on, Name: name})
	}
	show := choice.ShowTablesOf(on, r.first())
	if name == "" {
		return show
	}
	return tea.Batch(show, a.Say(r.conn.Name()+" has no table "+name+" in "+r.conn.Where()+": choose one."))
}

// added returns the index of a connection. It adds the connection unless the session has one with the same name to the
// same place.
func (a *app) added(c session.Connection) int {
	n := slices.IndexFunc(a.Connections, func(has session.Connection) bool {
		return has.Connection != nil && has.Name() == c.Name() && has.Profile() == c.Profile() &&
			has.Region() == c.Region() && has.Endpoint() == c.Endpoint()
	})
	if n < 0 {
		n = len(a.Connections)
		a.Connections = append(a.Connections, c)
	}
	return n
}

// String names the choice.
func (c awsChoice) String() string {
	if c.profile != "" {
		return fmt.Sprintf("the AWS profile %q", c.profile)
	}
	return fmt.Sprintf("the AWS Region %q", c.region)
}

// hint suggests a known profile that is similar to the chosen profile, or says that the chosen Region is unknown, with
// a similar Region if there is one. It is empty if there is nothing to say.
func (c awsChoice) hint(files client.AWSFiles) string {
	if c.profile != "" {
		return strings.Replace(mistake.Meant(c.profile, files.Profiles()...), ", did", "Did", 1)
	}
	if known := client.AWSRegions(); !slices.Contains(known, c.region) {
		return say.Sentence(fmt.Sprintf("No known AWS Region is called %q", c.region) + mistake.Meant(c.region, known...))
	}
	return ""
}
