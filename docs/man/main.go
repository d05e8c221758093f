// Command man makes a manual page for each command, from the command's help.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
	"time"

	_ "embed"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tallylock/ui/cli"
)

//go:embed page.roff
var source string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"text": text, "upper": strings.ToUpper, "flags": flags,
	"flag": func(f *pflag.Flag) string {
		value, _ := pflag.UnquoteUsage(f)
		return strings.TrimSpace(f.Name + " " + value)
	},
	"usage": func(f *pflag.Flag) string { _, usage := pflag.UnquoteUsage(f); return usage },
}).Parse(source))

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "man:", err)
		os.Exit(1)
	}
}

// run writes the pages into a directory. SOURCE_DATE_EPOCH sets their date.
func run(args []string) error {
	if len(args) != 1 {
		return errors.New("name a directory for the pages")
	}
	day := time.Now()
	if seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		day = time.Unix(seconds, 0)
	}
	root, exits := cli.Manual()
	for _, c := range append(root.Commands(), root) {
		c.InitDefaultHelpFlag()
		name := strings.ReplaceAll(c.CommandPath(), " ", "-")
		var b strings.Builder
		err := page.Execute(&b, struct {
			*cobra.Command
			Name, Day, Exits string
		}{c, name, day.UTC().Format(time.DateOnly), exits})
		if err == nil {
			err = os.WriteFile(filepath.Join(args[0], name+".1"), []byte(b.String()), 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// flags returns the flags of a set without the hidden flags.
func flags(set *pflag.FlagSet) (all []*pflag.Flag) {
	set.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			all = append(all, f)
		}
	})
	return all
}

// text escapes a text for roff, so that no line is a request. An empty line begins a paragraph.
func text(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(strings.Trim(s, "\n"))
	lines := strings.Split(s, "\n")
	for n, line := range lines {
		switch {
		case line == "":
			lines[n] = ".PP"
		case line[0] == '.', line[0] == '\'':
			lines[n] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
