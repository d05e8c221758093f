package change_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/schema"
	"tallylock/internal/testrun"
)

// trial is a change. The application writes one item of the change immediately before the tool sends one of its steps.
type trial struct {
	name  string
	in    string // the table of the items; empty for "odd"
	world func(*testing.T) (*fixture, *dynamo.Table)
	begin func(*fixture)
	plan  func(*fixture, *dynamo.Table) (*plan.Plan, error)
	undo  bool             // the trial tests the undo of the change
	step  journal.StepName // the application writes before this step; empty for the first step
	// rests has the attributes that the change relies on, by the partition key of an item. The change relies on all
	// attributes of the other items.
	rests map[string][]string
	lacks []string       // missing attributes that the change requires to stay missing
	early func(*fixture) // runs before the first step
}

// meddling is a write of the application.
type meddling struct {
	what string
	do   func()
}

// meddlings returns all writes that may hit the items of a step: an existing item is deleted, one of its attributes is
// changed, removed or added, or a missing item is created.
func (tr trial) meddlings(f *fixture, s plan.Step) (all []meddling) {
	add := func(what string, key item, do func(item)) {
		all = append(all, meddling{fmt.Sprint(what, " of ", texts(key)), func() {
			now := f.get(tr.in, key)
			f.delete(tr.in, key)
			if do == nil {
				return
			}
			now = more(key, now)
			do(now)
			f.put(tr.in, now)
		}})
	}
	for n, w := range s.Writes {
		key := keyItem(w.Key)
		now := f.get(tr.in, key)
		if now == nil {
			add("creation", key, func(i item) { i["userId"] = str("stranger") })
			continue
		}
		add("deletion", key, nil)
		names, limited := tr.rests[w.Key.Hash.Value.Text]
		if !limited {
			names = slices.DeleteFunc(slices.Sorted(maps.Keys(now)), func(name string) bool { return key[name] != nil })
			names = append(names, tr.lacks...)
			if text(now["SK"]) == "LOCK" && now[schema.MarkAttribute] == nil {
				names = append(names, schema.MarkAttribute)
			}
		}
		if tr.step == journal.StepUnmark {
			names = []string{schema.MarkAttribute}
		}
		marked := n == 0 && (tr.step == journal.StepUnmark || tr.step == journal.StepDelete && s.Only != "")
		for _, name := range names {
			add("a new "+name, key, func(i item) { i[name] = another(i[name]) })
			if now[name] != nil || name == schema.MarkAttribute && marked {
				add("removal of "+name, key, func(i item) { delete(i, name) })
			}
		}
	}
	return all
}

// another returns a value that differs from v.
func another(v types.AttributeValue) types.AttributeValue {
	if _, isNumber := v.(*types.AttributeValueMemberN); isNumber {
		return num("987654")
	}
	return str("another")
}

func keyItem(k attr.Key) item {
	i := item{}
	for name, v := range k.Item() {
		i[name] = str(v.Text)
		if v.Kind == attr.N {
			i[name] = num(v.Text)
		}
	}
	return i
}

// planned makes a plan of the trial. It also returns the step before which the application writes.
func (tr trial) planned(f *fixture, table *dynamo.Table) (*plan.Plan, plan.Step) {
	p, err := tr.plan(f, table)
	if tr.undo {
		p, err = f.undo(table, f.apply(p, err))
	}
	if err != nil {
		f.t.Fatal(err)
	}
	for _, s := range p.Steps {
		if s.Name == cmp.Or(tr.step, p.Steps[0].Name) {
			return p, s
		}
	}
	f.t.Fatalf("the plan has no step %s: %v", tr.step, p.Steps)
	return nil, plan.Step{}
}

// contents returns all items of the table as texts, without the given mark.
func (tr trial) contents(f *fixture, mark string) (all []string) {
	for _, i := range f.items(place{tr.in, ""}) {
		plain := texts(i)
		if plain[schema.MarkAttribute] == mark {
			delete(plain, schema.MarkAttribute)
		}
		all = append(all, fmt.Sprint(plain))
	}
	slices.Sort(all)
	return all
}

// run tries every nth meddling, each with a plan of its own.
func (tr trial) run(t *testing.T, every int) {
	if tr.in = cmp.Or(tr.in, "odd"); tr.world == nil {
		tr.world = versioned
	}
	f, table := tr.world(t)
	if tr.begin != nil {
		tr.begin(f)
	}
	was := f.items(place{tr.in, ""})
	for n := 0; ; n += every {
		p, s := tr.planned(f, table)
		all := tr.meddlings(f, s)
		if n >= len(all) {
			return
		}
		mark := plan.MarkIn(p.Steps[0].Writes[0].Set).Text
		var before []string
		sent, later := false, false
		f.before = func(operation string, body []byte) error {
			if operation != "TransactWriteItems" {
				return nil
			}
			token := tokenOf(body)
			if tr.early != nil && token == p.Steps[0].Token {
				tr.early(f)
			}
			later = later || sent && token != s.Token
			if !sent && token == s.Token {
				sent = true
				all[n].do()
				before = tr.contents(f, mark)
			}
			return nil
		}
		r := f.changer.Apply(t.Context(), p, nil)
		f.before = nil
		if r.Outcome != journal.Refused || !sent {
			t.Fatalf("%s: %s %v %v; want refused", all[n].what, r.Outcome, r.Reasons, r.Err)
		}
		if tr.step == journal.StepMark && later {
			t.Fatalf("%s: the lock was marked", all[n].what)
		}
		if after := tr.contents(f, mark); !slices.Equal(after, before) {
			t.Fatalf("%s: the table is %q, and was %q", all[n].what, after, before)
		}
		for _, i := range f.items(place{tr.in, ""}) {
			f.delete(tr.in, keyOf(p, i))
		}
		f.put(tr.in, was...)
	}
}

// keyOf returns the key of an item in the table of a plan.
func keyOf(p *plan.Plan, i item) item {
	key := item{}
	for name := range keyItem(p.Steps[0].Writes[0].Key) {
		key[name] = i[name]
	}
	return key
}

// If an item of a change, or of its undo, changes in any way before a step is sent, the step is refused, and overwrites
// nothing.
func TestEachItemOfAChangeIsAsSeen(t *testing.T) {
	t.Parallel()
	every := testrun.Runs(1, 24)
	if os.Getenv(mutationOf) != "" {
		every = 1
	}
	for _, tr := range slices.Concat(repairTrials(), accountTrials(), markTrials(), expiryTrials(), counterTrials()) {
		t.Run(tr.name, func(t *testing.T) { tr.run(t, every) })
	}
}

// repairTrials has the changes of the versioned table, and their undos.
func repairTrials() (all []trial) {
	for _, tc := range changes() {
		rests := map[string][]string{"USER#ada": {"email", "tenant", "rev"}, "USER#bob": {"email", "tenant"}}
		if strings.HasPrefix(tc.name, "delete") {
			rests["USER#ada"] = []string{"email", "tenant", "rev", "nick"}
		}
		tr := trial{
			name: tc.name, begin: tc.begin, rests: rests,
			plan: func(f *fixture, table *dynamo.Table) (*plan.Plan, error) { return tc.plan(f.t, f, table) },
		}
		if tc.name == "delete, of an account with one value and no version" {
			tr.rests = map[string][]string{"USER#ada": {"email", "tenant", "rev", "nick"}}
		}
		all = append(all, tr)
		if tc.name == "recreate" {
			continue // the account holds the value, so its lock stays
		}
		tr.name, tr.undo = "undo of "+tc.name, true
		if strings.HasPrefix(tc.name, "give") {
			tr.rests = map[string][]string{"USER#ada": {"email", "tenant"}, "USER#bob": {"email", "tenant"}, adaMail: {"userId"}}
		}
		all = append(all, tr)
	}
	return all
}
