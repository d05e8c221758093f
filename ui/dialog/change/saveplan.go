package change

import (
	"context"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/phrase"
	"tallylock/ui/dialog"
	"tallylock/ui/message"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// savePlan asks for a file to save the plan to, for somebody else to apply, and returns to
// the dialog.
func savePlan(f *form, under dialog.Dialog) tea.Cmd {
	if f.plan == nil {
		return nil
	}
	if why := words.NoPlan(f.conn.Connection); why != "" {
		return f.Say(words.Sentence(why))
	}
	plans, reason, who := f.batch.Plans, strings.TrimSpace(f.reason.Value()), ""
	if c := f.conn.Changer; c != nil {
		who = c.Who
	}
	return f.Send(message.Save{
		Title: "Save the plan", File: filepath.Base(plans[0].Table) + "-plan.json", Under: under,
		Says: func() string {
			return "Saves a plan and changes nothing. A colleague applies it with `" + f.conn.Command([]string{"apply", "FILE", "--write"}) + "`."
		},
		Now: func() message.Saved {
			return message.Saved{
				What: "the plan of " + phrase.Count(len(plans), "change"),
				To: func(ctx context.Context, path string, replace bool) error {
					file := change.NewPlanFile(ctx, f.conn.Connection, who, reason)
					if err := file.Add(plans...); err != nil {
						return err
					}
					data, err := file.Bytes()
					if err != nil {
						return err
					}
					return session.WriteFile(path, data, replace)
				},
			}
		},
	})
}
