package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/mistake"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
)

// allowance has the greatest number of findings that a gate allows, for each kind. If a kind is missing, the gate
// allows none of it.
type allowance map[finding.Kind]int

func (a allowance) Type() string { return "FINDING=N" }

func (a allowance) String() string {
	var said []string
	for _, kind := range finding.Kinds() {
		if n, named := a[kind]; named {
			said = append(said, fmt.Sprintf("%s=%d", kind, n))
		}
	}
	return strings.Join(said, ",")
}

// Set implements pflag.Value.
func (a allowance) Set(s string) error {
	for _, one := range strings.Split(s, ",") {
		name, number, _ := strings.Cut(one, "=")
		kind, err := kindNamed(name)
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if err != nil || n < 0 {
			return fmt.Errorf("%q has no number: write a number, as in %s=10", one, kind)
		}
		if _, named := a[kind]; named {
			return fmt.Errorf("%s is named twice", kind)
		}
		a[kind] = n
	}
	return nil
}

// kindNamed returns the kind of findings with this name.
func kindNamed(name string) (finding.Kind, error) {
	name = strings.TrimSpace(name)
	var known []string
	for _, kind := range finding.Kinds() {
		if string(kind) == name {
			return kind, nil
		}
		known = append(known, string(kind))
	}
	return "", fmt.Errorf("there is no kind of finding %q: the kinds are %s%s", name, phrase.List(known),
		mistake.Meant(name, known...))
}

// exceeded lists the kinds with more findings than allowed, with both numbers.
func (a allowance) exceeded(s finding.Summary) (over []string) {
	for _, kind := range finding.Kinds() {
		if n := s.Findings[kind]; n > a[kind] {
			over = append(over, fmt.Sprintf("%s %s, allowed %s", phrase.Number(n), kind, phrase.Number(a[kind])))
		}
	}
	return over
}

// beside returns a kind that --max limits and --only omits. The gate would always pass for this kind.
func (a allowance) beside(only []finding.Kind) (kind finding.Kind, found bool) {
	for _, kind := range finding.Kinds() {
		if _, named := a[kind]; named && len(only) > 0 && !slices.Contains(only, kind) {
			return kind, true
		}
	}
	return "", false
}

// judge describes the result of the gate. It is empty without --max.
func (a allowance) judge(s finding.Summary) string {
	over := a.exceeded(s)
	switch {
	case len(a) == 0:
		return ""
	case !s.Complete: // unread items may have more findings, and the findings so far may disappear
		return "The check is incomplete: there may be more findings than --max allows (" + a.String() + ")."
	case len(over) > 0:
		return "There are more findings than --max allows: " + strings.Join(over, "; ") + "."
	case s.Reach() != finding.Nothing: // few enough findings, but not everything was checked
		return "No kind has more findings than --max allows (" + a.String() + "), but not everything was checked."
	}
	return "No kind has more findings than --max allows: " + a.String() + "."
}

// maxError returns the exit status of a complete check. The status is Found if there are more findings
// than --max allows; without --max, no finding is allowed. It is Failed if the check did not cover
// everything that a person described or asked for. maxError prints the reason if it is not in the output.
func (c *checking) maxError(s finding.Summary) error {
	if len(c.most.exceeded(s)) > 0 {
		if said := c.most.judge(s); said != "" {
			c.Note("%s", said)
		}
		return exit.Found
	}
	switch s.Reach() {
	case finding.Guess:
		c.Note("The layout is only a guess, so a check without findings proves nothing.")
	case finding.Partly:
		c.Note("The check left out something that the layout describes or that you asked for.")
	default:
		return nil
	}
	return exit.Failed
}

// judged adds the flags of the baseline, the gate, the report and the status.
func (c *checking) judged(cmd *cobra.Command) {
	set := cmd.Flags()
	set.StringVar(
		&c.baseline.path,
		"baseline",
		"",
		"leave out the findings in `FILE`, the jsonl output of an earlier check of this table; still list a finding that is unconfirmed in FILE and confirmed by this check",
	)
	set.BoolVar(&c.baseline.update, "update-baseline", false,
		"with --baseline: after a complete check, remove from FILE the findings that are gone")
	set.BoolVar(&c.baseline.accept, "accept-new", false,
		"with --update-baseline: also add the new findings to FILE; create FILE if it is missing")
	set.Var(
		c.most,
		"max",
		"allow N findings of a kind, and still exit with 0: `FINDING=N`, such as missing-lock=10,stale-lock=2; N is 0 for all other kinds",
	)
	set.StringVar(
		&c.report.path,
		"report",
		"",
		"write to `FILE` a report for people: a page (.html), or Markdown for a ticket (.md); replaces an old FILE",
	)
	set.BoolVar(&c.report.mask, "mask", false, "with --report: mask values, ids and keys in the report")
	set.StringVar(
		&c.status.path,
		"status",
		"",
		"write to `FILE` the result for monitoring: JSON (.json), or the text format of Prometheus (.prom); replaces an old FILE",
	)
	app.Completes(cmd, "max", app.OneOf(finding.Kinds()...))
}
