package adopt_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/oklog/ulid/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/adopt"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/idtime"
	"tallylock/dynamo/schema"
	"tallylock/internal/fixture"
)

// town is a table of people whose e-mails are being made unique.
type town struct {
	*testing.T
	*fixture.Tables
	rule  *adopt.Rule
	since time.Time
}

func newTown(t *testing.T, options ...embedded.Option) *town {
	f := fixture.New(t, options...)
	f.Create("people", "PK:S", "SK:S")
	w := &town{T: t, Tables: f, since: time.Now().Add(-time.Hour).UTC()}
	w.rule = open(t, f.Open("people", fixture.Described(fixture.Layout("people", rule())), func(o *dynamo.Options) { o.Settle = 1 }))
	return w
}

// account puts an account with these attributes. If locked, it also puts the lock.
func (w *town) account(id string, attributes sdk.Item, locked bool) {
	w.Helper()
	email := id + "@x.io"
	item := sdk.Item{"PK": sdk.S("ACCT#" + id), "SK": sdk.S("PROFILE"), "email": sdk.S(strings.ToUpper(email))}
	maps.Copy(item, attributes)
	w.Put("people", item)
	if locked {
		w.lock(email, id)
	}
}

func (w *town) lock(email, owner string) {
	w.Helper()
	w.Put("people", sdk.Item{
		"PK": sdk.S("UNIQ#EMAIL#" + strings.ToLower(email)), "SK": sdk.S("LOCK"), "owner": sdk.S(owner), "type": sdk.S("lock"),
	})
}

func (w *town) judge(o adopt.SinceOptions) *adopt.Judgement {
	w.Helper()
	if o.Since.IsZero() {
		o.Since = w.since
	}
	j, err := adopt.VerifyWriters(w.Context(), w.rule, o)
	if err != nil {
		w.Fatal(err)
	}
	return j
}

func created(at time.Time) sdk.Item { return sdk.Item{"createdAt": sdk.S(at.Format(time.RFC3339Nano))} }

// Twenty accounts with locks verify sign-ups. An account without a lock, or with the lock of another account, is listed.
func TestVerifyWriters(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	for n := range 19 {
		w.account(fmt.Sprintf("new%02d", n), created(w.since.Add(time.Duration(n)*time.Minute)), true)
		w.account(fmt.Sprintf("old%02d", n), created(w.since.Add(-time.Duration(n+1)*time.Minute)), false)
	}
	o := adopt.SinceOptions{Times: adopt.Times{Created: "createdAt"}}
	j := w.judge(o)
	if !j.TooFew() || j.Made != 19 || j.Accounts != 38 || j.Without != 0 {
		t.Errorf("19 accounts: %+v", j)
	}
	w.account("new19", created(w.since), true)
	if j = w.judge(o); j.TooFew() || j.Made != 20 || !slices.Equal(j.NotVerified, []adopt.Operation{adopt.Change}) {
		t.Errorf("20 accounts: %+v", j)
	}
	if e := j.Event(false); e.Judged != 20 || e.Made != 20 || e.Without != 0 || e.By != "createdAt" || e.Confirmed {
		t.Errorf("the record gets %+v", e)
	}
	w.account("untimed", nil, true)
	if j = w.judge(o); j.TooFew() || !slices.Equal(j.NotVerified, []adopt.Operation{adopt.SignUp, adopt.Change}) {
		t.Errorf("20 accounts and one without a time: %+v", j)
	}
	w.account("bad", created(w.since.Add(time.Minute)), false)
	w.account("taken", created(w.since.Add(2*time.Minute)), false)
	w.lock("taken@x.io", "old01")
	j = w.judge(o)
	if j.TooFew() || j.Without != 2 || j.Made != 22 || len(j.Came) != 2 {
		t.Fatalf("without locks: %+v", j)
	}
	if a, b := j.Came[0], j.Came[1]; a.ID != "bad" || a.Owner != "" || a.Operation != adopt.SignUp || a.Value != "BAD@X.IO" || b.ID != "taken" || b.Owner != "old01" {
		t.Errorf("they are %+v", j.Came)
	}
}

// Ten sign-ups and ten changes are too few of each.
func TestVerifyWritersCountsEachOperation(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	before, after := created(w.since.Add(-time.Hour))["createdAt"], created(w.since.Add(time.Minute))["createdAt"]
	for n := range 10 {
		w.account(fmt.Sprint("made", n), sdk.Item{"createdAt": after, "updatedAt": after}, true)
		w.account(fmt.Sprint("changed", n), sdk.Item{"createdAt": before, "updatedAt": after}, true)
	}
	j := w.judge(adopt.SinceOptions{Times: adopt.Times{Created: "createdAt", Updated: "updatedAt"}})
	if j.Judged() != 20 || !j.TooFew() || !j.Event(false).TooFew() {
		t.Errorf("%+v", j)
	}
}

// A lock that a backfill has put is no evidence for the application: a new account came without it, and a changed
// account is not judged.
func TestVerifyWritersDoesNotCountBackfilledLocks(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	before, after := created(w.since.Add(-time.Hour))["createdAt"], created(w.since.Add(time.Minute))["createdAt"]
	backfilled := func(id string) {
		w.Put("people", sdk.Item{
			"PK": sdk.S("UNIQ#EMAIL#" + id + "@x.io"), "SK": sdk.S("LOCK"), "owner": sdk.S(id), "type": sdk.S("lock"),
			schema.AdoptAttribute: sdk.S("0123456789abcdef0123456789abcdef"),
		})
	}
	for n := range 20 {
		id := fmt.Sprintf("changed%02d", n)
		w.account(id, sdk.Item{"createdAt": before, "updatedAt": after}, false)
		backfilled(id)
	}
	o := adopt.SinceOptions{Times: adopt.Times{Created: "createdAt", Updated: "updatedAt"}}
	if j := w.judge(o); !j.TooFew() || j.Changed != 0 || j.Backfilled != 20 || j.Without != 0 {
		t.Errorf("changed accounts with locks of a backfill: %+v", j)
	}
	w.account("made", sdk.Item{"createdAt": after}, false)
	backfilled("made")
	j := w.judge(o)
	if j.Without != 1 || j.Made != 1 || len(j.Came) != 1 || !j.Came[0].Backfilled || j.Came[0].Owner != "made" {
		t.Errorf("a new account with a lock of a backfill: %+v", j)
	}
}

// An update time verifies changes of values. An account that was made after Since counts as a sign-up.
func TestVerifyWritersOfChanges(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	before, after := sdk.N(strconv.FormatInt(w.since.Add(-time.Hour).Unix(), 10)), sdk.N(strconv.FormatInt(w.since.Add(time.Minute).UnixMilli(), 10))
	for n := range 20 {
		w.account(fmt.Sprintf("changed%02d", n), sdk.Item{"createdAt": before, "updatedAt": after}, true)
	}
	w.account("made", sdk.Item{"createdAt": after, "updatedAt": after}, true)
	w.account("same", sdk.Item{"createdAt": before, "updatedAt": before}, false)
	w.account("never", sdk.Item{"createdAt": before}, false)
	w.account("null", sdk.Item{"createdAt": before, "updatedAt": &types.AttributeValueMemberNULL{Value: true}}, false)
	j := w.judge(adopt.SinceOptions{Times: adopt.Times{Created: "createdAt", Updated: "updatedAt"}})
	if j.Made != 1 || j.Changed != 20 || j.Without != 0 || j.Untimed != 0 || !slices.Equal(j.NotVerified, []adopt.Operation{adopt.SignUp}) {
		t.Errorf("%+v", j)
	}
	w.account("bad", sdk.Item{"createdAt": before, "updatedAt": after}, false)
	j = w.judge(adopt.SinceOptions{Times: adopt.Times{Updated: "updatedAt"}})
	if j.Changed != 22 || j.Without != 1 || j.Came[0].Operation != adopt.Change || j.Untimed != 2 {
		t.Errorf("%+v", j)
	}
}

// If an update time cannot be read, the change may be new, even if the sign-up is old. So the changes are not verified.
func TestVerifyWritersOfUnreadableUpdateTimes(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	before, after := sdk.S(w.since.Add(-time.Hour).Format(time.RFC3339)), sdk.S(w.since.Add(time.Minute).Format(time.RFC3339))
	for n := range 20 {
		w.account(fmt.Sprintf("changed%02d", n), sdk.Item{"createdAt": before, "updatedAt": after}, true)
	}
	w.account("odd", sdk.Item{"createdAt": before, "updatedAt": sdk.S("Fri, 27 Nov 2026 08:00:00 GMT")}, false)
	j := w.judge(adopt.SinceOptions{Times: adopt.Times{Created: "createdAt", Updated: "updatedAt"}})
	if j.Changed != 20 || j.Untimed != 1 || !slices.Contains(j.NotVerified, adopt.Change) {
		t.Errorf("%+v", j)
	}
}

// An account that was made during a long reading is judged: its time is not in the future when the account is read.
func TestVerifyWritersDuringALongReading(t *testing.T) {
	t.Parallel()
	w, begun := newTown(t), time.Now()
	w.account("later", created(begun.Add(30*time.Minute)), false)
	w.account("tomorrow", created(begun.Add(24*time.Hour)), false)
	var calls atomic.Int64
	j := w.judge(adopt.SinceOptions{Times: adopt.Times{Created: "createdAt"}, Now: func() time.Time {
		if calls.Add(1) == 1 {
			return begun
		}
		return begun.Add(time.Hour)
	}})
	if j.Future != 1 || j.Without != 1 || j.Came[0].ID != "later" {
		t.Errorf("%+v", j)
	}
}

// Ids contain times, also behind a prefix.
func TestVerifyWritersByID(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	id := func(at time.Time) string { return ulid.MustNew(ulid.Timestamp(at), ulid.DefaultEntropy()).String() }
	for range 10 {
		w.account(id(w.since.Add(time.Minute)), nil, true)
		w.account("usr_"+id(w.since.Add(time.Minute)), nil, true)
		w.account(id(w.since.Add(-time.Minute)), nil, false)
	}
	w.account("admin", nil, false)
	j := w.judge(adopt.SinceOptions{Times: adopt.Times{ID: idtime.ULID}})
	if j.Made != 20 || j.Untimed != 1 || j.UntimedKeys[0].Hash.Value.Text != "ACCT#admin" || j.By != adopt.IDTime {
		t.Errorf("%+v", j)
	}
	for _, c := range adopt.Candidates(w.reopened()) {
		if c.ID != idtime.ULID || c.Has != 30 || c.Of != 31 {
			t.Errorf("the candidate %+v", c)
		}
	}
}

// reopened opens the table again, with a sample of its items.
func (w *town) reopened() *adopt.Rule {
	w.Helper()
	return open(w.T, w.Open("people", fixture.Described(fixture.Layout("people", rule()))))
}

// hooked answers requests like the engine, but calls before with each operation first.
func hooked(before func(operation string)) embedded.Option {
	return embedded.WithMiddleware(func(_ *embedded.Engine, next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
			before(operation)
			return next.RoundTrip(r)
		})
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A sign-up in progress is not a fault: its lock exists at the second reading. An account that changes or goes away
// between both readings is not judged.
func TestVerifyWritersLooksAgain(t *testing.T) {
	t.Parallel()
	var w *town
	again := false
	w = newTown(t, hooked(func(operation string) {
		if operation != "TransactGetItems" || again {
			return
		}
		again = true
		w.lock("inflight@x.io", "inflight")
		w.account("changing", sdk.Item{"email": sdk.S("other@x.io")}, false)
		_, err := w.App().DeleteItem(context.Background(), &dynamodb.DeleteItemInput{
			TableName: aws.String("people"), Key: sdk.Item{"PK": sdk.S("ACCT#going"), "SK": sdk.S("PROFILE")},
		})
		if err != nil {
			t.Error(err)
		}
	}))
	for _, id := range []string{"inflight", "changing", "going", "bad", "twin1", "twin2"} {
		w.account(id, created(w.since), false)
	}
	w.account("twin2", sdk.Item{"createdAt": created(w.since)["createdAt"], "email": sdk.S("twin1@x.io")}, false)
	j := w.judge(adopt.SinceOptions{Times: adopt.Times{Created: "createdAt"}})
	if j.Without != 3 || j.Made != 4 || j.Unsettled != 2 || j.Came[0].ID != "bad" {
		t.Errorf("%+v", j)
	}
}

// Without the permission to read locks, the reading of the accounts ends at once.
func TestVerifyWritersWithoutPermission(t *testing.T) {
	t.Parallel()
	var scans atomic.Int64
	w := newTown(t, embedded.WithMiddleware(func(_ *embedded.Engine, next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			switch _, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), "."); operation {
			case "BatchGetItem":
				return &http.Response{
					StatusCode: http.StatusBadRequest, Header: http.Header{},
					Body: io.NopCloser(strings.NewReader(`{"__type":"AccessDeniedException","message":"not allowed"}`)),
				}, nil
			case "Scan":
				scans.Add(1)
			}
			return next.RoundTrip(r)
		})
	}))
	const accounts = 1500
	for n := range accounts {
		w.account(fmt.Sprint("p", n), sdk.Item{
			"createdAt": created(w.since)["createdAt"], "bio": sdk.S(strings.Repeat("x", 10_000)),
		}, false)
	}
	scans.Store(0)
	_, err := adopt.VerifyWriters(t.Context(), w.rule, adopt.SinceOptions{
		Since: w.since, Times: adopt.Times{Created: "createdAt"},
	})
	if client.KindOf(err) != client.Denied {
		t.Errorf("the error is %v", err)
	}
	if pages := int64(accounts / 100); scans.Load() >= pages {
		t.Errorf("%d of %d pages were read", scans.Load(), pages)
	}
}

// An index on the time finds the accounts without reading the whole table.
func TestVerifyWritersByIndex(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	in := sdk.Table("people", "PK:S", "SK:S")
	in.AttributeDefinitions = append(in.AttributeDefinitions,
		types.AttributeDefinition{AttributeName: aws.String("kind"), AttributeType: types.ScalarAttributeTypeS},
		types.AttributeDefinition{AttributeName: aws.String("createdAt"), AttributeType: types.ScalarAttributeTypeN})
	in.GlobalSecondaryIndexes = []types.GlobalSecondaryIndex{{
		IndexName: aws.String("by-time"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("kind"), KeyType: types.KeyTypeHash}, {AttributeName: aws.String("createdAt"), KeyType: types.KeyTypeRange}},
	}}
	if err := sdk.Fill(t.Context(), f.App(), in); err != nil {
		t.Fatal(err)
	}
	w := &town{T: t, Tables: f, since: time.Now().Add(-time.Hour)}
	at := func(d time.Duration) sdk.Item {
		return sdk.Item{"kind": sdk.S("user"), "createdAt": sdk.N(strconv.FormatInt(w.since.Add(d).Unix()+1, 10))}
	}
	for n := range 21 {
		w.account(fmt.Sprint("new", n), at(time.Minute), n > 0)
		w.account(fmt.Sprint("old", n), at(-time.Hour), false)
	}
	w.rule = open(t, f.Open("people", fixture.Described(fixture.Layout("people", rule())), func(o *dynamo.Options) { o.Settle = 1 }))
	f.Requests()
	o := adopt.SinceOptions{Times: adopt.Times{Created: "createdAt"}, Index: "by-time", Partition: "user"}
	j := w.judge(o)
	if sent := f.Requests(); slices.Contains(sent, "Scan") || !slices.Contains(sent, "Query") {
		t.Errorf("it sent %v", sent)
	}
	if j.Made != 21 || j.Without != 1 || j.Accounts != 21 || j.Came[0].ID != "new0" {
		t.Errorf("%+v", j)
	}
	// Accounts outside the partition are not read, so a person has to confirm their writers.
	w.lock("new0@x.io", "new0")
	elsewhere := at(time.Minute)
	elsewhere["kind"] = sdk.S("guest")
	w.account("guest", elsewhere, false)
	if j = w.judge(o); j.Without != 0 || !slices.Equal(j.NotVerified, []adopt.Operation{adopt.SignUp, adopt.Change}) {
		t.Errorf("with an account outside the partition: %+v", j)
	}
	if e := j.Event(false); e.Index != "by-time" || e.Partition != "user" {
		t.Errorf("the record gets %+v", e)
	}
	o.Index, o.Since = "email-index", w.since
	_, err := adopt.VerifyWriters(t.Context(), w.rule, o)
	if refusal, ok := errors.AsType[*adopt.Refusal](err); !ok || refusal.Code != adopt.NoIndex {
		t.Errorf("another index: %v", err)
	}
}

// spelling is one way to write a time.
type spelling struct {
	name string
	of   func(time.Time) types.AttributeValue
}

func spellings() []spelling {
	text := func(layout string, in *time.Location) func(time.Time) types.AttributeValue {
		return func(at time.Time) types.AttributeValue { return sdk.S(at.In(in).Format(layout)) }
	}
	number := func(of func(time.Time) int64, value func(string) types.AttributeValue) func(time.Time) types.AttributeValue {
		return func(at time.Time) types.AttributeValue { return value(strconv.FormatInt(of(at), 10)) }
	}
	east := time.FixedZone("east", 5*3600+1800)
	return []spelling{
		{"seconds", number(time.Time.Unix, sdk.N)},
		{"milliseconds", number(time.Time.UnixMilli, sdk.N)},
		{"microseconds", number(time.Time.UnixMicro, sdk.N)},
		{"nanoseconds", number(time.Time.UnixNano, sdk.N)},
		{"seconds as text", number(time.Time.Unix, sdk.S)},
		{"milliseconds as text", number(time.Time.UnixMilli, sdk.S)},
		{"fraction", func(at time.Time) types.AttributeValue { return sdk.N(fmt.Sprintf("%d.250", at.Unix())) }},
		{"RFC 3339", text(time.RFC3339, time.UTC)},
		{"fraction and zone", text("2006-01-02T15:04:05.000Z07:00", east)},
		{"zone without colon", text("2006-01-02T15:04:05Z0700", east)},
		{"no zone", text("2006-01-02T15:04:05.000000", time.UTC)},
		{"a space", text(time.DateTime, time.UTC)},
		{"basic", text("20060102T150405Z", time.UTC)},
	}
}

// Times may be written in any form, and in several forms in one table. Other texts are no times, and their accounts are
// counted.
func TestVerifyWritersReadsTimes(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	for n, s := range spellings() {
		w.account(fmt.Sprintf("new%02d", n), sdk.Item{"at": s.of(w.since.Add(time.Minute))}, true)
		w.account(fmt.Sprintf("old%02d", n), sdk.Item{"at": s.of(w.since.Add(-time.Minute))}, false)
		w.account(fmt.Sprintf("future%02d", n), sdk.Item{"at": s.of(time.Now().Add(48 * time.Hour))}, false)
	}
	odd := []types.AttributeValue{
		nil, sdk.S(""), sdk.S("yesterday"), sdk.S("2026-13-45"), sdk.S("\x1b[31m2026-01-01\u202e"), sdk.N("0"), sdk.N("-1"), sdk.N("20261127"),
		sdk.N("1E125"), sdk.N("99999999999999999999999999999999999999"), sdk.S("1E125"), sdk.S("NaN"), sdk.S("Infinity"), sdk.B("2026-01-01T00:00:00Z"),
		&types.AttributeValueMemberBOOL{Value: true}, &types.AttributeValueMemberNULL{Value: true},
		&types.AttributeValueMemberL{Value: []types.AttributeValue{sdk.S("2026-01-01T00:00:00Z")}},
		&types.AttributeValueMemberM{Value: sdk.Item{"at": sdk.S("2026-01-01T00:00:00Z")}},
	}
	for n, v := range odd {
		item := sdk.Item{}
		if v != nil {
			item["at"] = v
		}
		w.account(fmt.Sprintf("odd%02d", n), item, false)
	}
	j := w.judge(adopt.SinceOptions{Times: adopt.Times{Created: "at"}})
	forms := int64(len(spellings()))
	if j.Made != forms || j.Without != 0 || j.Future != forms || j.Untimed != int64(len(odd)) || j.Zoneless != 2 {
		t.Errorf("%d forms and %d odd values: %+v", forms, len(odd), j)
	}
	for _, came := range j.Came {
		t.Errorf("%s: %s", came.ID, came.At)
	}
}

// A day is the time of an account only if the whole day is after the beginning.
func TestVerifyWritersReadsDays(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	now := time.Now().UTC()
	w.account("today", sdk.Item{"day": sdk.S(now.Format(time.DateOnly))}, false)
	day := now.Truncate(24 * time.Hour)
	o := adopt.SinceOptions{Times: adopt.Times{Created: "day"}, Since: day.Add(time.Second)}
	if j := w.judge(o); j.Judged() != 0 {
		t.Errorf("the day that the writers changed: %+v", j)
	}
	o.Since = day
	if j := w.judge(o); j.Without != 1 {
		t.Errorf("the whole day: %+v", j)
	}
}

// Random accounts with random times in random forms are judged by their times.
func TestVerifyWritersOfRandomTables(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 1))
		w := newTown(t)
		var want adopt.Judgement
		for n := range 60 {
			s := spellings()[random.IntN(len(spellings()))]
			at := w.since.Truncate(time.Second).Add(time.Duration(1+random.IntN(3000)) * time.Second)
			made, changed, locked := random.IntN(2) == 0, random.IntN(2) == 0, random.IntN(4) > 0
			times := sdk.Item{"c": s.of(at.Add(-2 * time.Hour)), "u": s.of(at.Add(-2 * time.Hour))}
			if made {
				times["c"] = s.of(at)
			}
			if changed {
				times["u"] = s.of(at)
			}
			switch {
			case made:
				want.Made++
			case changed:
				want.Changed++
			}
			if !locked && (made || changed) {
				want.Without++
			}
			w.account(fmt.Sprint("id", n), times, locked)
		}
		j := w.judge(adopt.SinceOptions{Times: adopt.Times{Created: "c", Updated: "u"}})
		if j.Made != want.Made || j.Changed != want.Changed || j.Without != want.Without || int(j.Without) != len(j.Came) {
			t.Errorf("seed %d: %d made, %d changed, %d without, not %d, %d, %d", seed, j.Made, j.Changed, j.Without, want.Made, want.Changed, want.Without)
		}
	}
}

// The candidates are attributes with times in the past. They say nothing about the meaning.
func TestCandidates(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	for n := range 4 {
		item := sdk.Item{"createdAt": sdk.S("2026-01-0" + strconv.Itoa(n+1)), "ttl": sdk.N(strconv.FormatInt(time.Now().Add(48*time.Hour).Unix(), 10)), "age": sdk.N("42")}
		if n > 0 {
			item["meta"] = &types.AttributeValueMemberM{Value: sdk.Item{"seen": sdk.N("1764220811000")}}
		}
		w.account(fmt.Sprint("id", n), item, true)
	}
	all := adopt.Candidates(w.reopened())
	if len(all) != 2 || all[0].Attribute != "createdAt" || all[0].Has != 4 || all[1].Attribute != "meta.seen" || all[1].Has != 3 || all[0].Last.Day() != 4 {
		t.Errorf("%+v", all)
	}
}
