// Package setting holds the options of a check from flags and the config, divides its memory, and
// estimates its cost. Start at Options and Estimate.
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

// Confirm is how far a check goes to confirm its findings.
type Confirm string

// The order is from the least to the most certain findings.
const (
	// ConfirmNone reports the findings of the pass, and reads no item again.
	ConfirmNone Confirm = "none"
	// ConfirmReads reads each lock together with its accounts. That settles all findings except
	// locks that no account claims and that name no owner.
	ConfirmReads Confirm = "reads"
	// ConfirmFull settles these locks, too: it waits, and reads all accounts again.
	ConfirmFull Confirm = "full"
)

// Look is how consistently the accounts are read again.
type Look string

// Strong and Eventual are the two ways to read again. Eventual costs half of Strong, and is right
// only if the grace period covers the lag of a replica, too.
const (
	Strong   Look = "strong"
	Eventual Look = "eventual"
)

// DefaultMemory is the default of Options.Memory, in bytes. minMemory is the least memory that a
// check can work with.
const (
	DefaultMemory = 256 << 20
	minMemory     = 64 << 10
)

// Options say how a table is checked. The zero Options are the defaults.
type Options struct {
	Confirm Confirm // "" means ConfirmFull
	Look    Look    // "" means Strong
	// Segments and MaxReadUnits are passed on as scan.Options.
	Segments     int
	MaxReadUnits float64
	// Memory is about how many bytes a check may use for the keys that are left over. It bounds the
	// number of findings that a check can follow up, not the size of the table. If there are more
	// findings, the check follows up only a part of them, and is incomplete.
	Memory int64
	// Only are the kinds that are looked for; empty means all.
	Only []finding.Kind
	// Known are the findings of an earlier check. The check counts them, but does not report them
	// again.
	Known *finding.Baseline
	// Export is read instead of the tables. Some items are still read from the tables, since they
	// must be current: none with ConfirmNone, the candidates' items with ConfirmReads. ConfirmFull
	// reads all accounts, too, if any lock is unclaimed.
	Export *scan.Export
	// Candidates replaces the first reading: SQL has found the candidates in an export.
	Candidates *candidates.File
	// Gate, if not nil, holds back all requests while it is shut. Items that were read before stay
	// valid.
	Gate *client.Gate
	// Say returns the words for a remedy, for the summary and the findings. If Say is nil, they
	// leave remedies out.
	Say func(remedy.Remedy) string
}

// With adds a remedy to a text, if Say is set.
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

// Over returns the settings of c, and those of others for settings that c leaves unset.
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

// AllGuessed reports whether all of the layout's locks, values and ids are guessed. A check then reads
// the table once.
func AllGuessed(t *dynamo.Table) bool {
	return !slices.ContainsFunc(t.Layout.Rules(), func(con *layout.Constraint) bool { return con.State.Sure() }) &&
		!slices.ContainsFunc(t.Layout.Counters, SureIDs)
}

// SureIDs reports whether the config describes where the ids of a counter are. A person who accepts a
// counter accepts the meaning of its number, but not the place of its ids.
func SureIDs(c *layout.Counter) bool { return len(c.IDs) > 0 && c.State == layout.Described }

// FollowedIDs reports whether ids of a counter are followed up, instead of kept from one reading.
func (o *Options) FollowedIDs(c *layout.Counter) bool {
	return SureIDs(c) || len(c.IDs) > 0 && o.Candidates != nil
}

// LeftOut returns the reason for things that were left out because nobody asked for them.
func (o *Options) LeftOut() string {
	if o.Say == nil {
		return "it was not asked for"
	}
	return o.Say(remedy.Of(remedy.LeftOut))
}
