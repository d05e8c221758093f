package app

import (
	"os/exec"
	"runtime"
	"testing"

	"github.com/spf13/pflag"
)

// A command for pasting passes each value through a shell unchanged.
func TestCommandLineThroughAShell(t *testing.T) {
	t.Setenv("LC_ALL", "C.UTF-8")
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	for _, v := range []string{
		"ada@lovelace.io", "it's", "$HOME `id` $(id)", `a"b\c`, "; rm -rf x", "-n", "--write", "", " ", "~", "*", "#x", "=ls", "!!", "a&b|c>d", "李@例子", "\\", "'", "''",
	} {
		s := &Run{App: &App{}}
		s.Flags.Add(pflag.NewFlagSet("", pflag.ContinueOnError))
		line := s.Flags.CommandLine([]string{"release"}, "email", v)
		if line == "" {
			t.Errorf("%q is offered only in the inspector", v)
			continue
		}
		out, err := exec.Command("sh", "-c", `tallylock() { for last in "$@"; do :; done; printf %s "$last"; }; `+line).Output()
		if err != nil || string(out) != v {
			t.Errorf("%s hands on %q, want %q: %v", line, out, v, err)
		}
	}
}

// There is no command for pasting if a value has invisible characters.
func TestCommandLineOfHiddenText(t *testing.T) {
	s := &Run{App: &App{}}
	s.Flags.Add(pflag.NewFlagSet("", pflag.ContinueOnError))
	for _, v := range []string{"\x1b[2J", "a\nb", "gro\u202e", "a\u200b", "\xff"} {
		if line := s.Flags.CommandLine([]string{"release"}, "email", v); line != "" {
			t.Errorf("%q is offered as %q", v, line)
		}
	}
}

// A command for pasting keeps the flags of the connection. A value that looks like a flag follows "--".
func TestCommandLineKeepsThePlace(t *testing.T) {
	s := &Run{App: &App{}}
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	s.Flags.Add(set)
	if err := set.Parse([]string{"--region", "eu-west-1", "--output", "json", "--profile", "on call"}); err != nil {
		t.Fatal(err)
	}
	line := s.Flags.CommandLine([]string{"find", "--scan"}, "-x")
	if want := "tallylock find --scan --profile 'on call' --region eu-west-1 -- -x"; line != want {
		t.Errorf("got  %s\nwant %s", line, want)
	}
}
