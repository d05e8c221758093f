package screen

import (
	"encoding/json"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/client"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// Policies copies the least IAM policy that would let through what failed: a screen that
// shows Failed has it before its other commands. It is empty where something else failed,
// or a policy forbids it.
func Policies(s *session.Session, err error) Commands {
	denied, ok := errors.AsType[*client.Error](err)
	action, dynamodb := "", false
	if ok {
		action, dynamodb = strings.CutPrefix(denied.Permission, "dynamodb:")
	}
	if !dynamodb || denied.Kind != client.Denied || denied.Refusal.Explicit() {
		return nil
	}
	region := ""
	if c := s.Connection().Connection; c != nil { // nil: not made yet
		region = c.Region()
	}
	var tables []string
	if s.Wanted != "" && action != "ListTables" {
		tables = []string{s.Wanted}
	}
	for _, role := range client.Roles() {
		p, err := client.PolicyFor(role, region, tables)
		if err != nil || !p.Permits(action) {
			continue
		}
		return Commands{{Action: keymap.Copy, Words: "copy policy", Full: "copy the " + string(role) + " policy", Run: func() tea.Cmd {
			text, err := json.MarshalIndent(p, "", "  ")
			if err != nil {
				return s.Complain("Copying the policy: " + err.Error() + ".")
			}
			return s.Copy("the "+string(role)+" policy", string(text))
		}}}
	}
	return nil
}

// refusal is whom the endpoint refused, on what, and why.
func refusal(s *session.Session, d *kit.Block, r client.Refusal) {
	c := s.Connection()
	if r.Caller == "" {
		d.Fact("on", kit.Text.Of(c.Where()), kit.Muted.Of(", as "+c.Name()))
		return
	}
	d.LongFact(3, "role", r.Caller)
	if r.Resource != "" {
		d.LongFact(3, "on", r.Resource)
	} else {
		d.Fact("on", kit.Text.Of(c.Where()), kit.Muted.Of(", as "+c.Name()))
	}
	if r.Why != "" {
		d.LongFact(3, "why", words.Sentence(r.Why))
	}
}
