package check_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
)

// manyHolders returns accounts that hold one value, and the value's only lock.
func manyHolders(accounts int) []doc {
	items := []doc{mail("n/a"), user("else", "b"), mail("b")}
	for n := range accounts {
		items = append(items, user(fmt.Sprint("u", n), "n/a"))
	}
	return items
}

// ids returns the accounts that a finding names.
func ids(t *testing.T, f finding.Finding) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, key := range f.Accounts {
		all[key["PK"].Text] = true
	}
	if len(all) != len(f.Accounts) {
		t.Errorf("of %d accounts that are named only %d differ", len(f.Accounts), len(all))
	}
	return all
}

// A duplicate names each account that holds the value, however many there are. It also says how many of them were read
// at one moment.
func TestEveryClaimantIsNamed(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("crowd", "PK:S", "SK:S", manyHolders(250)...)
	for confirm, says := range map[setting.Confirm]string{
		setting.ConfirmFull:  `95 accounts hold the email "n/a". 155 more held the value when they were read.`,
		setting.ConfirmReads: `95 accounts hold the email "n/a". 155 more held the value when they were read.`,
		setting.ConfirmNone:  `250 accounts hold the email "n/a".`,
	} {
		found, sum := f.run(f.described("crowd", users()), setting.Options{Confirm: confirm})
		f.want(found, "duplicate-value n/a"+map[setting.Confirm]string{setting.ConfirmNone: "?"}[confirm])
		if one := found[0]; len(ids(t, one)) != 250 || one.MoreAccounts != 0 || one.Detail != says || !sum.Complete {
			t.Errorf("%s: %d accounts, %s %s", confirm, len(one.Accounts), one.Detail, one.Evidence)
		}
	}
}

// A finding counts the accounts for which there is no memory. It stays the same finding if it names other accounts.
func TestMoreClaimantsThanMemory(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("crowd", "PK:S", "SK:S", append(manyHolders(250), user("p", "c"), user("q", "c"))...)
	known := map[string]bool{}
	for range 3 {
		found, sum := f.run(f.described("crowd", users()), setting.Options{Confirm: setting.ConfirmReads, Memory: 128 << 10})
		f.want(found, "duplicate-value n/a", "duplicate-value c")
		for _, one := range found {
			known[one.Same()] = true
			if one.Value == "n/a" && (len(ids(t, one)) != 16 || one.MoreAccounts != 234 || !strings.Contains(one.Detail, "234 more held the value when they were read. 234 of them are not listed, because memory was too small.")) {
				t.Errorf("%d accounts, %s", len(one.Accounts), one.Detail)
			}
		}
		if !sum.Complete {
			t.Errorf("%+v", sum)
		}
	}
	if len(known) != 2 {
		t.Errorf("it is %d findings", len(known))
	}
}

// leaving waits for the first transaction that reads several accounts, and deletes these accounts just before it.
type leaving struct {
	http.RoundTripper
	f    *fixture
	once sync.Once
	gone map[string]bool
}

var userKey = regexp.MustCompile(`"(USER#[^"]*)"`)

func (l *leaving) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".TransactGetItems") {
		return l.RoundTripper.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	l.once.Do(func() {
		for _, key := range userKey.FindAllSubmatch(body, -1) {
			l.gone[string(key[1])] = true
			if _, err = l.f.App().DeleteItem(r.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("crowd"), Key: doc{"PK": str(string(key[1])), "SK": str("PROFILE")}}); err != nil {
				l.f.t.Error(err)
			}
		}
	})
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	return l.RoundTripper.RoundTrip(r)
}

// The accounts that would be read first are deleted just before. The other accounts still hold the value, and the
// finding names only these.
func TestClaimantsLeave(t *testing.T) {
	t.Parallel()
	for accounts, want := range map[int]string{200: "duplicate-value n/a", 97: "duplicate-value n/a", 96: ""} {
		f := start(t)
		f.create("crowd", "PK:S", "SK:S", manyHolders(accounts)...)
		l := &leaving{f: f, gone: map[string]bool{}}
		table := f.described("crowd", users(), func(o *dynamo.Options) { l.RoundTripper, o.Transport = o.Transport, l })
		found, sum := f.run(table, setting.Options{Confirm: setting.ConfirmReads})
		if len(l.gone) != 95 || !sum.Complete {
			t.Errorf("%d left, %+v", len(l.gone), sum)
		}
		if want == "" { // one account holds the value, and the lock protects it
			f.want(found)
			continue
		}
		f.want(found, want)
		named := ids(t, found[0])
		for id := range l.gone {
			if named[id] {
				t.Errorf("%s has left and is named", id)
			}
		}
		if len(named) != accounts-95 {
			t.Errorf("%d are named, want %d: %s", len(named), accounts-95, found[0].Detail)
		}
	}
}

// A finding about an unusual lock says what is unusual, even if another item may hold the lock's value.
func TestFindingsOfOddLocksThatSomethingMayHold(t *testing.T) {
	f := start(t)
	items := []doc{mail("old", owner("1")), mail("undefined")}
	for _, v := range []string{"old", "undefined"} {
		items = append(items, doc{"PK": str("ORDER#" + v), "SK": str("ORDER"), "email": str(v)})
	}
	for n := range 9 {
		id := fmt.Sprint(n)
		items = append(items, user(id, id), mail(id, owner(id)))
	}
	f.create("orders", "PK:S", "SK:S", items...)
	found, _ := f.run(f.described("orders", users(owned)), setting.Options{})
	f.want(found, "stale-lock old?", "malformed-lock undefined?")
	for _, one := range found {
		odd := map[string]string{"old": `names 1, but that account holds "1"`, "undefined": "looks like a mistake"}[one.Value]
		if !strings.Contains(one.Detail, odd) || !strings.Contains(one.Detail, "Does such an item count as a holder?") {
			t.Error(one.Detail)
		}
	}
}
