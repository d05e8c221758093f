package explain_test

import (
	"strings"
	"testing"
	"time"

	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/scan"
	"tallylock/internal/s3"
	"tallylock/ui/say"
)

// The table has no TTL now, or its TTL settings cannot be read. Then TTL may have caused a deletion in an export, and a
// note says so.
func TestDeletionsWithoutTTL(t *testing.T) {
	t.Parallel()
	const off, unread = "people has no TTL now", "The TTL settings of people cannot be read"
	for name, tc := range map[string]struct {
		deleted, denied bool
		ttl             string
		want            string
	}{
		"off":      {true, false, "", off},
		"on":       {true, false, "ttl", ""},
		"denied":   {true, true, "ttl", unread},
		"no event": {false, false, "", ""},
	} {
		f, table := people(t)
		rel := relation(t, table)
		if tc.ttl != "" {
			if err := sdk.Expire(t.Context(), f.App(), "people", tc.ttl); err != nil {
				t.Fatal(err)
			}
		}
		if tc.denied {
			f.Deny = map[string]bool{"DescribeTimeToLive": true}
		}
		lock := `{"PK":{"S":"` + lockKey + `"},"SK":{"S":"LOCK"}}`
		was, is := []byte(nil), []byte(lock)
		if tc.deleted {
			was, is = is, nil
		}
		dir := t.TempDir()
		hour := s3.Increment{Table: "people", From: begin, To: begin.Add(time.Hour), View: scan.NewAndOldImages}
		if _, err := hour.Write(dir, [][]byte{s3.Change(begin.Add(time.Minute), []byte(lock), was, is)}); err != nil {
			t.Fatal(err)
		}
		p := pastWith(t, table, rel, dir)
		notes := strings.Join(say.PastNotes(p), "\n")
		for _, note := range []string{off, unread} {
			if strings.Contains(notes, note) != (note == tc.want) {
				t.Errorf("%s: %s", name, notes)
			}
		}
	}
}
