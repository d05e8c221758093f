package ui

import (
	"errors"
	"strings"

	"tallylock/dynamo/client"
	"tallylock/ui/session"
)

// learnt notes the permissions that a change was denied: what needs them is not
// offered again, until the table is read anew.
func (d *changeDialog) learnt() {
	var e *client.Error
	if !errors.As(d.receipt.Err, &e) || e.Kind != client.Denied {
		return
	}
	for _, s := range d.plan.Steps {
		for _, w := range s.Writes {
			if strings.Contains(e.Permission, session.Needs(w.Verb)) {
				d.app.Denied[session.Denial{Connection: d.conn.Name(), Table: w.Table, Permission: session.Needs(w.Verb)}] = true
			}
		}
	}
}

// whyPlanDenied is whyDenied for all that a plan writes.
func (d *changeDialog) whyPlanDenied() string {
	for _, s := range d.plan.Steps {
		for _, w := range s.Writes {
			if why := d.app.WhyDenied(d.conn, w.Table, w.Verb); why != "" {
				return why
			}
		}
	}
	return ""
}
