package finding_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
)

func lines(t *testing.T, all ...finding.Finding) string {
	t.Helper()
	var text strings.Builder
	for _, f := range all {
		line, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "%s\n", line)
	}
	return text.String()
}

func orphan(value string) finding.Finding {
	return finding.Finding{
		Kind: finding.OrphanedLock, Table: "accounts", TableID: "1", Constraint: "email", Value: value,
		Lock: attr.Item{"PK": attr.String(value)}, Accounts: []attr.Item{}, Confirmed: true,
	}
}

// whole sets the table, its id and the time of a summary. An empty id becomes "1", and the id "unknown" becomes empty.
// A zero time becomes a fixed time, and any other time becomes zero.
func whole(s finding.Summary) finding.Summary {
	s.Table = "accounts"
	switch s.TableID {
	case "":
		s.TableID = "1"
	case "unknown":
		s.TableID = ""
	}
	if s.AsOf.IsZero() {
		s.AsOf = time.Date(2026, 11, 27, 1, 0, 0, 0, time.UTC)
	} else {
		s.AsOf = time.Time{}
	}
	return s
}

// Update removes a finding only if the check looked for it and could judge it.
func TestUpdate(t *testing.T) {
	t.Parallel()
	other := orphan("other")
	other.Constraint = "username"
	behind := finding.Finding{Kind: finding.CounterBehind, Table: "accounts", Counter: "orders", Accounts: []attr.Item{}}
	drifted := finding.Finding{Kind: finding.DriftedKey, Table: "accounts", Attribute: "GSI1PK", Accounts: []attr.Item{}}
	expiring := finding.Finding{
		Kind: finding.ExpiringAccount, Table: "accounts", Constraint: "email", Value: "e",
		Accounts: []attr.Item{{"PK": attr.String("1")}},
	}
	text := lines(t, orphan("gone"), orphan("there"), orphan("moving"), orphan("moved"), other, behind, drifted, expiring)
	email := finding.Checked{Constraint: "email"}
	all := func(finding.Kind) bool { return true }
	for name, c := range map[string]struct {
		found   []finding.Finding
		sum     finding.Summary
		wants   func(finding.Kind) bool
		removed []string
	}{
		"one constraint was checked": {sum: finding.Summary{Checked: []finding.Checked{email}}, removed: []string{"gone", "e"}},
		"counters and keys, too": {
			sum:     finding.Summary{Checked: []finding.Checked{email, {Counter: "orders"}, {Key: "GSI1PK"}}},
			removed: []string{"gone", "e", "orders", "GSI1PK"},
		},
		"another counter": {
			sum:     finding.Summary{Checked: []finding.Checked{email, {Counter: "invoices"}}},
			removed: []string{"gone", "e"},
		},
		"a table without an id": {
			sum:     finding.Summary{TableID: "unknown", Checked: []finding.Checked{email, {Counter: "orders"}}},
			removed: []string{"e", "orders"}, // the baseline has them without an id
		},
		"an export of unknown time": {sum: finding.Summary{AsOf: time.Unix(0, 0), Checked: []finding.Checked{email}}},
		"other kinds were wanted": {
			sum:   finding.Summary{Checked: []finding.Checked{email}},
			wants: func(k finding.Kind) bool { return k == finding.DriftedKey },
		},
		"no TTL was known": {
			sum: finding.Summary{Checked: []finding.Checked{email}, NotChecked: []finding.NotChecked{
				{What: finding.UncheckedFindings, Names: []string{string(finding.ExpiringAccount)}},
			}},
			removed: []string{"gone"},
		},
		"too many accounts expire": {
			found:   []finding.Finding{{Kind: finding.ExpiringAccount, Table: "accounts"}},
			sum:     finding.Summary{Checked: []finding.Checked{email}},
			removed: []string{"gone"},
		},
	} {
		b, err := finding.ReadBaseline(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range append(c.found, orphan("there")) {
			if has := b.Observe(f); has != (f.Value == "there") {
				t.Errorf("%s: it has %s: %v", name, f.Same(), has)
			}
		}
		b.Unsettled("email", "moving")
		b.Moving(func(f finding.Finding) bool { return f.Value == "moved" })
		if c.wants == nil {
			c.wants = all
		}
		c.sum = whole(c.sum)
		var after strings.Builder
		did, err := b.Update(&after, strings.NewReader(text), nil, c.sum, c.wants)
		if err != nil || did.Removed != len(c.removed) || did.Kept+did.Removed != 8 || did.Added != 0 {
			t.Errorf("%s: %+v, %v", name, did, err)
		}
		var want []string
		for line := range strings.Lines(text) {
			var f finding.Finding
			if err := json.Unmarshal([]byte(line), &f); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(" "+strings.Join(c.removed, " ")+" ", " "+f.Subject()+" ") {
				want = append(want, line)
			}
		}
		if !c.sum.AsOf.IsZero() {
			want = append(want, `{"summary":{"as_of":"2026-11-27T01:00:00Z","table":"accounts"}}`+"\n")
		}
		if after.String() != strings.Join(want, "") {
			t.Errorf("%s: it has\n%s", name, after.String())
		}
	}
}

// An id and a counter that could not be judged stay.
func TestUpdateOfUnsettledIDs(t *testing.T) {
	t.Parallel()
	text := lines(t,
		finding.Finding{Kind: finding.CounterBehind, Table: "accounts", Counter: "orders", Accounts: []attr.Item{}},
		finding.Finding{Kind: finding.DuplicateID, Table: "accounts", Counter: "orders", ID: "7", Accounts: []attr.Item{}},
		finding.Finding{Kind: finding.DuplicateID, Table: "accounts", Counter: "orders", ID: "8", Accounts: []attr.Item{}})
	b, err := finding.ReadBaseline(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	b.Unsettled("", "orders")
	b.Unsettled("", "7")
	var after strings.Builder
	did, err := b.Update(&after, strings.NewReader(text), nil, whole(finding.Summary{Checked: []finding.Checked{{Counter: "orders"}}}),
		func(finding.Kind) bool { return true })
	if err != nil || did.Removed != 1 || strings.Contains(after.String(), `"8"`) {
		t.Errorf("%+v, %v: %s", did, err, after.String())
	}
}

// A check of items that are older than the findings removes none of them, and its time does not replace the time of the
// baseline.
func TestUpdateFromAnOlderExport(t *testing.T) {
	t.Parallel()
	const newest = `{"summary":{"as_of":"2026-11-27T02:00:00Z","table":"accounts"}}` + "\n"
	text := lines(t, orphan("gone")) + newest
	for asOf, why := range map[time.Time]string{
		{}: "", time.Date(2026, 11, 27, 2, 0, 0, 0, time.UTC): "",
		time.Date(2026, 11, 27, 1, 0, 0, 0, time.UTC): "the baseline has later findings, as of 2026-11-27",
	} {
		b, err := finding.ReadBaseline(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Newer(asOf); !strings.Contains(got, why) || (why == "") != (got == "") {
			t.Errorf("%s: %q", asOf, got)
		}
		if why == "" && !asOf.IsZero() {
			continue
		}
		s := finding.Summary{Table: "accounts", TableID: "1", AsOf: asOf, Checked: []finding.Checked{{Constraint: "email"}}}
		var after strings.Builder
		did, err := b.Update(&after, strings.NewReader(text), nil, s, func(finding.Kind) bool { return true })
		if err != nil || did.Removed != 0 || after.String() != text {
			t.Errorf("%s: %+v, %v: %s", asOf, did, err, after.String())
		}
	}
}

// Update refuses a baseline that another program has changed since ReadBaseline.
func TestUpdateOfAChangedBaseline(t *testing.T) {
	t.Parallel()
	b, err := finding.ReadBaseline(strings.NewReader(lines(t, orphan("a"))))
	if err != nil {
		t.Fatal(err)
	}
	var after strings.Builder
	_, err = b.Update(&after, strings.NewReader(lines(t, orphan("a"), orphan("b"))), nil,
		finding.Summary{Checked: []finding.Checked{{Constraint: "email"}}}, func(finding.Kind) bool { return true })
	if err == nil || !strings.Contains(err.Error(), "another program changed it during the check") {
		t.Error(err)
	}
}
