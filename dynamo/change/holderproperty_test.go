package change_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/testrun"
)

// hiding is a random layout with accounts, orphaned locks, and locks whose values are in items outside the layout.
type hiding struct {
	*fixture
	random *rand.Rand
	layout config.Layout
	// account, accountSort, lock and lockSort are words of the keys.
	account, accountSort, lock, lockSort string
	lockTable                            string
	digest                               bool
	owner                                string
	// live has the locks of live values, and orphans the orphaned locks, both by value.
	live, orphans map[string]item
	decoys        int // the number of shapes of items that repeat values of orphans
}

func (h *hiding) pick(of ...string) string { return of[h.random.IntN(len(of))] }

// newHiding makes a random layout, and fills its tables.
func newHiding(f *fixture, seed uint64) *hiding {
	h := &hiding{
		fixture: f, random: rand.New(rand.NewPCG(seed, 7)), live: map[string]item{}, orphans: map[string]item{},
	}
	sep := h.pick("#", ":", "/", "|")
	h.account, h.accountSort = h.pick("USER", "ACCT", "customer", "m")+sep, h.pick("PROFILE", "meta", "A")
	h.lock, h.lockSort = h.pick("UNIQ"+sep+"EMAIL", "EMAIL", "lock"+sep+"email", "_unique")+sep, h.pick("LOCK", "UNIQUE", "-")
	h.lockTable = h.pick("odd", "odd", "locks")
	h.digest = h.random.IntN(5) == 0
	h.owner = h.pick("", "", "userId")
	c := config.Constraint{Attribute: "email", PK: h.lock + "{v}", SK: h.lockSort, Owner: h.owner}
	if h.lockTable != "odd" {
		c.Table, c.AlsoIn = h.lockTable, &[]string{}
		if h.random.IntN(2) == 0 {
			c.AlsoIn = &[]string{"others"}
		}
	}
	if h.digest {
		c.Normalise = []string{"lower", "sha256"}
	}
	h.layout = config.Layout{Name: "mine", Tables: []string{"odd"}, Accounts: []config.Account{{
		PK: h.account + "{id}", SK: h.accountSort, Constraints: []config.Constraint{c},
	}}}
	for _, table := range []string{"odd", "locks", "others"} {
		f.create(table)
	}
	for n := range 5 {
		v := fmt.Sprintf("u%d@x.io", n)
		f.put("odd", row(h.account+fmt.Sprint(n), h.accountSort, "email", v))
		f.put(h.lockTable, h.lockOf(v, fmt.Sprint(n)))
	}
	for n := range 6 {
		v := fmt.Sprintf("live%d@x.io", n)
		h.live[v] = h.lockOf(v, fmt.Sprint("h", n))
		f.put(h.lockTable, h.live[v])
		h.hide(v, n, c.AlsoIn != nil && len(*c.AlsoIn) > 0)
	}
	for n := range 3 {
		v := fmt.Sprintf("gone%d@x.io", n)
		h.orphans[v] = h.lockOf(v, fmt.Sprint("gone", n))
		f.put(h.lockTable, h.orphans[v])
		if n == 0 {
			f.put("odd", row("RECEIPT"+sep+"1", "LINE", "buyer", v))
			h.decoys = 1
		}
	}
	return h
}

// lockOf returns the lock of a value.
func (h *hiding) lockOf(v, owner string) item {
	if h.digest {
		v = layout.Normalise([]layout.Normaliser{layout.Lower, layout.SHA256}, v)
	}
	if h.owner == "" {
		return row(h.lock+v, h.lockSort)
	}
	return row(h.lock+v, h.lockSort, h.owner, owner)
}

// hide puts an item that holds a value in a place that the layout does not describe.
func (h *hiding) hide(v string, n int, others bool) {
	id, table := fmt.Sprint("h", n), "odd"
	if others && h.random.IntN(3) == 0 {
		table = "others"
	}
	name, domain, _ := strings.Cut(v, "@")
	switch own := row(h.account+id, h.accountSort, "email", fmt.Sprintf("new%d@x.io", n)); h.random.IntN(8) {
	case 0: // the account that the lock names, or another one
		own["recoveryEmail"] = str(v)
		h.put("odd", own)
		h.put(h.lockTable, h.lockOf(fmt.Sprintf("new%d@x.io", n), id))
	case 1:
		h.put(table, row("PROFILE|"+id, "x", "aliases", "a@x.io;"+v+" , b@x.io"))
	case 2:
		h.put(table, row("USER|"+id, "SETTING#backup", "value", v))
	case 3:
		h.put(table, row(h.account+id, "v#0000001", "email", v))
	case 4:
		h.put(table, row("DOC|"+id, "1", "body", fmt.Sprintf(`{"to":[{"mail":%q}],"n":1}`, strings.ToUpper(v))))
	case 5:
		h.put(table, row("IDX|"+id, "1", "GSI1PK", "$app#email_"+v))
	case 6:
		h.put(table, item{"PK": str("MAP|" + id), "SK": str("1"), "members": mapOf("u1", &types.AttributeValueMemberSS{Value: []string{"x", v}})})
	case 7:
		spelt := strings.ToUpper(name[:1]) + name[1:] + "@" + domain
		if !h.digest { // another spelling has another digest, unless only its case differs
			spelt = name[:2] + "." + name[2:] + "+news@" + domain
		}
		h.put(table, row("SUB|"+id, "1", "mail", spelt))
	}
}

func (h *hiding) there(lock item) bool {
	return h.get(h.lockTable, item{"PK": lock["PK"], "SK": lock["SK"]}) != nil
}

// wrong checks, repairs and releases everything, and returns the first mistake; empty if there is none.
func (h *hiding) wrong() string {
	file := filepath.Join(h.t.TempDir(), "answers.jsonl")
	table := h.open("odd", func(o *dynamo.Options) { o.Layouts, o.Answers = []config.Layout{h.layout}, file })
	values := map[string]string{} // by the value in the lock's key
	for v := range h.live {
		values[strings.TrimPrefix(h.lockOf(v, "")["PK"].(*types.AttributeValueMemberS).Value, h.lock)] = v
	}
	found := h.checkedAnyhow(table)
	for _, one := range found {
		if v := values[one.Value]; v != "" && one.Confirmed {
			return fmt.Sprintf("%s of %s is confirmed: %s", one.Kind, v, one.Detail)
		}
		if one.Confirmed && one.Kind != finding.OrphanedLock && one.Kind != finding.StaleLock {
			return fmt.Sprintf("a false %s of %s is confirmed: %s", one.Kind, one.Value, one.Detail)
		}
	}
	h.mend(table, found...)
	for v, lock := range h.live {
		for try := range 5 {
			if p, err := h.plan(table, "email", v); err == nil {
				if r := h.changer.Apply(h.t.Context(), p, nil); r.Outcome != journal.Refused {
					return fmt.Sprintf("try %d releases %s: %s", try, v, r.Outcome)
				}
			} else if _, ok := errors.AsType[*plan.Refusal](err); !ok {
				return err.Error()
			}
			if !h.there(lock) {
				return "the lock of " + v + " is gone"
			}
		}
	}
	answers := 0
	for v, lock := range h.orphans {
		for h.there(lock) {
			p, err := h.plan(table, "email", v)
			var reasons []plan.Reason
			if err == nil {
				r := h.changer.Apply(h.t.Context(), p, nil)
				reasons = r.Reasons
				if r.Outcome == journal.Applied {
					continue
				}
			} else if refused, ok := errors.AsType[*plan.Refusal](err); ok {
				reasons = refused.Reasons
			}
			if len(reasons) == 0 || reasons[0].Asks == nil || answers == h.decoys {
				return fmt.Sprintf("the orphan %s is not released after %d answers: %v %v", v, answers, reasons, err)
			}
			answers++
			if err := reasons[0].Asks.Answer(layout.HoldNot); err != nil {
				return err.Error()
			}
		}
	}
	return ""
}

// With any layout, and wherever an item holds a value, no lock of a live value is released, and no false finding is
// confirmed. Each orphaned lock is released after at most one answer for each shape of items.
func TestHoldersOutsideAnyLayout(t *testing.T) {
	t.Parallel()
	seeds(t, testrun.Runs(300, 12), func(seed uint64) string {
		h := newHiding(start(t), seed)
		if wrong := h.wrong(); wrong != "" {
			return fmt.Sprintf("seed %d: %s\n%+v", seed, wrong, h.layout)
		}
		return ""
	})
}
