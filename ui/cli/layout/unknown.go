package layout

import (
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// Unknown is the JSON of a table without a recognised layout.
type Unknown struct {
	Table  string    `json:"table"`
	Layout *struct{} `json:"layout"`
	Fit    []fit     `json:"fit"`
	Items  int       `json:"items"`
	Whole  bool      `json:"whole"`
	// NotRead is the reason why no item was read. It is nil if items were read.
	NotRead *notRead `json:"not_read,omitempty"`
	// Keyed are derived keys of the items. Only a check uses them.
	Keyed []keyedItems `json:"keyed,omitempty"`
	seenJSON
}

// seenJSON is the JSON of the items in a table in which no accounts were recognised.
type seenJSON struct {
	Shapes  []itemShape `json:"shapes"`
	Nearest []nearest   `json:"nearest"`
	Leases  string      `json:"leases,omitempty"`
}

type itemShape struct {
	Keys       string         `json:"keys"`
	Items      int            `json:"items"`
	Attributes map[string]int `json:"attributes"`
	Example    []string       `json:"example"`
}

type nearest struct {
	Layout map[string]any `json:"layout"`
	Values int            `json:"values"`
	Hits   int            `json:"hits"`
	Why    string         `json:"why"`
}

// json returns the shapes and the nearest layouts of a table as JSON.
func (l showing) json(t *dynamo.Table, u dynamo.UnknownTable) (seenJSON, error) {
	out := seenJSON{Shapes: []itemShape{}, Nearest: []nearest{}, Leases: u.Leases}
	for _, sh := range u.Shapes {
		one := itemShape{Keys: sh.Keys, Items: sh.Items, Attributes: map[string]int{}, Example: l.example(sh)}
		for _, a := range sh.Attributes {
			if l.unmasked || 4*a.Items >= sh.Items {
				one.Attributes[a.Name] = a.Items
			}
		}
		out.Shapes = append(out.Shapes, one)
	}
	for _, c := range u.Nearest {
		config, err := configJSON(dynamo.CandidateOf(t.Name, c))
		if err != nil {
			return out, err
		}
		out.Nearest = append(out.Nearest, nearest{config, c.Values, c.Hits, c.Why})
	}
	return out, nil
}

// configJSON returns a layout with the names of its settings from the config.
func configJSON(c config.Layout) (map[string]any, error) {
	var file map[string][]map[string]any
	if err := toml.Unmarshal(c.TOML(), &file); err != nil {
		return nil, fmt.Errorf("reading the layout %s back: %w", c.Name, err)
	}
	return file["layout"][0], nil
}

// These limit the printed shapes of an unknown table, and the printed attributes of each shape. They fill two screens.
const (
	mostShapes     = 10
	mostAttributes = 12
)

// unknownJSON returns the JSON of a table without a recognised layout.
func (l showing) unknownJSON(t *dynamo.Table) (Unknown, error) {
	u := l.seen(t)
	seen, err := l.json(t, u)
	return Unknown{
		Table:    t.Name,
		Fit:      []fit{},
		Items:    u.Items,
		Whole:    u.Whole,
		NotRead:  notReadOf(t),
		Keyed:    keyedOf(t),
		seenJSON: seen,
	}, err
}

// unknown prints the shapes of a table without a recognised layout.
func (l showing) unknown(t *dynamo.Table) {
	u := l.seen(t)
	p := l.Printer()
	if t.Sample.Vacant() {
		p.Line(kit.Text, "# %s is empty, so tallylock cannot recognise its layout.", t.Name)
		return
	}
	writeNotRead(p, t)
	if notReadOf(t) == nil {
		p.Line(kit.Text, "# %s: no layout was recognised. %s", t.Name, wereRead(u))
	} else {
		p.Line(kit.Text, "# %s: no layout was recognised, and the config has no layout for this table. The table's keys are %s.", t.Name,
			strings.TrimSuffix(t.Schema.HashName+" and "+t.Schema.RangeName, " and "))
		p.Line(kit.Text, "# To read the table by a preset, name the preset with --layout. To list the presets, run: %s", say.TableCommand(t, []string{"layout", "--list"}))
	}
	if u.Leases != "" {
		p.Line(kit.Text, "# Most of these items are %s. Such items are temporary, and keep no value unique.", u.Leases)
	}
	l.shapes(p, u, "Its keys", mostShapes)
	nearestOf(p, t, u)
	writeKeyed(p, t)
	p.Line(kit.Text, "#")
	p.Line(kit.Text,
		"# If you know the layout, write it into the config as [[layout]]. docs/layouts.md has examples.")
}

// seen returns the shapes and the nearest layouts of a table. Without --examples, it masks parts of
// keys that may be personal data.
func (l showing) seen(t *dynamo.Table) dynamo.UnknownTable {
	u := t.Sample.Unknown()
	if !l.unmasked {
		u = u.Masked()
	}
	return u
}

// besides prints the items that are not counters, if no accounts were recognised. room is the number of shapes that
// fit.
func (l showing) besides(p *print.Printer, t *dynamo.Table, room int) {
	u := l.seen(t)
	if len(u.Shapes) == 0 {
		return
	}
	p.Line(kit.Text, "")
	p.Line(kit.Text, "# No accounts were recognised. %s", wereRead(u))
	l.shapes(p, u, "The keys of all items except counters", min(max(room, 2), mostShapes))
	nearestOf(p, t, u)
}

// wereRead says how many items were read.
func wereRead(u dynamo.UnknownTable) string {
	switch {
	case u.Items == 1:
		return "1 item was read."
	case u.Whole:
		return "All " + phrase.Count(u.Items, "item") + " were read."
	}
	return phrase.Count(u.Items, "item") + " were read."
}

// nearestOf prints the nearest layouts. The first one is TOML in comments, so that a person can
// remove the # and use it.
func nearestOf(p *print.Printer, t *dynamo.Table, u dynamo.UnknownTable) {
	for n, c := range u.Nearest {
		p.Line(kit.Text, "#")
		con := c.Account.Constraints[0]
		switch {
		case con.Unique:
			do := "use these lines"
			if n > 0 {
				do = "describe " + con.Attribute + " as a constraint with unique = true"
			}
			p.Line(kit.Text,
				"# %s has an index, but no locks. If each account must have its own value, %s. A check then finds values that two accounts share.",
				con.Attribute, do)
		default:
			p.Line(kit.Text, "# The nearest layout for %s: %s of %s have a lock with the key %s. tallylock does not use this layout: %s.",
				con.Attribute, phrase.Number(c.Hits), phrase.Count(c.Values, "value"), lockKey(con), c.Why)
		}
		if n > 0 {
			continue
		}
		p.Lines("#", string(dynamo.CandidateOf(t.Name, c).TOML()))
	}
}

// lockKey returns the template of the lock's key.
func lockKey(c config.Constraint) string {
	if c.SK == "" {
		return c.PK
	}
	return c.PK + " / " + c.SK
}

// shapes lists the shapes of keys, with their counts and attributes.
func (l showing) shapes(p *print.Printer, u dynamo.UnknownTable, title string, most int) {
	if len(u.Shapes) == 0 {
		return
	}
	p.Line(kit.Text, "#")
	p.Line(kit.Text, "# %s, the number of items with such keys, and their attributes:", title)
	for _, sh := range u.Shapes[:min(len(u.Shapes), most)] {
		p.Line(kit.Text, "#   %s  %s, such as %s", say.Pattern(sh.Keys), phrase.Count(sh.Items, "item"),
			strings.Join(l.example(sh), " / "))
		if names := attributes(sh); len(names) > 0 {
			p.Line(kit.Text, "#     %s", strings.Join(names, ", "))
		}
	}
	if len(u.Shapes) > most {
		others := 0
		for _, sh := range u.Shapes[most:] {
			others += sh.Items
		}
		p.Line(kit.Text, "#   … and %s with other shapes of keys", phrase.Count(others, "item"))
	}
}

// attributes lists the attributes that many items of a shape have. The name of a rare attribute may
// be personal data.
func attributes(sh guess.ItemShape) []string {
	var names []string
	for _, a := range sh.Attributes {
		if 4*a.Items < sh.Items || len(names) == mostAttributes {
			return append(names, fmt.Sprintf("and %d more", len(sh.Attributes)-len(names)))
		}
		name := a.Name
		if a.Items < sh.Items {
			name += " (" + phrase.Number(a.Items) + ")"
		}
		names = append(names, name)
	}
	return names
}

// example returns the key of one item of a shape. Without --examples it is masked, since people
// copy layouts to places where values should not be.
func (l showing) example(sh guess.ItemShape) []string {
	hash, sort := sh.Masked()
	if l.unmasked {
		hash, sort = sh.Example.Hash.Value.Display(), sh.Example.Range.Value.Display()
	}
	if sh.Example.Range.Name == "" {
		return []string{hash}
	}
	return []string{hash, sort}
}
