package layout

import (
	"cmp"
	"fmt"
	"reflect"

	"tallylock/dynamo"
	"tallylock/dynamo/example"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// draft is a layout that a person is correcting, with the table as this layout reads it.
type draft struct {
	table  *dynamo.Table
	config config.Layout
	past   []draft // the draft before each correction
	// lesson and taught are set if a person has pointed at examples: config follows from them.
	lesson example.Lesson
	taught *dynamo.Taught
}

// draftOf returns the layout of a table as a draft.
func draftOf(t *dynamo.Table, past ...draft) draft {
	d := draft{table: t, config: config.Layout{Name: t.Name, Tables: []string{t.Name}}, past: past}
	if !t.Layout.Empty() {
		d.config = config.Of(t.Layout, t.Name)
		if !d.configured() {
			d.config.Name = t.Name
		}
	}
	return d
}

// corrected reports whether the draft has corrections.
func (d *draft) corrected() bool { return len(d.past) > 0 }

// configured reports whether the config describes the table, before any correction.
func (d *draft) configured() bool {
	t := d.table
	if d.corrected() {
		t = d.past[0].table
	}
	return t.Layout.Configured
}

// questions lists the questions that the examples leave open.
func (d *draft) questions() []example.Choice {
	if d.taught == nil {
		return nil
	}
	return d.taught.Open()
}

func (d *draft) empty() bool { return len(d.config.Accounts)+len(d.config.Counters) == 0 }

// constraint returns the constraint that a part describes. It is nil for another part, or if the constraint has no
// locks.
func (d *draft) constraint(part config.Part) *layout.Constraint {
	if part.Kind != "constraint" {
		return nil
	}
	_, c := d.table.Layout.Constraint(part.Name)
	return c
}

// counter returns the counter of a part or of its ids; nil for another part.
func (d *draft) counter(part config.Part) *layout.Counter {
	var n int
	if _, err := fmt.Sscanf(part.Path, "counter[%d]", &n); err != nil {
		return nil
	}
	return d.table.Layout.Counters[n]
}

// acceptable returns the constraint or the counter of a part, for a person to accept; nil if it is accepted
// already. For another part it returns the first one that is not accepted yet.
func (d *draft) acceptable(part config.Part) (first *dynamo.Unaccepted) {
	t, own := d.table, d.counter(part)
	for _, c := range t.Layout.Rules() {
		of := dynamo.UnacceptedOf(t.CheckSure("", c))
		if part.Kind == "constraint" && c.Name == part.Name {
			return of
		}
		first = cmp.Or(first, of)
	}
	for _, c := range t.Layout.Counters {
		of := dynamo.UnacceptedOf(t.CheckSureCounter("", c))
		if c == own {
			return of
		}
		first = cmp.Or(first, of)
	}
	return first
}

// typable reports whether a setting stays unchanged in a form. For example, a field drops control characters.
func (d *draft) typable(part config.Part, setting config.Setting) bool {
	field := kit.NewField(setting.Text)
	same, err := d.config.With(part.Path, setting.Name, field.Value())
	return !setting.Set || err == nil && reflect.DeepEqual(same, d.config)
}

// toml returns the draft in the config's form.
func (d *draft) toml() string { return string(d.config.Annotated(say.LineNotes(d.table))) }

// judged says how many items the draft is judged by.
func (d *draft) judged() string {
	n, whole := d.table.Sample.Size()
	switch {
	case n == 0:
		return "not judged: no items"
	case whole:
		return "judged by all " + phrase.Count(n, "item")
	}
	return "judged by " + phrase.Count(n, "item")
}

// from says where the layout comes from.
func (d *draft) from() string {
	switch {
	case d.taught != nil:
		return phrase.Count(len(d.lesson.Pairs)+len(d.lesson.Numbers), "example") + ", not accepted yet"
	case d.corrected():
		return phrase.Count(len(d.past), "correction") + ", not accepted yet"
	}
	return say.Origin(d.table)
}
