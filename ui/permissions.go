package ui

import (
	"errors"
	"strings"

	"tallylock/dynamo/client"
)

// denial is a permission that a role turned out not to have on a table.
type denial struct{ connection, table, permission string }

// needs is the permission that each action of a transaction takes.
func needs(v client.Verb) string {
	switch v {
	case client.Put:
		return "PutItem"
	case client.Update:
		return "UpdateItem"
	case client.Delete:
		return "DeleteItem"
	}
	return "ConditionCheckItem"
}

// learnt notes the permissions that a change was denied: what needs them is not
// offered again, until the table is read anew.
func (d *changeDialog) learnt() {
	var e *client.Error
	if !errors.As(d.receipt.Err, &e) || e.Kind != client.Denied {
		return
	}
	for _, s := range d.plan.Steps {
		for _, w := range s.Writes {
			if strings.Contains(e.Permission, needs(w.Verb)) {
				d.app.denied[denial{d.conn.Name(), w.Table, needs(w.Verb)}] = true
			}
		}
	}
}

// whyDenied says which permission for writing in a table is known to be missing;
// empty for none.
func (a *app) whyDenied(c Connection, table string, verbs ...client.Verb) string {
	for _, v := range verbs {
		if a.denied[denial{c.Name(), table, needs(v)}] {
			return "the permission dynamodb:" + needs(v) + " is denied here"
		}
	}
	return ""
}

// whyPlanDenied is whyDenied for all that a plan writes.
func (d *changeDialog) whyPlanDenied() string {
	for _, s := range d.plan.Steps {
		for _, w := range s.Writes {
			if why := d.app.whyDenied(d.conn, w.Table, w.Verb); why != "" {
				return why
			}
		}
	}
	return ""
}
