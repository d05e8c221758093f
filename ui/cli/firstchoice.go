package cli

import (
	"context"
	"slices"
	"strconv"

	"tallylock/dynamo/client"
	"tallylock/ui/kit"
)

// choice is what the inspector can be started with instead.
type choice struct {
	key, what string
	args      []string
}

// offerChoice asks somebody who started the inspector and has nothing to connect with what to
// look at instead: a connection of the config, an AWS profile, or the demo; and whose log-in has
// expired, to log in and go on. It answers the command line for that, if there is to be one.
func offerChoice(ctx context.Context, s *invocation, err error, args []string) (other []string, ok bool) {
	expired := client.KindOf(err) == client.Expired
	if !unequipped(err) && !expired || !terminal(s.In) || !terminal(s.Out) {
		return nil, false
	}
	d, ok := s.openPrompt()
	if !ok {
		return nil, false
	}
	defer d.close()
	choices := s.flags.choices()
	if expired { // the error names the command to log in with
		choices = append([]choice{{"r", "try again: you have logged in, in another window", args}}, choices...)
	}
	var rows [][]cell
	for _, c := range choices {
		rows = append(rows, []cell{{kit.Strong, c.key}, {kit.Text, c.what}})
	}
	d.out.line(kit.Muted, "type your choice, then enter")
	d.out.table(2, []column{{}, {least: leastRoom}}, rows)
	for {
		pressed, err := d.ask(ctx, ">")
		if err != nil || pressed == "" || pressed == "q" {
			return nil, false
		}
		if n := slices.IndexFunc(choices, func(c choice) bool { return c.key == pressed }); n >= 0 {
			return choices[n].args, true
		}
	}
}

// choices are those that have not been tried. They begin anew, and only read, for what was
// asked of one account is not meant for another.
func (f *flags) choices() []choice {
	all := []choice{{"d", "the demo: sample tables, without AWS", []string{"demo"}}}
	add := func(flag, what, name string) {
		all = append(all, choice{strconv.Itoa(len(all)), what + " " + name, append(f.given("config", "journal"), flag, name)})
	}
	c, _ := f.readConfig() // one that cannot be read was the error itself
	tried, _ := c.connection(f)
	for _, conn := range c.Connections {
		if conn.Name != tried.Name {
			add("--connection", "the connection", conn.Name)
		}
	}
	for _, name := range client.Profiles() {
		if name != f.profile {
			add("--profile", "the AWS profile", name)
		}
	}
	return append(all, choice{key: "q", what: "quit"})
}
