package client

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"tallylock/dynamo/mistake"
)

// Settings are settings of the config file. At the top of the file they apply to all connections; under
// [[connection]] they apply to one. Nil means unset.
type Settings struct {
	Write         *bool  `toml:"write"`
	Guard         *Guard `toml:"guard"`
	RequireReason *bool  `toml:"require_reason"`
	// Guards and Reasons override Guard and RequireReason for single tables.
	Guards        map[string]Guard `toml:"guards"`
	Reasons       map[string]bool  `toml:"reasons"`
	Settle        *Settle          `toml:"settle"`
	AutoReadUnits *Ceiling         `toml:"auto_read_units"`
	// SessionReadUnits is the number of read units that a session may consume. 0: no limit. Nil: the
	// inspector's default.
	SessionReadUnits *Ceiling `toml:"session_read_units"`
	// Answers limits the answers to questions about layouts. "config": only the answers in the config
	// count. Nil: the answers that people gave in the program count, too.
	Answers *Answers `toml:"answers"`
	// JournalImages says whether the journal keeps deleted accounts, which undo needs.
	JournalImages *bool `toml:"journal_images"`
}

// Answers limits the answers to questions about layouts.
type Answers string

// ConfigAnswers means that only the answers in the config count.
const ConfigAnswers Answers = "config"

// Config is a [[connection]] of the config file.
type Config struct {
	Name        string `toml:"name"`
	Profile     string `toml:"profile"`
	Region      string `toml:"region"`
	EndpointURL string `toml:"endpoint_url"`
	Table       string `toml:"table"`
	Layout      string `toml:"layout"`
	// Production colours the inspector's whole header.
	Production bool `toml:"production"`
	// Colour is the colour of the connection's name in the inspector.
	Colour Colour `toml:"colour"`
	Settings
}

// Over returns s with its unset settings replaced by the settings in others.
func (s Settings) Over(others Settings) Settings {
	s.Write = cmp.Or(s.Write, others.Write)
	s.Guard = cmp.Or(s.Guard, others.Guard)
	s.RequireReason = cmp.Or(s.RequireReason, others.RequireReason)
	s.Settle = cmp.Or(s.Settle, others.Settle)
	s.AutoReadUnits = cmp.Or(s.AutoReadUnits, others.AutoReadUnits)
	s.SessionReadUnits = cmp.Or(s.SessionReadUnits, others.SessionReadUnits)
	s.Answers = cmp.Or(s.Answers, others.Answers)
	s.JournalImages = cmp.Or(s.JournalImages, others.JournalImages)
	s.Guards, s.Reasons = over(s.Guards, others.Guards), over(s.Reasons, others.Reasons)
	return s
}

func over[V any](tables, others map[string]V) map[string]V {
	all := maps.Clone(others)
	if all == nil {
		return tables
	}
	maps.Copy(all, tables)
	return all
}

// Options returns the options of the connection.
func (c Config) Options() Options {
	o := Options{
		Name:     c.Name,
		Profile:  c.Profile,
		Region:   c.Region,
		Endpoint: c.EndpointURL,
		Write:    aws.ToBool(c.Write),
		Guards:   c.Guards,
		Reasons:  c.Reasons,

		RequireReason: aws.ToBool(c.RequireReason),
		NoImages:      c.JournalImages != nil && !*c.JournalImages,
	}
	if c.Guard != nil {
		o.Guard = *c.Guard
	}
	if c.Settle != nil {
		// In Options zero means the default, so 1 ns stands for no wait.
		o.Settle = max(c.Settle.Duration, 1)
	}
	if c.AutoReadUnits != nil {
		o.AutoReadUnits = max(c.AutoReadUnits.Units, leastUnits)
	}
	if c.SessionReadUnits != nil {
		o.SessionReadUnits = c.SessionReadUnits.Units
	}
	return o
}

// leastUnits is a budget that allows no read: every read consumes more.
const leastUnits = 1e-9

// Check returns an error for an invalid setting.
func (s Settings) Check() error {
	for _, table := range slices.Sorted(maps.Keys(s.Guards)) {
		if err := s.Guards[table].check(); err != nil {
			return mistake.At("guards."+table, err)
		}
	}
	if s.Answers != nil && *s.Answers != ConfigAnswers {
		return mistake.Errorf("answers", "%q is unknown: write \"config\", or leave the setting out", *s.Answers)
	}
	if s.Guard != nil {
		return mistake.At("guard", s.Guard.check())
	}
	return nil
}

// Check returns an error for an invalid setting of the connection.
func (c Config) Check() error {
	if err := cmp.Or(c.Settings.Check(), mistake.At("colour", c.Colour.check())); err != nil {
		return err
	}
	if c.Table != "" && !MayBeCalled(c.Table) {
		return mistake.Errorf("table", "%q cannot be the name of a table: give %s", c.Table, NameRules)
	}
	if c.EndpointURL != "" && !isEndpoint(c.EndpointURL) {
		return mistake.Errorf("endpoint_url", "%q is not an endpoint: "+giveURL, c.EndpointURL)
	}
	return nil
}

// giveURL is the remedy for a text that is not an endpoint.
const giveURL = "give a URL such as http://127.0.0.1:8000"

// isEndpoint reports whether text is the URL of an endpoint.
func isEndpoint(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// Colour is the name of a colour.
type Colour string

// Colours returns the colours that a connection can have.
func Colours() []Colour { return []Colour{"green", "yellow", "red", "violet", "blue"} }

// check refuses an unknown colour.
func (c Colour) check() error {
	if c != "" && !slices.Contains(Colours(), c) {
		var known []string
		for _, colour := range Colours() {
			known = append(known, string(colour))
		}
		return fmt.Errorf("%q is not a colour of a connection: use one of %v%s", string(c), Colours(),
			mistake.Meant(string(c), known...))
	}
	return nil
}

// Settle is Options.Settle in the config file and on the command line: "10s", "1m30s", or a number
// of seconds.
type Settle struct{ time.Duration }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Settle) UnmarshalText(text []byte) error {
	said := string(text)
	if _, err := strconv.ParseFloat(said, 64); err == nil {
		said += "s"
	}
	d, err := time.ParseDuration(said)
	if err != nil || d < 0 {
		return fmt.Errorf("%q is not a time to wait: write it as 10s or 1m30s", text)
	}
	s.Duration = d
	return nil
}

// Ceiling is a limit in read or write units, in the config file and on the command line.
type Ceiling struct{ Units float64 }

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *Ceiling) UnmarshalText(text []byte) error {
	units, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(units >= 0) || math.IsInf(units, 0) {
		return fmt.Errorf("%q is not a number of units: write 0 or a larger number", text)
	}
	c.Units = units
	return nil
}

// String writes the ceiling as the config file does.
func (c Ceiling) String() string { return strconv.FormatFloat(c.Units, 'f', -1, 64) }

// Inherit returns c with the strictest settings of all connections to the same place: the guard and the demand for
// reasons. So nobody gets around a guard with another connection to the same tables. If one of those connections is
// marked as production, the result is marked, too. If c has no colour, the result takes a colour of those connections.
//
// If chosen is true, a person named the connection c. Then the result keeps c's own settings, and
// inherits only the settings of single tables. elsewhere has the connections to other places. Even these
// may have the same tables, so the caller passes them to Options.Others.
func (c Config) Inherit(ctx context.Context, chosen bool, others ...Config) (inheriting Config, elsewhere []Config) {
	if len(others) == 0 {
		return c, nil
	}
	at := c.resolve(ctx)
	var same []Config
	sure := false
	for _, o := range others {
		if chosen {
			o.Guard, o.RequireReason = nil, nil // only the settings of single tables count
		}
		where := o.resolve(ctx)
		if !at.is(where) {
			elsewhere = append(elsewhere, o)
			continue
		}
		same, sure = append(same, o), sure || where.err == nil
	}
	if len(same) == 0 {
		return c, elsewhere
	}
	if c.Name != "" || !sure {
		same = append(same, c)
	}
	return c.strictest(same, chosen), elsewhere
}

// strictest returns c with the strictest settings of all the connections.
func (c Config) strictest(all []Config, chosen bool) Config {
	var options []Options
	for _, o := range all {
		options = append(options, o.Options())
		if !chosen {
			c.Production = c.Production || o.Production
			if c.Colour == "" {
				c.Colour = o.Colour
			}
		}
	}
	own := c.Reasons
	guard, reason := strictest(options, "")
	c.Guards, c.Reasons = map[string]Guard{}, map[string]bool{}
	for _, o := range options {
		for table := range o.Guards {
			c.Guards[table], _ = strictest(options, table)
		}
		for table := range o.Reasons {
			_, c.Reasons[table] = strictest(options, table)
		}
	}
	if !chosen {
		c.Guard, c.RequireReason = &guard, &reason
		return c
	}
	maps.Copy(c.Reasons, own)
	return c
}

// strictest returns the strictest guard of a table among the options. reason is true if any of the
// options requires a reason.
func strictest(all []Options, table string) (guard Guard, reason bool) {
	for _, o := range all {
		if g := o.guardOf(table); guard == "" || g.stricter(guard) {
			guard = g
		}
		reason = reason || o.requiresReason(table)
	}
	return guard, reason
}

// stricterThan returns the other connections that demand more than o for changes of a table. Such a
// connection has a stricter guard, or requires a reason (see heedsReason).
func (o Options) stricterThan(others []*described, table string) []*described {
	return slices.DeleteFunc(slices.Clone(others), func(d *described) bool {
		return !d.options.guardOf(table).stricter(o.guardOf(table)) && !o.heedsReason(d.options, table)
	})
}

// heedsReason reports whether changes of a table need a reason because another connection requires one.
// If o has its own setting for this table, the result is false.
func (o Options) heedsReason(other Options, table string) bool {
	_, said := o.Reasons[table]
	return !said && other.requiresReason(table)
}
