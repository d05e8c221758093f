package change

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change/plan"
	"tallylock/ui/session"
)

// AskRun asks whether to make a change of many transactions. Its plan p is ready. The dialog only asks: run makes the
// change, and shows its progress elsewhere. of identifies the subject within the connection.
func AskRun(s *session.Session, c session.Connection, of string, p *plan.Plan, run func() tea.Cmd) tea.Cmd {
	return newAsk(s, c, of, option{
		title: p.Title, room: len(p.Lines) + 2, run: run,
		plan: func(context.Context, string) (*plan.Plan, error) { return p, nil },
	}).replan()
}
