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
	role, p, _ := policy(s, err)
	if role == "" {
		return nil
	}
	return Commands{
		{Action: keymap.Copy, Words: "copy policy", Full: "copy the " + string(role) + " policy", Run: func() tea.Cmd {
			text, err := json.MarshalIndent(p, "", "  ")
			if err != nil {
				return s.Complain("Copying the policy: " + err.Error() + ".")
			}
			return s.Copy("the "+string(role)+" policy", string(text))
		}},
	}
}

// Permits shows that policy beside what failed; nil where there is none.
func Permits(s *session.Session, err error) func(d *kit.Block) {
	role, p, lacks := policy(s, err)
	if role == "" {
		return nil
	}
	return func(d *kit.Block) {
		d.Head(1, "THE "+strings.ToUpper(string(role))+" POLICY")
		for _, st := range p.Statement {
			for _, action := range st.Action {
				d.Row(func(l *kit.Line) {
					style := kit.Text
					if action == "dynamodb:"+lacks {
						l.Put(kit.Bad, " "+kit.GlyphNo)
						style = kit.Heading
					}
					l.To(3)
					l.Put(style, action)
				})
			}
			for _, on := range st.Resource {
				d.Para(3, kit.Muted, on)
			}
			d.Gap()
		}
	}
}

// policy is the least IAM policy that would let through what failed, by its role, and the action
// that was denied; the role is empty where there is none.
func policy(s *session.Session, err error) (role client.Role, p client.Policy, lacks string) {
	denied, ok := errors.AsType[*client.Error](err)
	action, dynamodb := "", false
	if ok {
		action, dynamodb = strings.CutPrefix(denied.Permission, "dynamodb:")
	}
	if !dynamodb || denied.Kind != client.Denied || denied.Refusal.Explicit() {
		return "", p, ""
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
		if p, err := client.PolicyFor(role, region, tables); err == nil && p.Permits(action) {
			return role, p, action
		}
	}
	return "", p, ""
}

// refusal is whom the endpoint refused, on what, and why.
func refusal(s *session.Session, d *kit.Block, r client.Refusal) {
	c := s.Connection()
	if r.Caller != "" {
		d.LongFact(3, "role", r.Caller)
	}
	if r.Resource != "" {
		d.LongFact(3, "on", r.Resource)
	} else {
		d.Fact("on", kit.Text.Of(c.Where()), kit.Muted.Of(", as "+c.Name()))
	}
	if r.Why != "" {
		d.LongFact(3, "why", words.Sentence(r.Why))
	}
}
