package cli

import (
	"cmp"
	"encoding/json"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// besideLayout is the JSON of what is said of a table's layout besides its settings, which
// stand in the same object by the names that the config has.
type besideLayout struct {
	Fit      []fit          `json:"fit"`
	Told     []shape        `json:"told"`
	Evidence []lineEvidence `json:"evidence"`
	NotRead  *notRead       `json:"not_read,omitempty"`
	Kept     *keptLayout    `json:"kept,omitempty"`
	// Shapes and Nearest are of a table in which too little fits.
	Shapes  []itemShape `json:"shapes,omitzero"`
	Nearest []nearest   `json:"nearest,omitzero"`
	// Keyed are keys of other items, by which a check alone goes.
	Keyed []keyedItems `json:"keyed,omitempty"`
}

// layoutJSON is a layout with what is said of it.
func layoutJSON(c layout.Config, beside besideLayout) (map[string]any, error) {
	one, err := configJSON(c)
	if err != nil {
		return nil, err
	}
	text, err := attr.Line(beside, "")
	if err != nil {
		return nil, err
	}
	var more map[string]json.RawMessage // as it is, so that no number changes
	if err := json.Unmarshal(text, &more); err != nil {
		return nil, err
	}
	for name, value := range more {
		one[name] = value
	}
	return one, nil
}

// notRead is the JSON of why nothing of a table was read.
type notRead struct {
	Why string `json:"why"`
	Do  string `json:"do"`
}

func notReadOf(t *dynamo.Table) *notRead {
	if why, do := t.Sample.NotRead(); why != "" {
		return &notRead{why, do}
	}
	return nil
}

// keptLayout is the JSON of a layout's acceptance: when it was, where it is kept, and how it
// differs from what a sample would show now.
type keptLayout struct {
	On      string   `json:"on"`
	Path    string   `json:"path"`
	Differs []string `json:"differs"`
}

// lineEvidence is the JSON of what speaks for one line of the layout.
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

// fit is the JSON of how well a constraint fits.
type fit struct {
	Constraint string          `json:"constraint"`
	Standing   layout.Standing `json:"standing"`
	Accepted   bool            `json:"accepted,omitempty"`
	AcceptedOn string          `json:"accepted_on,omitempty"`
	Claims     []fitClaim      `json:"claims"`
}

// shape is the JSON of what a person has said of items.
type shape struct {
	Items     string         `json:"items"`
	Attribute string         `json:"attribute"`
	Are       dynamo.Holding `json:"are"`
	Said      string         `json:"said"`
}

func told(t *dynamo.Table) []shape {
	all := []shape{}
	for _, d := range t.Fit.Decisions.All() {
		if d.Constraint == "" {
			all = append(all, shape{d.Items, d.Attribute, d.Are, d.Day()})
		}
	}
	return all
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
		one := fit{Constraint: c.Name, Standing: f.Standing(), Accepted: f.Accepted, Claims: []fitClaim{}}
		for _, d := range t.Fit.Decisions.All() {
			if f.Accepted && d.Constraint == c.Name {
				one.AcceptedOn = d.Day()
			}
		}
		for n, j := range []layout.Judgment{f.Rule, f.Kinds, f.Owner} {
			if j.Text != "" {
				one.Claims = append(one.Claims, fitClaim{[]string{"rule", "kinds", "owner"}[n], j.Standing, j.Text})
			}
		}
		if len(one.Claims) == 0 {
			one.Claims = append(
				one.Claims,
				fitClaim{
					"rule",
					one.Standing,
					cmp.Or(f.Why(), "the layout is trusted; nothing was read that could show whether it fits"),
				},
			)
		}
		all = append(all, one)
	}
	return all
}
