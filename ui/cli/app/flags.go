package app

import (
	"encoding"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/configfile"
	"tallylock/ui/cli/print"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// Flags has the flags that every command takes.
type Flags struct {
	Config                    configfile.Source
	Connection                string
	Profile, region, endpoint string
	Table, Layout             string
	Journal                   string
	write                     bool
	wide, ASCII               bool
	Settle                    *client.Settle
	autoReadUnits             *client.Ceiling
	Output                    Format

	set *pflag.FlagSet
}

// Add adds the flags to a set.
func (f *Flags) Add(set *pflag.FlagSet) {
	f.set, f.Output = set, Text
	set.SortFlags = false
	set.StringVar((*string)(&f.Config), "config", "", "read this config `FILE`, not the config in your config directory")
	set.StringVar(&f.Connection, "connection", "", "use the connection with this `NAME` in the config")
	set.StringVar(&f.Profile, "profile", "", "use the credentials of this AWS `PROFILE`")
	set.StringVar(&f.region, "region", "", "connect to this AWS `REGION`")
	set.StringVar(&f.endpoint, "endpoint-url", "", "connect to another DynamoDB at this `URL`, such as http://127.0.0.1:8000")
	set.StringVar(&f.Table, "table", "", "use this `TABLE`")
	set.StringVar(&f.Layout, "layout", "", "read the table by this `PRESET`, or by the layout with this name in the config")
	set.BoolVar(&f.write, "write", false, "allow changes; without it tallylock only reads")
	set.StringVar(&f.Journal, "journal", "", "record every change in this `FILE` before sending it")
	set.Func("settle", "a release or a check waits this `TIME` before it reads again (default 10s)",
		Parsed(&f.Settle))
	set.Func("auto-read-units", "use at most this many read `UNITS` for one answer, unless you allow more (default 500)",
		Parsed(&f.autoReadUnits))
	set.BoolVar(&f.wide, "wide", false, "print all columns in full, even if they are wider than the terminal")
	set.BoolVar(&f.ASCII, "ascii", false, "print plain characters only (automatic if the locale is not UTF-8)")
	set.Var(&f.Output, "output", "print results in the `FORMAT` text, json or jsonl")
}

// Settings returns the settings of the config that flags override.
func (f *Flags) Settings() client.Settings {
	s := client.Settings{Settle: f.Settle, AutoReadUnits: f.autoReadUnits}
	if f.set.Changed("write") {
		s.Write = &f.write
	}
	return s
}

// Given returns the named flags as arguments, with their values. It omits flags that are not on the command line.
func (f *Flags) Given(names ...string) []string {
	var args []string
	f.set.VisitAll(func(flag *pflag.Flag) {
		if flag.Changed && slices.Contains(names, flag.Name) {
			args = append(args, "--"+flag.Name, flag.Value.String())
		}
	})
	return args
}

// Parsed returns a parser for flags. It stores a value that implements encoding.TextUnmarshaler. Without the flag, the
// value stays nil.
func Parsed[T any](to **T) func(string) error {
	return func(s string) error {
		v := new(T)
		if err := any(v).(encoding.TextUnmarshaler).UnmarshalText([]byte(s)); err != nil {
			return err
		}
		*to = v
		return nil
	}
}

// place returns the flags with which another command reaches the same connection.
func (f *Flags) place() []string {
	return f.Given("config", "connection", "profile", "region", "endpoint-url", "layout", "journal")
}

// Command returns a tallylock command for the same connection. If its flags cannot be shown
// exactly, it only names them.
func (f *Flags) Command(command ...string) string {
	if line := f.CommandLine(command); line != "" {
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

// CommandLine returns a tallylock command for the same connection, to paste. It is empty if the screen would show a
// value with escapes, because the pasted value would then be different.
func (f *Flags) CommandLine(command []string, values ...string) string {
	line := say.CommandLine(slices.Concat(command, f.place()), values...)
	p := print.Printer{ASCII: f.ASCII || session.PlainLocale()}
	if p.Shown(line) != line {
		return ""
	}
	return line
}

// Scope is the value of --scope: the variables of a key besides the value or the id.
type Scope map[string]string

// AddFlag adds --scope. of completes its help text: "a lock's key besides the value".
func (s *Scope) AddFlag(set *pflag.FlagSet, of string) {
	set.Func("scope", "a part of "+of+": `NAME=VALUE`, such as tenant=acme", func(text string) error {
		name, value, _ := strings.Cut(text, "=")
		if name == "" || value == "" {
			return fmt.Errorf("write NAME=VALUE")
		}
		if *s == nil {
			*s = Scope{}
		}
		(*s)[name] = value
		return nil
	})
}

// ScopeArgs returns a scope as arguments.
func ScopeArgs(scope map[string]string) []string {
	var args []string
	for _, name := range slices.Sorted(maps.Keys(scope)) {
		args = append(args, "--scope", name+"="+scope[name])
	}
	return args
}

// Takes refuses a command line with too few or too many arguments. what names the arguments.
func Takes(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fmt.Errorf("%s needs %s", cmd.Name(), what)
		case most != Many && len(args) > most:
			return fmt.Errorf("%s needs only %s; the argument %q is one too many", cmd.Name(), what, args[most])
		}
		return nil
	}
}

// Many means no limit for the number of arguments.
const Many = -1

// TakesNothing refuses a command line with arguments.
func TakesNothing(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments, but %q is one", cmd.Name(), args[0])
	}
	return nil
}
