package cli

import (
	"context"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/client"
	"tallylock/dynamo/export"
)

// openExports opens what --export names. A bucket is read by the connection that the table
// is read by: nobody types a code twice for one check.
func (c *checking) openExports(ctx context.Context, t target) error {
	for _, at := range c.export {
		e, err := c.openExport(ctx, t, at)
		if err != nil {
			return err
		}
		if c.o.Export == nil {
			c.o.Export = e
		} else {
			c.o.Export.Add(e.Export)
		}
	}
	return nil
}

func (c *checking) openExport(ctx context.Context, t target, at string) (*export.Export, error) {
	bucket, folder, remote, err := exportAddress(at)
	if err != nil {
		return nil, err
	}
	if !remote {
		return export.Open(at)
	}
	if c.conn == nil {
		if c.conn, err = c.connect(ctx, t); err != nil {
			return nil, err
		}
	}
	defer c.showWait(at, "reading its manifests")()
	return export.OpenIn(ctx, c.conn.Bucket(bucket), bucket, folder)
}

// exportAddress takes an address of S3 apart; another place is not remote.
func exportAddress(at string) (bucket, folder string, remote bool, err error) {
	address, remote := strings.CutPrefix(at, "s3://")
	if !remote {
		return "", "", false, nil
	}
	bucket, folder, _ = strings.Cut(address, "/")
	folder = strings.TrimRight(strings.TrimSuffix(folder, "/manifest-summary.json"), "/")
	if bucket == "" || folder == "" {
		return "", "", true, usage("reading the export in "+at, "it names no folder of a bucket",
			"name the folder of one export, as s3://BUCKET/PREFIX/AWSDynamoDB/ID")
	}
	return bucket, folder, true, nil
}

// open opens the table that --table or the config names, or the only one with
// accounts. One that cannot be reached is opened by its export, where no item of it
// would be read.
func (c *checking) open(ctx context.Context, t target) (*dynamo.Table, error) {
	offline := c.o.Export != nil && c.o.Confirm == check.ConfirmNone
	alone := func(keys []string) (*dynamo.Table, error) {
		defer c.showWait(c.o.Export.Dir, "reading a sample of its items")()
		return c.o.Export.OpenTable(ctx, t.options, t.table, keys)
	}
	if len(c.keys) > 0 {
		if !offline {
			return nil, usage("reading --keys", "the table itself has its key schema",
				"use --keys with --export and --confirm none")
		}
		return alone(c.keys)
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
		c.note("--confirm none would check the export without the table")
		return nil, err
	}
	c.note("The table cannot be asked: %s", err)
	return alone(nil)
}
