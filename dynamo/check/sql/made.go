package sql

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Made tells SQL of one layout, and of the tables as they are, from other SQL: candidates
// carry it, and no check takes those that were found otherwise. Where the exports lie is no
// part of it.
func (c *Check) Made() string {
	plain := *c
	plain.made, plain.run, plain.Tables = "", "", slices.Clone(c.Tables)
	for n := range plain.Tables {
		plain.Tables[n].Location, plain.Tables[n].Manifest = "", nil
	}
	var b strings.Builder
	for _, name := range Dialects() { // nobody says which of them has found candidates
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

// named is the check with what the names of its tables end in: the statements of another
// layout, table or export find none of them.
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

// called is the whole name of a table that the statements make; of others it is the name.
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
