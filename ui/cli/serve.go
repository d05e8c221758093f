package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/crypto/ssh"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/queue"
	"tallylock/dynamo/client"
	"tallylock/dynamo/mistake"
	"tallylock/keymap"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/configfile"
	"tallylock/ui/cli/exit"
	"tallylock/ui/safe"
	"tallylock/ui/say"
	"tallylock/ui/serve"
	"tallylock/ui/session"
)

// serveCommand serves the inspector over SSH.
func serveCommand(s *app.Run) *cobra.Command {
	address, log := "", ""
	cmd := &cobra.Command{
		Use:   "serve --ssh ADDRESS",
		Short: "Serve the inspector to colleagues over SSH",
		Long: `Serve the inspector over SSH, to people who have no AWS credentials and no
tallylock. This program has the credentials, and each person has a session of
their own. The section [serve] of the config names the people by their public
keys, each with a role (viewer or operator), connections and tables. Nobody else
gets in, and nothing but the inspector is served.

A viewer reads. An operator also makes changes, on connections that allow
changes. The first start makes a host key, and each start prints its
fingerprint. Logins go to standard error, or to the file of --log. On SIGHUP the
program reads the config again, and opens the file of --log again.`,
		Example: "  tallylock serve --ssh 127.0.0.1:2222\n  tallylock serve --ssh 10.0.0.5:2222 --log /var/log/tallylock.log",
		Args:    app.TakesNothing,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if given := s.Flags.Given("connection", "profile", "region", "endpoint-url", "table", "layout"); len(given) > 0 {
				return exit.Usage("starting the server", "connections and tables come from the section [serve] of the config",
					"leave out "+given[0])
			}
			at, err := listenAddress(address)
			if err != nil {
				return err
			}
			return serveSSH(cmd.Context(), s, at, log)
		},
	}
	cmd.Flags().StringVar(&address, "ssh", "",
		"listen on this `ADDRESS`, such as 127.0.0.1:2222; an address without a host means the loopback address; port 0 chooses a free port")
	cmd.Flags().StringVar(&log, "log", "", "append logins and sessions to this `FILE`, not to standard error")
	return cmd
}

// listenAddress returns the address to listen on. Only a named host opens the server to other machines.
func listenAddress(address string) (string, error) {
	const op = "reading --ssh"
	if address == "" {
		return "", exit.Usage("starting the server", "there is no address to listen on", "add --ssh 127.0.0.1:2222")
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil || port == "" {
		return "", exit.Usage(op, fmt.Sprintf("%q is not an address with a port", address), "write it as 127.0.0.1:2222")
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}

// serveSSH serves until a signal ends the program.
func serveSSH(ctx context.Context, s *app.Run, address, log string) error {
	// These variables make the library write what people see into files.
	for _, name := range []string{"TEA_TRACE", "TEA_DEBUG"} {
		_ = os.Unsetenv(name)
	}
	to, reopen := io.Writer(s.Err), func() error { return nil }
	if log != "" {
		f, err := serve.OpenLog(log)
		if err != nil {
			return err
		}
		defer f.Close()
		to, reopen = f, f.Reopen
	}
	lines := slog.New(slog.NewTextHandler(to, nil))
	reload := make(chan struct{}, 1)
	hangup := func() {
		if err := reopen(); err != nil {
			why := safe.Text(say.Error(err))
			lines.Error("the log was not opened again: the old file stays in use", "reason", why)
			fmt.Fprintln(s.Err, "tallylock: the log was not opened again: "+why)
		}
		select {
		case reload <- struct{}{}:
		default: // another reload is already waiting
		}
	}
	s.Hangup.Store(&hangup)
	defer s.Hangup.Store(nil)
	return serve.Run(ctx, serve.Options{
		Address: address,
		HostKey: filepath.Join(filepath.Dir(journal.Default()), "ssh_host_ed25519_key"),
		Log:     lines,
		Inspect: s.InspectFor,
		Reload:  reload,
		Ready: func(at net.Addr, key ssh.PublicKey, made bool) {
			word := "host key"
			if made {
				word = "new host key"
			}
			fmt.Fprintln(s.Out, "address "+at.String())
			fmt.Fprintln(s.Out, word+" "+ssh.FingerprintSHA256(key))
		},
		Read: func() (serve.Reading, error) { return readConfig(s) },
	})
}

// readConfig reads the config. It refuses a file that others can change, since they could let anybody in.
func readConfig(s *app.Run) (serve.Reading, error) {
	if err := serve.CheckConfig(s.Flags.Config.Path()); err != nil {
		return serve.Reading{}, err
	}
	c, err := s.Flags.Config.Read()
	if err != nil {
		return serve.Reading{}, err
	}
	settings := map[string]any{}
	var guards []any // a guard also holds on other connections to the same table
	all := slices.Clone(c.Connections)
	for n := range all {
		all[n].Settings = s.Flags.Settings().Over(all[n].Settings).Over(c.Settings)
		if own := all[n]; own.Guard != nil || own.Guards != nil || own.RequireReason != nil || own.Reasons != nil {
			guards = append(guards, []any{
				own.Name, own.Profile, own.Region, own.EndpointURL, own.Guard, own.Guards, own.RequireReason, own.Reasons,
			})
		}
	}
	for _, one := range all {
		settings[one.Name] = []any{one, guards, c.JournalFile(s.Flags.Journal)}
	}
	return serve.Reading{
		Config: c.Serve, Settings: settings,
		Connect: func(ctx context.Context) (*serve.Setup, error) { return setupOf(ctx, s, c) },
	}, nil
}

// setupOf connects to the connections of the config's users.
func setupOf(ctx context.Context, s *app.Run, c configfile.File) (*serve.Setup, error) {
	keys, err := keymap.FromConfig(c.Keys)
	if err != nil {
		return nil, exit.Usage("reading the config", err.Error(), "correct the file")
	}
	c.SessionReadUnits = c.InspectorUnits()
	o := c.UI.Options()
	o.Look, o.Check, o.Keys = c.Theme, c.Check.Options(), keys
	setup := &serve.Setup{Inspector: o, Connections: map[string]session.Connection{}}
	if setup.Queue, err = openQueue(c.JournalFile(s.Flags.Journal)); err != nil {
		return nil, err
	}
	setup.Mistake = func(err error) error {
		return exit.Usage("reading the config "+s.Flags.Config.Path(),
			fmt.Sprintf("line %d: %s", c.Line(mistake.Path(err)), err), "correct the file")
	}
	for n, u := range c.Serve.Users {
		for k, name := range u.Connections {
			if _, made := setup.Connections[name]; made {
				continue
			}
			conn, err := connectionOf(ctx, s, c, name)
			if err != nil {
				at := fmt.Sprintf("serve.user[%d].connections[%d]", n, k)
				return nil, fmt.Errorf("line %d of the config: connection %s: %w", c.Line(at), name, err)
			}
			setup.Connections[name] = conn
		}
	}
	return setup, nil
}

// connectionOf connects to a connection of the config.
func connectionOf(ctx context.Context, s *app.Run, c configfile.File, name string) (session.Connection, error) {
	conn := c.Connections[slices.IndexFunc(c.Connections, func(one client.Config) bool { return one.Name == name })]
	conn.Settings = s.Flags.Settings().Over(conn.Settings)
	t := s.TargetOf(ctx, c, conn, true)
	t.Options.Asked, t.Options.MFA = false, app.NoCode
	t.Options.Place = []string{"--connection", name}
	made, err := dynamo.Connect(ctx, t.Options)
	if err != nil {
		return session.Connection{}, err
	}
	shown := connections(s, t)(t)
	shown.Connection, shown.With = made, nil // over SSH, people cannot change the profile or the Region
	return shown, nil
}

// openQueue opens the queue of plans beside the journal.
func openQueue(journalPath string) (*queue.Queue, error) {
	return queue.Open(filepath.Join(filepath.Dir(journalPath), "queue"), journal.OpenReadOnly(journalPath))
}
