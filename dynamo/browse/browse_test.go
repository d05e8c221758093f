package browse_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo/find"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/verdict"
	"tallylock/internal/fixture"
)

// broken lists the relations with a broken verdict, sorted.
func broken(v browse.View) string {
	var out []string
	for _, r := range v.Relations {
		if r.Verdict.Broken() {
			text := fmt.Sprintf("%s %s %s", r.Constraint.Name, r.Value, r.Verdict)
			if r.Provisional {
				text += "?"
			}
			out = append(out, text)
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// read reads a table to its end, and judges all rows.
func read(t *testing.T, b *browse.Browser) browse.View {
	t.Helper()
	for {
		v, err := b.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if v.Complete {
			return judged(t, b, v)
		}
	}
}

// page reads a page, and judges its rows.
func page(t *testing.T, b *browse.Browser) browse.View {
	t.Helper()
	for {
		v, err := b.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !b.Owes() {
			return judged(t, b, v)
		}
	}
}

// judged judges all rows that can be judged, and returns the view.
func judged(t *testing.T, b *browse.Browser, v browse.View) browse.View {
	t.Helper()
	for more := 1; more > 0; {
		var err error
		if v, more, err = b.JudgeTogether(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

func TestBrowseShowsWhatIsBroken(t *testing.T) {
	f := fixture.New(t)
	for table, want := range map[string]string{
		"accounts": "email margaret.hamilton@draper.test duplicate\nemail margaret.hamilton@draper.test duplicate\n" +
			"email mel@oldmail.test orphaned?\nemail undefined malformed?\nusername alan orphaned?\nusername hopper missing\nusername turing orphaned?",
		"members": "username alan orphaned\nusername mel stale\nusername mhamilton foreign",
	} {
		b := browse.New(f.Open(table, func(o *dynamo.Options) { o.Settle = time.Millisecond }))
		v := read(t, b)
		if got := broken(v); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", table, got, want)
		}
		if v.Unmatched != 0 {
			t.Errorf("%s: %d locks are not matched, and the table was read whole", table, v.Unmatched)
		}
		v, err := b.Confirm(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := broken(v), strings.ReplaceAll(want, "?", ""); got != want {
			t.Errorf("%s, confirmed:\n%s\nwant:\n%s", table, got, want)
		}
		locks := 0
		for _, g := range v.Locks {
			locks += len(g.Relations)
		}
		if int64(locks+v.Accounts) != v.Scanned {
			t.Errorf("%s: %d locks and %d accounts of %d items", table, locks, v.Accounts, v.Scanned)
		}
	}
}

// The number of pages does not change the verdicts. A view never changes after Next has returned it.
func TestBrowseOverManyPages(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	f.Create("large", "PK:S", "SK:S")
	var rows []sdk.Item
	for n := range 700 {
		email := fmt.Sprintf("p%d@example.net", n)
		rows = append(rows, fixture.Account(fmt.Sprint(n), email, fmt.Sprintf("p%d", n)), fixture.Lock("HANDLE", fmt.Sprintf("p%d", n)))
		if n%100 != 50 {
			rows = append(rows, fixture.Lock("EMAIL", email))
		}
	}
	f.Put("large", rows...)
	f.Put("large", fixture.Lock("HANDLE", "ghost"), fixture.Account("twin", "p0@example.net", "twin"), fixture.Lock("HANDLE", "twin"))
	b := browse.New(f.Open("large"))
	type shown struct {
		view browse.View
		text string
	}
	text := func(v browse.View) string {
		var s strings.Builder
		for _, r := range v.Relations {
			fmt.Fprintln(&s, r.Lock.Key, r.Verdict, r.Provisional)
		}
		return s.String()
	}
	var all []shown
	pages := 0
	for {
		v := page(t, b)
		pages++
		all = append(all, shown{v, text(v)})
		for _, r := range v.Relations {
			if r.Verdict == verdict.Orphaned && !v.Complete {
				t.Errorf("%s is called orphaned after %d of the items", r.Lock.Key, v.Scanned)
			}
		}
		if v.Complete {
			break
		}
	}
	if pages < 3 {
		t.Fatalf("only %d pages", pages)
	}
	for n, s := range all {
		if text(s.view) != s.text {
			t.Errorf("view %d changed after it was given out", n)
		}
		// A new page does not move the rows of earlier pages.
		if n > 0 {
			for m, r := range all[n-1].view.Relations {
				if now := s.view.Relations[m]; !now.Lock.Key.Equal(r.Lock.Key) {
					t.Fatalf("row %d was %s and is %s", m, r.Lock.Key, now.Lock.Key)
				}
			}
		}
	}
	// The verdicts are provisional, because the layout is a guess.
	want := []string{"email p0@example.net duplicate?", "email p0@example.net duplicate?", "username ghost orphaned?"}
	for n := 50; n < 700; n += 100 {
		want = append(want, fmt.Sprintf("email p%d@example.net missing?", n))
	}
	slices.Sort(want)
	if got := broken(all[len(all)-1].view); got != strings.Join(want, "\n") {
		t.Errorf("found\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// If a lock gets a holder before the second reading, Confirm does not confirm it as orphaned.
func TestConfirmDropsWhatChanged(t *testing.T) {
	f := fixture.New(t)
	b := browse.New(f.Open("accounts", func(o *dynamo.Options) { o.Settle = time.Millisecond }))
	read(t, b)
	f.Put("accounts", fixture.Account("new", "n@example.net", "alan"), fixture.Lock("EMAIL", "n@example.net"), fixture.Lock("HANDLE", "alan"))
	if _, err := f.App().DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("accounts"), Key: fixture.Lock("HANDLE", "turing")}); err != nil {
		t.Fatal(err)
	}
	v, err := b.Confirm(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range v.Relations {
		if (r.Value == "alan" || r.Value == "turing") && r.Verdict == verdict.Orphaned {
			t.Errorf("%s is still called orphaned", r.Value)
		}
	}
}

func TestATableThatNoLayoutFitsCanBeBrowsed(t *testing.T) {
	f := fixture.New(t)
	f.Create("odd", "k:B", "n:N")
	f.Put("odd", sdk.Item{"k": sdk.B("\x00\xff"), "n": sdk.N("1.50"), "text": sdk.S("x")})
	table := f.Open("odd")
	if !table.Layout.Empty() {
		t.Errorf("it is taken for %s", table.Layout.Name)
	}
	v := read(t, browse.New(table))
	if len(v.Items) != 1 {
		t.Fatalf("%d items; want 1", len(v.Items))
	}
	key, _ := table.Schema.KeyOf(v.Items[0])
	in, err := browse.Inspect(t.Context(), table, "odd", key)
	if err != nil || in.Item["text"].Text != "x" {
		t.Errorf("%v %v", in, err)
	}
}

// If a read fails, no work is lost: the next step continues it.
func TestAFailedReadLosesNothing(t *testing.T) {
	f := fixture.New(t)
	want := broken(read(t, browse.New(f.Open("accounts"))))
	b := browse.New(f.Open("accounts"))
	for _, operation := range []string{"Scan", "BatchGetItem"} {
		f.Deny[operation] = true
		if v, err := b.Next(t.Context()); err == nil || v.Complete {
			t.Errorf("%s was denied: %v, complete %v", operation, err, v.Complete)
		}
		f.Deny[operation] = false
	}
	for v := (browse.View{}); !v.Complete; {
		var err error
		if v, err = b.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	f.Deny["TransactGetItems"] = true
	if _, judged, err := b.JudgeTogether(t.Context(), nil); err == nil || judged > 0 {
		t.Errorf("TransactGetItems was denied: %v, %d rows judged", err, judged)
	}
	f.Deny["TransactGetItems"] = false
	v := read(t, b)
	if got := broken(v); got != want {
		t.Errorf("after the failures:\n%s\nwant:\n%s", got, want)
	}
	for _, r := range v.Relations {
		if r.Verdict == "" {
			t.Errorf("%s was never judged", r.Lock.Key)
		}
	}
}

// A lock whose owner is not read yet is judged once, and not again with every page.
func TestBrowsingDoesNotAskAgainAndAgain(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	f.Create("owned", "PK:S", "SK:S")
	var rows []sdk.Item
	for n := range 400 {
		name := fmt.Sprintf("p%d", n)
		owned := func(kind, v string) sdk.Item {
			l := fixture.Lock(kind, v)
			l["userId"] = sdk.S(fmt.Sprint(n))
			return l
		}
		rows = append(rows, fixture.Account(fmt.Sprint(n), name+"@x.io", name), owned("EMAIL", name+"@x.io"), owned("HANDLE", name))
	}
	f.Put("owned", rows...)
	table := f.Open("owned")
	whole := dynamo.AccountsCost(table).Units
	v := read(t, browse.New(table))
	if broken(v) != "" || v.Unmatched != 0 {
		t.Errorf("%q is broken, %d unmatched; want none", broken(v), v.Unmatched)
	}
	// The limit is the price of the table, and of reading each lock and each account once more by its key.
	if most := whole + 3*400; v.Units > most {
		t.Errorf("it took %.0f units; want at most %.0f", v.Units, most)
	}
}

// Some reads always fail, and accounts come after their locks. In the end every row exists exactly once.
func TestBrowsingThroughFailures(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	f.Create("owned", "PK:S", "SK:S")
	var rows []sdk.Item
	for n := range 250 {
		name := fmt.Sprintf("p%d", n)
		l := fixture.Lock("HANDLE", name)
		l["userId"] = sdk.S(fmt.Sprint(n))
		if n%5 == 0 {
			l["userId"] = sdk.S("0") // names another account
		}
		rows = append(rows, l)
		if n%7 != 0 {
			rows = append(rows, sdk.Item{"PK": sdk.S(fmt.Sprintf("ACCT#%d", n)), "SK": sdk.S("PROFILE"), "username": sdk.S(name)})
		}
	}
	f.Put("owned", rows...)
	want := broken(read(t, browse.New(f.Open("owned"))))
	b := browse.New(f.Open("owned"))
	f.Requests()
	tries := 0
	for v := (browse.View{}); !v.Complete; tries++ {
		if tries > 5000 {
			t.Fatal("it does not come to an end")
		}
		f.Fail = tries%3 == 0
		var err error
		if v, err = b.Next(t.Context()); err == nil && v.Complete {
			for judged := 1; err != nil || judged > 0; {
				f.Fail = !f.Fail
				v, judged, err = b.JudgeTogether(t.Context(), nil)
			}
			if got := broken(v); got != want {
				t.Errorf("after the failures:\n%s\nwant:\n%s", got, want)
			}
			seen := map[string]bool{}
			for _, r := range v.Relations {
				id := r.Lock.Key.ID()
				if r.Account != nil {
					id += r.Account.Key.ID()
				}
				if seen[id] {
					t.Errorf("%s stands there twice", r.Lock.Key)
				}
				seen[id] = true
			}
		}
	}
}

// The list of a table and find say the same about a lock.
func TestListAndFindAgree(t *testing.T) {
	f := fixture.New(t)
	f.Put("members", sdk.Item{"PK": sdk.S("CUSTOMER#77"), "SK": sdk.S("PROFILE"), "handle": sdk.S("alan")})
	table := f.Open("members")
	a, err := find.Find(t.Context(), table, "alan", find.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := browse.New(table)
	v := read(t, b)
	for _, r := range v.Relations {
		if r.Lock.Key.Equal(a.Locks[1].Lock.Key) && (r.Verdict != a.Locks[1].Verdict || r.Provisional != a.Locks[1].Provisional || r.Why != a.Locks[1].Why) {
			t.Errorf("the list: %s, %v, %q; find: %s, %v, %q", r.Verdict, r.Provisional, r.Why, a.Locks[1].Verdict, a.Locks[1].Provisional, a.Locks[1].Why)
		}
	}
	if a.Locks[1].Verdict != verdict.Unknown {
		t.Errorf("find: %s", a.Locks[1].Verdict)
	}
}
