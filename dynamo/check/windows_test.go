package check_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo/check"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/scan"
)

// All tables of a layout need increments of the same windows. Each increment must belong to a table of the state.
func TestWindowsOfTwoTables(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("people", "PK:S", "SK:S")
	f.create("mails", "PK:S", "SK:S")
	table := f.described("people", users(func(c *config.Constraint) { c.Table = "mails" }))
	p := newPast(f, rand.New(rand.NewPCG(1, 1)), "people", "people", "mails")
	p.put("people", user("1", "a"))
	p.put("mails", mail("a"))
	o := setting.Options{Confirm: setting.ConfirmNone, Export: p.full()}
	_, state, err := check.KeepState(t.Context(), table, o, collect().add, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.begin()
	first := p.end()
	p.begin()
	second := p.end()
	for _, window := range [][]*scan.Increment{first, second} { // the accounts' table first
		slices.SortFunc(window, func(a, b *scan.Increment) int { return strings.Compare(b.Table, a.Table) })
	}
	longer := *second[1]
	longer.To = longer.To.Add(1)
	stranger, other := *first[1], *first[1]
	stranger.Table, other.ID = "phones", "another"
	both := slices.Concat(second, first)
	for want, all := range map[string][]*scan.Increment{
		"": both,
		"there is no increment of the table mails":         {first[0], second[0]},
		"but another table of the layout has no increment": {first[0], second[0], first[1]},
		"but people has no increment of this window":       {first[0], first[1], second[1]},
		"people has no increment of this window":           {first[0], second[0], first[1], &longer},
		`it is of the table "phones"`:                      append(slices.Clone(both), &stranger),
		`it has the id "another"`:                          {first[0], &other},
	} {
		got := check.RefusesIncrements(table, setting.Options{}, state, all)
		if (want == "") != (got == nil) || got != nil && !strings.Contains(got.Error(), want) {
			t.Errorf("the error is %v, want %q", got, want)
		}
	}
	byARN := *state
	byARN.Tables, byARN.Table = slices.Clone(state.Tables), "arn:aws:dynamodb:us-east-1:000000000000:table/people"
	for n := range byARN.Tables {
		byARN.Tables[n].Name = "arn:aws:dynamodb:us-east-1:000000000000:table/" + byARN.Tables[n].Name
	}
	if err := check.RefusesIncrements(table, setting.Options{}, &byARN, both); err != nil {
		t.Error(err)
	}
}
