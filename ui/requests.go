package ui

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/ui/words"
)

// copyRequests copies a plan as DynamoDB JSON.
func (a *app) copyRequests(p *change.Plan) tea.Cmd {
	if p == nil {
		return a.say("The journal does not say what was sent.")
	}
	text, err := words.Requests(p)
	if err != nil {
		return a.complain("Copying the request: " + err.Error() + ".")
	}
	return a.copy("the request as DynamoDB JSON", text)
}
