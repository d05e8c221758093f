package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/sql"
	"tallylock/dynamo/client"
	"tallylock/dynamo/export"
	"tallylock/dynamo/phrase"
)

// locate says where the exports lie. Items are read by an engine alone: of an export the
// manifests are, which say of what table it is and how many items it has.
func (c *checking) locate(ctx context.Context, t target, table *dynamo.Table, first *sql.Check) error {
	for _, one := range c.export {
		of, at, err := exportOf(first, one)
		if err != nil {
			return err
		}
		if c.dialect == sql.Athena.Name && !strings.HasPrefix(at, "s3://") {
			return usage("reading --export", "Athena reads what is in S3, and "+at+" is a path of this machine",
				"name the export's folder as s3://BUCKET/PREFIX/AWSDynamoDB/ID, or use --sql duckdb")
		}
		if err := c.manifest(ctx, t, table, of, at); err != nil {
			return err
		}
	}
	return nil
}

// exportOf is which of a check's tables a --export names, and the place. A path may have a
// = of its own, as dt=2026-01-01/0123-abc has.
func exportOf(first *sql.Check, said string) (of *sql.Table, at string, err error) {
	name, at := first.Tables[0].Name, said
	called := func(name string) func(sql.Table) bool {
		return func(t sql.Table) bool { return client.BareName(t.Name) == client.BareName(name) }
	}
	if before, rest, named := strings.Cut(said, "="); named && !strings.Contains(client.BareName(before), "/") {
		known := slices.ContainsFunc(first.Tables, called(before))
		if known || !there(said) {
			name, at = before, rest
		}
	}
	n := slices.IndexFunc(first.Tables, called(name))
	switch {
	case n < 0:
		return nil, "", usage("reading --export",
			fmt.Sprintf("the check reads no table %q, and there is no folder %s here", name, said),
			"name a table of the layout, as TABLE=PLACE, or a folder")
	case first.Tables[n].Location != "":
		return nil, "", usage("reading --export", "it names two places for the export of "+name,
			"name one, and others as TABLE=PLACE")
	}
	return &first.Tables[n], at, nil
}

// manifest takes in where the export of a table lies, and what it says of itself. The folder of its
// files may be named, too.
func (c *checking) manifest(ctx context.Context, t target, table *dynamo.Table, of *sql.Table, at string) error {
	of.Location = strings.TrimSuffix(strings.TrimSuffix(strings.TrimRight(at, "/"), "/manifest-summary.json"), "/data")
	var e *export.Export
	err, why := error(nil), ""
	remote := strings.HasPrefix(of.Location, "s3://")
	if remote || there(of.Location+"/manifest-summary.json") {
		e, err = c.openExport(ctx, t, of.Location)
	}
	switch {
	case err != nil && !unread(err):
		return err
	case e == nil:
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			why = " (" + err.Error() + ")"
		}
		c.note(
			"The manifests of the export of %s are not at hand%s: nobody will compare whether all of it was read, nor whether it is of this table.",
			of.Name, why,
		)
		return nil
	}
	if of.Manifest, err = check.ManifestOf(e, table, of.Name); err != nil {
		return err
	}
	c.note("The export of %s is of %s: what is written since then is not looked for.", of.Name,
		phrase.UTC(of.Manifest.At))
	return nil
}

// unread reports whether an error says only that manifests cannot be read from here: the
// engine may have other permissions.
func unread(err error) bool {
	switch client.KindOf(err) {
	case client.Denied, client.Unreachable, client.NoCredentials, client.Expired, client.NoRegion, client.Throttled:
		return true
	}
	return errors.Is(err, fs.ErrNotExist)
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
