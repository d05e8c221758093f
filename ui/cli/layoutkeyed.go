package cli

import (
	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
)

// keyedItems is the JSON of a kind of items that are neither accounts nor counters, and have
// keys that a check compares with the attributes that they are made of.
type keyedItems struct {
	PK   string      `json:"pk"`
	SK   string      `json:"sk,omitempty"`
	Keys []keyMadeOf `json:"derived"`
}

// keyMadeOf is the JSON of a key that is made of attributes.
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

// mostKeyed is how many kinds of such items are printed.
const mostKeyed = 5

// writeKeyed prints by what a check alone goes: the keys of other items.
func writeKeyed(p *printer, t *dynamo.Table) {
	all := keyedOf(t)
	if len(all) == 0 {
		return
	}
	p.line(kit.Text, "#")
	p.line(kit.Text, "# A check alone goes by these keys of other items: nearly all are made so of their")
	p.line(kit.Text, "# attributes, and one that is not is reported as drifted-key.")
	for n, one := range all {
		if n == mostKeyed {
			p.line(kit.Text, "#   and %s of items", phrase.Count(len(all)-n, "more kind"))
			break
		}
		keys := one.PK
		if one.SK != "" {
			keys += " / " + one.SK
		}
		for _, k := range one.Keys {
			p.line(kit.Text, "#   %s: %s = %s", keys, k.Attribute, k.Template)
		}
	}
}
