package change_test

import (
	"cmp"
	"errors"
	"io"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/smithy-go"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded"
)

// The first answer is lost, and the application moves the counter before the second attempt: the change is not planned
// again, and the receipt says that the first attempt may still arrive.
func TestNothingIsPlannedAnewAfterALostAnswer(t *testing.T) {
	t.Parallel()
	f := start(t)
	p := f.planBump()
	attempts := 0
	f.before = func(operation string, _ []byte) error {
		if operation != "TransactWriteItems" {
			return nil
		}
		if attempts++; attempts == 1 {
			f.put("order_id", item{"id": num("0"), "order_number": num("5001")})
			return errCut
		}
		return nil
	}
	if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Refused || attempts != 2 || codes(r.Reasons) != "ConditionalCheckFailed NoAnswer" {
		t.Errorf("%s %v after %d attempts; want refused after 2, with a word on the first", r.Outcome, r.Reasons, attempts)
	}
}

// All answers to the mark are lost, whether the mark arrived or not: the mark is removed, and the lock is otherwise
// unchanged.
func TestALostMarkLeavesTheLockAsItWas(t *testing.T) {
	t.Parallel()
	for name, arrives := range map[string]bool{"it arrived": true, "it never arrived": false} {
		want := journal.Refused
		if !arrives {
			want = journal.Unknown // the mark may still arrive
		}
		f := start(t)
		p := f.mustPlan(f.open("accounts"), "username", "alan")
		lose := func(operation string, body []byte) error {
			if operation == "TransactWriteItems" && marks(body) {
				return errCut
			}
			return nil
		}
		if arrives {
			f.after = lose
		} else {
			f.before = lose
		}
		r := f.changer.Apply(t.Context(), p, nil)
		if r.Outcome != want || r.Err == nil {
			t.Errorf("%s: %s %v %v; want %s with the error", name, r.Outcome, r.Reasons, r.Err, want)
		}
		if !r.OnlyMarked() {
			t.Errorf("%s: the deletion is said to have been sent", name)
		}
		if lock := f.get("accounts", handle("alan")); len(lock) != 2 {
			t.Errorf("%s: the lock is %v", name, lock)
		}
	}
}

// After the mark, every write is denied: the receipt says that the mark is left.
func TestAMarkThatIsLeftIsSaid(t *testing.T) {
	t.Parallel()
	f := start(t)
	p := f.mustPlan(f.open("accounts"), "username", "alan")
	f.before = func(operation string, body []byte) error {
		if operation == "TransactWriteItems" && !marks(body) {
			return &smithy.GenericAPIError{Code: "AccessDeniedException", Fault: smithy.FaultClient}
		}
		return nil
	}
	r := f.changer.Apply(t.Context(), p, nil)
	if r.Outcome != journal.Refused || client.KindOf(r.Err) != client.Denied || codes(r.Reasons) != plan.MarkLeft {
		t.Errorf("%s %v %v; want refused, denied, with a word on the mark", r.Outcome, r.Reasons, r.Err)
	}
	f.found()
	f.resolve(f.open("accounts"), change.TakeOff, journal.Refused)
	if lock := f.get("accounts", handle("alan")); len(lock) != 2 {
		t.Errorf("the lock is %v", lock)
	}
}

// Missing credentials are not reported as a conflict with another writer.
func TestMissingCredentialsAreSaid(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.before = func(operation string, _ []byte) error {
		if operation == "TransactWriteItems" {
			return errors.New("failed to refresh cached credentials")
		}
		return nil
	}
	r := f.bump()
	if r.Outcome == journal.Applied || len(r.Reasons) > 0 && r.Reasons[0].Code == "TransactionConflict" {
		t.Errorf("%s %v", r.Outcome, r.Reasons)
	}
}

// between replaces the answer to an operation, or to each write if operation is empty. It acts like a proxy that gave
// up waiting, or that asks for a login.
type between struct {
	*fixture
	status    int
	body      string
	operation string
}

func (b between) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.fixture.RoundTrip(r)
	if err == nil && strings.HasSuffix(r.Header.Get("X-Amz-Target"), cmp.Or(b.operation, "TransactWriteItems")) {
		answer = &http.Response{StatusCode: b.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(b.body)), Request: r}
	}
	return answer, err
}

// An answer that is not from DynamoDB does not prove that nothing was written.
func TestAnAnswerFromInBetweenIsNone(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusOK, http.StatusNoContent, http.StatusFound, http.StatusBadRequest, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusBadGateway} {
		for _, body := range []string{"", "<html>One moment</html>", `{"message":"one moment"}`, "{}"} {
			f := start(t)
			c := f.counter("order_id", "order_id", func(o *dynamo.Options) { o.Transport = between{f, status, body, ""} })
			p, err := planner.Bump(t.Context(), c, big.NewInt(1))
			if err != nil {
				t.Fatal(err)
			}
			if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Unknown || !f.record(r.ID).Open {
				t.Errorf("%d %s: %s %v, and was applied", status, body, r.Outcome, r.Err)
			}
		}
	}
}

// An answer without items does not prove the outcome of a change: the lock still exists.
func TestAnEmptyAnswerClosesNothing(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "{}", `{"message":"ok"}`, `{"Responses":[]}`, `{"Responses":[{},{}]}`} {
		f := start(t)
		members := f.open("members")
		p := f.mustPlan(members, "username", "alan")
		f.lose(false)
		if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Unknown {
			t.Fatalf("%s %v", r.Outcome, r.Err)
		}
		f.found()
		f.later(time.Hour)
		records, err := f.changer.Journal.Records()
		if err != nil {
			t.Fatal(err)
		}
		empty := f.open("members", func(o *dynamo.Options) { o.Transport = between{f, http.StatusOK, body, "TransactGetItems"} })
		s, err := f.changer.Examine(t.Context(), empty.Connection(), journal.Unresolved(records)[0])
		if client.KindOf(err) != client.Unreachable {
			t.Errorf("%q: %v, resolved as %+v", body, err, s)
		}
		if s = f.examine(members); s.Outcome != journal.Refused || f.get("members", handle("alan")) == nil {
			t.Errorf("%q: it is %s", body, s.Outcome)
		}
	}
}

// A page that was damaged on its way is read again.
func TestADamagedPageIsReadAgain(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("accounts", func(o *dynamo.Options) { o.AutoReadUnits = 0.001 })
	p := f.mustPlan(table, "username", "ada")
	damaged := 0
	f.body = func(operation, body string) string {
		if operation == "Scan" && damaged < 2 {
			damaged++
			return strings.ReplaceAll(body, `"ada"`, `"adb"`)
		}
		return body
	}
	r := f.changer.Apply(t.Context(), p, nil)
	if r.Outcome != journal.Refused || codes(r.Reasons) != plan.Held || damaged != 2 {
		t.Errorf("%s %v %v, %d pages damaged; want refused, held", r.Outcome, r.Reasons, r.Err, damaged)
	}
}

// A program sleeps between two attempts, and its token expires: nothing is sent again.
func TestAProgramThatSleptSendsNothing(t *testing.T) {
	f := start(t)
	p := f.planBump()
	slept := time.Duration(0)
	f.changer.Now = func() time.Time { return time.Now().Add(slept) }
	attempts := 0
	f.before = func(operation string, _ []byte) error {
		if operation != "TransactWriteItems" {
			return nil
		}
		attempts++
		slept = 11 * time.Minute
		return errCut
	}
	if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Unknown || attempts != 1 {
		t.Errorf("%s after %d attempts; want unknown after one", r.Outcome, attempts)
	}
}

// The lock file of a change is deleted when the change ends.
func TestNothingIsLeftBesideTheJournal(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.bump()
	f.apply(f.plan(f.open("accounts"), "username", "alan"))
	files, err := os.ReadDir(filepath.Dir(f.journal))
	if err != nil || len(files) != 2 {
		t.Errorf("%v, %v; want the journal and its lock", files, err)
	}
}

// The machine sleeps just before the second attempt is sent, and the token expires. The refusal of the second attempt
// says nothing about the first attempt.
func TestARefusalAfterASleepIsUnknown(t *testing.T) {
	begun, slept := time.Now(), time.Duration(0)
	clock := func() time.Time { return begun.Add(slept) }
	f := start(t, embedded.WithClock(clock))
	f.changer.Now = clock
	attempts := 0
	f.before = func(operation string, _ []byte) error {
		if operation == "TransactWriteItems" {
			if attempts++; attempts == 2 {
				slept = time.Hour
			}
		}
		return nil
	}
	f.after = func(operation string, _ []byte) error {
		if operation == "TransactWriteItems" && attempts == 1 {
			return errCut
		}
		return nil
	}
	r := f.bump()
	if r.Outcome != journal.Unknown || !f.record(r.ID).Open || attempts != 2 {
		t.Errorf("%s %v after %d attempts, open %v", r.Outcome, r.Reasons, attempts, f.record(r.ID).Open)
	}
}

// The machine sleeps before a change is sent again: the change is not sent.
func TestSentAgainAfterASleepItIsNotSent(t *testing.T) {
	f := start(t)
	f.lose(true)
	r := f.bump()
	f.found()
	s, writes := f.examine(f.open("order_id")), f.writes()
	f.changer.Now = func() time.Time {
		if len(entries(t, f.journal)) > 2 { // the line about the sending is written
			return time.Now().Add(time.Hour)
		}
		return time.Now()
	}
	again := f.changer.Resolve(t.Context(), s, change.SendAgain, nil)
	if again.Outcome != journal.Unknown || again.Err == nil || f.writes() != writes || !f.record(r.ID).Open {
		t.Errorf("%s %v, %d writes", again.Outcome, again.Err, f.writes()-writes)
	}
}
