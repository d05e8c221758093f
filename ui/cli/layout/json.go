package layout

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// Beside is the JSON that `layout` adds to a layout's settings, in the same object. The settings have their names from
// the config.
type Beside struct {
	State     layout.State   `json:"layout_state"`
	Fit       []fit          `json:"fit"`
	Said      []saidEntry    `json:"said"`
	Questions []question     `json:"questions"`
	Evidence  []lineEvidence `json:"evidence"`
	NotRead   *notRead       `json:"not_read,omitempty"`
	// Shapes and Nearest help if no accounts were recognised.
	Shapes  []itemShape `json:"shapes,omitzero"`
	Nearest []nearest   `json:"nearest,omitzero"`
	// Keyed are derived keys of items outside the layout. Only a check uses them.
	Keyed []keyedItems `json:"keyed,omitempty"`
	// Choices are the lines of a derived layout that neither the examples nor the sample determine.
	Choices []choice `json:"choices,omitzero"`
}

// question is the JSON of a question about items outside the layout that hold values.
type question struct {
	ID         string `json:"id"`
	Table      string `json:"table"`
	Constraint string `json:"constraint"`
	Items      string `json:"items"`
	Attribute  string `json:"attribute"`
	Count      int    `json:"count"`
}

func questionsOf(t *dynamo.Table) []question {
	all := []question{}
	for _, q := range t.Answers.Questions() {
		all = append(all, question{q.ID(), q.Place.Table, q.Constraint.Name, q.Place.Items, q.Place.Attribute, q.N})
	}
	return all
}

// saidEntry is the JSON of one answer that a person has given about the table.
type saidEntry struct {
	ID         string        `json:"id"`
	On         string        `json:"on"`
	Constraint string        `json:"constraint,omitempty"`
	Counter    string        `json:"counter,omitempty"`
	Accepts    string        `json:"accepts,omitempty"` // the hash of the accepted constraint or counter
	AlsoIn     *[]string     `json:"also_in,omitempty"`
	Items      string        `json:"items,omitempty"`
	Attribute  string        `json:"attribute,omitempty"`
	Table      string        `json:"table,omitempty"`
	Answer     layout.Answer `json:"answer,omitempty"`
	// NowhereElse says that no item outside the layout holds the values. Ignored is the reason why the answer has no
	// effect.
	NowhereElse bool   `json:"nowhere_else,omitempty"`
	Ignored     string `json:"ignored,omitempty"`
}

func saidOf(t *dynamo.Table) []saidEntry {
	all := []saidEntry{}
	for _, e := range t.Answers.Said() {
		one := saidEntry{
			ID: e.ID, On: e.Said.Local().Format(time.DateOnly), Constraint: e.Constraint, Counter: e.Counter,
			AlsoIn: e.AlsoIn, Answer: e.Answer, NowhereElse: e.NowhereElse, Ignored: t.Answers.WhyIgnored(e),
		}
		if e.Accepts() {
			one.Accepts = e.Hash
		}
		if e.Place != nil {
			one.Table, one.Items, one.Attribute = e.Place.Table, e.Place.Items, e.Place.Attribute
		}
		all = append(all, one)
	}
	return all
}

// layoutJSON returns a layout as JSON, with the fields of beside. Each constraint and counter also
// has its state, and the hash to accept it by.
func layoutJSON(t *dynamo.Table, c config.Layout, beside Beside) (map[string]any, error) {
	one, err := configJSON(c)
	if err != nil {
		return nil, err
	}
	accounts, _ := one["account"].([]any)
	for n, a := range t.Layout.Accounts {
		account, _ := accounts[n].(map[string]any)
		constraints, _ := account["constraint"].([]any)
		for m, con := range slices.Concat(a.Constraints, a.Unlocked) {
			setState(constraints[m], con.State, t.Answers.HashOf(con))
		}
	}
	counters, _ := one["counter"].([]any)
	for n, counter := range t.Layout.Counters {
		setState(counters[n], counter.State, t.Answers.CounterHash(counter))
	}
	text, err := attr.Line(beside, "")
	if err != nil {
		return nil, err
	}
	var more map[string]json.RawMessage // raw JSON, so that no number changes
	if err := json.Unmarshal(text, &more); err != nil {
		return nil, err
	}
	for name, value := range more {
		one[name] = value
	}
	return one, nil
}

func setState(of any, state layout.State, hash string) {
	if settings, ok := of.(map[string]any); ok {
		settings["state"], settings["hash"] = state, hash
	}
}

// notRead is the JSON of the reason why no item of a table was read.
type notRead struct {
	Why string `json:"why"`
	Do  string `json:"do"`
}

func notReadOf(t *dynamo.Table) *notRead {
	if why, do := t.Sample.NotRead(); why != "" {
		return &notRead{why, say.Do(do)}
	}
	return nil
}

// lineEvidence is the JSON of the evidence for one line of the layout.
type lineEvidence struct {
	Line   string `json:"line"`
	Text   string `json:"text"`
	Unsure bool   `json:"unsure"`
}

func evidenceOf(t *dynamo.Table) []lineEvidence {
	all := []lineEvidence{}
	for _, line := range dynamo.LinesOf(t) {
		all = append(all, lineEvidence{line.Section + "." + line.Setting, line.Text, line.Unsure})
	}
	return all
}

// fit is the JSON of the counts that show how well a constraint fits.
type fit struct {
	Constraint string          `json:"constraint"`
	Standing   layout.Standing `json:"standing"`
	Claims     []fitClaim      `json:"claims"`
}

type fitClaim struct {
	Claim    string          `json:"claim"`
	Standing layout.Standing `json:"standing"`
	Text     string          `json:"text"`
}

func fitsOf(t *dynamo.Table) []fit {
	all := []fit{}
	for _, c := range t.Layout.Constraints() {
		f := t.Fit.Of(c)
		one := fit{Constraint: c.Name, Standing: f.Standing(), Claims: []fitClaim{}}
		for n, j := range []layout.Judgment{f.Rule, f.Owner} {
			if j.Text != "" {
				one.Claims = append(one.Claims, fitClaim{[]string{"rule", "owner"}[n], j.Standing, j.Text})
			}
		}
		if len(one.Claims) == 0 {
			one.Claims = append(
				one.Claims,
				fitClaim{
					"rule",
					one.Standing,
					cmp.Or(f.Why(), "no item that was read shows whether the layout fits"),
				},
			)
		}
		all = append(all, one)
	}
	return all
}

// keyedItems is the JSON of a kind of items outside the layout that have derived keys. A check compares these keys with
// the attributes from which they are made.
type keyedItems struct {
	PK   string      `json:"pk"`
	SK   string      `json:"sk,omitempty"`
	Keys []keyMadeOf `json:"derived"`
}

// keyMadeOf is the JSON of a derived key.
type keyMadeOf struct {
	Attribute string `json:"attribute"`
	Template  string `json:"template"`
}

func keyedOf(t *dynamo.Table) []keyedItems {
	var all []keyedItems
	for _, kind := range t.Layout.Keyed {
		one := keyedItems{PK: kind.PK.String(), SK: kind.SK.String()}
		for _, d := range kind.Derived {
			one.Keys = append(one.Keys, keyMadeOf{d.Attribute, d.Template.String()})
		}
		all = append(all, one)
	}
	return all
}

// mostKeyed limits the printed kinds of keyedItems.
const mostKeyed = 5

// writeKeyed prints the derived keys of items outside the layout, which only a check uses.
func writeKeyed(p *print.Printer, t *dynamo.Table) {
	all := keyedOf(t)
	if len(all) == 0 {
		return
	}
	p.Line(kit.Text, "#")
	p.Line(kit.Text, "# Other items have keys that are made from their attributes, with few exceptions.")
	p.Line(kit.Text, "# A check reports each exception as drifted-key.")
	for n, one := range all {
		if n == mostKeyed {
			p.Line(kit.Text, "#   … and %s of items", phrase.Count(len(all)-n, "more kind"))
			break
		}
		for _, k := range one.Keys {
			p.Line(kit.Text, "#   %s: %s = %s", say.Keys(one.PK, one.SK), k.Attribute, k.Template)
		}
	}
}
