// Package setting has the options of a check as flags and the config give them, how its memory is divided,
// and what it will cost. Start at Options and Estimate.
package setting

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/check/candidates"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/scan"
)

// Confirm is how far a check goes to confirm what it finds.
type Confirm string

// In the order of how sure the findings are.
const (
	// ConfirmNone reports what the pass met; nothing is read again.
	ConfirmNone Confirm = "none"
	// ConfirmReads reads each lock together with its accounts. That settles all but locks
	// that no account claims and that name no owner.
	ConfirmReads Confirm = "reads"
	// ConfirmFull settles those, too: it waits, and reads all accounts again.
	ConfirmFull Confirm = "full"
)

// Look is how consistently the accounts are read again.
type Look string

// Eventual costs half of Strong, and is right only if the grace period covers the lag of a
// replica, too.
const (
	Strong   Look = "strong"
	Eventual Look = "eventual"
)

// DefaultMemory is Options.Memory if that is 0, in bytes, and minMemory is the least that a
// check can work with.
const (
	DefaultMemory = 256 << 20
	minMemory     = 64 << 10
)

// Options say how a table is checked. The zero Options are the defaults.
type Options struct {
	Confirm Confirm // "" means ConfirmFull
	Look    Look    // "" means Strong
	// Segments and MaxReadUnits are those of scan.Options.
	Segments     int
	MaxReadUnits float64
	// Memory is about how many bytes may be used for what is left over. It bounds how many
	// findings a check can follow up, not how large the table is: if more is wrong, a part of
	// it is followed up, and the check is not complete.
	Memory int64
	// Only are the kinds that are looked for; empty means all.
	Only []finding.Kind
	// Known are findings of an earlier check: they are counted, and not reported again.
	Known *finding.Baseline
	// Export is read instead of the tables, except for what must be current: with ConfirmNone
	// nothing, with ConfirmReads the candidates' items, with ConfirmFull all accounts once
	// more if any lock is unclaimed.
	Export *scan.Export
	// Candidates replace the first reading: SQL has found them in an export.
	Candidates *candidates.File
	// Gate, if not nil, holds back all requests while it is shut. What was read before stays
	// valid.
	Gate *client.Gate
	// Say puts what a person can do into words, for the summary and the findings. If it is
	// nil, they leave it out.
	Say func(remedy.Remedy) string
}

// With adds to a text what to do about it.
func (o *Options) With(do remedy.Remedy, text string) string {
	if o.Say == nil {
		return text
	}
	return text + ": " + o.Say(do)
}

// Fill sets the defaults of unset options.
func (o *Options) Fill() {
	if o.Confirm == "" {
		o.Confirm = ConfirmFull
	}
	if o.Look == "" {
		o.Look = Strong
	}
	if o.Memory <= 0 {
		o.Memory = DefaultMemory
	}
	o.Memory = max(o.Memory, minMemory)
}

// ExportOnly reports whether nothing is read from the tables themselves.
func (o *Options) ExportOnly() bool { return o.Export != nil && o.Confirm == ConfirmNone }

// Wants reports whether a kind is looked for.
func (o *Options) Wants(k finding.Kind) bool { return len(o.Only) == 0 || slices.Contains(o.Only, k) }

// WantsLocks reports whether any kind about locks is looked for.
func (o *Options) WantsLocks() bool {
	return slices.ContainsFunc(finding.Kinds(), func(k finding.Kind) bool { return k.OfLocks() && o.Wants(k) })
}

// WantsCounters reports whether any kind about counters is looked for.
func (o *Options) WantsCounters() bool {
	return slices.ContainsFunc(finding.Kinds(), func(k finding.Kind) bool {
		return k.Rests() == finding.OnCounters && o.Wants(k)
	})
}

// Config is the [check] section of the config file, or the flags that override it. nil means
// unset.
type Config struct {
	Confirm      *ConfirmName    `toml:"confirm"`
	Look         *LookName       `toml:"look"`
	Segments     *Parts          `toml:"segments"`
	MaxReadUnits *client.Ceiling `toml:"max_read_units"`
	Memory       *Size           `toml:"memory"`
}

// Over returns these settings, with those of others where they are unset.
func (c Config) Over(others Config) Config {
	return Config{
		Confirm: cmp.Or(c.Confirm, others.Confirm), Look: cmp.Or(c.Look, others.Look),
		Segments:     cmp.Or(c.Segments, others.Segments),
		MaxReadUnits: cmp.Or(c.MaxReadUnits, others.MaxReadUnits), Memory: cmp.Or(c.Memory, others.Memory),
	}
}

// Options returns the settings as Options; unset ones keep their defaults.
func (c Config) Options() Options {
	var o Options
	if c.Confirm != nil {
		o.Confirm = c.Confirm.Confirm
	}
	if c.Look != nil {
		o.Look = c.Look.Look
	}
	if c.Segments != nil {
		o.Segments = c.Segments.N
	}
	if c.MaxReadUnits != nil {
		o.MaxReadUnits = c.MaxReadUnits.Units
	}
	if c.Memory != nil {
		o.Memory = c.Memory.Bytes
	}
	o.Fill()
	return o
}

// ConfirmName is a Confirm as it is written in a flag or the config.
type ConfirmName struct{ Confirm }

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *ConfirmName) UnmarshalText(text []byte) error {
	switch name := Confirm(text); name {
	case ConfirmFull, ConfirmReads, ConfirmNone:
		c.Confirm = name
		return nil
	}
	return fmt.Errorf("%q is not a way to make sure: use full, reads or none", text)
}

// LookName is a Look as it is written in a flag or the config.
type LookName struct{ Look }

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *LookName) UnmarshalText(text []byte) error {
	switch name := Look(text); name {
	case Strong, Eventual:
		l.Look = name
		return nil
	}
	return fmt.Errorf("%q is not a way to look: use strong or eventual", text)
}

// Parts is scan.Options.Segments as it is written; 0 chooses by the table's size.
type Parts struct{ N int }

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Parts) UnmarshalText(text []byte) error {
	const most = 1_000_000 // DynamoDB's limit for TotalSegments
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 0 || n > most {
		return fmt.Errorf("%q is not a number of segments: write one from 0 to %s", text, phrase.Group(fmt.Sprint(most)))
	}
	p.N = n
	return nil
}

// Size is a number of bytes as it is written, such as 256MB. Its units are powers of 1024.
type Size struct{ Bytes int64 }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Size) UnmarshalText(text []byte) error {
	const most = 1 << 40
	number, unit := strings.TrimSuffix(strings.ToUpper(strings.TrimSpace(string(text))), "B"), int64(1)
	for suffix, is := range map[string]int64{"K": 1 << 10, "M": 1 << 20, "G": 1 << 30} {
		if rest, ok := strings.CutSuffix(number, suffix); ok {
			number, unit = strings.TrimSpace(rest), is
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 || n > most/unit {
		return fmt.Errorf("%q is not a size: write it as 256MB or 1GB", text)
	}
	s.Bytes = n * unit
	return nil
}

// AllGuessed reports whether nothing of the layout's locks, values and ids is sure: a check then
// reads the table once.
func AllGuessed(t *dynamo.Table) bool {
	return !slices.ContainsFunc(t.Layout.Rules(), func(con *layout.Constraint) bool { return con.State.Sure() }) &&
		!slices.ContainsFunc(t.Layout.Counters, SureIDs)
}

// SureIDs reports whether a person has said where the ids of a counter are. Accepting a counter
// accepts what its number means, not where its ids are.
func SureIDs(c *layout.Counter) bool { return len(c.IDs) > 0 && c.State == layout.Described }

// FollowedIDs reports whether ids of a counter are followed up, instead of kept from one reading.
func (o *Options) FollowedIDs(c *layout.Counter) bool {
	return SureIDs(c) || len(c.IDs) > 0 && o.Candidates != nil
}

// LeftOut is why something was left out that the check was not asked for.
func (o *Options) LeftOut() string {
	if o.Say == nil {
		return "it was not asked for"
	}
	return o.Say(remedy.Of(remedy.LeftOut))
}
