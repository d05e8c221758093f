package change_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo"
	"tallylock/dynamo/answers"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// statement is a table with accounts and their locks. The method say states for a person that no other items hold the
// values. Orders repeat addresses. Each of the accounts x0 to x19 has a stale lock, too.
type statement struct {
	*fixture
	file string
	used int
}

var orders = layout.Place{Table: "odd", Items: "ORDER#*/META", Attribute: "buyer"}

func sayable(t *testing.T) *statement {
	t.Helper()
	s := &statement{fixture: start(t), file: filepath.Join(t.TempDir(), "answers.jsonl")}
	s.fill()
	return s
}

func (s *statement) fill() {
	s.t.Helper()
	s.create("odd")
	for n := range 40 {
		id, v := fmt.Sprint(n), fmt.Sprintf("u%d@x.io", n)
		s.put("odd", row("USER#"+id, "PROFILE", "email", v), row("EMAIL#"+v, "LOCK", "userId", id))
	}
	for n := range 20 {
		id := fmt.Sprint("x", n)
		s.put("odd", row("USER#"+id, "PROFILE", "email", "new"+id+"@x.io"), row("EMAIL#old"+id+"@x.io", "LOCK", "userId", id),
			row("EMAIL#new"+id+"@x.io", "LOCK", "userId", id))
	}
	s.put("odd", row("ORDER#1", "META", "buyer", "u3@x.io"))
}

// opened opens the table with a layout of the config. The limit of read units is so low that no planner reads the whole
// table.
func (s *statement) opened(change ...func(*config.Constraint)) *dynamo.Table {
	s.t.Helper()
	l := emails(append(change, func(c *config.Constraint) { c.Owner, c.NoHolders = "userId", []layout.Place{orders} })...)
	return s.open("odd", s.stored, func(o *dynamo.Options) { o.Layouts = []config.Layout{l} })
}

func (s *statement) stored(o *dynamo.Options) { o.Answers, o.AutoReadUnits = s.file, 1 }

func email(t *dynamo.Table) *layout.Constraint { return t.Layout.Constraints()[0] }

// looks releases the next stale lock by its owner, and reports whether the release has read the table.
func (s *statement) looks(table *dynamo.Table) bool {
	s.t.Helper()
	scans := func() (n int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, operation := range s.sent {
			if operation == "Scan" {
				n++
			}
		}
		return n
	}
	before := scans()
	p := s.mustPlan(table, "email", fmt.Sprintf("oldx%d@x.io", s.used))
	s.used++
	if r := s.changer.Apply(s.t.Context(), p, nil); r.Outcome != journal.Applied {
		s.t.Fatalf("%s %v %v", r.Outcome, r.Reasons, r.Err)
	}
	return scans() > before
}

func (s *statement) say(table *dynamo.Table) {
	s.t.Helper()
	if err := table.Answers.SayNowhereElse(email(table)); err != nil {
		s.t.Fatal(err)
	}
}

// After a person has said that nothing else holds the values, a release by owner reads no table. The statement does not
// hold for another layout of the constraint, or for a new table of the same name. If only the config may have answers,
// the statement is refused.
func TestAStatementSparesTheLook(t *testing.T) {
	t.Parallel()
	s := sayable(t)
	table := s.opened()
	if !s.looks(table) {
		t.Error("nobody has said it, and the release reads no table")
	}
	s.say(table)
	if s.looks(table) || s.looks(s.opened()) {
		t.Error("it was said, and the release reads the table")
	}
	for name, other := range map[string]func(*config.Constraint){
		"other normalisers": func(c *config.Constraint) { c.Normalise = []string{"lower"} },
		"another name":      func(c *config.Constraint) { c.Name = "address" },
		"values move":       func(c *config.Constraint) { c.Moves = true },
	} {
		if other := s.opened(other); other.Answers.NowhereElse(email(other)) {
			t.Errorf("%s: the statement holds", name)
		}
	}
	only := s.open("odd", s.stored, func(o *dynamo.Options) {
		o.Layouts, o.ConfigAnswers = []config.Layout{emails(func(c *config.Constraint) { c.Owner, c.NoHolders = "userId", []layout.Place{orders} })}, true
	})
	lines, ok := errors.AsType[*answers.ConfigLines](only.Answers.SayNowhereElse(email(only)))
	if !s.looks(only) || !ok || lines.Lines != "[[layout.account.constraint]] # email\nnowhere_else = true\n" {
		t.Errorf("with answers = \"config\": %+v", lines)
	}
	said := table.Answers.Said()
	if len(said) != 1 || !said[0].NowhereElse {
		t.Fatalf("said: %+v", said)
	}
	if err := table.Answers.Forget(said[0].ID); err != nil {
		t.Fatal(err)
	}
	table.Answers.Recall()
	if !s.looks(table) || !s.looks(s.opened()) {
		t.Error("it was taken back, and the release reads no table")
	}
	s.say(table)
	if _, err := s.App().DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("odd")}); err != nil {
		t.Fatal(err)
	}
	s.fill()
	if anew := s.opened(); anew.Answers.NowhereElse(email(anew)) {
		t.Error("it holds for a new table of the same name")
	}
}

// The statement has no effect while it is unknown whether some other items hold the values: items in the sample, or in
// a check, or in an earlier question. It has no effect either if a person says that they hold the values.
func TestAnHeldPlaceStopsTheStatement(t *testing.T) {
	t.Parallel()
	s := sayable(t)
	table := s.opened()
	s.say(table)
	place := layout.Place{Table: "odd", Items: "OLD#*/META", Attribute: "mail"}
	table.Answers.RecordAsked(email(table), place)
	asked := s.opened()
	if err := asked.Answers.SayNowhereElse(email(asked)); client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), "unknown whether the attribute mail of the items OLD#*/META holds these values") {
		t.Errorf("asked about before: %v", err)
	}
	if !s.looks(asked) {
		t.Error("asked about before: the release reads no table")
	}
	if err := asked.Answers.Answer(email(asked), place, layout.HoldNot); err != nil || s.looks(asked) {
		t.Errorf("answered: %v, and the release reads the table", err)
	}

	s.put("odd", row("NOTE#7", "META", "text", "oldx19@x.io")) // after the sample
	if s.looks(asked) {
		t.Error("nobody has seen the note, and the release reads the table")
	}
	s.checkedAnyhow(asked)
	if !slices.ContainsFunc(asked.Answers.Questions(), func(q answers.HeldPlace) bool { return q.Place.Items == "NOTE#*/META" }) {
		t.Fatalf("the check asks %v", asked.Answers.Questions())
	}
	if !s.looks(asked) {
		t.Error("seen by a check: the release reads no table")
	}
	sampled := s.opened()
	if !s.looks(sampled) {
		t.Error("seen in the sample: the release reads no table")
	}
	note := layout.Place{Table: "odd", Items: "NOTE#*/META", Attribute: "text"}
	if err := sampled.Answers.Answer(email(sampled), note, layout.Hold); err != nil || sampled.Answers.NowhereElse(email(sampled)) {
		t.Errorf("a person says that they hold the values: %v", err)
	}
	if writer := s.opened(func(c *config.Constraint) {
		c.Holders = []config.Holder{{Table: "odd", Items: "NOTE#*/META", Attribute: "text", PutsLock: true}}
		c.NowhereElse = true
	}); !s.looks(writer) {
		t.Error("holders that put the lock: the release reads no table")
	}
}

// A statement about an accepted constraint counts like a statement about a described one. A guessed constraint has to
// be accepted first.
func TestAStatementAboutAnAcceptedConstraint(t *testing.T) {
	t.Parallel()
	s := sayable(t)
	connect := func() *dynamo.Table {
		o := s.Options()
		o.Transport, o.Settle, o.Asked, o.Layouts = s, 1e6, true, nil
		s.stored(&o)
		c, err := dynamo.Connect(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		table, err := c.Open(t.Context(), "odd")
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	table := connect()
	if err := table.Answers.SayNowhereElse(email(table)); client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), "only guessed") {
		t.Errorf("of a guess: %v", err)
	}
	table, err := dynamo.Accept(context.Background(), table, email(table), nil)
	if err == nil {
		err = table.Answers.Answer(email(table), orders, layout.HoldNot)
	}
	if err != nil {
		t.Fatal(err)
	}
	if !s.looks(table) {
		t.Error("nobody has said it, and the release reads no table")
	}
	s.say(table)
	again := connect()
	if s.looks(table) || s.looks(again) {
		t.Error("it was said, and the release reads the table")
	}
	if again, err = dynamo.Accept(context.Background(), again, email(again), nil); err != nil || s.looks(again) {
		t.Errorf("accepted again: %v", err)
	}
	for _, e := range again.Answers.Said() {
		if e.NowhereElse {
			err = again.Answers.Forget(e.ID)
		}
	}
	if again.Answers.Recall(); err != nil || !s.looks(again) {
		t.Errorf("taken back after it was accepted again, the release reads no table: %v", err)
	}
}

// A person says that no item outside the layout holds values. Then a release reads no table, but only if tallylock
// has read the owners of all sampled locks that it tries. Here the limit of read units allows only some of them, so
// the release still reads the table.
func TestAStatementNeedsAllOwnersThatAreTried(t *testing.T) {
	t.Parallel()
	s := sayable(t)
	for n := range 60 {
		id, v := fmt.Sprint("p", n), fmt.Sprintf("p%d@x.io", n)
		s.put("odd", row("USER#"+id, "PROFILE", "email", v, "note", strings.Repeat("cloudy ", 300)),
			row("EMAIL#"+v, "LOCK", "userId", id), row("EMAIL#oldx"+id+"@x.io", "LOCK", "userId", "gone"+id))
	}
	s.say(s.opened())
	l := emails(func(c *config.Constraint) { c.Owner, c.NoHolders = "userId", []layout.Place{orders} })
	for units := range 12 {
		table := s.open("odd", s.stored, func(o *dynamo.Options) {
			o.Layouts, o.Asked, o.AutoReadUnits = []config.Layout{l}, false, 0.5+float64(units)
		})
		if !table.Answers.NowhereElse(email(table)) {
			t.Fatal("the statement is not known")
		}
		s.sent = nil
		p := s.mustPlan(table, "email", fmt.Sprintf("oldxp%d@x.io", units))
		if r := s.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Applied || !slices.Contains(s.sent, "Scan") {
			t.Errorf("with %d units no table is read: %s %v", units, r.Outcome, r.Reasons)
		}
	}
}
