package queue_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/gofrs/flock"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/change/queue"
	"tallylock/dynamo/client"
	"tallylock/dynamo/demo"
)

// world is a server with the demo's tables.
type world struct {
	t       *testing.T
	conn    *dynamo.Connection
	table   *dynamo.Table
	journal *journal.Journal
	dir     string
	queue   *queue.Queue
	now     time.Time
}

var (
	kim = queue.Person{Name: "kim"}
	lou = queue.Person{Name: "lou"}
	sam = queue.Person{Name: "sam", Operator: true}
	eve = queue.Person{Name: "eve", Operator: true}
)

func start(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	d, err := demo.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: filepath.Join(t.TempDir(), "queue"), now: time.Now()}
	o := d.Options()
	o.Settle = time.Millisecond
	if w.conn, err = dynamo.Connect(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if w.table, err = w.conn.Open(t.Context(), demo.Table); err != nil {
		t.Fatal(err)
	}
	if w.journal, err = journal.Open(filepath.Join(t.TempDir(), "state", "journal.jsonl")); err != nil {
		t.Fatal(err)
	}
	w.open()
	return w
}

// open opens the queue, as a server does when it starts.
func (w *world) open() {
	w.t.Helper()
	var err error
	if w.queue, err = queue.Open(w.dir, w.journal); err != nil {
		w.t.Fatal(err)
	}
	w.queue.SetClock(func() time.Time { return w.now })
}

// file plans the release of alan's lock.
func (w *world) file() (*change.PlanFile, queue.Shown) {
	w.t.Helper()
	key := attr.Item{"PK": {Kind: attr.S, Text: "UNIQ#HANDLE#alan"}, "SK": {Kind: attr.S, Text: "LOCK"}}
	p, err := planner.ReleaseAt(w.t.Context(), w.table, "username", key, false)
	if err != nil {
		w.t.Fatal(err)
	}
	f := change.NewPlanFile(w.t.Context(), w.conn, "somebody", "ticket 48151")
	if err := f.Add(p); err != nil {
		w.t.Fatal(err)
	}
	return f, queue.ShownOf(p)
}

func (w *world) ask(by queue.Person) *queue.Entry {
	w.t.Helper()
	f, shown := w.file()
	e, err := w.queue.Add(by, shown, f)
	if err != nil {
		w.t.Fatal(err)
	}
	return e
}

func (w *world) list(by queue.Person) []*queue.Entry {
	w.t.Helper()
	all, _, err := w.queue.List(by)
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// state returns the state of an entry for its author.
func (w *world) state(id string) queue.State {
	w.t.Helper()
	e, err := w.queue.Entry(kim, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return e.State
}

func why(err error) string {
	if e, ok := errors.AsType[*client.Error](err); ok {
		return e.Why
	}
	return fmt.Sprint(err)
}

// Only the author and the operators of the tables see a plan. The files are private, and survive a restart.
func TestWhoSeesAPlan(t *testing.T) {
	w := start(t)
	e := w.ask(kim)
	w.open()
	blind := sam
	blind.Sees = func(_, table string) bool { return table != demo.Table }
	for name, c := range map[string]struct {
		by   queue.Person
		sees int
	}{"the author": {kim, 1}, "another viewer": {lou, 0}, "an operator": {sam, 1}, "an operator of other tables": {blind, 0}} {
		if all := w.list(c.by); len(all) != c.sees {
			t.Errorf("%s sees %d plans", name, len(all))
		}
		if _, err := w.queue.Entry(c.by, e.ID); (err == nil) != (c.sees == 1) {
			t.Errorf("%s reads the plan: %v", name, err)
		}
		if _, err := w.queue.Take(c.by, e.ID); c.sees == 0 && err == nil {
			t.Errorf("%s takes the plan", name)
		}
	}
	got := w.list(sam)[0]
	if got.AskedBy != "kim" || got.Plan.Who != "kim" || got.Plan.Reason != "ticket 48151" || got.Shown.Sentence == "" ||
		len(got.Shown.Lines) == 0 {
		t.Errorf("the operator sees %+v", got)
	}
	for file, mode := range map[string]os.FileMode{w.dir: 0o700, filepath.Join(w.dir, e.ID+".json"): 0o600} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
	}
}

// Two operators take a plan at the same moment: one operator gets it, and the other gets an error with the name of the
// first. Nobody applies a plan of their own, unless the server allows it.
func TestOneOperatorAppliesAPlan(t *testing.T) {
	w := start(t)
	e := w.ask(kim)
	var mu sync.Mutex
	var wg sync.WaitGroup
	var taken []*queue.Taken
	var errs []error
	for _, by := range []queue.Person{sam, eve, sam, eve} {
		wg.Go(func() {
			got, err := w.queue.Take(by, e.ID)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				taken = append(taken, got)
			} else {
				errs = append(errs, err)
			}
		})
	}
	wg.Wait()
	if len(taken) != 1 || len(errs) != 3 {
		t.Fatalf("%d operators have the plan; errors: %v", len(taken), errs)
	}
	winner := taken[0].DecidedBy
	if _, err := w.queue.Take(eve, e.ID); why(err) != winner+" is applying it" {
		t.Errorf("the other operator reads: %v", err)
	}
	if err := w.queue.Refuse(eve, e.ID, "no"); err == nil {
		t.Error("a plan under way was refused")
	}
	if err := w.queue.Withdraw(kim, e.ID); err == nil {
		t.Error("a plan under way was withdrawn")
	}
	if err := taken[0].Done(queue.Applied, "", "R-1"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.queue.Take(eve, e.ID); why(err) != winner+" has applied it already" {
		t.Errorf("the other operator reads: %v", err)
	}

	own := w.ask(sam)
	if _, err := w.queue.Take(sam, own.ID); why(err) != "another operator has to apply your plan" {
		t.Errorf("an operator takes their own plan: %v", err)
	}
	trusted := sam
	trusted.ApproveOwn = true
	got, err := w.queue.Take(trusted, own.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := got.Return(); err != nil || w.list(sam)[0].State != queue.Waiting {
		t.Errorf("the plan does not wait again: %v", err)
	}
}

// A plan is refused with a reason that its author sees. Only its author withdraws it.
func TestAPlanIsRefusedOrWithdrawn(t *testing.T) {
	w := start(t)
	e := w.ask(kim)
	for _, by := range []queue.Person{kim, lou} {
		if err := w.queue.Refuse(by, e.ID, "no"); err == nil {
			t.Errorf("%s refuses the plan", by.Name)
		}
	}
	if err := w.queue.Withdraw(sam, e.ID); err == nil {
		t.Error("an operator withdraws the plan of another person")
	}
	if err := w.queue.Refuse(sam, e.ID, "  "); err == nil {
		t.Error("a plan is refused without a reason")
	}
	if err := w.queue.Refuse(sam, e.ID, "she still signs up"); err != nil {
		t.Fatal(err)
	}
	if got := w.list(kim)[0]; got.State != queue.Refused || got.DecidedBy != "sam" || got.Why != "she still signs up" {
		t.Errorf("the author sees %+v", got)
	}
	if _, err := w.queue.Take(eve, e.ID); why(err) != "sam has refused it already" {
		t.Errorf("a refused plan is taken: %v", err)
	}
	e = w.ask(kim)
	if err := w.queue.Withdraw(kim, e.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := w.queue.Take(sam, e.ID); !strings.Contains(why(err), "withdrawn") {
		t.Errorf("a withdrawn plan is taken: %v", err)
	}
}

// A plan expires after 24 hours, and is gone a day later.
func TestAPlanExpires(t *testing.T) {
	w := start(t)
	e := w.ask(kim)
	w.now = w.now.Add(24*time.Hour + time.Second)
	if got := w.state(e.ID); got != queue.Expired {
		t.Errorf("the plan is %s", got)
	}
	if _, err := w.queue.Take(sam, e.ID); err == nil {
		t.Error("an expired plan is taken")
	}
	w.now = w.now.Add(24 * time.Hour)
	if all := w.list(kim); len(all) > 0 {
		t.Errorf("the plan is still there: %+v", all[0])
	}
}

// The queue has room for a limited number of plans, and for fewer plans of one person. A full queue drops decided plans
// first.
func TestTheQueueIsFull(t *testing.T) {
	w := start(t)
	f, shown := w.file()
	add := func(by queue.Person) error { _, err := w.queue.Add(by, shown, f); return err }
	for n := range 20 {
		if err := add(kim); err != nil {
			t.Fatal(n, err)
		}
	}
	if err := add(kim); !strings.Contains(why(err), "20 of your plans are already waiting") {
		t.Errorf("the 21st plan of one person: %v", err)
	}
	for n := range queue.MostPlans - 20 {
		if err := add(queue.Person{Name: fmt.Sprint("v", n%5)}); err != nil {
			t.Fatal(n, err)
		}
	}
	if err := add(lou); !strings.Contains(why(err), "100 plans are already waiting") {
		t.Errorf("the 101st plan: %v", err)
	}
	all := w.list(sam)
	if err := w.queue.Refuse(sam, all[0].ID, "no"); err != nil {
		t.Fatal(err)
	}
	if err := add(lou); err != nil || len(w.list(sam)) != queue.MostPlans {
		t.Errorf("a decided plan keeps its place: %v, %d plans", err, len(w.list(sam)))
	}
}

// Damaged and foreign files are named, and nobody acts on them.
func TestDamagedAndForeignFiles(t *testing.T) {
	w := start(t)
	e := w.ask(kim)
	good, err := os.ReadFile(filepath.Join(w.dir, e.ID+".json"))
	if err != nil {
		t.Fatal(err)
	}
	id := func(n int) string { return fmt.Sprintf("P-%016d", n) }
	as := func(n int, old, now string) []byte {
		text := strings.ReplaceAll(string(good), e.ID, id(n))
		if !strings.Contains(text, old) {
			t.Fatalf("no %s in %s", old, text)
		}
		return []byte(strings.Replace(text, old, now, 1))
	}
	mode := map[string]os.FileMode{}
	files := map[string][]byte{
		"note.txt":      []byte("hello"),
		id(1) + ".json": good[:len(good)/2],
		id(2) + ".json": good, // the id of another entry
		id(3) + ".json": as(3, `"state":"waiting"`, `"state":"approved"`),
		id(4) + ".json": as(4, `"tallylock_queue":1`, `"tallylock_queue":2`),
		id(5) + ".json": as(5, `"asked_by":"kim"`, `"asked_by":"sam"`),
		id(6) + ".json": as(6, `"plan":{`, `"more":1,"plan":{`),
		id(7) + ".json": append(as(7, "{", "{"), "{}"...),
		id(8) + ".json": as(8, `"changes":[`, `"changes":[],"other":[`),
		id(9) + ".json": as(9, "{", "{"),
	}
	mode[id(9)+".json"] = 0o644
	for name, data := range files {
		m := mode[name]
		if m == 0 {
			m = 0o600
		}
		if err := os.WriteFile(filepath.Join(w.dir, name), data, m); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(w.dir, name), m); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(w.dir, e.ID+".json"), filepath.Join(w.dir, id(10)+".json")); err != nil {
		t.Fatal(err)
	}
	all, problems, err := w.queue.List(sam)
	if err != nil || len(all) != 1 || all[0].ID != e.ID {
		t.Fatalf("the queue lists %d plans, %v", len(all), err)
	}
	named := map[string]string{}
	for _, p := range problems {
		named[p.File] = p.Why
	}
	for name := range files {
		if named[name] == "" {
			t.Errorf("%s is not named", name)
		}
	}
	if named[id(10)+".json"] == "" {
		t.Error("a symbolic link is not named")
	}
	for n := range 10 {
		if _, err := w.queue.Take(sam, id(n+1)); err == nil {
			t.Errorf("the file %s is taken", id(n+1))
		}
	}
	if _, problems, _ := w.queue.List(kim); len(problems) > 0 {
		t.Error("a viewer learns about files of others")
	}
	for _, hostile := range []string{"../state/journal", "P-../../x", "", "P-" + strings.Repeat("a", 300)} {
		if _, err := w.queue.Take(sam, hostile); err == nil {
			t.Errorf("the id %q is taken", hostile)
		}
	}
}

// A folder that others can use is refused.
func TestThePlansArePrivate(t *testing.T) {
	w := start(t)
	if err := os.Chmod(w.dir, 0o750); err != nil {
		t.Fatal(err)
	}
	if _, err := queue.Open(w.dir, w.journal); err == nil || !strings.Contains(err.Error(), "other users have access to it") {
		t.Errorf("the folder is used: %v", err)
	}
}

// The server ends while an operator applies a plan. The journal has the outcome of the plan, and the plan is applied
// only once.
func TestTheServerEndsWhileAPlanIsApplied(t *testing.T) {
	for name, sent := range map[string]bool{"before the change was sent": false, "after the change was applied": true} {
		t.Run(name, func(t *testing.T) {
			w := start(t)
			e := w.ask(kim)
			file := filepath.Join(w.dir, e.ID+".json")
			taken, err := w.queue.Take(sam, e.ID)
			if err != nil {
				t.Fatal(err)
			}
			applying, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c := (&change.Changer{Journal: w.journal, Who: "root"}).For("sam", w.journal)
			if sent {
				b, err := taken.Plan.ReplanAll(t.Context(), c, w.conn)
				if err != nil || len(b.Plans) != 1 {
					t.Fatal(b, err)
				}
				b.Plans[0].AskedBy = taken.AskedBy
				if r := c.Apply(t.Context(), b.Plans[0], nil); r.Outcome != journal.Applied {
					t.Fatalf("the release became %s: %v %v", r.Outcome, r.Reasons, r.Err)
				}
			}
			if err := taken.Return(); err != nil { // unlocks the plan, like the end of a process
				t.Fatal(err)
			}
			if err := os.WriteFile(file, applying, 0o600); err != nil {
				t.Fatal(err)
			}
			w.open()
			got := w.list(eve)[0]
			again, err := w.queue.Take(eve, e.ID)
			if !sent {
				if got.State != queue.Waiting || err != nil {
					t.Fatalf("the plan is %s, and cannot be applied: %v", got.State, err)
				}
				return
			}
			if got.State != queue.Applied || got.DecidedBy != "sam" || len(got.Receipts) != 1 || err == nil {
				t.Errorf("the plan is %+v; taken again: %v", got, again)
			}
			b, err := got.Plan.ReplanAll(t.Context(), c, w.conn)
			if err != nil || len(b.Plans) != 0 || len(b.Refused) != 1 {
				t.Errorf("the plan is made again: %+v, %v", b, err)
			}
			records, err := w.journal.Records()
			if err != nil || len(records) != 1 || records[0].AppliedBy != "sam" || records[0].AskedBy != "kim" {
				t.Errorf("the journal has %+v, %v", records, err)
			}
		})
	}
}

// rewrite changes the file of an entry, as another process could.
func (w *world) rewrite(id, old, now string) {
	w.t.Helper()
	file := filepath.Join(w.dir, id+".json")
	data, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(data), old) {
		w.t.Fatalf("no %s in the file: %v", old, err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(data), old, now, 1)), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// A plan with an unknown outcome does not wait again if somebody moves the journal away. Reading the plan changes no
// file: each change would make all sessions read the folder again.
func TestAnUnknownPlanStaysUnknown(t *testing.T) {
	w := start(t)
	e := w.ask(kim)
	w.rewrite(e.ID, `"state":"waiting"`, `"state":"unknown","decided_by":"sam","decided":"`+w.now.UTC().Format(time.RFC3339)+`","receipts":["R-1"]`)
	before, err := w.queue.Changed()
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if got := w.list(sam)[0]; got.State != queue.Unknown || got.DecidedBy != "sam" || len(got.Receipts) != 1 {
			t.Fatalf("the plan is %+v", got)
		}
	}
	if after, err := w.queue.Changed(); err != nil || !after.Equal(before) {
		if files, _ := os.ReadDir(w.dir); len(files) < 2 { // the first reading creates the entry's lock file
			t.Errorf("the folder was changed at %s, %v", after, err)
		}
	}
	if _, err := w.queue.Take(eve, e.ID); err == nil || !strings.Contains(why(err), "its outcome is unknown") {
		t.Errorf("the plan is applied once more: %v", err)
	}
}

// askForTwo asks for the releases of two locks.
func (w *world) askForTwo() *queue.Entry {
	w.t.Helper()
	f, shown := w.file()
	key := attr.Item{"PK": {Kind: attr.S, Text: "UNIQ#HANDLE#turing"}, "SK": {Kind: attr.S, Text: "LOCK"}}
	second, err := planner.ReleaseAt(w.t.Context(), w.table, "username", key, false)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := f.Add(second); err != nil {
		w.t.Fatal(err)
	}
	e, err := w.queue.Add(kim, shown, f)
	if err != nil {
		w.t.Fatal(err)
	}
	return e
}

// An operator's process ends after one of two changes was applied. The plan waits, with the other change.
func TestAPlanThatIsHalfAppliedWaits(t *testing.T) {
	w := start(t)
	e := w.askForTwo()
	taken, err := w.queue.Take(sam, e.ID)
	if err != nil {
		t.Fatal(err)
	}
	applying, err := os.ReadFile(filepath.Join(w.dir, e.ID+".json"))
	if err != nil {
		t.Fatal(err)
	}
	c := (&change.Changer{Journal: w.journal, Who: "root"}).For("sam", w.journal)
	b, err := taken.Plan.ReplanAll(t.Context(), c, w.conn)
	if err != nil || len(b.Plans) != 2 {
		t.Fatal(b, err)
	}
	if r := c.Apply(t.Context(), b.Plans[0], nil); r.Outcome != journal.Applied {
		t.Fatal(r)
	}
	if err := taken.Return(); err != nil { // unlocks the plan, like the end of a process
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, e.ID+".json"), applying, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := w.list(eve)[0]; got.State != queue.Waiting || len(got.Receipts) != 1 {
		t.Fatalf("the plan is %s, with the receipts %v", got.State, got.Receipts)
	}
	again, err := w.queue.Take(eve, e.ID)
	if err != nil {
		t.Fatal(err)
	}
	if b, err = again.Plan.ReplanAll(t.Context(), c, w.conn); err != nil || len(b.Plans) != 1 || len(b.Refused) != 1 {
		t.Errorf("the finished change is made again: %+v, %v", b, err)
	}
}

// An attempt that failed before it was sent does not refuse the plan later.
func TestAnEarlierFailureIsNoRefusal(t *testing.T) {
	w := start(t)
	e := w.ask(kim)
	taken, err := w.queue.Take(sam, e.ID)
	if err != nil {
		t.Fatal(err)
	}
	b, err := taken.Plan.ReplanAll(t.Context(), &change.Changer{Journal: w.journal, Who: "sam"}, w.conn)
	if err != nil || len(b.Plans) != 1 {
		t.Fatal(b, err)
	}
	over, cancel := context.WithCancel(t.Context())
	c := (&change.Changer{Journal: w.journal, Who: "root"}).For("sam", w.journal)
	r := c.Apply(over, b.Plans[0], func(p change.Progress) {
		if p.Stage == "wait" {
			cancel()
		}
	})
	if r.Outcome != journal.Refused || r.Err == nil {
		t.Fatalf("%s %v %v", r.Outcome, r.Reasons, r.Err)
	}
	applying, err := os.ReadFile(filepath.Join(w.dir, e.ID+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := taken.Return(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, e.ID+".json"), applying, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := w.list(eve)[0]; got.State != queue.Waiting {
		t.Errorf("the plan is %s: %s", got.State, got.Why)
	}
}

// An entry from the future is not used: it would wait for ever.
func TestAnEntryFromTheFuture(t *testing.T) {
	w := start(t)
	e := w.ask(kim)
	w.now = w.now.Add(-3 * time.Hour)
	_, problems, err := w.queue.List(sam)
	if err != nil || len(problems) != 1 || !strings.Contains(problems[0].Why, "in the future") {
		t.Errorf("%+v, %v", problems, err)
	}
	if _, err := w.queue.Take(sam, e.ID); err == nil {
		t.Error("it is taken")
	}
}

// A long reason is cut between two characters, so that it cannot prevent a refusal.
func TestALongReasonIsCut(t *testing.T) {
	w := start(t)
	for _, long := range []string{strings.Repeat("é", 5000), "x" + strings.Repeat("é", 5000), strings.Repeat("x", 4097)} {
		e := w.ask(kim)
		if err := w.queue.Refuse(sam, e.ID, long); err != nil {
			t.Fatal(err)
		}
		got := w.list(kim)
		if got := got[0]; got.State != queue.Refused || len(got.Why) > 4096 || len(got.Why) < 4090 || !utf8.ValidString(got.Why) {
			t.Errorf("the plan is %s, with a reason of %d bytes", got.State, len(got.Why))
		}
	}
}

// A plan that was sent with an unknown outcome cannot be refused: its author would think that nothing was done.
func TestAPlanThatMayBeAppliedIsNotRefused(t *testing.T) {
	w := start(t)
	e := w.ask(kim)
	c := (&change.Changer{Journal: w.journal, Who: "root"}).For("sam", w.journal)
	b, err := e.Plan.ReplanAll(t.Context(), c, w.conn)
	if err != nil || len(b.Plans) != 1 {
		t.Fatal(b, err)
	}
	if r := c.Apply(t.Context(), b.Plans[0], nil); r.Outcome != journal.Applied {
		t.Fatalf("the release became %s: %v %v", r.Outcome, r.Reasons, r.Err)
	}
	data, err := os.ReadFile(w.journal.Path())
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n")
	if err := os.WriteFile(w.journal.Path(), []byte(strings.Join(lines[:len(lines)-1], "")), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := w.queue.Refuse(sam, e.ID, "outdated"); err == nil || !strings.Contains(why(err), "its outcome is unknown") {
		t.Errorf("the plan is refused: %v", err)
	}
	if got := w.state(e.ID); got != queue.Waiting {
		t.Errorf("the plan is %s", got)
	}
}

// One of two changes is applied, and the plan waits again. Whatever happens to the other change, the author sees that a
// part was applied.
func TestTheRestOfAPlan(t *testing.T) {
	for name, end := range map[string]func(w *world, id string) queue.State{
		"is refused by a person": func(w *world, id string) queue.State {
			if err := w.queue.Refuse(eve, id, "the other one still signs up"); err != nil {
				w.t.Fatal(err)
			}
			return queue.Applied
		},
		"is refused by a condition": func(w *world, id string) queue.State {
			taken, err := w.queue.Take(eve, id)
			if err != nil {
				w.t.Fatal(err)
			}
			if err := taken.Done(queue.Refused, "the lock has changed", "R-9"); err != nil {
				w.t.Fatal(err)
			}
			return queue.Applied
		},
		"expires": func(w *world, _ string) queue.State {
			w.now = w.now.Add(25 * time.Hour)
			return queue.Expired
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := start(t)
			e := w.askForTwo()
			taken, err := w.queue.Take(sam, e.ID)
			if err != nil {
				t.Fatal(err)
			}
			c := (&change.Changer{Journal: w.journal, Who: "root"}).For("sam", w.journal)
			b, err := taken.Plan.ReplanAll(t.Context(), c, w.conn)
			if err != nil || len(b.Plans) != 2 {
				t.Fatal(b, err)
			}
			r := c.Apply(t.Context(), b.Plans[0], nil)
			if err := taken.Return(r.ID); err != nil || r.Outcome != journal.Applied {
				t.Fatal(r.Outcome, err)
			}
			want := end(w, e.ID)
			if got := w.list(kim)[0]; got.State != want || len(got.Receipts) == 0 || got.Receipts[0] != r.ID {
				t.Errorf("the plan is %s, with the receipts %v", got.State, got.Receipts)
			}
		})
	}
}

// A person may read a lock table that is the accounts table of other people. Plans about those accounts stay hidden.
func TestPlansOfATableThatAPersonMayNotOpen(t *testing.T) {
	w := start(t)
	e := w.ask(kim)
	reader := sam
	reader.Sees, reader.Opens = func(_, _ string) bool { return true }, func(_, table string) bool { return table != demo.Table }
	if all := w.list(reader); len(all) != 0 {
		t.Errorf("a person who may not open the table sees %+v", all[0])
	}
	if err := w.queue.Refuse(reader, e.ID, "no"); err == nil {
		t.Error("the person refuses the plan")
	}
}

// A plan that leaves no room for the decision about it is not stored.
func TestAPlanThatIsTooLarge(t *testing.T) {
	w := start(t)
	f, shown := w.file()
	shown.Sentence = strings.Repeat("x", 1_000_000)
	if _, err := w.queue.Add(kim, shown, f); err == nil || !strings.Contains(why(err), "larger than 960 KB") {
		t.Errorf("the plan is stored: %v", err)
	}
}

// An error of the journal names the journal, and no path of the server.
func TestAJournalThatCannotBeRead(t *testing.T) {
	w := start(t)
	e := w.ask(kim)
	if err := os.MkdirAll(filepath.Dir(w.journal.Path()), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(w.journal.Path(), 0o700); err != nil {
		t.Fatal(err)
	}
	err := w.queue.Refuse(sam, e.ID, "no")
	failed, ok := errors.AsType[*client.Error](err)
	if !ok || failed.Op != "reading the journal of the server" || strings.Contains(failed.Why+failed.Do, w.journal.Path()) {
		t.Errorf("%v", err)
	}
}

// A session that changes its entry does not change the entries of other sessions.
func TestSessionsShareNoEntry(t *testing.T) {
	w := start(t)
	e := w.ask(kim)
	w.now = w.now.Add(time.Minute) // the file has settled
	first := w.list(sam)[0]
	first.State, first.Why, first.Receipts = queue.Refused, "x", append(first.Receipts, "R-1")
	if got := w.list(eve)[0]; got.State != queue.Waiting || got.Why != "" || len(got.Receipts) != 0 {
		t.Errorf("another session sees %+v", got)
	}
	if err := w.queue.Refuse(sam, e.ID, "no"); err != nil {
		t.Fatal(err)
	}
	if got := w.list(eve)[0]; got.State != queue.Refused {
		t.Errorf("the plan is %s", got.State)
	}
}

// Another process holds the lock of the queue and does not release it. The error does not show the folder of the
// server.
func TestALockedQueue(t *testing.T) {
	w := start(t)
	f, shown := w.file()
	other := flock.New(filepath.Join(w.dir, "queue.lock"))
	if err := other.Lock(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Unlock() }()
	synctest.Test(t, func(t *testing.T) {
		_, err := w.queue.Add(kim, shown, f)
		if said := fmt.Sprint(err); err == nil || !strings.Contains(said, "another process holds the lock") || strings.Contains(said, w.dir) {
			t.Errorf("%v", err)
		}
	})
}
