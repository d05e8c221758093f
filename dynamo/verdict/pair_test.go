package verdict_test

import (
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// PairSpellings pairs a value without a lock and an unclaimed lock in another spelling. Lists and checks use the same
// rule.
func TestPairSpellings(t *testing.T) {
	pk, err := layout.ParseTemplate("MAIL#{v}")
	if err != nil {
		t.Fatal(err)
	}
	con := &layout.Constraint{Name: "email", LockKeys: layout.LockKeys{PK: pk}}
	key := func(text string) attr.Key {
		return attr.Schema{HashName: "pk", HashKind: attr.S}.KeyFrom(text, "")
	}
	account := func(id string) *schema.Account { return &schema.Account{Key: key("USER#" + id)} }
	value := func(v, id string) *verdict.Relation {
		return &verdict.Relation{
			Constraint: con, Value: v, Account: account(id), Lock: schema.Lock{Key: key("MAIL#" + v)},
			Judgement: verdict.Judgement{Verdict: verdict.Missing},
		}
	}
	lock := func(v string, j verdict.Judgement, owner *schema.Account) *verdict.Relation {
		return &verdict.Relation{
			Constraint: con, Value: v, OwnerAccount: owner, Lock: schema.Lock{Key: key("MAIL#" + v), Exists: true}, Judgement: j,
		}
	}
	is := func(v verdict.Verdict) verdict.Judgement { return verdict.Judgement{Verdict: v} }
	changed := verdict.Judgement{Verdict: verdict.Unknown, Changed: true}
	for name, tc := range map[string]struct {
		rows  []*verdict.Relation
		pairs string // for a list: the values that get the lock as their partner
		check string // for a check; empty if it is the same
	}{
		"orphaned":              {[]*verdict.Relation{value("Ada", "1"), lock("ada", is(verdict.Orphaned), nil)}, "Ada", ""},
		"unknown":               {[]*verdict.Relation{value("Ada", "1"), lock("ada", is(verdict.Unknown), nil)}, "Ada", ""},
		"the same key":          {[]*verdict.Relation{value("ada", "1"), lock("ada", is(verdict.Unknown), nil)}, "", ""},
		"another value":         {[]*verdict.Relation{value("Ada", "1"), lock("bob", is(verdict.Orphaned), nil)}, "", ""},
		"held":                  {[]*verdict.Relation{value("Ada", "1"), lock("ada", is(verdict.Held), nil)}, "", ""},
		"malformed":             {[]*verdict.Relation{value("Ada", "1"), lock("ada", is(verdict.Malformed), nil)}, "", ""},
		"reserved":              {[]*verdict.Relation{value("Ada", "1"), lock("ada", is(verdict.Reserved), nil)}, "", ""},
		"changed":               {[]*verdict.Relation{value("Ada", "1"), lock("ada", changed, nil)}, "", ""},
		"its own":               {[]*verdict.Relation{value("Ada", "1"), lock("ada", is(verdict.Stale), account("1"))}, "Ada", ""},
		"of another account":    {[]*verdict.Relation{value("Ada", "1"), lock("ada", is(verdict.Stale), account("2"))}, "", "Ada"},
		"the first of two":      {[]*verdict.Relation{value("Ada", "1"), value("ADA", "2"), lock("ada", is(verdict.Orphaned), nil)}, "Ada", ""},
		"the named one of two":  {[]*verdict.Relation{value("Ada", "1"), value("ADA", "2"), lock("ada", is(verdict.Stale), account("2"))}, "ADA", ""},
		"the other is taken":    {[]*verdict.Relation{value("Ada", "1"), lock("ada", is(verdict.Orphaned), nil), lock("ADA", is(verdict.Orphaned), nil)}, "Ada", ""},
		"the named one first":   {[]*verdict.Relation{value("Ada", "1"), value("adA", "2"), lock("ADA", is(verdict.Orphaned), nil), lock("ada", is(verdict.Stale), account("1"))}, "AdaadA", ""},
		"each lock has a value": {[]*verdict.Relation{value("Ada", "1"), value("ADA", "2"), lock("ada", is(verdict.Orphaned), nil), lock("aDa", is(verdict.Orphaned), nil)}, "AdaADA", ""},
	} {
		for _, anyOwner := range []bool{false, true} {
			want, got := tc.pairs, ""
			if anyOwner && tc.check != "" {
				want = tc.check
			}
			for _, r := range tc.rows {
				r.Variant = nil
			}
			verdict.PairSpellings(tc.rows, anyOwner)
			for _, r := range tc.rows {
				if r.Variant != nil && r.Variant.Variant != r {
					t.Errorf("%s: the partner of %s has another one", name, r.Value)
				}
				if r.Variant != nil && !r.Lock.Exists {
					got += r.Value
				}
			}
			if got != want {
				t.Errorf("%s, any owner %v: %q has a partner, want %q", name, anyOwner, got, want)
			}
		}
	}
}
