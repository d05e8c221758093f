package sql

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Made returns a fingerprint of the SQL of this layout and these tables. Candidates carry it,
// and a check refuses those of another. The locations of the exports do not matter.
func (c *Check) Made() string {
	plain := *c
	plain.made, plain.run, plain.Tables = "", "", slices.Clone(c.Tables)
	for n := range plain.Tables {
		plain.Tables[n].Location, plain.Tables[n].Manifest = "", nil
	}
	var b strings.Builder
	for _, name := range Dialects() { // candidates do not say which dialect found them
		d := ByName(name)
		for _, text := range d.before(&plain) {
			b.WriteString(text)
		}
		for _, s := range plain.statements() {
			b.WriteString(printer{d, &plain}.statement(s))
		}
	}
	return shortHash(b.String())
}

// named returns the check with the suffix of its tables' names, so that the statements of
// another layout, table or export find none of them.
func (c *Check) named() *Check {
	of := *c
	of.made = c.Made()
	said := of.made
	for _, t := range c.Tables {
		said += fmt.Sprintf("|%s|%s|%s", t.Name, t.ID, t.Location)
		if t.Manifest != nil {
			said += fmt.Sprintf("|%s|%d", t.Manifest.At, t.Manifest.Items)
		}
	}
	of.run = shortHash(said)
	return &of
}

// called returns the full name of a table that the statements create, and any other name as
// it is.
func (c *Check) called(table string) string {
	if c.run == "" || !strings.HasPrefix(table, tablePrefix) {
		return table
	}
	return table + "_" + c.run
}

const tablePrefix = "tallylock_"

func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}
