package check

import (
	"context"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/export"
	"tallylock/dynamo/scan"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/say"
)

// openExports opens the exports of --export. It reads a bucket through the connection of the table, so that nobody
// types an MFA code twice.
func (c *checking) openExports(ctx context.Context, t app.Target) error {
	if c.increments.asked() {
		return c.increments.open(ctx, c, t)
	}
	for _, at := range c.export {
		e, err := c.openExport(ctx, t, at)
		if err != nil {
			return err
		}
		if c.o.Export == nil {
			c.o.Export = e
		} else {
			c.o.Export.Add(e)
		}
	}
	return nil
}

func (c *checking) openExport(ctx context.Context, t app.Target, at string) (*scan.Export, error) {
	return c.OpenExport(ctx, at, func() (*dynamo.Connection, error) { return c.connect(ctx, t) })
}

// connect returns the connection of the check. It connects only once.
func (c *checking) connect(ctx context.Context, t app.Target) (_ *dynamo.Connection, err error) {
	if c.conn == nil {
		c.conn, err = c.Connect(ctx, t)
	}
	return c.conn, err
}

// open opens the table of --table or of the config, or else the only table with accounts. If the table is unreachable
// and the check needs none of its items, open uses only the export.
func (c *checking) open(ctx context.Context, t app.Target) (*dynamo.Table, error) {
	if c.increments.asked() {
		return c.openState(ctx, t)
	}
	offline := c.o.Export != nil && c.o.Confirm == setting.ConfirmNone
	alone := func(keys export.Keys) (*dynamo.Table, error) {
		defer c.ShowWait(app.Files(c.o.Export.Dir), "reading a sample of its items")()
		return export.OpenTable(ctx, c.o.Export, t.Options, t.Table, keys)
	}
	if len(c.keys) > 0 {
		if !offline {
			return nil, exit.Usage("reading --keys", "only an export without its table needs the names of the keys",
				"use --keys with --export and --confirm none")
		}
		keys, err := parseKeys(c.keys)
		if err != nil {
			return nil, err
		}
		return alone(keys)
	}
	table, err := c.openTable(ctx, t)
	if err == nil || c.o.Export == nil {
		return table, err
	}
	switch client.KindOf(err) {
	case client.Cancelled, client.Usage, client.NoLayout:
		return nil, err
	}
	if !offline {
		c.Note("To check the export without the table, add --confirm none.")
		return nil, err
	}
	c.Note("tallylock checks the export without the table, because the table cannot be read: %s", say.Error(err))
	return alone(nil)
}

// parseKeys reads the words of --keys: PK,SK for the table to open, or users=PK,SK,emails=email.
func parseKeys(words []string) (export.Keys, error) {
	keys, table := export.Keys{}, ""
	wrong := func(word, why string) error {
		return exit.Usage("reading --keys "+word, why,
			"name the keys of the table, as PK,SK, or of several tables, as users=id,emails=email")
	}
	for _, word := range words {
		name := word
		if of, first, several := strings.Cut(word, "="); several {
			if table, name = client.BareName(of), first; table == "" || len(keys[table]) > 0 {
				return nil, wrong(word, "write the name of a table once, before its first key")
			}
		}
		if name == "" {
			return nil, wrong(word, "the name of a key is missing")
		}
		if keys[table] = append(keys[table], name); len(keys[table]) > 2 {
			return nil, wrong(strings.Join(keys[table], ","), "a key has two parts at most")
		}
	}
	return keys, nil
}
