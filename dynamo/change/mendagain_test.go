package change_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/smithy-go"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/schema"
	"tallylock/internal/testrun"
)

// mendable makes a table with findings of several kinds, in a fixed order.
func mendable(t *testing.T, table string) (*fixture, *dynamo.Table, []finding.Finding) {
	t.Helper()
	f := start(t)
	f.put("posts", item{"id": num("50")})
	tab := f.open(table)
	found := f.checked(tab)
	slices.SortFunc(found, func(a, b finding.Finding) int { return strings.Compare(a.Same(), b.Same()) })
	return f, tab, found
}

// mended makes the repairs of findings. For each finding it returns the outcome, or the code of the refusal.
func (f *fixture) mended(ctx context.Context, t *dynamo.Table, found []finding.Finding) map[string]string {
	f.t.Helper()
	became := map[string]string{}
	mends, err := f.changer.PlanMends(ctx, t, found...)
	if err != nil {
		f.t.Fatal(err)
	}
	var plans []*plan.Plan
	var of []string
	for _, m := range mends {
		if m.Plan == nil {
			became[m.Finding.Same()] = m.Refused[0].Code
			continue
		}
		plans, of = append(plans, m.Plan), append(of, m.Finding.Same())
	}
	for n, r := range f.changer.ApplyAll(ctx, plans, nil) {
		became[of[n]] = string(r.Outcome)
	}
	return became
}

// A run of repairs is stopped at any point: the next run with the same findings makes the other repairs, and makes none
// twice.
func TestAMendThatWasStoppedIsFinished(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"accounts", "members", "posts"} {
		t.Run(table, func(t *testing.T) {
			f, tab, found := mendable(t, table)
			whole := f.mended(t.Context(), tab, found)
			want := f.dump(table)
			for stop := 1; ; stop += testrun.Runs(1, 2) {
				f, tab, found := mendable(t, table)
				ctx, cancel := context.WithCancel(t.Context())
				writes := 0
				f.after = func(operation string, _ []byte) error {
					if operation == "TransactWriteItems" {
						if writes++; writes == stop {
							cancel() // before the answer arrives
						}
					}
					return nil
				}
				first := f.mended(ctx, tab, found)
				cancel()
				f.after = nil
				second := f.mended(t.Context(), tab, found)
				for same, became := range whole {
					done := first[same] == string(journal.Applied)
					switch again := second[same]; {
					case became != string(journal.Applied) && again != became:
						t.Errorf("stopped at %d: %s is %s, and %s otherwise", stop, same, again, became)
					case became == string(journal.Applied) && done && again != plan.InOrder:
						t.Errorf("stopped at %d: %s was applied, and is %s the second time", stop, same, again)
					case became == string(journal.Applied) && again != became && again != plan.InOrder:
						t.Errorf("stopped at %d: %s was %s, and is %s the second time", stop, same, first[same], again)
					}
				}
				if got := f.dump(table); !reflect.DeepEqual(got, want) {
					t.Errorf("stopped at %d, the table is %v; want %v", stop, got, want)
				}
				if writes < stop {
					if stop < 3 && table != "posts" {
						t.Errorf("it was stopped at %d writes at most", stop)
					}
					break
				}
			}
		})
	}
}

// A difference since the check is detected before the write, or by the conditions of the write. Each repair is refused
// with its own reason.
func TestFindingsAreVerifiedAgain(t *testing.T) {
	t.Parallel()
	member := func(id, username string) item {
		return row("MEM#"+id, "PROFILE", "username", username, "email", id+"@example.net")
	}
	for _, tc := range []struct {
		name, table string
		kind        finding.Kind
		value       string
		meanwhile   func(f *fixture, found finding.Finding)
		late        bool // the difference comes after the planning
		want        string
	}{
		{"signed up with it", "accounts", finding.OrphanedLock, "alan", func(f *fixture, _ finding.Finding) {
			f.put("accounts", row("ACCT#new", "PROFILE", "username", "alan", "email", "new@example.net"))
		}, false, "refused Held"},
		{"signed up with it in the last moment", "accounts", finding.OrphanedLock, "alan", func(f *fixture, _ finding.Finding) {
			f.put("accounts", row("ACCT#new", "PROFILE", "username", "alan", "email", "new@example.net"))
			f.put("accounts", handle("alan"))
		}, true, "refused Held"},
		{"being released by somebody else", "accounts", finding.OrphanedLock, "alan", func(f *fixture, _ finding.Finding) {
			f.put("accounts", row("UNIQ#HANDLE#alan", "LOCK", schema.MarkAttribute, "another"))
		}, true, "refused ConditionalCheckFailed"},
		{"released by somebody", "accounts", finding.OrphanedLock, "alan", func(f *fixture, _ finding.Finding) {
			f.delete("accounts", handle("alan"))
		}, false, "InOrder"},
		{"put by somebody", "accounts", finding.MissingLock, "hopper", func(f *fixture, _ finding.Finding) {
			f.put("accounts", handle("hopper"))
		}, false, "InOrder"},
		{"put by somebody in the last moment", "accounts", finding.MissingLock, "hopper", func(f *fixture, _ finding.Finding) {
			f.put("accounts", handle("hopper"))
		}, true, "refused ConditionalCheckFailed"},
		{"its account is gone", "accounts", finding.MissingLock, "hopper", func(f *fixture, found finding.Finding) {
			f.delete("accounts", row(found.Accounts[0]["PK"].Text, found.Accounts[0]["SK"].Text))
		}, false, "InOrder"},
		{"its account holds another", "accounts", finding.MissingLock, "hopper", func(f *fixture, found finding.Finding) {
			f.put("accounts", row(found.Accounts[0]["PK"].Text, "PROFILE", "username", "other", "email", "o@example.net"))
		}, false, "InOrder"},
		{"its account holds another in the last moment", "accounts", finding.MissingLock, "hopper", func(f *fixture, found finding.Finding) {
			f.put("accounts", row(found.Accounts[0]["PK"].Text, "PROFILE", "username", "other", "email", "o@example.net"))
		}, true, "refused ConditionalCheckFailed"},
		{"the owner is back", "members", finding.OrphanedLock, "alan", func(f *fixture, found finding.Finding) {
			f.put("members", member(strings.TrimPrefix(found.Owner, "MEM#"), "alan"))
		}, false, "Held"},
		{"the owner holds it again", "members", finding.StaleLock, "mel", func(f *fixture, found finding.Finding) {
			f.put("members", member(strings.TrimPrefix(found.Owner, "MEM#"), "mel"))
		}, false, "Held"},
		{"it names its holder by now", "members", finding.ForeignLock, "mhamilton", func(f *fixture, found finding.Finding) {
			lock := f.get("members", handle("mhamilton"))
			for name, v := range lock {
				if text(v) == found.Owner {
					lock[name] = str(found.Accounts[0]["PK"].Text)
				}
			}
			f.put("members", lock)
		}, false, "InOrder"},
		{"the counter was raised", "posts", finding.CounterBehind, "", func(f *fixture, _ finding.Finding) {
			counter := f.get("posts", item{"id": num("-1")})
			counter["__max_hash_key__"] = num("50")
			f.put("posts", counter)
		}, false, "InOrder"},
		{"the counter moved in the last moment", "posts", finding.CounterBehind, "", func(f *fixture, _ finding.Finding) {
			counter := f.get("posts", item{"id": num("-1")})
			counter["__max_hash_key__"] = num("49")
			f.put("posts", counter)
		}, true, "applied"}, // the counter is read again, and is still behind
		{"the id is gone", "posts", finding.CounterBehind, "", func(f *fixture, _ finding.Finding) {
			f.delete("posts", item{"id": num("50")})
		}, false, "InOrder"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f, tab, found := mendable(t, tc.table)
			at := slices.IndexFunc(found, func(one finding.Finding) bool { return one.Kind == tc.kind && one.Value == tc.value })
			if at < 0 {
				t.Fatalf("found %v", kinds(found))
			}
			if !tc.late {
				tc.meanwhile(f, found[at])
			}
			mends, err := f.changer.PlanMends(t.Context(), tab, found[at])
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if mends[0].Plan == nil {
				got = codes(mends[0].Refused)
			} else {
				if tc.late {
					tc.meanwhile(f, found[at])
				}
				r := f.changer.ApplyAll(t.Context(), []*plan.Plan{mends[0].Plan}, nil)[0]
				got = strings.TrimSpace(fmt.Sprint(r.Outcome, " ", codes(r.Reasons)))
			}
			if got != tc.want {
				t.Errorf("%s; want %s", got, tc.want)
			}
		})
	}
}

// If a permission is missing, the program does not try every repair.
func TestADeniedMendIsTriedOnce(t *testing.T) {
	t.Parallel()
	f := start(t)
	for n := range 5 {
		f.put("accounts", row(fmt.Sprint("ACCT#x", n), "PROFILE", "username", fmt.Sprint("x", n), "email", fmt.Sprint("x", n, "@example.net")))
	}
	tab := f.open("accounts")
	found := f.checked(tab)
	f.before = func(operation string, _ []byte) error {
		if operation == "TransactWriteItems" {
			return &smithy.GenericAPIError{Code: "AccessDeniedException", Fault: smithy.FaultClient}
		}
		return nil
	}
	before := f.writes()
	for same, became := range f.mended(t.Context(), tab, found) {
		if became == string(journal.Applied) || became == string(journal.Unknown) {
			t.Errorf("%s is %s", same, became)
		}
	}
	// The writes are one put of a missing lock, and one mark.
	if sent := f.writes() - before; sent != 2 {
		t.Errorf("%d writes were sent", sent)
	}
}

// handles is the layout of a table that has only handles.
var handles = configured(config.Constraint{Attribute: "username", PK: "UNIQ#HANDLE#{v}", SK: "LOCK"})

// A table was deleted and created again with the same name: findings of the old table are not used for the new one.
func TestATableMadeAnewIsAnother(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	f.put("odd", row("ACCT#1", "PROFILE", "username", "u"))
	f.put("odd", handle("u"))
	tab := f.open("odd", handles)
	f.put("odd", handle("v"))
	found := f.checked(tab)
	if len(found) != 1 {
		t.Fatalf("found %v", kinds(found))
	}
	nameless := found[0]
	nameless.TableID = ""
	for name, one := range map[string]finding.Finding{"of another": {}, "of none": nameless} {
		if name == "of another" {
			one = found[0]
			one.TableID = "8a1e9c44-0000-4000-8000-000000000000"
		}
		if err := mend.SameTable(tab, one); client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), "table_id") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := f.changer.PlanMend(t.Context(), tab, one, nil); client.KindOf(err) != client.Usage {
			t.Errorf("%s: %v", name, err)
		}
	}
	// If neither the finding nor the table has a TableId, the name identifies the table.
	anonymous := f.open("odd", handles)
	anonymous.ID = ""
	if _, err := f.changer.PlanMend(t.Context(), anonymous, found[0], nil); client.KindOf(err) != client.Usage {
		t.Errorf("a finding of a table with a TableId: %v", err)
	}
	if p, err := f.changer.PlanMend(t.Context(), anonymous, nameless, nil); err != nil || p == nil {
		t.Errorf("%v, %v", p, err)
	}
}
