package ui_test

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/schema"
)

// scans counts the requests for pages.
type scans struct {
	next http.RoundTripper
	n    atomic.Int32
}

func (s *scans) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".Scan") {
		s.n.Add(1)
	}
	return s.next.RoundTrip(r)
}

// If a check costs at most AutoReadUnits, it starts when the findings are shown.
func TestASmallTableIsCheckedAtOnce(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	term.press("4")
	frame := term.see("✓ Checked", "104 items, 34 accounts, 70 locks", "4 findings (6)", "1 of 6", "whole table · ✓ confirmed",
		"orphaned-lock           3", "missing-lock            1", "duplicate-value         1", "malformed-lock          1",
		"hopper", "ACCT#b77e02", "2 accounts")
	if !strings.Contains(row(frame, "▸"), "mel@oldmail.test") {
		t.Errorf("the first finding is not selected:\n%s", frame)
	}
	term.see(`No account holds the email "mel@oldmail.test"`, "No account uses the value: all 34 were read within ", `gets "already in use"`)
	term.press("n")
	term.until("the next finding", func(s string) bool { return strings.Contains(row(s, "▸"), "alan") })
	term.press("N")
	term.until("the one before", func(s string) bool { return strings.Contains(row(s, "▸"), "mel@") })
	term.press("nnn")
	term.until("a finding of another kind", func(s string) bool { return strings.Contains(row(s, "▸"), "hopper") })
	term.press("z")
	frame = term.gone("ACCT#b77e02")
	if !strings.Contains(row(frame, "▸"), "missing-lock") {
		t.Errorf("folding leaves the group:\n%s", frame)
	}
	term.press("<enter>")
	term.see("ACCT#b77e02  ")
}

// If a check costs more than AutoReadUnits, it starts only after a key.
func TestACheckIsAskedFor(t *testing.T) {
	count := &scans{}
	s := onDemo(t, func(o *dynamo.Options) {
		count.next, o.Transport, o.AutoReadUnits, o.Asked = o.Transport, count, 1, true
	})
	term := s.run(t)
	term.see("VERDICT", "● held")
	term.press("4")
	term.see("about", "to read every item once", "can cost", "or keep changing (tab)", "writes", "nothing", "enter check it")
	before := count.n.Load()
	term.press("/")
	term.see("Type an email, a username or an account id, then press enter.")
	term.press("<esc><tab>")
	term.see("can add   5 for each value that looks broken", "enter check it")
	term.press("<tab>n?") // once the help is drawn, all keys before it have been handled
	term.see("Keys · findings")
	if n := count.n.Load() - before; n != 0 {
		t.Errorf("%d pages were read before anybody asked", n)
	}
	term.press("<esc><enter>")
	term.see("✓ Checked", "1 of 6")
}

// grown is an endpoint with old counts of items and bytes. DynamoDB updates these counts only after hours.
type grown struct{ next http.RoundTripper }

func (g *grown) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := g.next.RoundTrip(r)
	if err != nil || !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".DescribeTable") {
		return answer, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	body = regexp.MustCompile(`"(ItemCount|TableSizeBytes)":\d+`).ReplaceAll(body, []byte(`"$1":1`))
	answer.Header.Set("X-Amz-Crc32", fmt.Sprint(crc32.ChecksumIEEE(body)))
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return answer, nil
}

// An automatic check stops at AutoReadUnits, even if the table seemed small.
func TestAnUnaskedCheckHasACeiling(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) {
		o.Asked = true
		o.Transport, o.AutoReadUnits, o.Settle = &grown{o.Transport}, 27, 500*time.Millisecond
	})
	term := s.run(t)
	term.see("VERDICT", "● held")
	term.press("4")
	term.see("! Incomplete", "An automatic check may use only", "27 read units. ctrl+r checks the whole table.")
	term.press("<ctrl+r>")
	term.see("✓ Checked", "1 of 6")
}

// A check continues on other screens, and a key stops it. Its findings stay, but are not confirmed.
func TestACheckGoesOnAndStops(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"x", "<esc>", "<ctrl+c>"} {
		t.Run(key, func(t *testing.T) {
			s := onDemo(t, func(o *dynamo.Options) { o.Settle = time.Hour })
			term := s.run(t)
			term.see("VERDICT", "● held")
			term.press("4")
			term.see("Waiting", " so far", "6 values followed up", "✗ orphaned-lock", "3 not confirmed yet", "alan", "none so far", "not yet", "x stop, keep what was found")
			term.press("1")
			term.see("VERDICT")
			term.press("4")
			term.see("Waiting", "followed up")
			term.press(key)
			frame := term.see("! Incomplete", "The check was stopped. Unconfirmed", "The findings stay.", "ctrl+r checks again", "incomplete, as of",
				"orphaned-lock           3, 3 not confirmed", "orphaned?  No account holds", "Not confirmed: the check stopped", "Provisional: only the first reading found this")
			if strings.Contains(frame, "4 findings (4)") || strings.Contains(frame, "all 0 accounts") {
				t.Errorf("something is said that nobody looked at:\n%s", frame)
			}
		})
	}
}

// confirmLater holds the requests that confirm findings until the test closes the channel pass.
type confirmLater struct {
	http.RoundTripper
	check atomic.Bool // the check has begun
	pass  chan struct{}
}

func (c *confirmLater) RoundTrip(r *http.Request) (*http.Response, error) {
	if c.check.Load() && strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".TransactGetItems") {
		select {
		case <-c.pass:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	return c.RoundTripper.RoundTrip(r)
}

// A running check lists its suspects. A person can open a suspect, but not change, mark, copy or save it. The selected
// suspect stays selected when it becomes a finding.
func TestSuspectsOfARunningCheck(t *testing.T) {
	gate := &confirmLater{pass: make(chan struct{})}
	s := onDemo(t, func(o *dynamo.Options) {
		gate.RoundTripper, o.Transport = o.Transport, gate
	})
	term := s.run(t)
	term.see("VERDICT", "whole table")
	term.quiet()
	gate.check.Store(true)
	term.press("4")
	term.see("Confirming", "3 not confirmed yet", "found     3 not confirmed yet")
	term.press("<down>")
	term.see("orphaned?", "so far, but its", "lock ", "then ")
	for _, key := range []string{"m", "r", "<space>", "y"} {
		term.press(key)
		term.see("The check has not confirmed it yet.")
	}
	term.press("w")
	term.see("There are no findings.")
	term.press("<enter>")
	term.see("LOCK", "orphaned-lock", "exists")
	term.press("<esc>")
	term.see("none so far")
	close(gate.pass)
	term.see("✓ Checked", "orphaned  No account", "1 of 6")
}

// A check continues when another table is opened. Only one check runs at a time.
func TestOneTableIsCheckedAtATime(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) { o.Settle = time.Hour })
	term := s.run(t)
	term.see("VERDICT", "● held")
	term.press("4")
	term.see("Waiting", "followed up")
	term.press(":")
	term.see("type a table, or a command")
	term.press("members")
	term.see("locks with owner", ": members")
	term.press("<enter>")
	term.see("MEM#")
	term.press("4")
	term.see("accounts is being checked. One table is checked at a time.")
	term.press("<enter>")
	term.see("accounts is being checked: stop that check first, or wait.")
	term.press("<ctrl+c>")
	term.see("Stopped.")
	term.gone("One table is checked at a time")
	term.press("<enter>")
	term.see("Waiting")
}

func TestFindingsAreFiltered(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	term.press("4")
	term.see("✓ Checked")
	term.press("/")
	term.see("Type an email, a username or an account id, then press enter.")
	term.press("<esc>F")
	term.see("a value, an account, a counter or a kind")
	term.press("b77e")
	frame := term.see("1 of 1, 6 findings in all", "hopper")
	if strings.Contains(frame, "turing") {
		t.Errorf("it does not filter:\n%s", frame)
	}
	term.press("<ctrl+u>orphaned")
	term.see("1 of 3, 6 findings in all", "turing")
	term.press("x")
	term.see("No matching finding.", "show all again")
	term.press("<enter><enter>")
	term.see("No matching finding: press esc to show all again.", "✓ Checked")
	term.press("<esc>")
	term.see("1 of 6")
}

// The screen of a finding shows its items, as they are now.
func TestAFindingOpensIntoItsEvidence(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.see("confirmed")
	term.press("4")
	term.see("✓ Checked")
	term.press("nnnn")
	term.see("▸ └ email     margaret")
	term.press("<enter>")
	frame := term.see("findings › duplicate-value › email margaret.hamilton@draper.test", "2 accounts hold the email",
		"UNIQ#EMAIL#margaret.hamilton@draper.test", "ACCT#07be3a", "2 accounts use one email; decide who keeps it.", "consistent")
	if strings.Contains(row(frame, "UNIQ#EMAIL#"), "ACCT#") {
		t.Errorf("there is no room for them side by side:\n%s", frame)
	}
	term.resize(140, 40)
	term.until("both side by side", func(s string) bool {
		return strings.Contains(row(s, "PK  "), "UNIQ#EMAIL#margaret") && strings.Contains(row(s, "PK  "), "ACCT#07be3a")
	})
	if _, err := s.demo.App().DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("accounts"), Key: map[string]types.AttributeValue{
		"PK": sdk.S("ACCT#ee07d4"), "SK": sdk.S("PROFILE"),
	}}); err != nil {
		t.Fatal(err)
	}
	term.press("<ctrl+r>")
	term.see("has gone since the check")
	term.press("o")
	term.see("accounts › ACCT#07be3a / PROFILE", "ATTRIBUTE")
	term.press("<esc><enter>")
	term.see("accounts › UNIQ#EMAIL#margaret.hamilton@draper.test / LOCK", "ATTRIBUTE")
	term.press("<esc><esc>")
	term.see("✓ Checked")
}

// TestFindingsOfLocksWithOwners shows findings of locks with owners. Some owners hold another value.
func TestFindingsOfLocksWithOwners(t *testing.T) {
	s := onDemo(t)
	s.options.Table = "members"
	term := s.run(t)
	term.see("MEM#")
	term.press("4")
	term.see("✓ Checked", "stale-lock", "foreign-lock", "owner gone")
	term.press("n<enter>")
	term.see("stale-lock › username mel", "not excluded  The value was given up and taken again", "MEM#d41c07", "THE OWNER IT NAMES", "mel_k")
	term.press("G")
	term.see("rests on", "all accounts were read again, strongly consistent", "A writer that takes a value puts the value's", "All writes go to one Region")
}

// checked runs the program, and checks the demo's accounts.
func (s *setup) checked(t *testing.T) *terminal {
	t.Helper()
	term := s.run(t)
	term.see("confirmed")
	term.press("4")
	term.see("✓ Checked", "1 of 6")
	return term
}

// The repair of a finding depends on its kind. Afterwards, the row of the finding shows the outcome.
func TestAFindingIsMended(t *testing.T) {
	s := onDemo(t)
	term := s.checked(t)
	term.to("hopper")
	term.press("m")
	term.see("Put a missing lock", "ACCT#b77e02", "UNIQ#HANDLE#hopper / LOCK", "▸ No, leave it")
	if lock(t, s, "UNIQ#HANDLE#hopper") != nil {
		t.Fatal("the lock is there before anybody agreed")
	}
	term.press("<tab>")
	term.see("▸ Put the lock")
	term.press("<enter>")
	term.see("✓ Applied")
	term.press("<enter>")
	frame := term.see("4 findings (5)", "1, 1 mended", "Receipt R-")
	if !strings.Contains(row(frame, "▸ └"), "✓ mended") {
		t.Errorf("the row does not say what became of it:\n%s", frame)
	}
	if lock(t, s, "UNIQ#HANDLE#hopper") == nil {
		t.Error("the lock is not there")
	}
	term.press("m")
	term.see("It is mended.")
	term.to("margaret.hamilton@draper.test")
	term.press("m")
	term.see("Decide who keeps it, then change the others' value: e on accounts.")
	term.press("1") // the table is read again
	term.see("whole table, 105 items", "5 problems")
}

// Before a repair, the items of the finding are read again. If they are in order now, the dialog says so.
func TestAFindingThatIsInOrderByNow(t *testing.T) {
	s := onDemo(t)
	term := s.checked(t)
	if _, err := s.demo.App().DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("accounts"), Key: map[string]types.AttributeValue{
		"PK": sdk.S("UNIQ#HANDLE#alan"), "SK": sdk.S("LOCK"),
	}}); err != nil {
		t.Fatal(err)
	}
	term.to("alan")
	term.press("<enter>")
	term.see("orphaned-lock › username alan", "LOCK  has gone since the check", "m mend")
	term.press("m")
	term.see("✓ In order · nothing was sent", "There is no lock")
	term.press("<enter>")
	term.see("in order", "LOCK")
	term.press("<esc>")
	term.until("the row", func(s string) bool { return strings.Contains(row(s, "▸ ├"), "✓ in order") })
	term.see("4 findings (5)")
}

// A malformed lock is never mended. It can be released, but not in bulk, and only after a person has typed its value.
func TestAMalformedLockIsReleasedFromItsFinding(t *testing.T) {
	s := onDemo(t)
	term := s.checked(t)
	term.press("Gm")
	term.see("Repair the program that wrote the lock; r releases the lock.")
	term.press("r")
	term.see("Release a lock", "can only come from a mistake", "UNIQ#EMAIL#undefined / LOCK", "to enable Release", "▸ No, leave it")
	term.press("<shift+tab>undefined<tab>")
	term.see("▸ No, leave it")
	term.agree("Release the lock")
	if lock(t, s, "UNIQ#EMAIL#undefined") != nil {
		t.Error("the lock is there")
	}
	term.press("<enter>")
	term.until("the row", func(s string) bool { return strings.Contains(row(s, "▸ └"), "✓ mended") })
}

// Marked findings are mended together. Refused findings stay in the list.
func TestMarkedFindingsAreMended(t *testing.T) {
	s := onDemo(t)
	term := s.checked(t)
	term.press("g<space>") // on the heading, for all findings below it
	term.see("3 marked", "■ ├ email     mel@oldmail.test", "■ └ username  turing", "m mend 3")
	term.to("hopper")
	term.press("<space>")
	term.to("margaret.hamilton@draper.test")
	term.press("<space>")
	term.see("Decide who keeps it", "4 marked")
	term.press("G<space>")
	term.see("Repair the program that wrote the lock; r releases the lock.")
	term.press("r")
	term.see("Release a lock", "UNIQ#EMAIL#undefined / LOCK", "▸ No, leave it")
	term.press("<esc>")
	s.put(t, "accounts", sdk.Item{
		"PK": sdk.S("ACCT#late"), "SK": sdk.S("PROFILE"), "username": sdk.S("alan"),
	})
	term.press("m")
	term.see("findings", "UNIQ#HANDLE#turing / LOCK", "UNIQ#HANDLE#hopper / LOCK", "price", "▸ No, leave it")
	term.press("<tab><enter>")
	term.see("✓ Applied in part", "3 of 4 findings mended", "✓ username turing", "✗ username alan", "ACCT#late", "✓ username hopper")
	for pk, want := range map[string]bool{"UNIQ#HANDLE#turing": false, "UNIQ#EMAIL#mel@oldmail.test": false, "UNIQ#HANDLE#alan": true, "UNIQ#HANDLE#hopper": true} {
		if got := lock(t, s, pk) != nil; got != want {
			t.Errorf("%s is there: %v, want %v", pk, got, want)
		}
	}
	term.press("<enter>")
	frame := term.see("3, 2 mended", "1, 1 mended", "4 findings (3)")
	if !strings.Contains(row(frame, " alan "), "✗ refused") || strings.Contains(frame, "marked") {
		t.Errorf("what was refused:\n%s", frame)
	}
	term.press("5")
	term.see("✓ applied", `put lock of username "hopper"`)
}

// After a stop, the remaining findings are unchanged and still marked.
func TestMendingCanBeStopped(t *testing.T) {
	s := onDemo(t)
	term := s.checked(t)
	term.end()
	s.connect(t, func(o *dynamo.Options) { o.Settle = time.Hour })
	term = s.run(t)
	term.see("VERDICT", "● held")
	term.press("4")
	term.see("Waiting", "6 values followed up")
	term.press("x")
	term.see("! Incomplete", "orphaned-lock           3, 3 not confirmed")
	term.press("g<space>m")
	term.see("Mend 3 findings", "▸ No, leave it")
	term.press("<tab><enter>")
	term.see("Mending 3 findings", "wait")
	term.press("<esc>")
	term.see("✗ Stopped", "0 of 3 findings mended")
	for _, pk := range []string{"UNIQ#HANDLE#turing", "UNIQ#HANDLE#alan", "UNIQ#EMAIL#mel@oldmail.test"} {
		if item := lock(t, s, pk); item == nil || item[schema.MarkAttribute] != nil {
			t.Errorf("%s after stopping: %v", pk, item)
		}
	}
	term.press("<enter>")
	term.see("3 marked", "not confirmed")
}

// On a read-only connection, no finding can be mended, and a message says why.
func TestFindingsReadOnly(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) { o.Write = false })
	term := s.checked(t)
	term.press("m")
	term.see("read-only; start with --write")
}

// withTable makes and opens a table with this number of accounts with their locks, and this number of orphaned locks.
func (s *setup) withTable(t *testing.T, accounts, orphans int) {
	t.Helper()
	app := s.demo.App()
	if _, err := app.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("people"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("PK"), AttributeType: types.ScalarAttributeTypeS}, {AttributeName: aws.String("SK"), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash}, {AttributeName: aws.String("SK"), KeyType: types.KeyTypeRange}},
	}); err != nil {
		t.Fatal(err)
	}
	for n := range accounts + orphans {
		name := fmt.Sprintf("person%02d", n)
		items := []map[string]types.AttributeValue{{"PK": sdk.S("UNIQ#HANDLE#" + name), "SK": sdk.S("LOCK")}}
		if n < accounts {
			items = append(items, map[string]types.AttributeValue{"PK": sdk.S("ACCT#" + name), "SK": sdk.S("PROFILE"), "username": sdk.S(name), "email": sdk.S(name + "@x.test")},
				map[string]types.AttributeValue{"PK": sdk.S("UNIQ#EMAIL#" + name + "@x.test"), "SK": sdk.S("LOCK")})
		}
		for _, item := range items {
			if _, err := app.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("people"), Item: item}); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.options.Table = "people"
}

// uniq returns the layout of the table that withTable makes, and of the tables of package generator.
func uniq(table string) config.Layout {
	return config.Layout{Name: "uniq", Tables: []string{table}, Accounts: []config.Account{{
		PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{
			{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}, {Attribute: "username", PK: "UNIQ#HANDLE#{v}", SK: "LOCK"},
		},
	}}}
}

// describing adds the layout of the table that withTable makes to the config.
func describing(o *dynamo.Options) { o.Layouts = append(o.Layouts, uniq("people")) }

// For a table without problems, the screen says so, with the counts of the read items.
func TestNothingIsWrong(t *testing.T) {
	s := onDemo(t, describing)
	s.withTable(t, 8, 0)
	term := s.run(t)
	term.see("VERDICT", "● held")
	term.press("4")
	term.see("● Nothing is wrong.", "Read 24 items by ", ": 8 accounts, 16 locks.", "✓ confirmed")
}

// moves calls anew, which writes a lock again, when the check reads the accounts a second time.
type moves struct {
	next http.RoundTripper
	once sync.Once
	anew func()
}

func (m *moves) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".Scan") && bytes.Contains(body, []byte(`"ConsistentRead":true`)) && bytes.Contains(body, []byte(`"TotalSegments":`)) {
		m.once.Do(m.anew)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return m.next.RoundTrip(r)
}

// A value that changes during the check is not judged. Then the screen does not say that nothing is wrong.
func TestWhatMovesIsNotJudged(t *testing.T) {
	m := &moves{}
	s := onDemo(t, describing, func(o *dynamo.Options) { m.next, o.Transport = o.Transport, m })
	s.withTable(t, 8, 1)
	m.anew = func() {
		if _, err := s.demo.App().PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("people"), Item: map[string]types.AttributeValue{"PK": sdk.S("UNIQ#HANDLE#person08"), "SK": sdk.S("LOCK"), "at": sdk.S("now")}}); err != nil {
			t.Error(err)
		}
	}
	term := s.run(t)
	term.see("VERDICT", "● held")
	term.press("4")
	frame := term.see("? Checked, except for 1 value", "? Found nothing, but could not judge 1 value.", "was not judged. Check again:", "1 value not judged, as of")
	if strings.Contains(frame, "Nothing is wrong") || strings.Contains(frame, "✓ confirmed") {
		t.Errorf("it claims too much:\n%s", frame)
	}
}

// If evidence contradicts the layout, the screen says so both before the table is read and at the end.
func TestDoubtsAreSaidFirst(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) {
		o.Settle, o.Layouts = time.Hour, []config.Layout{{
			Name: "ours", Tables: []string{"people"},
			Accounts: []config.Account{{PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{
				{Attribute: "username", PK: "UNIQ#HANDLE#{v}", SK: "LOCK"}, {Attribute: "mail", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"},
			}}},
		}}
	})
	s.withTable(t, 12, 0)
	term := s.run(t)
	term.pastLayout()
	term.see("VERDICT", "● held")
	term.press("4")
	term.see("Waiting", "! Mail is not judged, because the layout does not fit it: none of 12")
	term.press("x")
	term.see("! Incomplete", "Mail is not judged, because the layout does not fit it")
}

// If a large part of the locks is broken, the first line says so, and a person must type the number of findings to mend
// them together.
func TestVeryMuchIsBroken(t *testing.T) {
	s := onDemo(t)
	s.withTable(t, 8, 40)
	term := s.run(t)
	term.see("VERDICT", "whole table")
	term.press("4")
	term.see("! Many values of username are broken.", "orphaned-lock           40", "but       there are very many")
	term.press("g")
	term.press("<space>")
	term.press("m")
	term.accepts("username")
	term.see("Mend 40 findings", "these are a large part of all locks")
}

func TestFindingsWithoutALayout(t *testing.T) {
	s := onDemo(t)
	s.withSessions(t)
	term := s.run(t)
	term.see("! no layout")
	term.press("4")
	term.see("it cannot be checked", "--layout", "[[layout]]")
	term.press("<enter>")
	term.see("It has no known layout.")
}

// If the permission dynamodb:Scan is missing, the screen names it, and lists the actions that still work.
func TestADeniedCheck(t *testing.T) {
	f := &faults{}
	s := onDemo(t, withFaults(f))
	term := s.run(t)
	term.see("confirmed")
	f.set(func(f *faults) { f.deny = map[string]bool{"Scan": true} })
	term.press("4")
	term.see("! denied", "dynamodb:Scan", "STILL WORKS", "ctrl+r try again")
	f.set(func(f *faults) { f.deny = nil })
	term.press("<ctrl+r>")
	term.see("✓ Checked", "1 of 6")
}

// TestFindingsScreens draws the findings.
func TestFindingsScreens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		w, h    int
		change  func(*dynamo.Options)
		table   string
		keys    []string
		until   []string
		instead []string // texts to wait for, if the check is not complete
		sizes   bool     // also draw larger terminals
	}{
		{name: "findings", w: 80, h: 24},
		{name: "findings-140x40", w: 140, h: 40, keys: []string{"nnn"}, until: []string{"▸ └ username  hopper"}},
		{name: "findings-200x60", w: 200, h: 60, keys: []string{"g"}, until: []string{"BY KIND"}},
		{name: "findings-60x16", w: 60, h: 16},
		{name: "findings-folded", w: 80, h: 24, keys: []string{"z"}, until: []string{"▸ ▸ ✗ orphaned-lock"}},
		{name: "findings-filter", w: 80, h: 24, keys: []string{"F", "al"}, until: []string{"1 of 1, 6 findings"}},
		{name: "finding", w: 80, h: 24, keys: []string{"nnnn<enter>"}, until: []string{"› duplicate-value ›", ", consistent ──"}, sizes: true},
		{name: "findings-mend", w: 80, h: 24, keys: []string{"nnnm"}, until: []string{"▸ No, leave it", "price"}, sizes: true},
		{name: "findings-before", w: 80, h: 24, change: func(o *dynamo.Options) { o.AutoReadUnits, o.Asked = 1, true }, instead: []string{"enter check it"}, sizes: true},
		{name: "findings-waiting", w: 80, h: 24, change: func(o *dynamo.Options) { o.Settle = 1000 * time.Hour }, instead: []string{"6 values followed up", "s of 42 days", "0.0 % · provisional"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := drawn(t)
			if c.change != nil {
				s.connect(t, c.change)
			}
			s.w, s.h = c.w, c.h
			term := s.run(t)
			term.see("VERDICT", " held")
			if c.change == nil {
				term.see("confirmed")
			}
			term.press("4")
			until := c.until
			if c.instead != nil {
				until = c.instead
			} else {
				term.see("✓ Checked", "1 of 6")
			}
			for _, keys := range c.keys {
				term.press(keys)
			}
			if c.sizes {
				term.pictures(until...)
			} else {
				term.picture(until...)
			}
		})
	}
}

// For a finding with a single item, the help has the key that shows this item. The screen of the finding says that
// there is no account.
func TestTheOneItemOfAFinding(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.see("confirmed")
	term.press("4")
	term.see("✓ Checked")
	term.on("alan")
	term.press("?")
	term.see("see the item now")
	term.press("<esc><enter>")
	term.see("consistent")
	term.press("o")
	term.see("There is no account to show")
}
