package mcp

import (
	"context"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
	"tallylock/ui/record"
	"tallylock/ui/say"
)

// valueArgs are the parameters of tools about a value.
type valueArgs struct {
	place
	Value string            `json:"value"`
	Scope map[string]string `json:"scope"`
}

func (s *server) valueParams() []param {
	return append([]param{
		textParam("value", "an email, a username, another value, or an account id", longestValue), scopeParam(),
	}, s.placeParams()...)
}

func (s *server) findTool() tool {
	about := "Shows whether a value, such as an email, is in use: each lock that could block a sign-up with it, with a " +
		"verdict, and the accounts that hold it. Reads a few items."
	if s.Plans != "" {
		about += " Give the id of a lock to the tool `plan`."
	}
	return tool{
		name: "find", title: "Find who holds a value", params: s.valueParams(), run: s.runFind, about: about,
		data: func() (map[string]any, error) {
			defs := map[string]any{}
			answers, err := partOf("find", defs)
			return object([]string{"answer"}, map[string]any{"answer": answers["items"]}, defs), err
		},
	}
}

func (s *server) runFind(ctx context.Context, c *call) (any, error) {
	t, a, err := s.findValue(ctx, c)
	if err != nil {
		return nil, err
	}
	out := record.AnswerOf(t, a, say.Evidence, say.Sentence)
	if s.mask != nil {
		out = s.mask.answer(t, a)
	}
	for n, r := range a.Locks {
		out.Locks[n].ID = s.remember(finding.LockID(t.Name, r), subject{at: c.at, table: t.Name, lock: r})
	}
	return map[string]any{"answer": out}, nil
}

// findValue opens the table of a call, and finds the value of the call.
func (s *server) findValue(ctx context.Context, c *call) (*dynamo.Table, *find.Answer, error) {
	var args valueArgs
	if err := decode(c.tool.name, c.tool.params, c.arguments, &args); err != nil {
		return nil, nil, err
	}
	if layout.TrimPasted(args.Value) == "" {
		return nil, nil, &failure{c.op, "the value is only white space", "give an email, a username or an account id"}
	}
	t, err := s.openTable(ctx, c, args.place)
	if err != nil {
		return nil, nil, err
	}
	if s.mask != nil && dynamo.CheckScope(t, c.op, args.Scope) != nil {
		return nil, nil, &failure{
			c.op, "scope has a name that no lock key of the table has",
			"use the variables in pk and sk that the tool layout shows",
		}
	}
	a, err := find.Find(ctx, t, args.Value, find.Options{Scope: args.Scope})
	return t, a, err
}

// openTable opens the table of a call. It fails if the session has no read units left.
func (s *server) openTable(ctx context.Context, c *call, at place) (*dynamo.Table, error) {
	o, name, err := s.find(at)
	if err != nil {
		return nil, err
	}
	c.at, c.op = o, c.tool.name+" in the table "+name
	if _, err := o.connection(ctx); err != nil {
		return nil, err
	}
	if t := o.tables[name]; t != nil && c.free && o.spent(c.op) != nil {
		return t.Table, nil
	}
	if err := o.spent(c.op); err != nil {
		return nil, err
	}
	return o.table(ctx, name)
}

// answer masks an answer.
func (m *mask) answer(t *dynamo.Table, a *find.Answer) record.Answer {
	out := record.Answer{
		Query: a.Query, Table: t.Name, Complete: a.Complete, ReadUnits: a.ReadUnits, LayoutState: t.Layout.State(),
		Locks: []record.Lock{}, Accounts: []record.Account{}, Note: maskedNote(a),
	}
	for _, r := range a.Locks {
		out.Locks = append(out.Locks, m.lock(t, a, r))
	}
	for _, r := range a.Unlocked {
		out.Unlocked = append(out.Unlocked, record.Use{
			Constraint: m.constraint(t, r.Constraint.Name), Value: m.value(r.Value, a.Query),
			Verdict: string(r.Verdict), Provisional: r.Provisional,
			Accounts: m.accounts(r.Claimants), MoreAccounts: r.MoreClaimants, Evidence: verdictWords(r),
		})
	}
	for _, h := range a.Accounts {
		account := record.Account{Key: m.key("account", h.Key), Values: []record.AccountValue{}}
		for _, v := range h.Values {
			account.Values = append(account.Values, record.AccountValue{
				Constraint: m.constraint(t, v.Constraint.Name), Value: m.value(v.Value, a.Query),
				Verdict: v.Verdict.OfValue(),
			})
		}
		out.Accounts = append(out.Accounts, account)
	}
	return out
}

func (m *mask) lock(t *dynamo.Table, a *find.Answer, r *verdict.Relation) record.Lock {
	lock := record.Lock{
		Constraint: m.constraint(t, r.Constraint.Name), Value: m.value(r.Value, a.Query), Key: m.key("lock", r.Lock.Key),
		Exists: r.Lock.Exists, Verdict: string(r.Verdict), Provisional: r.Provisional,
		Claimants: m.accounts(r.Claimants), MoreClaimants: r.MoreClaimants, Evidence: verdictWords(r),
	}
	if r.Lock.Owner != "" {
		owner := m.name("owner", r.Lock.Owner)
		lock.Owner = &owner
	}
	if !r.Until.IsZero() {
		until := r.Until.UTC().Truncate(time.Second)
		lock.ReservedUntil = &until
	}
	if c := r.Constraint; c.State == layout.Described && c.Reserved.Since != "" && r.Lock.Exists {
		// Any other number may be an id or a date of birth.
		if at, _, ok := layout.TimeOf(r.Lock.Item.At(c.Reserved.Since)); ok {
			lock.Since = new(at.UTC().Truncate(time.Second))
		}
	}
	return lock
}

func (m *mask) accounts(all []schema.Account) []attr.Key {
	out := []attr.Key{}
	for _, a := range all {
		out = append(out, m.key("account", a.Key))
	}
	return out
}

// maskedNote says how the answer differs from the question.
func maskedNote(a *find.Answer) string {
	switch {
	case a.Dropped:
		return "the table has very many locks: only a check can find all holders"
	case len(a.FoundAs) > 0:
		return "the value was found in another spelling"
	case a.Typed != a.Query:
		return "the white space around the value was left out"
	}
	return ""
}
