package dynamo_test

import (
	"fmt"
	"testing"

	"tallylock/dynamo/embedded/sdk"
	"tallylock/internal/fixture"
)

// A sort key that all items of a shape have is a part of their template, however short.
func TestTemplatesOfConstantSortKeys(t *testing.T) {
	for sort, want := range map[string]string{"A": "A", "a": "a", "1": "1", "{}": "{{}}"} {
		f := fixture.New(t)
		f.Create("people", "PK:S", "SK:S")
		for n := range 12 {
			f.Put("people", sdk.Item{"PK": sdk.S(fmt.Sprintf("USER#%03d", n)), "SK": sdk.S(sort), "name": sdk.S("Ada")})
		}
		for n := range 12 {
			f.Put("people", sdk.Item{"PK": sdk.S(fmt.Sprintf("ORDER#%03d", n)), "SK": sdk.S(fmt.Sprintf("x%d", n%6)), "name": sdk.S("Ada")})
		}
		u := f.Open("people").Sample.Unknown()
		if len(u.Shapes) != 2 {
			t.Fatalf("%+v", u.Shapes)
		}
		for _, sh := range u.Shapes {
			pk, sk := sh.Templates("id")
			switch {
			case pk == "USER#{id}" && sk == want, pk == "ORDER#{id}" && sk == "{s}":
			default:
				t.Errorf("%s: %s / %s", sh.Keys, pk, sk)
			}
		}
	}
}
