package check

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

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
	o.fill()
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
