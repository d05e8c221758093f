package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
)

// A check does not replace a baseline that another check created at the same time.
func TestABaselineThatAnotherCheckHasBegun(t *testing.T) {
	t.Parallel()
	known, err := finding.ReadBaseline(strings.NewReader(""))
	if err != nil {
		t.Fatal(err)
	}
	b := baseline{
		path: filepath.Join(t.TempDir(), "known.jsonl"), file: os.DevNull, update: true, accept: true, known: known,
	}
	b.add(finding.Finding{Kind: finding.OrphanedLock, Table: "accounts"})
	defer b.added.close()
	const other = `{"finding":"missing-lock","table":"accounts"}` + "\n"
	if err := os.WriteFile(b.path, []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	err = b.write(nil, finding.Summary{Complete: true, AsOf: time.Now()}, &setting.Options{}, nil)
	if err == nil || !strings.Contains(err.Error(), "another program changed it during the check; check again") {
		t.Error(err)
	}
	if text, err := os.ReadFile(b.path); err != nil || string(text) != other {
		t.Errorf("%q, %v", text, err)
	}
}
