package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// scope is what --scope says: what keys are made of besides the value, or the id.
type scope map[string]string

// addFlag adds the flag, for the keys of accounts or of locks.
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

// scopeArgs writes a scope as it is given on a command line.
func scopeArgs(scope map[string]string) []string {
	var args []string
	for _, name := range slices.Sorted(maps.Keys(scope)) {
		args = append(args, "--scope", name+"="+scope[name])
	}
	return args
}
