package cli

import (
	"context"
	"fmt"
	"strings"

	"tallylock/dynamo"
)

// tell keeps what is said of the table's layout.
func (l layoutOf) tell(ctx context.Context, t *dynamo.Table) error {
	for are, all := range map[dynamo.Holding][]string{dynamo.HoldsCopy: l.copies, dynamo.HoldsAccount: l.holders} {
		for _, text := range all {
			n := strings.LastIndexByte(text, ' ')
			if n <= 0 || n == len(text)-1 {
				return usage("reading --copy and --holder",
					fmt.Sprintf("%q is not the shape of items, a space, and an attribute", text), "write it as 'ORDER#* email'")
			}
			items := strings.ReplaceAll(strings.TrimSpace(text[:n]), " / ", "/") // as keys are shown
			if err := t.Fit.Decisions.Keep(dynamo.Decision{Items: items, Attribute: text[n+1:], Are: are}); err != nil {
				return err
			}
		}
	}
	for _, name := range l.fits {
		_, c := t.Layout.Constraint(name)
		if c == nil {
			return usage("reading --accept", fmt.Sprintf("the layout %s has no constraint %q", t.Layout.Name, name),
				"see them with: "+t.Command([]string{"layout"}))
		}
		if err := t.Fit.Decisions.Accept(c); err != nil {
			return err
		}
	}
	if l.accept && len(l.fits) == 0 {
		if t.Layout.Configured && t.Kept == nil {
			return usage("keeping the layout of "+t.Name, "the config describes it already",
				"leave --accept out, or take that part out of the config")
		}
		if _, err := dynamo.Differs(ctx, t); err != nil { // what is shown now is no news later
			return err
		}
		kept, err := dynamo.Keep(t)
		if err == nil {
			t.Kept = kept
		}
		return err
	}
	return nil
}

// forgotten takes away the layout that was kept of the table.
func (l layoutOf) forgotten(ctx context.Context, t target, conn *dynamo.Connection) error {
	if t.table == "" {
		return usage("forgetting a layout", "no table is named", "name it with --table")
	}
	was, err := conn.Forget(ctx, t.table)
	if err == nil && !was {
		return usage("forgetting the layout of "+t.table, "none was accepted for this table", "leave --forget out")
	}
	return err
}
