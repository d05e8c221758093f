// Package setting has the options of a check, from flags and the config. It also divides the memory of
// a check, and estimates its cost. Start at Options and Estimate.
package setting

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/candidates"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/client"
	"tallylock/dynamo/export"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/scan"
)

// Confirm is the extent of the second reading. The second reading confirms findings.
type Confirm string

// The values, from the least certain findings to the most certain.
const (
	// ConfirmNone reports the findings of the first reading. It reads no item again.
	ConfirmNone Confirm = "none"
	// ConfirmReads reads each lock together with its accounts. This confirms all findings except one sort: unclaimed
	// locks that name no owner.
	ConfirmReads Confirm = "reads"
	// ConfirmFull confirms all findings. For unclaimed locks that name no owner, it also waits, and then reads all
	// accounts again.
	ConfirmFull Confirm = "full"
)

// Look is the consistency of the second reading of the accounts.
type Look string

// Strong and Eventual are strongly and eventually consistent reads. Eventual costs half as much. It is
// right only if the settle time also covers the lag of a replica.
const (
	Strong   Look = "strong"
	Eventual Look = "eventual"
)

// leastMemory is the least Options.Memory.
const leastMemory = 64 << 10

// Options are the options of a check. The zero Options are the defaults.
type Options struct {
	Confirm Confirm // "" is ConfirmFull
	Look    Look    // "" is Strong
	// Segments and MaxReadUnits are the options of package scan with these names.
	Segments     int
	MaxReadUnits float64
	// Memory is the approximate limit of the data that the check keeps, in bytes, by DataOf. It limits the number of
	// findings, not the size of the table. If there are more findings, the check follows up some of them, and is
	// incomplete.
	Memory int64
	// Temp is the directory for temporary files. If it is empty, twice.TempDir chooses one.
	Temp string
	// Only lists the kinds of findings to look for. Empty means all.
	Only []finding.Kind
	// Known has the findings of an earlier check. The check counts these findings, but does not report
	// them again.
	Known *finding.Baseline
	// Export is read in place of the tables. To confirm findings, the check also needs current items from the tables.
	// With ConfirmNone, it reads none. With ConfirmReads, it reads the candidates' items. With ConfirmFull, it also
	// reads all accounts if any lock is unclaimed.
	Export *scan.Export
	// Candidates come from SQL over an export. They replace the first reading.
	Candidates *candidates.File
	// Gate can pause the check, if it is set. While the gate is shut, the check sends no requests. Items that were read
	// before the pause stay valid.
	Gate *client.Gate
	// Accounts is called at each beginning of the first reading, which may begin again. The check calls the returned
	// function with the attributes of each account that it reads, from several goroutines. Accounts may be nil.
	Accounts func() func(attr.Item)
	// Unowned is called with the constraint of each lock that should name an account and names none, from several
	// goroutines. It is called again for a lock that the first reading reads again. Unowned may be nil.
	Unowned func(constraint string)
	// Say returns the words for a remedy, for use in the summary and the findings. If Say is nil, the summary and the
	// findings contain no remedies.
	Say func(remedy.Remedy) string
}

// With adds the words for a remedy to a text. If Say is nil, With returns the text unchanged.
func (o *Options) With(do remedy.Remedy, text string) string {
	if o.Say == nil {
		return text
	}
	return text + ": " + o.Say(do)
}

// Fill sets each unset option to its default.
func (o *Options) Fill() {
	if o.Confirm == "" {
		o.Confirm = ConfirmFull
	}
	if o.Look == "" {
		o.Look = Strong
	}
	if o.Memory <= 0 {
		o.Memory = DataOf(DefaultMemory)
	}
	o.Memory = max(o.Memory, leastMemory)
}

// ExportOnly reports whether the check reads an export and nothing from the tables.
func (o *Options) ExportOnly() bool { return o.Export != nil && o.Confirm == ConfirmNone }

// AsOf returns the time of the items that a check of the table compares: now, or the time of the oldest export. It is
// zero if the time of an export is unknown.
func (o *Options) AsOf(t *dynamo.Table) time.Time {
	if o.Candidates != nil {
		return o.Candidates.ExportedAt()
	}
	oldest := time.Now()
	if o.Export == nil {
		return oldest
	}
	sources := join.SourcesOf(t)
	for _, from := range sources {
		e, err := export.Of(o.Export, t, from.Name, len(sources) > 1)
		if err != nil || e.At.IsZero() {
			return time.Time{}
		}
		if e.At.Before(oldest) {
			oldest = e.At
		}
	}
	return oldest
}

// Wants reports whether the check looks for findings of this kind.
func (o *Options) Wants(k finding.Kind) bool { return len(o.Only) == 0 || slices.Contains(o.Only, k) }

// WantsLocks reports whether the check looks for any kind of findings about locks.
func (o *Options) WantsLocks() bool {
	return slices.ContainsFunc(finding.Kinds(), func(k finding.Kind) bool { return k.OfLocks() && o.Wants(k) })
}

// WantsCounters reports whether the check looks for any kind of findings about counters.
func (o *Options) WantsCounters() bool {
	return slices.ContainsFunc(finding.Kinds(), func(k finding.Kind) bool {
		return k.Rests() == finding.OnCounters && o.Wants(k)
	})
}

// Config has the settings of the [check] section of the config file, or of the flags that override
// them. A nil setting is unset.
type Config struct {
	Confirm      *ConfirmName    `toml:"confirm"`
	Look         *LookName       `toml:"look"`
	Segments     *Parts          `toml:"segments"`
	MaxReadUnits *client.Ceiling `toml:"max_read_units"`
	// MaxWriteUnits is the rate of many changes together, in write units a second. A check writes nothing.
	MaxWriteUnits *client.Ceiling `toml:"max_write_units"`
	Memory        *Size           `toml:"memory"`
	// AthenaPrice is the price of Athena for a TB of scanned data, in US dollars. It only serves the estimate before
	// a run of SQL.
	AthenaPrice *Dollars `toml:"athena_price"`
}

// Over returns the settings of c. A setting that is unset in c comes from others.
func (c Config) Over(others Config) Config {
	return Config{
		Confirm: cmp.Or(c.Confirm, others.Confirm), Look: cmp.Or(c.Look, others.Look),
		Segments:     cmp.Or(c.Segments, others.Segments),
		MaxReadUnits: cmp.Or(c.MaxReadUnits, others.MaxReadUnits), Memory: cmp.Or(c.Memory, others.Memory),
		MaxWriteUnits: cmp.Or(c.MaxWriteUnits, others.MaxWriteUnits),
		AthenaPrice:   cmp.Or(c.AthenaPrice, others.AthenaPrice),
	}
}

// Options converts the settings to Options. Unset settings keep their defaults.
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
		o.Memory = DataOf(c.Memory.Bytes)
	}
	o.Fill()
	return o
}

// ConfirmName is a Confirm as text, in a flag or the config.
type ConfirmName struct{ Confirm }

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *ConfirmName) UnmarshalText(text []byte) error {
	switch name := Confirm(text); name {
	case ConfirmFull, ConfirmReads, ConfirmNone:
		c.Confirm = name
		return nil
	}
	return fmt.Errorf("%q is not a way to confirm: use full, reads or none", text)
}

// LookName is a Look as text, in a flag or the config.
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

// Parts is the number of segments as text. 0 means that the table's size decides.
type Parts struct{ N int }

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Parts) UnmarshalText(text []byte) error {
	const most = 1_000_000 // DynamoDB's limit for TotalSegments
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 0 || n > most {
		return fmt.Errorf("%q is not a number of segments: write a number from 0 to %s", text, phrase.Group(fmt.Sprint(most)))
	}
	p.N = n
	return nil
}

// DefaultAthenaPrice is the price of a TB in us-east-1 (Amazon Athena pricing, 2026).
const DefaultAthenaPrice = 5

// Dollars is an amount of US dollars as text.
type Dollars struct{ Amount float64 }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Dollars) UnmarshalText(text []byte) error {
	amount, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(amount >= 0 && amount <= 1e6) { // NaN is no price
		return fmt.Errorf("%q is not a price in US dollars: write it as 5 or 6.75", text)
	}
	d.Amount = amount
	return nil
}

// Size is the memory of a process as text, such as 256MB. Its units are powers of 1024.
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
	if n*unit < minMemory {
		return fmt.Errorf("%q is too little: the program and its buffers alone take up to 100MB, so use %dMB or more",
			text, minMemory>>20)
	}
	s.Bytes = n * unit
	return nil
}

// AllGuessed reports whether all constraints and counters of the layout are guessed. A check then
// reads the table only once.
func AllGuessed(t *dynamo.Table) bool {
	return !slices.ContainsFunc(t.Layout.Rules(), func(con *layout.Constraint) bool { return con.State.Sure() }) &&
		!slices.ContainsFunc(t.Layout.Counters, SureIDs)
}

// SureIDs reports whether the config describes the places of a counter's ids. A person who accepts a counter confirms
// the meaning of its number, but not the places of its ids.
func SureIDs(c *layout.Counter) bool { return len(c.IDs) > 0 && c.State == layout.Described }

// FollowedIDs reports whether the check reads a counter's ids again. Otherwise the first reading alone decides.
func (o *Options) FollowedIDs(c *layout.Counter) bool {
	return SureIDs(c) || len(c.IDs) > 0 && o.Candidates != nil
}

// LeftOut returns the text of NotChecked.Why if a person's options leave something out.
func (o *Options) LeftOut() string {
	if o.Say == nil {
		return "it was not asked for"
	}
	return o.Say(remedy.Of(remedy.LeftOut))
}
