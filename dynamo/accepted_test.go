package dynamo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo"
	"tallylock/dynamo/answers"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fixture"
	"tallylock/ui/say"
)

// townspeople makes a table of accounts, each with the lock of its e-mail address.
func townspeople(f *fixture.Tables, table string) {
	f.T.Helper()
	f.Create(table, "PK:S", "SK:S")
	for n := range 12 {
		mail := fmt.Sprintf("p%d@x.io", n)
		f.Put(table, sdk.Item{"PK": sdk.S(fmt.Sprint("P#", n)), "SK": sdk.S("DATA"), "mail": sdk.S(mail)}, sdk.Item{"PK": sdk.S("TAKEN#" + mail), "SK": sdk.S("-")})
	}
}

// remake deletes a table, and makes it again under the same name.
func remake(f *fixture.Tables, table string) {
	f.T.Helper()
	if _, err := f.App().DeleteTable(f.T.Context(), &dynamodb.DeleteTableInput{TableName: aws.String(table)}); err != nil {
		f.T.Fatal(err)
	}
	townspeople(f, table)
}

// stored returns an option that stores answers in a file of the test.
func stored(t *testing.T) func(*dynamo.Options) {
	file := filepath.Join(t.TempDir(), "state", "answers.jsonl")
	return func(o *dynamo.Options) { o.Answers = file }
}

func mustAccept(t *testing.T, table *dynamo.Table, c *layout.Constraint, alsoIn *[]string) *dynamo.Table {
	t.Helper()
	as, err := dynamo.Accept(t.Context(), table, c, alsoIn)
	if err != nil {
		t.Fatal(err)
	}
	return as
}

// An accepted constraint does not change with later samples. A person can take the acceptance back. In a new table with
// the same name, no constraint is accepted.
func TestAnAcceptedConstraint(t *testing.T) {
	f := fixture.New(t)
	townspeople(f, "people")
	kept := stored(t)
	table := f.Open("people", kept)
	if c := table.Layout.Constraints(); len(c) != 1 || c[0].State != layout.Guessed {
		t.Fatalf("recognised: %+v", c)
	}
	guess := table.Layout.Constraints()[0]
	if err := table.CheckSure("releasing", guess); client.KindOf(err) != client.Usage || !strings.Contains(say.Error(err), "layout --accept "+table.Answers.HashOf(guess)) {
		t.Errorf("a guess: %v", err)
	}
	as := mustAccept(t, table, guess, nil)
	if c := as.Layout.Constraints()[0]; c.State != layout.Accepted || as.CheckSure("", c) != nil || guess.State != layout.Guessed {
		t.Errorf("accepted it is %s, and before %s", c.State, guess.State)
	}
	for n := range 400 { // accounts of another kind, with other locks
		mail := fmt.Sprintf("q%d@x.io", n)
		f.Put("people", sdk.Item{"PK": sdk.S(fmt.Sprint("Q#", n)), "SK": sdk.S("DATA"), "mail": sdk.S(mail)}, sdk.Item{"PK": sdk.S("HELD#" + mail), "SK": sdk.S("-")})
	}
	again := f.Open("people", kept)
	_, c := again.Layout.Constraint("mail")
	if c == nil || c.State != layout.Accepted || again.Answers.HashOf(c) != table.Answers.HashOf(guess) {
		t.Fatalf("opened again: %+v", c)
	}
	for _, other := range again.Layout.Rules() {
		if other != c && other.State.Sure() {
			t.Errorf("%s is %s, too", other.Name, other.State)
		}
	}
	if err := again.Answers.Forget(again.Answers.Said()[0].ID); err != nil {
		t.Fatal(err)
	}
	if again = f.Open("people", kept); len(again.Answers.Said()) > 0 || again.Layout.State() != layout.Guessed {
		t.Errorf("taken back: %+v", again.Answers.Said())
	}
	if err := again.Answers.Forget("A-0"); client.KindOf(err) != client.Usage {
		t.Errorf("an id of nothing: %v", err)
	}
	remake(f, "people")
	table = f.Open("people", kept)
	mustAccept(t, table, table.Layout.Constraints()[0], nil)
	remake(f, "people")
	if anew := f.Open("people", kept); anew.Layout.State() != layout.Guessed {
		t.Error("a new table of the same name is accepted, too")
	}
}

// If the locks are in a separate table, a person also names the other tables whose applications put locks there. For a
// new lock table, the constraint is not accepted.
func TestAnAcceptedConstraintWithATableOfLocks(t *testing.T) {
	f := fixture.New(t)
	loners(f, "clients")
	locks := func() {
		f.Create("client-locks", "PK:S", "")
		for n := range 12 {
			f.Put("client-locks", sdk.Item{"PK": sdk.S(fmt.Sprintf("MAIL#p%d@x.io", n))})
		}
	}
	locks()
	kept := stored(t)
	table := f.Open("clients", kept)
	c := table.Layout.Constraints()[0]
	if c.LockTable("clients") != "client-locks" {
		t.Fatalf("recognised: %+v", c)
	}
	as := mustAccept(t, table, c, nil)
	c = as.Layout.Constraints()[0]
	if err := as.CheckSure("", c); c.State != layout.Accepted || client.KindOf(err) != client.Usage || !strings.Contains(say.Error(err), "--also-in") {
		t.Errorf("%s, tables not said: %v", c.State, err)
	}
	as = mustAccept(t, as, c, &[]string{})
	if c := as.Layout.Constraints()[0]; c.AlsoIn == nil || as.CheckSure("", c) != nil {
		t.Errorf("none others: %v, %v", c.AlsoIn, as.CheckSure("", c))
	}
	mustAccept(t, as, as.Layout.Constraints()[0], &[]string{"accounts"})
	again := f.Open("clients", kept)
	if c := again.Layout.Constraints()[0]; len(c.AlsoIn) != 1 || c.AlsoIn[0] != "accounts" || len(again.Answers.Said()) != 1 {
		t.Errorf("said anew: %v, %+v", c.AlsoIn, again.Answers.Said())
	}
	if _, err := f.App().DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("client-locks")}); err != nil {
		t.Fatal(err)
	}
	if gone := f.Open("clients", kept); gone.Layout.State() != layout.Guessed {
		t.Error("the table of the locks is gone, and the constraint accepted")
	}
	locks()
	if anew := f.Open("clients", kept); anew.Layout.State() != layout.Guessed {
		t.Error("the table of the locks is a new one, and the constraint accepted")
	}
}

// The other tables must exist. The test also runs without permission to list tables.
func TestTheOtherTablesOfLocksExist(t *testing.T) {
	f := fixture.New(t)
	loners(f, "clients")
	f.Create("client-locks", "PK:S", "")
	for n := range 12 {
		f.Put("client-locks", sdk.Item{"PK": sdk.S(fmt.Sprintf("MAIL#p%d@x.io", n))})
	}
	table := f.Open("clients")
	c := table.Layout.Constraints()[0]
	const meant = `this connection has no table "acounts", did you mean "accounts"?`
	for _, tc := range []struct{ typed, deny, names, why string }{
		{typed: " none ", names: "[]"},
		{typed: "accounts, order_id,clients,accounts", names: "[accounts order_id]"},
		{typed: "accounts, acounts", why: meant},
		{typed: "acounts", deny: "ListTables", why: `this connection has no table "acounts"`},
		{typed: "accounts", deny: "ListTables", names: "[accounts]"},
		{typed: "accounts", deny: "DescribeTable", why: "dynamodb:DescribeTable"},
		{typed: "a table", why: `"a table"`},
		{typed: " ", why: "no table is named"},
	} {
		f.Deny[tc.deny] = true
		names, err := table.AlsoIn(t.Context(), c, tc.typed)
		f.Deny[tc.deny] = false
		if tc.why == "" && (err != nil || fmt.Sprint(*names) != tc.names) || tc.why != "" && (err == nil || !strings.Contains(err.Error(), tc.why)) {
			t.Errorf("%q without %s: %v, %v", tc.typed, tc.deny, names, err)
		}
	}
}

// A counter is accepted with its meaning.
func TestAnAcceptedCounter(t *testing.T) {
	f := fixture.New(t)
	f.Create("counts", "PK:S", "")
	f.Put("counts", sdk.Item{"PK": sdk.S("COUNTER#order"), "value": sdk.N("40")}, sdk.Item{"PK": sdk.S("COUNTER#user"), "value": sdk.N("7")})
	kept := stored(t)
	table := f.Open("counts", kept)
	if table.Layout.State() != layout.Guessed {
		t.Fatal(table.Layout.State())
	}
	c, err := counter.OfKey(t.Context(), table, "COUNTER#order", "value")
	if err != nil {
		t.Fatal(err)
	}
	c.Semantics = layout.Next
	if _, err := dynamo.AcceptCounter(t.Context(), table, c); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, c := range f.Open("counts", kept).Layout.Counters {
		if c.PK.String() == "COUNTER#order" && c.State == layout.Accepted && c.Semantics == layout.Next {
			found = true
		} else if c.State.Sure() {
			t.Errorf("%s is %s, too", c.PK, c.State)
		}
	}
	if !found {
		t.Error("the counter is not accepted")
	}
	if _, err := counter.OfKey(t.Context(), table, "COUNTER#none", "value"); client.KindOf(err) != client.Usage {
		t.Errorf("no such item: %v", err)
	}
}

// nameless hides the TableIds of tables. If dateless is set, it also hides the times of creation.
type nameless struct {
	next     http.RoundTripper
	dateless bool
}

func (n nameless) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := n.next.RoundTrip(r)
	if err != nil || !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".DescribeTable") {
		return answer, err
	}
	body, err := io.ReadAll(answer.Body)
	hidden := `"TableId":"[^"]*",?`
	if n.dateless {
		hidden += `|"CreationDateTime":[0-9.]+,?`
	}
	body = regexp.MustCompile(hidden).ReplaceAll(body, nil)
	body = bytes.ReplaceAll(body, []byte(",}"), []byte("}"))
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	answer.Header.Set("X-Amz-Crc32", fmt.Sprint(crc32.ChecksumIEEE(body)))
	answer.Header.Set("Content-Length", fmt.Sprint(len(body)))
	return answer, err
}

// Without a TableId, the time of creation identifies a table. Without both, Accept stores nothing: its error has the
// lines for the config.
func TestAcceptingWithoutTableID(t *testing.T) {
	f := fixture.New(t)
	townspeople(f, "people")
	townspeople(f, "others")
	kept := stored(t)
	dated := func(o *dynamo.Options) { kept(o); o.Transport = nameless{next: f} }
	dateless := func(o *dynamo.Options) { kept(o); o.Transport = nameless{f, true} }
	table := f.Open("people", dated)
	if table.ID != "" || table.Created.IsZero() {
		t.Fatal("it has a TableId, or no time of creation")
	}
	mustAccept(t, table, table.Layout.Constraints()[0], nil)
	if f.Open("people", dated).Layout.State() != layout.Accepted || f.Open("others", dated).Layout.State() != layout.Guessed {
		t.Error("it is not accepted, or another table is, too")
	}
	remake(f, "people")
	if f.Open("people", dated).Layout.State() != layout.Guessed {
		t.Error("a new table of the same name is accepted, too")
	}
	for name, change := range map[string]func(*dynamo.Options){
		"without both": dateless,
		"config only":  func(o *dynamo.Options) { kept(o); o.ConfigAnswers = true },
		"no place":     func(*dynamo.Options) {},
	} {
		table := f.Open("others", change)
		_, err := dynamo.Accept(t.Context(), table, table.Layout.Constraints()[0], nil)
		lines, ok := errors.AsType[*answers.ConfigLines](err)
		if client.KindOf(err) != client.Usage || !ok || !strings.Contains(lines.Lines, `pk = "TAKEN#{v}"`) || !strings.Contains(lines.Lines, `tables = ["others"]`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// With answers = "config", stored answers do not count.
func TestStoredAnswersDoNotCountIfTheConfigAnswers(t *testing.T) {
	f := fixture.New(t)
	townspeople(f, "people")
	kept := stored(t)
	table := f.Open("people", kept)
	mustAccept(t, table, table.Layout.Constraints()[0], nil)
	if got := f.Open("people", kept, func(o *dynamo.Options) { o.ConfigAnswers = true }).Layout.State(); got != layout.Guessed {
		t.Error(got)
	}
}

// Answers about places are stored for a described constraint, too. The answers in the config stay in force.
func TestAnswersAboutPlaces(t *testing.T) {
	f := fixture.New(t)
	kept := stored(t)
	place := func(items string) layout.Place {
		return layout.Place{Table: "accounts", Items: items, Attribute: "email"}
	}
	described := func(o *dynamo.Options) {
		kept(o)
		o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"accounts"}, Accounts: []config.Account{{
			PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{{
				Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Holders: []config.Holder{{Table: "accounts", Items: "A#*", Attribute: "email"}},
			}},
		}}}}
	}
	table, other := f.Open("accounts", described), f.Open("accounts", described)
	c := table.Layout.Constraints()[0]
	for _, err := range []error{table.Answers.Answer(c, place("B#*"), layout.HoldNot), table.Answers.Answer(c, place("A#*"), layout.HoldNot)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	other.Answers.Recall()
	for what, table := range map[string]*dynamo.Table{"here": table, "another opening": other, "opened again": f.Open("accounts", described)} {
		c := table.Layout.Constraints()[0]
		if c.State != layout.Described || c.Answers.Of(place("A#*")) != layout.Hold || c.Answers.Of(place("B#*")) != layout.HoldNot || c.Answers.Of(place("C#*")) != layout.NoAnswer {
			t.Errorf("%s: %s, %v", what, c.State, c.Answers)
		}
	}
	if err := table.Answers.Forget(table.Answers.Said()[0].ID); err != nil {
		t.Fatal(err)
	}
	table.Answers.Recall()
	if c.Answers.Of(place("B#*")) != layout.NoAnswer || c.Answers.Of(place("A#*")) != layout.Hold {
		t.Errorf("taken back: %v", c.Answers)
	}
}

// An unreadable line is ignored and reported once. The other lines count.
func TestAnswersThatCannotBeRead(t *testing.T) {
	f := fixture.New(t)
	townspeople(f, "people")
	kept := stored(t)
	table := f.Open("people", kept)
	mustAccept(t, table, table.Layout.Constraints()[0], nil)
	var o dynamo.Options
	kept(&o)
	good, err := os.ReadFile(o.Answers)
	if err != nil {
		t.Fatal(err)
	}
	bad := strings.Replace(string(good), "TAKEN#{v}", "TAKEN#{v", 1)
	if err := os.WriteFile(o.Answers, []byte("{\n"+bad+string(good)+`{"id":"A-1`), 0o600); err != nil {
		t.Fatal(err)
	}
	table = f.Open("people", kept)
	if table.Layout.State() != layout.Accepted {
		t.Error("the line that can be read does not count")
	}
	if said := table.Connection().Answers.Ignored(); !strings.Contains(said, "3 stored answers in "+o.Answers) {
		t.Errorf("it says %q", said)
	}
	if _, err := table.Connection().Open(context.Background(), "people"); err != nil || table.Connection().Answers.Ignored() != "" {
		t.Error("it says so twice")
	}
	mustAccept(t, table, table.Layout.Constraints()[0], nil) // this line follows an incomplete line
	if f.Open("people", kept).Layout.State() != layout.Accepted {
		t.Error("what is stored behind a torn line is lost")
	}
}

// A preset is a guess, even if a person named it. A layout of the config is described.
func TestWhichLayoutsAreGuessed(t *testing.T) {
	f := fixture.New(t)
	for name, want := range map[string]layout.State{"uniq": layout.Guessed, "mine": layout.Described} {
		table := f.Open("accounts", func(o *dynamo.Options) {
			l := o.Layouts[0]
			l.Name, l.Tables = "mine", nil
			o.Layouts, o.Layout = []config.Layout{l}, name
		})
		if got := table.Layout.State(); got != want {
			t.Errorf("--layout %s is %s", name, got)
		}
	}
}

// On a server, a person may read the lock tables that the config names for the person's tables. An accepted layout adds
// no lock tables, because an operator could name any table in it. On an assistant's connection, it adds them: only one
// person uses that connection.
func TestAcceptedLockTablesOfAShare(t *testing.T) {
	f := fixture.New(t)
	f.Create("people", "id:S", "")
	f.Create("people_mail", "v:S", "")
	for n := range 12 {
		id, mail := fmt.Sprint("p", n), fmt.Sprintf("p%d@x.io", n)
		f.Put("people", sdk.Item{"id": sdk.S(id), "mail": sdk.S(mail)})
		f.Put("people_mail", sdk.Item{"v": sdk.S(mail), "owner": sdk.S(id)})
	}
	kept := stored(t)
	table := f.Open("people", kept)
	guesses := table.Layout.Constraints()
	if len(guesses) != 1 || guesses[0].Table != "people_mail" {
		t.Fatalf("recognised: %+v", guesses)
	}
	o := f.Options()
	kept(&o)
	o.Tables = []string{"people"}
	early, err := dynamo.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if early.Reaches("people_mail") {
		t.Error("an assistant reaches the lock table of a guess")
	}
	mustAccept(t, table, guesses[0], nil)
	if _, err := early.Open(t.Context(), "people"); err != nil || !early.Reaches("people_mail") {
		t.Errorf("an assistant does not reach a lock table that a person has just accepted: %v", err)
	}
	described := config.Layout{Name: "people", Tables: []string{"people"}, Accounts: []config.Account{{
		PK: "{id}", Constraints: []config.Constraint{{Attribute: "mail", Table: "people_locks", PK: "{v}"}},
	}}}
	o.Tables, o.Layouts = nil, []config.Layout{described}
	conn, err := dynamo.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	share := conn.Share(client.Share{Tables: []string{"people"}}, "")
	for name, want := range map[string]bool{"people": true, "people_locks": true, "people_mail": false} {
		if share.Reaches(name) != want {
			t.Errorf("a person of a server reaches %s: %v", name, !want)
		}
	}
	share.ReadBeside([]string{"orders"})
	byARN := conn.Share(client.Share{Tables: []string{"arn:aws:dynamodb:eu-west-1:111122223333:table/people"}}, "")
	if share.Reaches("orders") || !byARN.Reaches("people_locks") {
		t.Errorf("a share reaches orders: %v; lock tables by an ARN: %v", share.Reaches("orders"), byARN.Reaches("people_locks"))
	}
	o.Tables = []string{"people"}
	if conn, err = dynamo.Connect(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"people": true, "people_locks": true, "people_mail": true, "orders": false} {
		if conn.Reaches(name) != want {
			t.Errorf("an assistant reaches %s: %v", name, !want)
		}
	}
}
