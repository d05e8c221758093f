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

func strings2(kv ...string) attr.Item {
	item := attr.Item{}
	for n := 0; n < len(kv); n += 2 {
		item[kv[n]] = attr.String(kv[n+1])
	}
	return item
}

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

// A preset that has the keys of accounts makes the whole layout of a table from the key schema and the indexes.
func TestPresetsOnSamples(t *testing.T) {
	for _, tc := range []struct {
		name   string
		sample guess.Sample
		want   string
	}{
		{"seed 003, accounts only", guess.Sample{Schema: stringKeys, Items: []attr.Item{
			strings2("PK", "ACCT#a1f9c3", "SK", "PROFILE", "email", "ada@lovelace.io", "username", "ada"),
		}}, "uniq account(ACCT#{id}/PROFILE) email=email(UNIQ#EMAIL#{v}/LOCK) username=username(UNIQ#HANDLE#{v}/LOCK)"},
		{"seed 003, locks only", guess.Sample{Schema: stringKeys, Items: []attr.Item{
			strings2("PK", "UNIQ#HANDLE#alan", "SK", "LOCK"),
		}}, "uniq account(ACCT#{id}/PROFILE) email=email(UNIQ#EMAIL#{v}/LOCK) username=username(UNIQ#HANDLE#{v}/LOCK)"},
		{"seed 003, with an index", guess.Sample{Schema: stringKeys, Indexes: map[string]string{"email": "byEmail"}, Items: []attr.Item{
			strings2("PK", "UNIQ#EMAIL#a@b.c", "SK", "LOCK"),
		}}, "uniq account(ACCT#{id}/PROFILE) email=email(UNIQ#EMAIL#{v}/LOCK) index=byEmail username=username(UNIQ#HANDLE#{v}/LOCK)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			name, _, _ := strings.Cut(tc.want, " ")
			if got := describe(preset(t, name).On(tc.sample.Schema, tc.sample.Indexes)); got != tc.want {
				t.Errorf("it is taken for\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

// A preset makes the layout of an empty table, too. It makes none if the key schema does not fit.
func TestAPresetOnAnEmptyTable(t *testing.T) {
	got := describe(preset(t, "uniq").On(stringKeys, nil))
	if want := "uniq account(ACCT#{id}/PROFILE) email=email(UNIQ#EMAIL#{v}/LOCK) username=username(UNIQ#HANDLE#{v}/LOCK)"; got != want {
		t.Errorf("%s; want %s", got, want)
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
