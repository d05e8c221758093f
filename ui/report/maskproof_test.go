package report_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/demo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/ui/report"
)

// awkward has values that a pattern could miss, or that are also words of the report. The last value is too long for a
// lock.
var awkward = []string{
	"q", "it", "lock", "account", "the", "no lock can be made of", "a.b*c+(d)[e]{2}|^f$", `back\slash\d`, `say "hi" to 'me'`, "“curled”",
	"<b>bold</b>", "&amp;", "</script>", "co, such as me", "end.", "trailing ", "two  blanks", "d4t3-5n1", "`ticks`", "{{.}}", "line\nend", "ünï", "carol@mail.test", strings.Repeat("much", 600),
}

// other returns a text of the same shape: the letters and digits differ, but their order stays.
func other(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r < 'z' || r >= 'A' && r < 'Z' || r >= '0' && r < '9' {
			return r + 1
		}
		return r
	}, s)
}

// masking returns the masked report of a table with these values: in accounts without locks, in locks without accounts,
// and in accounts that share a value.
func masking(t *testing.T, path string, as func(string) string) string {
	t.Helper()
	d, err := demo.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var items []sdk.Item
	item := func(pk, sk string, more ...string) {
		it := sdk.Item{"PK": sdk.S(pk), "SK": sdk.S(sk)}
		for n := 0; n < len(more); n += 2 {
			it[more[n]] = sdk.S(more[n+1])
		}
		items = append(items, it)
	}
	for n, value := range awkward {
		id := as(fmt.Sprintf("%s-%02d", value[:min(len(value), 40)], n))
		value = as(value + fmt.Sprint(n%9))
		item("ACCT#"+id, "PROFILE", "username", value, "email", value)
		if len(value) > 500 {
			continue
		}
		item("UNIQ#EMAIL#"+value, "LOCK")
		switch n % 4 {
		case 0:
			item("UNIQ#HANDLE#gone"+value, "LOCK")
			item("UNIQ#HANDLE#"+value, "LOCK")
		case 1:
			item("UNIQ#HANDLE#"+value, "LOCK")
			item("ACCT#x"+id, "PROFILE", "email", value)
		case 2:
			item("UNIQ#HANDLE#"+value, "LOCK")
		}
	}
	if err := sdk.Put(t.Context(), d.App(), "accounts", items...); err != nil {
		t.Fatal(err)
	}
	if err := sdk.Put(t.Context(), d.App(), "accounts", sdk.Item{"PK": sdk.S("COUNTER#" + as("tenants")), "SK": sdk.S("VALUE"), "n": &types.AttributeValueMemberN{Value: "7"}}); err != nil {
		t.Fatal(err)
	}
	o := d.Options()
	o.Settle = 1
	conn, err := dynamo.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	table, err := conn.Open(t.Context(), "accounts")
	if err != nil {
		t.Fatal(err)
	}
	text := checked(t, path, report.About{Table: table, Mask: true})
	contains(t, text, "orphaned-lock", "missing-lock", "duplicate-value", "cannot be part of a lock key")
	return volatile.ReplaceAllString(text, "")
}

// volatile matches parts that differ in every check.
var volatile = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|\d\d:\d\d:\d\d|[0-9.]+ m?s, [0-9,.]+ read units`)

// A masked report shows only the shapes of values. So the reports of two tables are equal if only the values differ,
// but not their shapes.
func TestMaskTellsNothingButShapes(t *testing.T) {
	for _, path := range []string{"r.html", "r.md"} {
		one := masking(t, path, func(s string) string { return s })
		two := masking(t, path, other)
		first, second := strings.Split(one, "\n"), strings.Split(two, "\n")
		for n := range min(len(first), len(second)) {
			if first[n] != second[n] {
				t.Errorf("%s, line %d:\n%s\n%s", path, n+1, first[n], second[n])
			}
		}
		if len(first) != len(second) {
			t.Errorf("%s has %d lines, and %d", path, len(first), len(second))
		}
	}
}
