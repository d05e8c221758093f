package change

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/answers"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/layout"
)

// RecordSaid records a person's answer about a table in the journal, or that a person took the answer back. Call it
// before the answer is stored.
func (c *Changer) RecordSaid(ctx context.Context, conn *dynamo.Connection, said answers.Entry, back bool) error {
	at := c.now()
	e := journal.Entry{
		Event: journal.EventSaid, Step: journal.StepSaid, At: at,
		Receipt: "S-" + at.UTC().Format("20060102-150405") + "-" + strings.ToLower(rand.Text()[:8]),
		What:    saidWords(said, back), Table: said.Tables[0].Name,
		About:   journal.About{Kind: string(journal.StepSaid), Constraint: said.Constraint},
		Profile: conn.Profile(), Connection: conn.Name(), Region: conn.Region(), Endpoint: conn.Endpoint(),
	}
	c.sign(ctx, conn, &e)
	return c.Journal.Append(context.WithoutCancel(ctx), e)
}

// sign adds the person and the AWS identity to an entry.
func (c *Changer) sign(ctx context.Context, conn *dynamo.Connection, e *journal.Entry) {
	who := conn.Identity(ctx)
	e.AppliedBy = c.AppliedBy
	if e.Who = who.ARN; e.Who == "" {
		e.Who = c.Who
	}
	if e.Account == "" {
		e.Account = who.Account
	}
	if who.Err != nil {
		e.NoSTS = who.Err.Error()
	}
}

// saidWords describes an answer.
func saidWords(said answers.Entry, back bool) string {
	of, words := " of "+said.Tables[0].Name, ""
	switch {
	case said.Accepts() && said.Counter != "":
		words = "accept the counter " + said.Counter + of
	case said.Accepts():
		words = "accept the constraint " + said.Constraint + of
	case said.NowhereElse:
		words = "say that nothing else holds values of " + said.Constraint + of
	case said.Answer == layout.Hold:
		words = fmt.Sprintf("say that %s items hold values of %s%s", said.Place.Items, said.Constraint, of)
	default:
		words = fmt.Sprintf("say that %s items do not hold values of %s%s", said.Place.Items, said.Constraint, of)
	}
	if back {
		return "take back: " + words
	}
	return words
}
