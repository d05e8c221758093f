package mcp

import (
	"context"
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
)

func (s *server) layoutTool() tool {
	return tool{
		name: "layout", title: "Show the layout of a table", params: s.placeParams(), run: s.runLayout,
		about: "Shows how a table keeps accounts, locks and counters: the constraints with their normalisers and key " +
			"templates, and whether the config describes them, a person accepted them, or they are guessed.",
		data: func() (map[string]any, error) {
			defs := map[string]any{}
			of, err := partOf("layout", defs)
			return object([]string{"layout"}, map[string]any{"layout": of}, defs), err
		},
	}
}

func (s *server) runLayout(ctx context.Context, c *call) (any, error) {
	var at place
	if err := decode(c.tool.name, c.tool.params, c.arguments, &at); err != nil {
		return nil, err
	}
	t, err := s.openTable(ctx, c, at)
	if err != nil {
		return nil, err
	}
	if s.mask != nil {
		return map[string]any{"layout": s.mask.layout(t)}, nil
	}
	of, err := s.Layout(t)
	return map[string]any{"layout": of}, err
}

// maskedLayout is the JSON of a layout without texts of items. It has the names of `layout --output json`.
type maskedLayout struct {
	Name        string            `json:"name"`
	LayoutState layout.State      `json:"layout_state"`
	Accounts    []maskedAccount   `json:"account"`
	Counters    []maskedCounter   `json:"counter"`
	Fit         []maskedFit       `json:"fit"`
	Questions   []maskedQuestion  `json:"questions"`
	Said        []struct{}        `json:"said"`
	Evidence    []struct{}        `json:"evidence"`
	NotRead     map[string]string `json:"not_read,omitempty"`
}

type maskedAccount struct {
	PK          string             `json:"pk"`
	SK          string             `json:"sk,omitempty"`
	Constraints []maskedConstraint `json:"constraint"`
}

type maskedConstraint struct {
	Name             string              `json:"name"`
	Attribute        string              `json:"attribute"`
	Table            string              `json:"table,omitempty"`
	Unique           bool                `json:"unique,omitempty"`
	PK               string              `json:"pk,omitempty"`
	SK               string              `json:"sk,omitempty"`
	Normalise        []layout.Normaliser `json:"normalise,omitempty"`
	Owner            string              `json:"owner,omitempty"`
	Moves            bool                `json:"moves,omitempty"`
	MultiTransaction bool                `json:"two_steps,omitempty"`
	Shared           bool                `json:"shared,omitempty"`
	Lapses           bool                `json:"lapses,omitempty"`
	State            layout.State        `json:"state"`
}

type maskedCounter struct {
	Name      string           `json:"name,omitempty"`
	PK        string           `json:"pk"`
	SK        string           `json:"sk,omitempty"`
	Attribute string           `json:"attribute"`
	Semantics layout.Semantics `json:"semantics"`
	State     layout.State     `json:"state"`
}

type maskedFit struct {
	Constraint string          `json:"constraint"`
	Standing   layout.Standing `json:"standing"`
	Claims     []struct{}      `json:"claims"`
}

type maskedQuestion struct {
	ID         string `json:"id"`
	Table      string `json:"table"`
	Constraint string `json:"constraint"`
	Items      string `json:"items"`
	Attribute  string `json:"attribute"`
	Count      int    `json:"count"`
}

// unknownLayout is the JSON of a table without a recognised layout. It counts the kinds of items, and shows none.
type unknownLayout struct {
	Table   string            `json:"table"`
	Layout  *struct{}         `json:"layout"`
	Fit     []struct{}        `json:"fit"`
	Items   int               `json:"items"`
	Whole   bool              `json:"whole"`
	NotRead map[string]string `json:"not_read,omitempty"`
	Shapes  []struct{}        `json:"shapes"`
	Nearest []struct{}        `json:"nearest"`
}

// mostCounters limits the counters in an answer.
const mostCounters = 200

// layout masks the layout of a table.
func (m *mask) layout(t *dynamo.Table) any {
	if t.Layout.Empty() {
		items, whole := t.Sample.Size()
		return unknownLayout{
			Table: t.Name, Fit: []struct{}{}, Items: items, Whole: whole, NotRead: notRead(t), Shapes: []struct{}{},
			Nearest: []struct{}{},
		}
	}
	out := maskedLayout{
		Name: t.Name, LayoutState: t.Layout.State(), Accounts: []maskedAccount{}, Counters: []maskedCounter{},
		Fit: []maskedFit{}, Questions: []maskedQuestion{}, Said: []struct{}{}, Evidence: []struct{}{}, NotRead: notRead(t),
	}
	if t.Layout.Configured {
		out.Name = t.Layout.Name
	}
	for _, a := range t.Layout.Accounts {
		out.Accounts = append(out.Accounts, m.accountLayout(t, a))
	}
	for n, c := range t.Layout.Counters {
		if n == mostCounters {
			break
		}
		one := maskedCounter{
			PK: m.template(c.PK, c.State), SK: m.template(c.SK, c.State), Attribute: m.attribute(c.Attribute, c.State),
			Semantics: c.Semantics, State: c.State,
		}
		if c.Name != "" {
			one.Name = m.counter(t, c, c.Name)
		}
		out.Counters = append(out.Counters, one)
	}
	for _, c := range t.Layout.Constraints() {
		out.Fit = append(out.Fit, maskedFit{m.constraint(t, c.Name), t.Fit.Of(c).Standing(), []struct{}{}})
	}
	for _, q := range t.Answers.Questions() {
		out.Questions = append(out.Questions, maskedQuestion{
			ID: m.id(q.ID()), Table: m.table(t, q.Place.Table), Constraint: m.constraint(t, q.Constraint.Name),
			Items: m.words(q.Place.Items), Attribute: m.name("attribute", q.Place.Attribute), Count: q.N,
		})
	}
	return out
}

// accountLayout masks one kind of accounts. A kind counts as described if all its constraints are.
func (m *mask) accountLayout(t *dynamo.Table, a *layout.Account) maskedAccount {
	rules := slices.Concat(a.Constraints, a.Unlocked)
	state := layout.Described
	unsure := func(c *layout.Constraint) bool { return c.State != layout.Described }
	if !t.Layout.Configured || slices.ContainsFunc(rules, unsure) {
		state = layout.Guessed
	}
	out := maskedAccount{PK: m.template(a.PK, state), SK: m.template(a.SK, state), Constraints: []maskedConstraint{}}
	for _, c := range rules {
		out.Constraints = append(out.Constraints, maskedConstraint{
			Name: m.constraint(t, c.Name), Attribute: m.attribute(c.Attribute, c.State), Table: c.Table,
			Unique: c.Lockless(), PK: m.template(c.PK, c.State), SK: m.template(c.SK, c.State),
			Normalise: c.Normalise, Owner: m.attribute(c.Owner, c.State),
			Moves: c.Moves, MultiTransaction: c.MultiTransaction, Shared: c.Shared, Lapses: c.Lapses, State: c.State,
		})
	}
	return out
}

// notRead says that no item of the table was read. It is nil if items were read.
func notRead(t *dynamo.Table) map[string]string {
	if why, _ := t.Sample.NotRead(); why == "" {
		return nil
	}
	return map[string]string{"why": "no item of the table was read", "do": "ask a person to run: tallylock layout"}
}
