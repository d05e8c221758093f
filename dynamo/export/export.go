// Package export opens what DynamoDB's export to S3 wrote, and can open a table by its
// export alone: an embedded engine holds some of its items, in place of an endpoint.
package export

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/scan"
)

// Export is tables as they were at a time, in S3 or downloaded.
type Export struct {
	*scan.Export
	inferred string
}

// Open finds the exports in a directory and below it: by their manifests, or, if there are
// none, all files as one. It reads no items.
func Open(dir string) (*Export, error) {
	e, err := scan.OpenExport(dir)
	if err != nil {
		return nil, err
	}
	return &Export{Export: e}, nil
}

// OpenIn opens the export in a folder of a bucket, by its manifests. It reads no items.
func OpenIn(ctx context.Context, objects scan.Objects, bucket, folder string) (*Export, error) {
	e, err := scan.OpenExportIn(ctx, objects, bucket, folder)
	if err != nil {
		return nil, err
	}
	return &Export{Export: e}, nil
}

// Inferred says which facts about the table OpenTable inferred from the export itself;
// empty if the table was opened through an endpoint.
func (e *Export) Inferred() string { return e.inferred }

// Alone reports whether the table was opened by OpenTable, without an endpoint.
func (e *Export) Alone() bool { return e.inferred != "" }

// Of returns the export of the table that is called name: t itself, or one that t's layout
// keeps locks or ids in. several says that there are such tables: then an export without
// manifests will not do. It refuses the export of an older table of the name.
func (e *Export) Of(t *dynamo.Table, name string, several bool) (*scan.TableExport, error) {
	var found []*scan.TableExport
	var have []string
	for _, one := range e.Tables {
		if one.Table == client.BareName(name) || one.Table == "" {
			found = append(found, one)
		}
		have = append(have, one.Table)
	}
	switch {
	case len(found) == 0:
		return nil, scan.WrongExport(
			e.Dir,
			fmt.Sprintf("there is no export of the table %s in it, only of %s", name,
				strings.Join(slices.Compact(slices.Sorted(slices.Values(have))), ", ")),
		)
	case len(found) > 1:
		return nil, scan.WrongExport(e.Dir,
			fmt.Sprintf("there are %d exports of the table %s in it; name the directory of one", len(found), name))
	case found[0].Table == "" && several:
		return nil, scan.WrongExport(e.Dir,
			"the layout "+t.Layout.Name+" has its items in several tables, and without manifests it cannot be told which files are of which")
	case e.inferred == "" && found[0].ID != "" && t.DescriptionOf(name).ID != "" && found[0].ID != t.DescriptionOf(name).ID:
		return nil, scan.WrongExport(
			e.Dir,
			fmt.Sprintf("it is an export of another table of the name %s: one of the id %s, and there is now %s", name,
				found[0].ID, t.DescriptionOf(name).ID),
		)
	}
	return found[0], nil
}
