package layout_test

import (
	"maps"
	"strings"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

var keys = attr.Schema{HashName: "PK", HashKind: attr.S, RangeName: "SK", RangeKind: attr.S}

func counterWith(t *testing.T, cc config.Counter) *layout.Counter {
	t.Helper()
	l, err := config.Layout{Name: "mine", Counters: []config.Counter{cc}}.Build()
	if err != nil {
		t.Fatal(err)
	}
	return l.Counters[0]
}

func TestIDs(t *testing.T) {
	repo := counterWith(t, config.Counter{PK: "REPO#{owner}#{repo}", SK: "{pk}", Attribute: "n", IDs: []config.IDs{
		{PK: "REPO#{owner}#{repo}", SK: "ISSUE#{number}"},
		{PK: "INV#{owner}#{repo}", SK: "{any}", Is: &config.Discriminator{Attribute: "type", Value: "invoice"}, Attribute: "doc.no", Text: "INV-{number}"},
		{SK: "I", PK: "O#{owner}#{repo}", Attribute: "no"},
	}})
	nested := func(no attr.Value) attr.Value { return attr.Value{Kind: attr.M, Map: attr.Item{"no": no}} }
	for _, test := range []struct {
		source int
		pk, sk string
		more   attr.Item
		want   string
	}{
		{0, "REPO#ada#engine", "ISSUE#00000015", nil, "15"},
		{0, "REPO#ada#engine", "ISSUE#0000", nil, "0"},
		{0, "REPO#ada#engine", "ISSUE#15a", nil, ""},
		{0, "REPO#ada#engine", "ISSUE#-15", nil, ""},
		{0, "REPO#ada#engine", "ISSUE#5e30", nil, ""}, // a piece of a hash, and no number
		{0, "REPO#ada#engine", "ISSUE#" + strings.Repeat("9", 38), nil, strings.Repeat("9", 38)},
		{0, "REPO#ada#engine", "ISSUE#" + strings.Repeat("9", 39), nil, ""},
		{0, "REPO#ada#engine", "REPO#ada#engine", nil, ""},
		{1, "INV#ada#engine", "INV-0007", attr.Item{"doc": nested(attr.String("INV-0007")), "type": attr.String("invoice")}, "7"},
		{1, "INV#ada#engine", "x", attr.Item{"doc": nested(attr.String("INV-0007")), "type": attr.String("bill")}, ""},
		{1, "INV#ada#engine", "x", attr.Item{"type": attr.String("invoice")}, ""},
		{2, "O#ada#engine", "I", attr.Item{"no": attr.Number("1E2")}, "100"},
		{2, "O#ada#engine", "I", attr.Item{"no": attr.Number("1.5")}, ""},
		{2, "O#ada#engine", "I", attr.Item{"no": attr.Number("-1")}, ""},
		{2, "O#ada#engine", "I", attr.Item{"no": attr.String("42")}, "42"},
		{2, "O#ada#engine", "I", attr.Item{"no": attr.String("1E2")}, ""},
		{2, "O#ada#engine", "J", attr.Item{"no": attr.String("42")}, ""},
	} {
		item := attr.Item{"PK": attr.String(test.pk), "SK": attr.String(test.sk)}
		maps.Copy(item, test.more)
		ids := &repo.IDs[test.source]
		id, vars, ok := ids.Of(keys, item)
		if ok != (test.want != "") || (ok && id != test.want) {
			t.Errorf("%s / %s: id %q, %v; want %q", test.pk, test.sk, id, ok, test.want)
		}
		if !ok {
			continue
		}
		key, err := repo.KeyFor(keys, vars)
		if err != nil || key.Hash.Value.Text != "REPO#ada#engine" {
			t.Errorf("%s / %s belongs to %v: %v", test.pk, test.sk, key, err)
		}
	}
}

func TestIDsThatCannotBe(t *testing.T) {
	for why, cc := range map[string]config.Counter{
		"remove attribute": {PK: "C", IDs: []config.IDs{{PK: "X#{number}", Attribute: "id"}}},
		"{number} is missing: write {number} into pk or sk": {PK: "C", IDs: []config.IDs{{PK: "X"}}},
		"has no {number}":                      {PK: "C", IDs: []config.IDs{{Attribute: "id", Text: "INV-"}}},
		"the counter of an id is unknown":      {PK: "C#{tenant}", IDs: []config.IDs{{PK: "X#{number}"}}},
		"a tally hands out no ids: remove ids": {PK: "C", Semantics: "tally", IDs: []config.IDs{{PK: "X#{number}"}}},
	} {
		cc.Attribute = "n"
		if _, err := (config.Layout{Name: "mine", Counters: []config.Counter{cc}}).Build(); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%+v: %v; want %q", cc, err, why)
		}
	}
}

func TestBehind(t *testing.T) {
	big := "9007199254740993"
	for _, test := range []struct {
		semantics, v, highest string
		want                  bool
	}{
		{"last", "41", "42", true},
		{"last", "42", "42", false},
		{"last", "43", "42", false},
		{"next", "42", "42", true},
		{"next", "43", "42", false},
		{"last", "9007199254740992", big, true},
		{"last", big, big, false},
		{"last", "A-1", "42", false},
		{"tally", "1", "42", false},
	} {
		if got := counterWith(t, config.Counter{PK: "C", Attribute: "n", Semantics: test.semantics}).Behind(test.v, test.highest); got != test.want {
			t.Errorf("%s %s, highest %s: behind %v", test.semantics, test.v, test.highest, got)
		}
	}
	c := counterWith(t, config.Counter{PK: "C", Attribute: "n", Step: "9", Offset: "4"})
	if !c.Mints("13") || c.Mints("14") || !c.Mints("4") {
		t.Error("the series is not minded")
	}
}
