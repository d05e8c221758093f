package change_test

import (
	"reflect"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/layout"
)

// normal returns a value after the normalisers of the constraint.
func (k layoutFixture) normal(t *dynamo.Table, v string) string {
	_, c := t.Layout.Constraint(k.constraint)
	return layout.Normalise(c.Normalise, v)
}

// A repair puts the same lock as the application would.
func TestAMissingLockIsPutAsTheApplicationWouldHave(t *testing.T) {
	t.Parallel()
	for _, k := range layoutFixtures() {
		t.Run(k.name, func(t *testing.T) {
			f, table := k.laid(t)
			ada := people()[0]
			want := k.lock(ada.id, ada.email)
			f.delete(k.lockTable(), k.lockKey(ada))
			before := f.get(fixtureTable, k.accountKey(ada))
			f.apply(mend.Repair(t.Context(), table, f.value(table, k.constraint, k.normal(table, ada.email))))
			if got := f.get(k.lockTable(), k.lockKey(ada)); !reflect.DeepEqual(got, want) {
				t.Errorf("the lock is %v; want %v", got, want)
			}
			if got := f.get(fixtureTable, k.accountKey(ada)); !reflect.DeepEqual(got, before) {
				t.Errorf("the account is %v; want %v", got, before)
			}
		})
	}
}

// A change of value leaves the account and its lock as the application would write them.
func TestAChangedValueIsAsTheApplicationWouldHaveIt(t *testing.T) {
	t.Parallel()
	for _, k := range layoutFixtures() {
		t.Run(k.name, func(t *testing.T) {
			f, table := k.laid(t)
			ada, fresh := people()[0], "Countess@lovelace.io"
			countess := person{ada.id, fresh}
			f.apply(planner.ChangeValue(t.Context(), table, f.value(table, k.constraint, k.normal(table, ada.email)), fresh))
			want := k.lock(ada.id, fresh)
			if got := f.get(k.lockTable(), k.lockKey(countess)); !reflect.DeepEqual(got, want) {
				t.Errorf("the new lock is %v; want %v", got, want)
			}
			if got := f.get(k.lockTable(), k.lockKey(ada)); got != nil {
				t.Errorf("the old lock is still there: %v", got)
			}
			account := k.account(ada.id, fresh)
			if got := f.get(fixtureTable, k.accountKey(ada)); !sameItem(got, account) {
				t.Errorf("the account is %v; want %v", got, account)
			}
			if n := f.writes(); n != 1 {
				t.Errorf("%d transactions; want one", n)
			}
		})
	}
}

// Only the case of a value changes. If the layout distinguishes case, the account gets a new lock. If the layout folds
// case, the lock stays, and its copy of the value is updated.
func TestAChangeOfCase(t *testing.T) {
	t.Parallel()
	for _, k := range layoutFixtures() {
		t.Run(k.name, func(t *testing.T) {
			f, table := k.laid(t)
			ada, fresh := people()[0], "ADA@lovelace.io"
			p, err := planner.ChangeValue(t.Context(), table, f.value(table, k.constraint, k.normal(table, ada.email)), fresh)
			f.apply(p, err)
			want := k.lock(ada.id, fresh)
			if got := f.get(k.lockTable(), k.lockKey(person{ada.id, fresh})); !reflect.DeepEqual(got, want) {
				t.Errorf("the lock is %v; want %v", got, want)
			}
			folds, actions := k.normal(table, fresh) == k.normal(table, ada.email), len(p.Steps[0].Writes)
			if (folds && actions != 2) || (!folds && actions != 3) {
				t.Errorf("%d actions, folded: %v", actions, folds)
			}
			if account := k.account(ada.id, fresh); !sameItem(f.get(fixtureTable, k.accountKey(ada)), account) {
				t.Error("the account does not have the new value")
			}
		})
	}
}

func TestAnAccountGoesWithAllItsLocks(t *testing.T) {
	t.Parallel()
	for _, k := range layoutFixtures() {
		t.Run(k.name, func(t *testing.T) {
			f, table := k.laid(t)
			ada := people()[0]
			rel := f.value(table, k.constraint, k.normal(table, ada.email))
			p, err := planner.DeleteAccount(t.Context(), table, rel.Account.Key)
			if err == nil && p.Typed != rel.Account.ID {
				t.Errorf("typed %q; want the account's id, %s", p.Typed, rel.Account.ID)
			}
			f.apply(p, err)
			if f.get(fixtureTable, k.accountKey(ada)) != nil || f.get(k.lockTable(), k.lockKey(ada)) != nil {
				t.Error("the account or its lock is still there")
			}
			for _, other := range people()[1:] {
				if f.get(k.lockTable(), k.lockKey(other)) == nil {
					t.Errorf("the lock of %s is gone", other.id)
				}
			}
			if k.constraint == "emails" && f.get(fixtureTable, k.lockKey(person{ada.id, ada.id + "@also.io"})) != nil {
				t.Error("the lock of the other value is still there")
			}
		})
	}
}

// A foreign lock gets its right owner, in the form that the lock already has.
func TestAForeignLockIsGivenItsOwner(t *testing.T) {
	t.Parallel()
	for _, k := range layoutFixtures() {
		if k.layout == nil || k.layout.Accounts[0].Constraints[0].Owner == "" {
			continue
		}
		for _, gone := range []bool{true, false} {
			t.Run(k.name, func(t *testing.T) {
				f, table := k.laid(t)
				ada, other := people()[0], people()[1]
				want := k.lock(ada.id, ada.email)
				f.put(k.lockTable(), more(k.lock(other.id, ada.email), strs("since", "1842")))
				if gone {
					f.delete(fixtureTable, k.accountKey(other))
				}
				p, err := planner.Give(t.Context(), table, f.value(table, k.constraint, k.normal(table, ada.email)))
				f.apply(p, err)
				if got := f.get(k.lockTable(), k.lockKey(ada)); !reflect.DeepEqual(got, more(want, strs("since", "1842"))) {
					t.Errorf("the lock is %v; want %v and what it had besides", got, want)
				}
				if !strings.Contains(p.Sentence, other.id) {
					t.Errorf("%q does not say who was named", p.Sentence)
				}
			})
		}
	}
}
