package ui_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/queue"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/internal/testrun"
	"tallylock/keymap"
	"tallylock/ui"
	"tallylock/ui/session"
)

// guests is the demo on a server: its sessions share a journal and a queue.
type guests struct {
	*setup
	dir    string // the folder of the journal, the answers and the queue
	queue  *queue.Queue
	writes writes
	tables []string     // the tables that later sessions may use; nil means all
	pool   *client.Pool // the read units of all sessions
}

func onGuests(t *testing.T) *guests {
	t.Helper()
	g := &guests{dir: t.TempDir()}
	g.setup = onDemo(t, g.inFolder)
	j, err := journal.Open(filepath.Join(g.dir, "state", "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	g.options.Connections[0].Changer.Journal = j
	if g.queue, err = queue.Open(filepath.Join(g.dir, "queue"), j); err != nil {
		t.Fatal(err)
	}
	return g
}

func (g *guests) inFolder(o *dynamo.Options) {
	o.Answers = filepath.Join(g.dir, "answers.jsonl")
	g.writes.counted(o)
}

// session returns the setup of one person's session.
func (g *guests) session(t *testing.T, name string, role session.Role, change ...func(*dynamo.Options)) *setup {
	t.Helper()
	s := *g.setup
	guest := &session.Guest{Name: name, Role: role, Queue: g.queue}
	o := s.demo.Options()
	o.Settle, o.Write, o.AnswersReadOnly = s.conn.Settle(), role == session.Operator, guest.WhyViewer()
	g.inFolder(&o)
	for _, c := range change {
		c(&o)
	}
	conn, err := dynamo.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	conn = conn.Share(client.Share{Tables: g.tables, Write: o.Write, Pool: g.pool}, o.AnswersReadOnly)
	s.conn = conn
	s.options.Guest = guest
	s.options.Connections = slices.Clone(s.options.Connections)
	s.options.Connections[0].Connection = conn
	return &s
}

// files lists all files of the server's folder.
func (g *guests) files(t *testing.T) (all []string) {
	t.Helper()
	err := filepath.WalkDir(g.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasSuffix(path, ".lock") {
			rel, _ := filepath.Rel(g.dir, path)
			all = append(all, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A viewer presses every key on every screen, and answers each dialog with its last button. No request writes. The only
// new files are the plans in the queue. Unless the run is long, each key that changes nothing is pressed only on a part
// of the screens.
func TestAViewerChangesNothing(t *testing.T) {
	step := testrun.Runs(1, 3)
	if testrun.Sparse() {
		step = 9
	}
	g := onGuests(t)
	here := names(t, ".")
	term := g.session(t, "kim", session.Viewer).run(t)
	term.see("confirmed")
	for at, screen := range []string{
		"1", "2", "3", "4", "5", "6", "/alan<enter>", "L", "1<enter>", "3<enter>", "LU", "1T", ":query UNIQ#HANDLE#alan<enter>",
		"/alan<enter>t",
	} {
		for n, info := range keymap.Default().Of(keymap.Screen) {
			if info.Use == keymap.ByKey || info.Action == keymap.Quit || info.Action == keymap.Help {
				continue
			}
			writes := info.Group == keymap.Change || info.Action == keymap.Save
			if !writes && n%step != at%step {
				continue
			}
			term.press("<esc><esc><esc>" + screen)
			key := info.Keys[0]
			if len(key) > 1 {
				key = "<" + key + ">"
			}
			term.press(key)
			for range 3 {
				term.quiet()
				if !strings.Contains(term.screen(), "╭─") {
					break
				}
				term.press("ticket<tab><right><right><right><enter>")
			}
		}
	}
	term.press("<esc><esc><esc><ctrl+z>")
	term.see("An SSH session cannot be suspended.")
	if n := g.writes.n.Load(); n > 0 {
		t.Errorf("%d requests that write were sent", n)
	}
	asked := 0
	for _, file := range g.files(t) {
		if asked++; !strings.HasPrefix(file, filepath.Join("queue", "P-")) {
			t.Errorf("the file %s arose", file)
		}
	}
	if asked == 0 {
		t.Error("no plan was put into the queue, so the walk shows little")
	}
	if now := names(t, "."); !slices.Equal(now, here) {
		t.Errorf("files arose in the working directory: %v", now)
	}
}

func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// The screen and the help say why a viewer cannot make changes.
func TestAViewerSeesWhy(t *testing.T) {
	g := onGuests(t)
	s := g.session(t, "kim", session.Viewer)
	s.w, s.h = 100, 40
	term := s.run(t)
	term.see("confirmed", "READ-ONLY")
	for _, c := range []struct{ keys, says string }{
		{"w", "An SSH session has no files of its own."},
		{":profile x<enter>", "The config of the server decides this."},
		{"<esc><esc>L", "layout"},
		{"w", "The config of the server decides this."},
		{"<esc>5", "kept on the server"},
		{"1?", "an SSH session has no files of its own"},
	} {
		term.press(c.keys)
		term.see(c.says)
	}
}

// If a viewer's connection could write, the server would be wrong, so the session does not start.
func TestAViewersConnectionCannotWrite(t *testing.T) {
	g := onGuests(t)
	s := g.session(t, "kim", session.Viewer)
	s.options.Connections[0].Connection = g.conn
	if _, err := ui.New(t.Context(), s.options); err == nil || !strings.Contains(err.Error(), "a viewer must not write") {
		t.Errorf("it opens, with %v", err)
	}
}

// A viewer asks for a release, and gives a reason. An operator sees who asks for what, verifies the plan and applies
// it. The journal and the receipt name both.
func TestAViewerAsksAndAnOperatorApplies(t *testing.T) {
	g := onGuests(t)
	kim := g.session(t, "kim", session.Viewer).run(t)
	kim.see("confirmed")
	kim.press("nr")
	kim.see("Frees the username", "Ask an operator", "the reason: it is required")
	kim.press("<tab>ticket 48151<tab><right><enter>")
	kim.see("The plan is in the queue", "queue (1)")
	if n := g.writes.n.Load(); n > 0 {
		t.Fatalf("%d requests that write were sent", n)
	}
	kim.press("6a")
	kim.see("Only an operator of the plan's tables can decide.")

	sam := g.session(t, "sam", session.Operator).run(t)
	sam.see("queue (1)")
	sam.press("6")
	sam.see("kim", "ticket 48151", "waits", "a apply")
	sam.press("a")
	sam.see("Frees the username", "ticket 48151", "with your name and kim's")
	sam.press("<right><enter>")
	sam.see("✓ Applied", "asked by kim")
	sam.press("<enter>")
	sam.see("applied by sam")
	kim.see("applied by sam")

	records, err := g.options.Connections[0].Changer.Journal.Records()
	if err != nil || len(records) != 1 {
		t.Fatalf("the journal has %d records, %v", len(records), err)
	}
	if r := records[0]; r.AppliedBy != "sam" || r.AskedBy != "kim" || r.Reason != "ticket 48151" || r.Outcome != journal.Applied {
		t.Errorf("the journal has %+v", r)
	}
}

// An operator refuses a plan with a reason that its author sees, and an author withdraws a plan.
func TestAPlanIsRefusedOrWithdrawn(t *testing.T) {
	g := onGuests(t)
	kim := g.session(t, "kim", session.Viewer).run(t)
	kim.see("confirmed")
	kim.press("nr")
	kim.see("Frees the username")
	kim.press("<tab>ticket 48151<tab><right><enter>")
	kim.see("queue (1)")
	sam := g.session(t, "sam", session.Operator).run(t)
	sam.see("queue (1)")
	sam.press("6x")
	sam.see("Only its author can withdraw it.")
	sam.press("D")
	sam.see("Refuse the plan of kim?")
	sam.press("she still signs up<enter><enter>")
	sam.see("refused by sam")
	kim.press("6")
	kim.see("refused by sam", "she still signs up")

	kim.press("1r")
	kim.see("Frees the username")
	kim.press("<tab>again<tab><right><enter>")
	kim.see("queue (1)")
	kim.press("6gx")
	kim.see("Withdrawn")
	sam.until("no waiting plan", func(frame string) bool { return !strings.Contains(frame, "queue (1)") })
}

// If the lock of a waiting plan is deleted, the operator's verification refuses the plan. The author sees the reason.
func TestAnOutdatedPlanIsRefused(t *testing.T) {
	g := onGuests(t)
	kim := g.session(t, "kim", session.Viewer).run(t)
	kim.see("confirmed")
	kim.press("nr")
	kim.see("Frees the username")
	kim.press("<tab>ticket 48151<tab><right><enter>")
	kim.see("queue (1)")
	if _, err := g.demo.App().DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
		TableName: aws.String("accounts"),
		Key:       map[string]types.AttributeValue{"PK": sdk.S("UNIQ#HANDLE#alan"), "SK": sdk.S("LOCK")},
	}); err != nil {
		t.Fatal(err)
	}
	sam := g.session(t, "sam", session.Operator).run(t)
	sam.see("queue (1)")
	sam.press("6a")
	sam.see("There is no lock")
	kim.press("6")
	kim.see("refused by sam", "outdated")
}

// An operator applies a plan of their own if the config says so. A viewer never does.
func TestAnOwnPlanIsApproved(t *testing.T) {
	for approveOwn, says := range map[bool]string{true: "Frees the username", false: "Another operator has to apply your plan."} {
		t.Run(fmt.Sprint(approveOwn), func(t *testing.T) {
			g := onGuests(t)
			asking := g.session(t, "sam", session.Viewer).run(t)
			asking.see("confirmed")
			asking.press("nr")
			asking.see("Frees the username")
			asking.press("<tab>ticket 48151<tab><right><enter>")
			asking.see("queue (1)")
			s := g.session(t, "sam", session.Operator)
			s.options.Guest.ApproveOwn = approveOwn
			sam := s.run(t)
			sam.see("queue (1)")
			sam.press("6a")
			sam.see(says)
		})
	}
}

// An operator applies a plan of several changes. The journal has the reasons of both people.
func TestAPlanOfSeveralChanges(t *testing.T) {
	g := onGuests(t)
	kim := g.session(t, "kim", session.Viewer).run(t)
	kim.see("confirmed")
	for _, name := range []string{"turing", "alan"} {
		kim.press("g")
		kim.to(name)
		kim.press("<space>")
	}
	kim.press("r")
	kim.see("Release 2 locks", "Ask an operator")
	kim.press("<tab>ticket 48151<tab><right><enter>")
	kim.see("queue (1)")
	all, _, err := g.queue.List(queue.Person{Name: "kim"})
	if err != nil || len(all) != 1 || len(all[0].Plan.Changes) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	sam := g.session(t, "sam", session.Operator).run(t)
	sam.see("queue (1)")
	sam.press("6a")
	sam.see("Release 2 locks")
	sam.press("<tab> checked by phone<tab><right><enter>")
	sam.see("2 of 2 locks released", "by sam, asked by kim")
	sam.press("<enter>")
	sam.see("applied by sam")
	records, err := g.options.Connections[0].Changer.Journal.Records()
	if err != nil || len(records) != 2 {
		t.Fatalf("the journal has %d records, %v", len(records), err)
	}
	for _, r := range records {
		if r.AppliedBy != "sam" || r.AskedBy != "kim" || !strings.HasPrefix(r.Reason, "ticket 48151 (sam: ") {
			t.Errorf("the journal has %+v", r)
		}
	}
}

// An operator's answer about a layout is in the journal, with the name.
func TestAnOperatorsAnswerIsInTheJournal(t *testing.T) {
	g := onGuests(t)
	s := g.session(t, "sam", session.Operator)
	o := s.demo.Options()
	undescribed(&o)
	g.inFolder(&o)
	conn, err := dynamo.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	s.options.Connections[0].Connection = conn
	term := s.run(t)
	term.see("guessed")
	term.press("L")
	term.see("accept")
	term.press("a")
	term.see("This is how our application does it")
	term.press("<right><enter>")
	term.see("Accepted, and stored for this table.")
	records, err := g.options.Connections[0].Changer.Journal.Records()
	if err != nil || len(records) != 1 || !records[0].Said || records[0].AppliedBy != "sam" ||
		!strings.HasPrefix(records[0].What, "accept the constraint") {
		t.Fatalf("the journal has %+v, %v", records, err)
	}
	term.press("<esc>5")
	term.see("accept the constraint", "applied")
}

// A session is cut in the middle of a release. The release ends, and its mark is gone.
func TestACutSessionFinishesItsRelease(t *testing.T) {
	g := onGuests(t)
	f := &faults{}
	s := g.session(t, "sam", session.Operator)
	o := s.demo.Options()
	o.Settle = s.conn.Settle()
	withFaults(f)(&o)
	conn, err := dynamo.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	s.options.Connections[0].Connection = conn
	term := s.run(t)
	term.asksRelease()
	held := make(chan struct{})
	f.set(func(f *faults) { f.hold = map[string]chan struct{}{"Scan": held} })
	term.meanwhile("<right><enter>")
	term.see("look")
	term.p.Kill()
	<-term.done
	term.over = true
	finished := make(chan int, 1)
	go func() { finished <- len(term.model.Finish(t.Context())) }()
	close(held)
	if n := <-finished; n != 1 {
		t.Errorf("%d receipts were not seen", n)
	}
	if item := lock(t, s, "UNIQ#HANDLE#alan"); item != nil {
		t.Errorf("the lock is there: %v", item)
	}
	records, err := g.options.Connections[0].Changer.Journal.Records()
	if err != nil || len(records) != 1 || records[0].Outcome != journal.Applied || records[0].Open {
		t.Errorf("the journal has %+v, %v", records, err)
	}
}

// TestQueueScreens draws the queue and its dialogs.
func TestQueueScreens(t *testing.T) {
	g := onGuests(t)
	noon := time.Date(2026, 3, 14, 12, 0, 0, 0, time.Local)
	var asked atomic.Int64 // each plan is one minute newer than the plan before, so that the order is certain
	g.queue.SetClock(func() time.Time { return noon.Add(time.Duration(asked.Load()-3) * time.Minute) })
	g.clock = func() time.Time { return noon }
	kim := g.session(t, "kim", session.Viewer).run(t)
	kim.see("confirmed")
	for n, reason := range []string{"ticket 48151, she cannot sign up", "ticket 48152", "ticket 48153"} {
		kim.press("1g" + strings.Repeat("n", n+1) + "m")
		kim.see("▸ No, leave it", "price")
		kim.press("<tab>" + reason + "<tab><right><enter>")
		kim.see(fmt.Sprintf("queue (%d)", n+1))
		asked.Add(1)
	}
	all, _, err := g.queue.List(queue.Person{Name: "kim"})
	if err != nil || len(all) != 3 {
		t.Fatal(all, err)
	}
	for _, e := range all {
		if e.Plan.Reason == "ticket 48153" {
			if err := g.queue.Refuse(queue.Person{Name: "sam", Operator: true}, e.ID, "the sign-up is under way"); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		who   string
		role  session.Role
		keys  string
		until []string
	}{
		"queue":           {"sam", session.Operator, "6Fcannot<enter>", []string{"a apply", "1 of 1"}},
		"queue-viewer":    {"kim", session.Viewer, "6G", []string{"refused by sam"}},
		"queue-apply":     {"sam", session.Operator, "6Fcannot<enter>a", []string{"▸ No, leave it", "price", "kim"}},
		"queue-refuse":    {"sam", session.Operator, "6Fcannot<enter>D", []string{"Refuse the plan of kim?"}},
		"queue-ask":       {"kim", session.Viewer, "1nm", []string{"Ask an operator", "price"}},
		"queue-of-nobody": {"lou", session.Viewer, "6", []string{"No plan waits."}},
	} {
		t.Run(name, func(t *testing.T) {
			term := g.session(t, c.who, c.role).run(t)
			term.see("confirmed")
			term.press(c.keys)
			term.pictures(c.until...)
		})
	}
}
