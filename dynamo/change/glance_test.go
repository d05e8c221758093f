package change

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

// What a glance reads of a line is what a whole reading does, whatever stands in
// it; and no bytes make it panic.
func FuzzGlance(f *testing.F) {
	f.Add([]byte(`{"event":"send","receipt":"R-1","at":"2026-01-01T00:00:00Z","plan":{`), "bump \"x\"", "a\\b\u2028\x00", "arn:aws:sts::1:x")
	f.Add([]byte("{}\n"), "", "", "")
	f.Add([]byte(`{"a":"\`), "}", `"`, "\xff")
	f.Fuzz(func(t *testing.T, raw []byte, what, reason, who string) {
		glance(raw)
		for _, e := range []Entry{
			{Event: "send", What: "do " + what, Plan: &Plan{ID: "R-1", Title: what}, Request: json.RawMessage(`{"a":1}`)},
			{Event: "answer", Outcome: Applied},
			{Event: "answer", Outcome: Refused, Reasons: []Reason{{Code: what, Text: reason}}, Error: who},
			{Event: "resolved", Outcome: Unknown, Error: reason},
		} {
			e.Receipt, e.Step, e.Token, e.At, e.Run = "R-1", "bump", "t", time.Unix(1_795_000_000, 7).UTC(), "R-0"
			e.Reason, e.Who, e.Region = reason, who, "eu-west-1"
			line, err := e.line()
			if err != nil {
				t.Fatal(err)
			}
			var whole Entry
			if err := json.Unmarshal(line, &whole); err != nil {
				t.Fatal(err)
			}
			got, ok := glance(line)
			if !ok {
				t.Fatalf("%s cannot be read", line)
			}
			// The plan and what belongs to it may be left for later.
			if got.Plan == nil {
				whole.Plan, whole.Request = nil, nil
			}
			got.Token, whole.Token = "", ""
			if !reflect.DeepEqual(got, whole) {
				t.Errorf("%s\nglanced at: %+v\nread whole: %+v", bytes.TrimSpace(line), got, whole)
			}
		}
	})
}
