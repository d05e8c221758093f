package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// flags has the flags that every command takes.
type flags struct {
	config, connection        string
	profile, region, endpoint string
	table, layout             string
	journal                   string
	write                     bool
	wide, ascii               bool
	settle                    *client.Settle
	autoReadUnits             *client.Ceiling
	output                    format

	set *pflag.FlagSet
}

func (f *flags) add(set *pflag.FlagSet) {
	f.set, f.output = set, asText
	set.SortFlags = false
	set.StringVar(&f.config, "config", "", "the config `FILE`, instead of the one in your config directory")
	set.StringVar(&f.connection, "connection", "", "the connection of that `NAME` in the config")
	set.StringVar(&f.profile, "profile", "", "the AWS `PROFILE` whose credentials are used")
	set.StringVar(&f.region, "region", "", "the AWS `REGION`")
	set.StringVar(&f.endpoint, "endpoint-url", "", "the `URL` of another DynamoDB, such as http://127.0.0.1:8000")
	set.StringVar(&f.table, "table", "", "the `TABLE` to look at")
	set.StringVar(&f.layout, "layout", "", "read the table by this `PRESET`, or layout of the config")
	set.BoolVar(&f.write, "write", false, "allow changes; without it nothing is ever written")
	set.StringVar(&f.journal, "journal", "", "the `FILE` that records every change before it is sent")
	set.Var(
		&text[client.Settle]{&f.settle},
		"settle",
		"how long a release waits before it looks at every item: a `TIME` such as 10s",
	)
	set.Var(
		&text[client.Ceiling]{&f.autoReadUnits},
		"auto-read-units",
		"how many read `UNITS` one question may use unasked",
	)
	set.BoolVar(&f.wide, "wide", false, "do not cut tables to the width of the terminal")
	set.BoolVar(&f.ascii, "ascii", false, "draw with plain characters only (automatic if the locale is not UTF-8)")
	set.Var(&f.output, "output", "how results are written: `FORMAT` text, json or jsonl")
}

// settings returns the settings of the config that flags override.
func (f *flags) settings() client.Settings {
	s := client.Settings{Settle: f.settle, AutoReadUnits: f.autoReadUnits}
	if f.set.Changed("write") {
		s.Write = &f.write
	}
	return s
}

// given returns the flags with these names that were given, with their values, as arguments.
func (f *flags) given(names ...string) []string {
	var args []string
	f.set.VisitAll(func(flag *pflag.Flag) {
		if flag.Changed && slices.Contains(names, flag.Name) {
			args = append(args, "--"+flag.Name, flag.Value.String())
		}
	})
	return args
}

// format is the value of --output.
type format string

// The formats.
const (
	asText  format = "text"
	asJSON  format = "json"
	asLines format = "jsonl" // one object in each line
)

func (f *format) String() string { return string(*f) }
func (f *format) Type() string   { return "FORMAT" }

// Set implements pflag.Value.
func (f *format) Set(s string) error {
	known := []format{asText, asJSON, asLines}
	if !slices.Contains(known, format(s)) {
		return fmt.Errorf("write text, json or jsonl")
	}
	*f = format(s)
	return nil
}

// text is a flag whose value implements encoding.TextUnmarshaler. Without the flag, the value stays
// nil.
type text[T any] struct{ to **T }

func (t *text[T]) Type() string { return "VALUE" }

func (t *text[T]) String() string {
	if t.to == nil || *t.to == nil {
		return ""
	}
	return strings.Trim(fmt.Sprint(**t.to), "{}")
}

// Set implements pflag.Value.
func (t *text[T]) Set(s string) error {
	v := new(T)
	if err := any(v).(interface{ UnmarshalText([]byte) error }).UnmarshalText([]byte(s)); err != nil {
		return err
	}
	*t.to = v
	return nil
}

// place returns the flags with which another command reaches the same connection.
func (f *flags) place() []string {
	return f.given("config", "connection", "profile", "region", "endpoint-url", "layout", "journal")
}

// command returns a tallylock command for the same connection. If its flags cannot be shown
// exactly, it only names them.
func (f *flags) command(command ...string) string {
	if line := f.commandLine(command); line != "" {
		return line
	}
	var names []string
	for at, word := range f.place() {
		if at%2 == 0 {
			names = append(names, word)
		}
	}
	return say.CommandLine(command) + ", with the same " + phrase.List(names)
}

// commandLine returns a tallylock command for the same connection, to paste. It is empty if the
// command cannot be shown exactly: escaped text would be another text.
func (f *flags) commandLine(command []string, values ...string) string {
	line := say.CommandLine(slices.Concat(command, f.place()), values...)
	shown := harmless(line)
	if f.ascii || session.PlainLocale() {
		shown, _ = kit.ASCII(line)
	}
	if shown != line {
		return ""
	}
	return line
}

// scope is the value of --scope: the variables of a key besides the value or the id.
type scope map[string]string

// addFlag adds --scope. needs completes its help text.
func (s *scope) addFlag(set *pflag.FlagSet, needs string) {
	set.Var(s, "scope", "what "+needs+": `NAME=VALUE`, such as tenant=acme")
}

func (s *scope) String() string { return strings.Join(scopeArgs(*s), " ") }
func (s *scope) Type() string   { return "NAME=VALUE" }

// Set implements pflag.Value.
func (s *scope) Set(text string) error {
	name, value, _ := strings.Cut(text, "=")
	if name == "" || value == "" {
		return fmt.Errorf("write NAME=VALUE")
	}
	if *s == nil {
		*s = scope{}
	}
	(*s)[name] = value
	return nil
}

// scopeArgs returns a scope as arguments.
func scopeArgs(scope map[string]string) []string {
	var args []string
	for _, name := range slices.Sorted(maps.Keys(scope)) {
		args = append(args, "--scope", name+"="+scope[name])
	}
	return args
}
