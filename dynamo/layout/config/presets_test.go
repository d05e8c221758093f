package config_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

var stringKeys = attr.Schema{HashName: "PK", HashKind: attr.S, RangeName: "SK", RangeKind: attr.S}

// describe writes a layout in one line.
func describe(l *layout.Layout) string {
	out := l.Name
	for _, a := range l.Accounts {
		out += fmt.Sprintf(" account(%s/%s)", a.PK, a.SK)
		for _, c := range a.Constraints {
			out += fmt.Sprintf(" %s=%s(%s/%s)", c.Name, c.Attribute, c.PK, c.SK)
			if c.Owner != "" {
				out += " owner=" + c.Owner
			}
			if len(c.Normalise) > 0 {
				out += fmt.Sprint(" ", c.Normalise)
			}
			if c.Index != "" {
				out += " index=" + c.Index
			}
		}
	}
	for _, c := range l.Counters {
		out += fmt.Sprintf(" counter(%s/%s %s %s)", c.PK, c.SK, c.Attribute, c.Semantics)
	}
	return out
}

// A preset makes a layout from the key schema and the indexes of a table. It makes none if the key schema does not fit.
func TestAPresetMakesALayout(t *testing.T) {
	got := describe(preset(t, "uniq").On(stringKeys, nil))
	if want := "uniq account(ACCT#{id}/PROFILE) email=email(UNIQ#EMAIL#{v}/LOCK) username=username(UNIQ#HANDLE#{v}/LOCK)"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	got = describe(preset(t, "uniq").On(stringKeys, map[string]string{"email": "byEmail"}))
	if !strings.Contains(got, "email=email(UNIQ#EMAIL#{v}/LOCK) index=byEmail username=") {
		t.Errorf("with an index: %s", got)
	}
	numbers := guess.Sample{Schema: attr.Schema{HashName: "id", HashKind: attr.N}}
	if got, want := describe(preset(t, "order-id").On(numbers.Schema, nil)), "order-id counter(0/ order_number last)"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	if !preset(t, "uniq").On(numbers.Schema, nil).Empty() {
		t.Error("it has accounts in a table of numbers")
	}
}

func preset(t *testing.T, name string) config.Preset {
	t.Helper()
	presets, err := config.Presets()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range presets {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("there is no preset %s", name)
	return config.Preset{}
}
