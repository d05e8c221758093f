package layout

import (
	"reflect"
	"strconv"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
)

// draft is a layout that is being corrected, and the table as it is read by it.
type draft struct {
	table  *dynamo.Table
	config layout.Config
	past   []draft // before each correction
}

// draftOf is a table's layout as it is read by it.
func draftOf(t *dynamo.Table, past ...draft) draft {
	d := draft{table: t, config: layout.Config{Name: t.Name, Tables: []string{t.Name}}, past: past}
	if !t.Layout.Empty() {
		d.config = t.Layout.Config(t.Name)
		if !d.configured() {
			d.config.Name = t.Name
		}
	}
	return d
}

// Corrected reports whether it is not what the table is read by.
func (d *draft) Corrected() bool { return len(d.past) > 0 }

// configured reports whether the config describes the table.
func (d *draft) configured() bool {
	t := d.table
	if d.Corrected() {
		t = d.past[0].table
	}
	return t.Layout.Configured
}

func (d *draft) empty() bool { return len(d.config.Accounts)+len(d.config.Counters) == 0 }

// before takes the last correction back.
func (d *draft) before() draft { return d.past[len(d.past)-1] }

// against is what contradicts it; empty where nothing does.
func (d *draft) against() string {
	for _, f := range d.table.Fit.All() {
		if f.Standing() == layout.Contradicted {
			return f.Why()
		}
	}
	return ""
}

// constraint is the rule that a part describes; nil where it has no locks, or is none.
func (d *draft) constraint(part layout.Part) *layout.Constraint {
	if part.Kind != "constraint" {
		return nil
	}
	_, c := d.table.Layout.Constraint(part.Name)
	return c
}

// typable reports whether a setting comes out of a form as it went in. A control character
// cannot be typed, for one, and a field leaves it out.
func (d *draft) typable(part layout.Part, setting layout.Setting) bool {
	field := kit.NewField(setting.Text)
	same, err := d.config.With(part.Path, setting.Name, field.Value())
	return !setting.Set || err == nil && reflect.DeepEqual(same, d.config)
}

// modelled gives a kind of account a name where there are others.
func (d *draft) modelled(a layout.AccountConfig) layout.AccountConfig {
	if n := len(d.config.Accounts); n > 0 {
		a.Model = "account-" + strconv.Itoa(n+1)
	}
	return a
}

// notes are what was seen of its lines, as comments, by section and setting.
func (d *draft) notes() func(section, setting string) string {
	notes := map[[2]string]string{}
	for _, line := range dynamo.LinesOf(d.table) {
		notes[[2]string{line.Section, line.Setting}] = strings.TrimSpace(map[bool]string{true: "? "}[line.Unsure] + line.Text)
	}
	return func(section, setting string) string { return notes[[2]string{section, setting}] }
}

// toml is the draft as the config writes it.
func (d *draft) toml() string { return string(d.config.Annotated(d.notes())) }

// judged says how many items it is judged by.
func (d *draft) judged() string {
	n, whole := d.table.Sample.Size()
	switch {
	case n == 0:
		return "no items to judge it by"
	case whole:
		return "judged by all " + phrase.Count(n, "item")
	}
	return "judged by " + phrase.Count(n, "item")
}

// from says where it is from.
func (d *draft) from() string {
	t := d.table
	switch {
	case d.Corrected():
		return phrase.Count(len(d.past), "correction") + ", not accepted yet"
	case t.Layout.Empty():
		return "not recognised"
	case t.Layout.Configured:
		return "from the config"
	case t.Layout.State() == layout.Accepted:
		return "accepted"
	case t.Layout.Preset != "" && t.Layout.Preset == t.Connection().LayoutNamed():
		return "the preset " + t.Layout.Preset + ", as named"
	case t.Layout.Preset != "":
		return "recognised as " + t.Layout.Preset
	}
	return "recognised"
}
