package record_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo/check/finding"
	"tallylock/ui/record"
)

// sample matches a line of the text format of Prometheus.
var sample = regexp.MustCompile(
	`^([a-zA-Z_:][a-zA-Z0-9_:]*)\{([a-zA-Z_][a-zA-Z0-9_]*="([^"\\\n]|\\[\\"n])*",?)+\} (-?[0-9]+(\.[0-9]+)?)$`)

// A status keeps the time of the last complete check in both formats. Names cannot break the metrics.
func TestStatus(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 27, 3, 17, 2, int(5*time.Millisecond), time.UTC)
	odd := "a\\\"}\n# b\xff"
	s := record.Status{
		Version: odd, Table: "t\"x\\", TableID: "id", Layout: odd, Began: at, Ended: at.Add(time.Hour), LastComplete: &at,
		Findings: map[finding.Kind]record.StatusFindings{finding.OrphanedLock: {Confirmed: 3, Unconfirmed: 1}},
		NotChecked: []finding.NotChecked{
			{What: finding.UncheckedCounters, Names: []string{odd}, Why: "w", Required: true},
			{What: finding.UncheckedCounters, Names: []string{odd, "b"}, More: 4, Why: "v", Required: true},
			{What: finding.UncheckedItems, Names: []string{"ada@lovelace.io"}, More: 2, Why: "u"},
			{What: finding.UncheckedValues, Names: []string{"email \"bob@x.io\""}, More: 5, Why: "x", Required: true},
		},
		ReadUnits: 1234567.5,
	}
	for _, format := range []record.StatusFormat{"json", "prom"} {
		var text strings.Builder
		if err := format.Write(&text, s); err != nil {
			t.Fatal(err)
		}
		again, err := format.Read(strings.NewReader(text.String()))
		if err != nil || again.Table != s.Table || again.TableID != "id" || !again.LastComplete.Equal(at) {
			t.Errorf("%s: %+v, %v", format, again, err)
		}
		if none, err := format.Read(strings.NewReader("\n")); none != nil || err != nil {
			t.Errorf("%s: an empty file is %+v, %v", format, none, err)
		}
		if strings.Contains(text.String(), "bob@x.io") || s.NotChecked[3].More != 5 {
			t.Errorf("%s names a value of a constraint, or changes the summary:\n%s", format, text.String())
		}
		if format == "json" {
			if !strings.Contains(text.String(), `"more": 6`) {
				t.Errorf("the JSON does not count the values:\n%s", text.String())
			}
			continue
		}
		metrics(t, text.String())
		for _, want := range []string{
			`,kind="orphaned-lock",confirmed="true"} 3`, `,kind="orphaned-lock",confirmed="false"} 1`,
			`,what="counters",name="b",required="true"} 1`, `,what="counters",name="",required="true"} 4`,
			`,what="items",name="",required="false"} 3`, `,what="values",name="",required="true"} 6`, "read_units{table=\"t\\\"x\\\\\"} 1234567.5\n",
		} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("it does not have %s:\n%s", want, text.String())
			}
		}
		if strings.Contains(text.String(), "ada@lovelace.io") {
			t.Error("it names what only the table has")
		}
	}
}

// metrics checks the text format: each series occurs once and after the type of its metric, and the series of a metric
// are together.
func metrics(t *testing.T, text string) {
	t.Helper()
	now, types, series := "", map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if words := strings.Fields(line); words[0] == "#" {
			if now = words[2]; words[1] == "TYPE" && types[now] {
				t.Errorf("a second type: %q", line)
			}
			types[now] = types[now] || words[1] == "TYPE"
			continue
		}
		parts := sample.FindStringSubmatch(line)
		if parts == nil || parts[1] != now || !types[now] {
			t.Errorf("no sample of %s: %q", now, line)
			continue
		}
		if name := line[:strings.LastIndex(line, " ")]; series[name] {
			t.Errorf("twice: %q", line)
		} else {
			series[name] = true
		}
	}
}
