package ui_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo/client"
)

// If a permission is missing, a person can copy a policy with this permission.
func TestDeniedCopiesAPolicy(t *testing.T) {
	s := onDemo(t, withFaults(&faults{deny: map[string]bool{"Scan": true}}))
	term := s.run(t)
	c := term.clipboard()
	term.see("lacks the permission dynamodb:Scan", "assumed-role/viewer/sam", "y copy policy")
	term.press("y")
	var policy client.Policy
	term.until("a policy to be copied", func(frame string) bool {
		return strings.Contains(frame, "Copied the auditor policy") && json.Unmarshal([]byte(c.says()), &policy) == nil
	})
	if !policy.Permits("Scan") || policy.Permits("TransactWriteItems") {
		t.Errorf("the policy is %+v", policy)
	}
	for _, s := range policy.Statement {
		if slices.Contains(s.Action, "dynamodb:Scan") && !slices.Contains(s.Resource, "arn:aws:dynamodb:*:*:table/accounts") {
			t.Errorf("the policy is about %v", s.Resource)
		}
	}
}
