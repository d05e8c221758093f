package check

import (
	"fmt"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// verify makes sure that candidates were found in the exports of the check's tables, as far
// as item counts tell: what the engine did not read would have no candidates, and look
// healthy.
func (c *Candidates) verify(r *run) error {
	if err := c.Fit(r.t); err != nil {
		return err
	}
	r.report.note("candidates are those that SQL has found in an export: what was written since then is not looked for")
	for _, row := range c.counts {
		strange := func(account attr.Item) bool {
			_, ok := r.t.Schema.KeyOf(account)
			return !ok
		}
		if row.Counted == "impossible" && (len(row.Accounts) == 0 || slices.ContainsFunc(row.Accounts, strange)) {
			return c.refuse(
				fmt.Errorf("they count values of %s that no lock can be made of, and name no account that holds one",
					row.Constraint),
			)
		}
	}
	for _, from := range r.sources {
		read := c.itemsOf(from.name)
		now := r.t.DescriptionOf(from.name)
		about := now.Items
		switch {
		case read == nil:
			return c.refuse(fmt.Errorf("they do not say how many items the export of %s has", from.name))
		case now.ID != "" && read.OfID != now.ID:
			return c.refuse(anotherOfThatName(from.name, read.OfID, now.ID))
		case read.Exported != nil && *read.Exported != read.Count:
			return c.incomplete(
				fmt.Sprintf("the export of %s has %s, and the SQL has read %s: it read a part of it, or something else", from.name,
					phrase.Count(*read.Exported, "item"), phrase.Count(read.Count, "item")),
			)
		case read.Count == 0 && about > 0:
			return c.incomplete(
				fmt.Sprintf(
					"the SQL has read no item of %s, and the table has about %s: the export lies elsewhere, or is another table's",
					from.name, phrase.Count(about, "item"),
				),
			)
		case read.Exported != nil && read.ExportedAt != nil:
			r.report.note("items of %s are those of the export of %s, all %s", from.name, phrase.UTC(*read.ExportedAt),
				phrase.Count(read.Count, "item"))
		default:
			r.report.note("nobody compared item counts for the export of %s: the SQL read %s; the table has about %s", from.name,
				phrase.Count(read.Count, "item"), phrase.Count(about, "item"))
		}
	}
	return nil
}

// incomplete returns the error of candidates that were found in a part of an export.
func (c *Candidates) incomplete(why string) error {
	return &client.Error{
		Kind: client.Failed,
		Op:   "reading the candidates in " + c.File,
		Why:  why,
		Do:   "see that all files of the export lie where the SQL reads them, print it again with --export, and run it again",
	}
}

// itemsOf returns the row that counts a table's items, nil if there is none.
func (c *Candidates) itemsOf(table string) *candidateRow {
	for n := range c.counts {
		if row := &c.counts[n]; row.Counted == "items" && row.Of == table {
			return row
		}
	}
	return nil
}
