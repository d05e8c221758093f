package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/demo"
	"tallylock/dynamo/phrase"
	"tallylock/ui/report"
	"tallylock/ui/say"
)

// open opens a table of the demo.
func open(t testing.TB, name string) *dynamo.Table {
	t.Helper()
	d, err := demo.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := d.Options()
	o.Settle = time.Microsecond
	conn, err := dynamo.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	table, err := conn.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// checked runs a check, and returns its report.
func checked(t *testing.T, path string, about report.About) string {
	t.Helper()
	r, err := report.New(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := check.Run(t.Context(), about.Table, about.Options, r.Add, nil)
	if err != nil {
		t.Fatal(err)
	}
	return written(t, r, about, s)
}

func written(t *testing.T, r *report.Report, about report.About, s finding.Summary) string {
	t.Helper()
	about.Began, about.Ended = time.Date(2026, 11, 23, 3, 0, 0, 0, time.UTC), time.Date(2026, 11, 23, 3, 4, 0, 0, time.UTC)
	about.Version = "1.2.3"
	var out bytes.Buffer
	if err := r.Write(&out, about, s); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func contains(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%q is missing in:\n%s", w, text)
		}
	}
}

// The page has the scope, the time and the certainty of the check, the changes that are not excluded, and each finding
// with its evidence and its remedy. It loads nothing from elsewhere.
func TestPage(t *testing.T) {
	text := checked(t, "r.html", report.About{Table: open(t, "accounts"), Gate: "More was found."})
	contains(t, text,
		"<title>Check of accounts</title>", "6 findings.", "More was found.", "tallylock 1.2.3",
		"104 items: 34 accounts, 70 locks", "<dt>When</dt><dd>2026-11-23 03:00:00 UTC – 03:04:00 UTC</dd>", "accounts, as the config describes it",
		`<a href="#orphaned-lock">orphaned-lock</a></th><td class="number">3</td><td class="number">3</td>`, `aria-label="3 found, 3 confirmed"`,
		"All findings are confirmed", "A writer that takes a value puts the value&#39;s lock in the same transaction", "<li>The value was given up and taken again between two of these readings",
		"No account holds the username &#34;alan&#34;, but its lock exists.", "A sign-up as &#34;alan&#34; gets &#34;already in use&#34;.",
		"<code>UNIQ#HANDLE#alan / LOCK</code>", "Evidence: No account uses the value: all", say.Remedy(finding.OrphanedLock), "tallylock release --write --table accounts", "<code>hopper</code>",
	)
	for _, foreign := range []string{"src=", "@import", "url(", "href=\"http", "not confirmed</span>"} {
		if strings.Contains(text, foreign) {
			t.Errorf("it has %q", foreign)
		}
	}
	if n := strings.Count(text, "<script"); n != 1 {
		t.Errorf("%d scripts", n)
	}
	text = checked(t, "r.HTML", report.About{Table: open(t, "order_id")})
	contains(t, text, "Nothing is wrong.", `class="outcome good"`, "The whole table was read.")
	if strings.Contains(text, "<form") {
		t.Error("there is nothing to filter")
	}
}

// A report says in words that a finding is not confirmed.
func TestNotConfirmed(t *testing.T) {
	about := report.About{Table: open(t, "members"), Options: setting.Options{Confirm: setting.ConfirmNone}}
	contains(t, checked(t, "r.html", about), "Confirmed: 0 of 3 findings.", "not all of them confirmed", `<span class="unconfirmed">not confirmed</span>`, "Nothing was read again")
	contains(t, checked(t, "r.md", about), "Confirmed: 0 of 3 findings.", "username alan (not confirmed)", "| stale-lock | 1 | 0 |")
}

// A report of an incomplete check says so beside its numbers.
func TestIncomplete(t *testing.T) {
	for _, path := range []string{"r.html", "r.md"} {
		r, err := report.New(path)
		if err != nil {
			t.Fatal(err)
		}
		text := written(t, r, report.About{Table: open(t, "accounts")}, finding.Summary{Table: "accounts", Why: "stopped before it was finished", Unsettled: 2, Confirmed: true})
		contains(t, text, "Found nothing so far. The check is incomplete.", "Incomplete: Stopped before it was finished.", "2 values changed during the check")
	}
}

// hostile returns a finding whose texts try to become markup or commands.
func hostile(n int) finding.Finding {
	const evil = "</code></script><script>alert(1)</script><img src=x onerror=alert(2)>\n```\n# owned [x](http://evil.test) @everyone \u202egpj.exe\x1b[2J|`{{.}}"
	item := attr.Item{"PK": attr.String("UNIQ#HANDLE#" + evil), "SK": attr.String("LOCK")}
	return finding.Finding{
		Kind: finding.OrphanedLock, Constraint: evil, Value: fmt.Sprint(evil, n), Lock: item, Accounts: []attr.Item{item}, Confirmed: true,
		Detail: "The lock on " + evil, Evidence: "Read " + evil + " Not excluded: " + evil,
	}
}

// Texts from a table stay plain text in a report.
func TestHostileValues(t *testing.T) {
	table := open(t, "accounts")
	for _, path := range []string{"r.html", "r.md"} {
		r, err := report.New(path)
		if err != nil {
			t.Fatal(err)
		}
		r.Add(hostile(1))
		evil := "<script>alert(3)</script> [x](http://evil.test) @everyone ``` \u202e"
		text := written(t, r, report.About{Table: table, Gate: evil}, finding.Summary{Table: evil, Findings: map[finding.Kind]int{finding.OrphanedLock: 1}, Notes: []string{evil}, Why: evil, Assumptions: []string{evil}})
		if strings.ContainsAny(text, "\u202e\x1b") {
			t.Errorf("%s: control characters are left", path)
		}
		if path == "r.md" {
			for n, line := range outside(text) {
				if strings.ContainsAny(line, "<@") || strings.Contains(line, "](") {
					t.Errorf("line %d is markup: %s", n+1, line)
				}
			}
			continue
		}
		if strings.Contains(text, "<img") || strings.Count(text, "<script") != 1 || strings.Contains(text, "<script>alert") {
			t.Errorf("a value became markup:\n%s", text)
		}
		contains(t, text, "&lt;img src=x onerror=alert(2)&gt;", `\u202e`)
	}
}

var span = regexp.MustCompile("`+[^`]+`+")

// outside returns the lines of a Markdown text, without the code in them.
func outside(text string) []string {
	var out []string
	fence := ""
	for _, line := range strings.Split(text, "\n") {
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "" && len(ticks) >= 3 && strings.HasSuffix(line, "text"):
			fence = ticks
			line = ""
		case fence != "" && line == fence:
			fence, line = "", ""
		case fence != "":
			line = ""
		}
		// A span ends at as many backticks as it began with.
		for _, n := range []int{5, 4, 3, 2, 1} {
			ticks := strings.Repeat("`", n)
			if parts := strings.Split(line, ticks); len(parts) == 3 {
				line = parts[0] + parts[2]
			}
		}
		out = append(out, span.ReplaceAllString(line, ""))
	}
	return out
}

// A masked report shows no value, key or id anywhere.
func TestMask(t *testing.T) {
	for _, name := range []string{"accounts", "members", "posts"} {
		table := open(t, name)
		var secrets []string
		s, err := check.Run(t.Context(), table, setting.Options{}, func(f finding.Finding) {
			if f.Value != "" {
				secrets = append(secrets, f.Value)
			}
			for _, k := range say.FindingKeys(table, f) {
				if _, id, ok := strings.Cut(k.Hash.Value.Display(), "#"); ok {
					secrets = append(secrets, id)
				}
			}
		}, nil)
		if err != nil || name != "posts" && len(secrets) == 0 {
			t.Fatalf("%+v, %v", s, err)
		}
		for _, path := range []string{"r.html", "r.md"} {
			text := checked(t, path, report.About{Table: table, Mask: true})
			contains(t, text, "are masked")
			for _, secret := range secrets {
				if strings.Contains(text, secret) {
					t.Errorf("%s of %s has %q:\n%s", path, name, secret, text)
				}
			}
		}
	}
	r, err := report.New("r.md")
	if err != nil {
		t.Fatal(err)
	}
	text := written(t, r, report.About{Table: open(t, "accounts"), Mask: true}, finding.Summary{Table: "accounts", Notes: []string{
		`accounts hold 1 value that cannot be part of a lock key, such as ACCT#77: no "ada"`, `"bob" writes to carol@x.test`, "arn:aws:sts::123456789012:assumed-role/r/dave",
	}})
	for _, secret := range []string{"ACCT#77", "ada", "bob", "carol", "123456789012", "dave"} {
		if strings.Contains(text, secret) {
			t.Errorf("a note has %q:\n%s", secret, text)
		}
	}
}

// If there are very many findings, a report shows a part of them, and says how many there are.
func TestManyFindings(t *testing.T) {
	const many = 100_000
	table := open(t, "accounts")
	for path, most := range map[string]struct{ shown, bytes int }{"r.html": {2000, 4 << 20}, "r.md": {15, 65_536}} {
		r, err := report.New(path)
		if err != nil {
			t.Fatal(err)
		}
		long := strings.Repeat("é", 1000)
		for n := range many {
			f := finding.Finding{Kind: finding.OrphanedLock, Constraint: "email", Value: fmt.Sprint("v", n), Confirmed: true, Detail: "It is.", Evidence: "Read."}
			if path == "r.md" {
				f.Detail, f.Evidence = long, long
			}
			r.Add(f)
		}
		r.Add(finding.Finding{Kind: finding.MissingLock, Constraint: "email", Value: "rare"})
		text := written(t, r, report.About{Table: table}, finding.Summary{Table: "accounts", Findings: map[finding.Kind]int{finding.OrphanedLock: many, finding.MissingLock: 1}})
		if path == "r.html" {
			contains(t, text, `<rect class="all" width="0.5"`, `<rect class="sure" width="0"`)
		}
		contains(t, text, "100,000", fmt.Sprintf("%s more are not shown.", group(many-most.shown)), "rare")
		if len(text) > most.bytes {
			t.Errorf("%s has %d bytes", path, len(text))
		}
	}
}

func group(n int) string {
	text := fmt.Sprint(n)
	return text[:len(text)-3] + "," + text[len(text)-3:]
}

// Every kind of findings has a remedy.
func TestEveryKindHasARemedy(t *testing.T) {
	for _, kind := range finding.Kinds() {
		if say.Remedy(kind) == "" {
			t.Errorf("%s has no remedy", kind)
		}
	}
}

func TestFormats(t *testing.T) {
	for _, path := range []string{"r.pdf", "r", "html", "r.jsonl", ""} {
		if _, err := report.New(path); err == nil || !strings.Contains(err.Error(), ".html or .md") {
			t.Errorf("%q: %v", path, err)
		}
	}
}

// Making a report does not change the finding, because other code uses the finding, too.
func TestReportLeavesFindingsAlone(t *testing.T) {
	f := hostile(1)
	before, _ := json.Marshal(f)
	r, _ := report.New("r.html")
	r.Add(f)
	if after, _ := json.Marshal(f); !bytes.Equal(before, after) {
		t.Errorf("%s\n%s", before, after)
	}
}

// If a page cannot show a command unchanged, it leaves the command out, because the changed command would name another
// value.
func TestNoCommandIsAltered(t *testing.T) {
	table := open(t, "accounts")
	r, err := report.New("r.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []string{"alan", "nala\u202e"} {
		r.Add(finding.Finding{Kind: finding.OrphanedLock, Table: "accounts", Constraint: "username", Value: value, Lock: attr.Item{"PK": attr.String("UNIQ#HANDLE#" + value), "SK": attr.String("LOCK")}})
	}
	text := written(t, r, report.About{Table: table}, finding.Summary{Table: "accounts"})
	contains(t, text, "tallylock release --write --table accounts username alan")
	if strings.Contains(text, "username nala") || strings.Contains(text, `username 'nala`) {
		t.Errorf("a command names another value:\n%s", text)
	}
}

// A page of very many findings stays within 5 MB, for any texts, and says how many findings it leaves out.
func TestPageOfManyFindings(t *testing.T) {
	if testing.Short() {
		t.Skip("20,000 findings of one goroutine: left out with -short")
	}
	t.Parallel()
	about := report.About{Table: open(t, "accounts")}
	for _, odd := range []string{"", strings.Repeat("\"+\u202e", 200)} {
		found, s := manyFindings(t, about, 20_000, 10)
		r, err := report.New("r.html")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			f.Value += odd
			r.Add(f)
		}
		text := written(t, r, about, s)
		if len(text) > 5_000_000 || odd == "" && len(text) < 4_000_000 {
			t.Errorf("with %.10q: %d bytes", odd, len(text))
		}
		shown := strings.Count(text, "<article")
		if !strings.Contains(text, phrase.Number(shown)+" of 20,000 findings are shown.") {
			t.Errorf("with %.10q: it does not say that %d are shown", odd, shown)
		}
		for _, kind := range finding.Kinds()[:10] {
			if _, of, _ := strings.Cut(text, `data-kind="`+string(kind)+`"`); !strings.Contains(of[:6000], "<article") {
				t.Errorf("with %.10q: no %s is shown", odd, kind)
			}
		}
	}
}
