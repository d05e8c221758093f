package app

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/answers"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/layout/config"
	"tallylock/ui/safe"
)

// completing limits the time of a completion, because a person waits for it.
const completing = 2 * time.Second

// values lists the possible values of a flag or an argument.
type values func(context.Context) []string

// Completes sets the completion of a flag.
func Completes(cmd *cobra.Command, flag string, from values) {
	_ = cmd.RegisterFlagCompletionFunc(
		flag,
		func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
			return completed(cmd, begun, from)
		},
	)
}

// CompletesArgument sets the completion of an argument. before is the number of arguments before
// it.
func CompletesArgument(cmd *cobra.Command, before int, from values) {
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) != before {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return completed(cmd, begun, from)
	}
}

// completed lists the values that begin with the typed text, and no files. If it cannot list them,
// it completes nothing: an error message would end up in the command line.
func completed(cmd *cobra.Command, begun string, from values) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), completing)
	defer cancel()
	var shown []string
	for _, value := range from(ctx) {
		if strings.HasPrefix(value, begun) && safe.Text(value) == value {
			shown = append(shown, value)
		}
	}
	return shown, cobra.ShellCompDirectiveNoFileComp
}

// OneOf lists fixed values.
func OneOf[T ~string](all ...T) values {
	var names []string
	for _, one := range all {
		names = append(names, string(one))
	}
	return func(context.Context) []string { return names }
}

// Receipts lists the receipts of changes that can be undone, the newest first.
func (f *Flags) Receipts(context.Context) []string {
	c, _ := f.Config.Read()
	records, _ := journal.OpenReadOnly(c.JournalFile(f.Journal)).Records()
	var names []string
	for _, r := range records {
		if r.Outcome == journal.Applied && r.Undone == "" {
			names = append([]string{r.Receipt}, names...)
		}
	}
	return names
}

// described returns layouts from the config and from accepted constraints: the layout of --layout, or else the layouts
// of the table, or else all layouts. It sends no request.
func (f *Flags) described() []config.Layout {
	c, _ := f.Config.Read()
	conn, _ := f.ConnectionOf(c)
	known := slices.Clone(c.Layouts)
	all, _, _ := answers.Open(answers.Beside(c.JournalFile(f.Journal))).All()
	for _, e := range all {
		if l, err := e.Config(); e.Accepts() && err == nil {
			l.Name, l.Tables = e.Tables[0].Name, []string{e.Tables[0].Name}
			known = append(known, l)
		}
	}
	return slices.DeleteFunc(known, func(l config.Layout) bool {
		if conn.Layout != "" {
			return l.Name != conn.Layout
		}
		return conn.Table != "" && !slices.Contains(l.Tables, conn.Table)
	})
}

// Constraints lists the names of the constraints in the config and of accepted constraints.
func (f *Flags) Constraints(context.Context) []string {
	var names []string
	for _, l := range f.described() {
		for _, a := range l.Accounts {
			for _, c := range a.Constraints {
				if !c.Unique { // no locks, so nothing to change or release
					names = append(names, cmp.Or(c.Name, c.Attribute))
				}
			}
		}
	}
	return once(names)
}

// Counters lists the names of the counters in the config and of accepted counters. It omits families, because only the
// table has the names of their counters.
func (f *Flags) Counters(context.Context) []string {
	var names []string
	for _, one := range f.described() {
		l, err := one.Build()
		if err != nil {
			continue
		}
		for _, c := range l.Counters {
			switch {
			case !c.PK.Constant() || !c.SK.Constant() && c.SK.String() != "{pk}":
			case c.Name != "":
				names = append(names, c.Name)
			default:
				names = append(names, one.Tables...)
			}
		}
	}
	return once(names)
}

// once sorts names and removes repeats.
func once(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// Tables lists the tables of the connection, of the layouts and of the endpoint.
func (s *Run) Tables(ctx context.Context) []string {
	c, _ := s.Flags.Config.Read()
	var names []string
	if conn, _ := s.Flags.ConnectionOf(c); conn.Table != "" {
		names = append(names, conn.Table)
	}
	for _, l := range c.Layouts {
		names = append(names, l.Tables...)
	}
	t, err := s.ResolveTarget(ctx)
	if err != nil {
		return once(names)
	}
	t.Options.MFA = NoCode
	if conn, err := dynamo.Connect(ctx, t.Options); err == nil {
		known, _ := conn.TableNames(ctx)
		names = append(names, known...)
	}
	return once(names)
}
