package adopt

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"tallylock/dynamo/adopt"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/kit"
	"tallylock/ui/safe"
	"tallylock/ui/say"
	"tallylock/ui/snippet"
)

// WritersPage is the output of --writers.
type WritersPage struct {
	Constraint string `json:"constraint"`
	Table      string `json:"table"`
	TableID    string `json:"table_id,omitempty"`
	// Strict says whether the transactions require the lock of the old value. They do after --verify.
	Strict       bool                `json:"strict"`
	Transactions []WriterTransaction `json:"transactions"`
	Notes        []string            `json:"notes"`
	// Language and Code are the transactions as code, with --language.
	Language snippet.Language `json:"language,omitempty"`
	Code     string           `json:"code,omitempty"`
	Next     string           `json:"next"`
}

// WriterTransaction is one transaction of an application.
type WriterTransaction struct {
	Operation adopt.Operation `json:"operation"`
	// Input is the input of TransactWriteItems, with placeholders in braces.
	Input json.RawMessage `json:"input"`
	// Refused says what a failed condition means, action by action.
	Refused []adopt.Refused `json:"refused"`
	// Each says for which values an action is repeated, action by action. It is empty if an account can hold only one
	// value.
	Each []adopt.Each `json:"each,omitempty"`
}

// runWriters prints the transactions that the application has to use.
func (a *adopting) runWriters(context.Context) error {
	if err := a.state.Allows(adopt.PhaseWriters); err != nil {
		return err
	}
	if language := snippet.Language(a.language); a.language != "" && a.language != "json" &&
		!slices.Contains(snippet.Languages(), language) {
		return exit.Usage("reading the command line", fmt.Sprintf("there is no code for the language %q", a.language),
			"use json, go, python or javascript")
	}
	strict := a.state.Verified != nil && a.state.Verified.Since != nil
	p, err := adopt.NewProtocol(a.rule, strict)
	if err != nil {
		return err
	}
	page := WritersPage{
		Constraint: a.constraint, Table: a.table.Name, TableID: a.table.ID, Strict: strict,
		Notes: say.WritersNotes(p, a.command("--verify")), Next: a.command(say.WritersFlags(a.state.Writers, "TIME")...),
	}
	said, err := say.WriterTransactions(p)
	if err != nil {
		return err
	}
	for n, t := range p.Transactions {
		one := WriterTransaction{Operation: t.Operation, Input: said[n].Input}
		for _, action := range t.Actions {
			one.Refused = append(one.Refused, action.Refused)
			if p.Several {
				one.Each = append(one.Each, action.Each)
			}
		}
		page.Transactions = append(page.Transactions, one)
	}
	if language := snippet.Language(a.language); a.language != "" && a.language != "json" {
		page.Language = language
		page.Code, err = snippet.Code(p, language, a.command("--verify"))
		if why := snippet.WhyNone(err); why != "" {
			return exit.Usage("printing the transactions", why, "use --language json, and write the code from the printed JSON")
		}
		if err != nil {
			return err
		}
	}
	return a.answerWriters(p, page, said)
}

// answerWriters writes the transactions.
func (a *adopting) answerWriters(p *adopt.Protocol, page WritersPage, said []say.WriterTransaction) error {
	switch {
	case a.Flags.Output != app.Text:
		a.Print(page)
		return nil
	case page.Code != "":
		_, err := a.Results.Write([]byte(page.Code))
		return err
	case a.language == "json":
		a.Print(page.Transactions)
		return nil
	}
	out := a.Printer()
	for _, line := range say.WritersIntro(p) {
		out.Hang(kit.Text, 0, line)
	}
	for _, t := range said {
		out.End()
		out.Line(kit.Strong, "%s", t.Heading)
		text, err := t.Pretty()
		if err != nil {
			return err
		}
		out.Lines("", text)
		for _, refused := range t.Refused {
			out.Hang(kit.Muted, 2, safe.Text("  "+refused))
		}
	}
	out.End()
	for _, note := range page.Notes {
		out.Put(kit.Text, "- ")
		out.Hang(kit.Text, 2, note)
	}
	out.End()
	out.Hang(kit.Text, 0, "As code: "+a.command("--writers", "--language", "python")+" (or go, javascript)")
	out.Hang(kit.Text, 0, "Next, when all writers use these transactions: "+page.Next)
	return nil
}
