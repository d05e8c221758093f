package session_test

import (
	"os"
	"path/filepath"
	"testing"

	"tallylock/ui/session"
)

func TestFreeNameCountsUp(t *testing.T) {
	dir := t.TempDir()
	for _, want := range []string{"accounts-plan.json", "accounts-plan-2.json", "accounts-plan-3.json"} {
		got := session.FreeName(filepath.Join(dir, session.PlanName("arn:aws:dynamodb:eu-west-1:1:table/accounts")))
		if got != filepath.Join(dir, want) {
			t.Errorf("%s, want %s", got, want)
		}
		if err := os.WriteFile(got, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
