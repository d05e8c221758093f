package screen

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Failed draws an error: what was tried, why it failed, and what to do. more are further hints of the
// screen. After a denied permission, Failed also lists the actions that still work.
func Failed(s *session.Session, d *kit.Block, err error, more ...kit.Hint) {
	e := say.Explain(err)
	d.Gap()
	col := max(13, 3+kit.Width(e.Kind)+2)
	if client.KindOf(err) == client.Cancelled {
		e, col = say.Explanation{Why: cmp.Or(e.Op, "it") + " was cancelled", Do: e.Do}, 3
	}
	for n, row := range kit.Wrap(say.Sentence(e.Why), d.Width-col-1) {
		d.Row(func(l *kit.Line) {
			if n == 0 {
				l.Put(kit.Warn|kit.Bold, " ! "+e.Kind)
			}
			l.To(col)
			l.Put(kit.Heading, row)
		})
	}
	d.Gap()
	policies := Policies(s, err)
	if e.Op != "" {
		d.LongFact(3, "tried", e.Op)
	}
	if e.Do != "" && len(policies) == 0 {
		d.LongFact(3, "do", say.Sentence(e.Do))
	}
	known, _ := errors.AsType[*client.Error](err)
	if known == nil {
		known = &client.Error{}
	}
	refusal(s, d, known.Refusal)
	if known.Kind == client.Denied {
		stillWorks(s, d, strings.TrimPrefix(known.Permission, "dynamodb:"))
	}
	d.Gap()
	var can []kit.Hint
	for _, c := range policies {
		can = append(can, s.Hint(c.Action, c.Full+" for your AWS administrator"))
	}
	can = append(can, s.Hint(keymap.Reload, "try again"), s.Hint(keymap.Tables, "choose another table"))
	d.Keys(3, append(can, more...)...)
}

// Fail shows an error in place of the list, and beside it the policy that allows the denied action.
func (c *Content) Fail(s *session.Session, err error) {
	c.Heads, c.DetailSide = nil, Permits(s, err)
	c.EmptyState = func(d *kit.Block) { Failed(s, d, err) }
}

// thing is an activity that may need permissions, such as finding a value.
type thing struct {
	words  string
	action keymap.Action
	uses   string // the permissions that it needs
	other  string // the reason why it does not work even with permissions
}

// thingsOf returns all activities, each with the permissions that it needs. denied is the denied permission.
func thingsOf(s *session.Session, denied string) []thing {
	noTable, noLayout, readOnly, named, listed := "", "", "", "other tables", ""
	if s.Table == nil {
		noTable = "no table is open"
	} else if len(s.Table.Layout.Accounts) == 0 {
		noLayout = "name a --layout"
	}
	if s.Table == nil || len(s.Table.Layout.Counters) == 0 {
		listed = " ListTables" // to find the tables that have counters
	}
	if s.WhyWriteOn(s.Connection(), s.Wanted) != "" {
		readOnly = "read-only"
	}
	if denied == "ListTables" {
		named = "a table by its name"
	}
	return []thing{
		{"accounts, locks", keymap.Accounts, "DescribeTable Scan BatchGetItem", noTable},
		{"find a value", keymap.Find, "DescribeTable GetItem", cmp.Or(noTable, noLayout)},
		{"counters", keymap.Counters, "DescribeTable BatchGetItem" + listed, ""},
		{named, keymap.Tables, "DescribeTable", ""},
		{"check, findings", keymap.Findings, "DescribeTable Scan", noTable},
		{"journal", keymap.Journal, "", ""},
		{"release, bump", "", "UpdateItem DeleteItem TransactWriteItems", readOnly},
		{"the list of tables", "", "ListTables", ""},
	}
}

// stillWorks lists the activities that work without the denied permission, and the others.
func stillWorks(s *session.Session, d *kit.Block, denied string) {
	var works, not []thing
	for _, t := range thingsOf(s, denied) {
		switch {
		case slices.ContainsFunc(strings.Fields(t.uses), func(name string) bool { return strings.Contains(denied, name) }):
			t.other = denied
			not = append(not, t)
		case t.other != "":
			not = append(not, t)
		case t.action != "":
			works = append(works, t)
		}
	}
	drawWorks(s, d, works, not)
}

// drawWorks draws the activities that still work, and beside them the others.
func drawWorks(s *session.Session, d *kit.Block, works, not []thing) {
	d.Gap()
	d.Row(func(l *kit.Line) {
		l.To(3)
		l.Put(kit.Muted, "STILL WORKS")
		l.To(38)
		l.Put(kit.Muted, "DOES NOT")
	})
	for n := range max(len(works), len(not)) {
		d.Row(func(l *kit.Line) {
			if n < len(works) {
				l.To(3)
				l.Put(kit.Good, kit.GlyphYes)
				l.Put(kit.Text, " "+works[n].words)
				l.To(26)
				l.Put(kit.Key, s.Keys.Key(works[n].action))
			}
			if n < len(not) {
				l.To(38)
				l.Put(kit.Bad, kit.GlyphNo)
				l.Put(kit.Muted, " "+not[n].words)
				l.To(59)
				l.Words(kit.Muted, not[n].other, l.Width-l.At-1)
			}
		})
	}
}

// Policies returns the command that copies the smallest IAM policy that allows the denied action. A
// screen that shows Failed puts it before its other commands. Policies is empty if the error is not
// a denied permission, or if a policy denies the action explicitly.
func Policies(s *session.Session, err error) Commands {
	role, p, _ := policy(s, err)
	if role == "" {
		return nil
	}
	return Commands{
		{Action: keymap.Copy, Words: "copy policy", Full: "copy the " + string(role) + " policy", Run: func() tea.Cmd {
			text, err := json.MarshalIndent(p, "", "  ")
			if err != nil {
				return s.Complain("Copying the policy: " + say.Error(err) + ".")
			}
			return s.Copy("the "+string(role)+" policy", string(text))
		}},
	}
}

// Permits returns a function that draws the policy that Policies copies; nil if there is none.
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

// policy returns the smallest IAM policy that allows the denied action, with its role. lacks is the denied
// action. The role is empty if there is no such policy.
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
	if c := s.Connection().Connection; c != nil { // nil: not connected yet
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

// refusal draws the role that was denied, the resource, and the reason of the denial.
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
		d.LongFact(3, "why", say.Sentence(r.Why))
	}
}

// Offline draws an outage: its cause, the time of the next try, and the consequence for the data on the
// screen. The parameter empty is true if the screen has no data yet.
func Offline(s *session.Session, d *kit.Block, empty bool) {
	o := s.Offline
	e := say.Explain(o.Err)
	back, first := "the endpoint answers", "when the endpoint answers"
	if o.LoggedOut() {
		back, first = "the next log-in", "after the next log-in"
	} else {
		e.Kind = "offline"
	}
	d.Whole = d.Whole || d.Height > 10 // the block is beside a list, or replaces it
	d.Verdict(kit.Sign{Glyph: "!", Style: kit.Warn, Word: e.Kind}, say.Sentence(e.Why))
	d.Fact("do", kit.Text.Of(strings.TrimSuffix(e.Do, ".")))
	d.Row(func(l *kit.Line) {
		l.To(3)
		l.Put(kit.Muted, "next")
		l.To(13)
		left := max(o.Next.Sub(s.Now()), 0)
		if left == 0 {
			l.Put(kit.Text, "tries again now   ")
			s.Working(l, s.Trying(), 16)
			return
		}
		l.Put(kit.Text,
			fmt.Sprintf("tries again in %d s, %s so far", int(left.Seconds()+0.99), say.Plural(o.Tries, "try", "tries")))
		l.Put(kit.Text, "   ")
		total := o.Next.Sub(o.Began)
		l.Bar(1-float64(left)/float64(max(total, 1)), 16)
	})
	so := "this is earlier data; changes are off until " + back
	if empty {
		so = "nothing has been read yet; reading starts " + first
	}
	d.Fact("so", kit.Text.Of(so))
	if d.Whole {
		waysOn(s, d)
	}
}

// waysOn draws the endpoint that does not answer, and what a person can do until it does.
func waysOn(s *session.Session, d *kit.Block) {
	if c := s.Connection().Connection; c != nil {
		d.Gap()
		if c.Profile() != "" {
			d.Fact("profile", kit.Text.Of(c.Profile()))
		}
		d.Fact("Region", kit.Text.Of(c.Region()))
		d.Fact("endpoint", kit.Text.Of(c.Endpoint()))
		if say.NoCommand(c) == "" {
			d.Fact("run", kit.Text.Of(say.ConnectionCommand(c, []string{"doctor"})), kit.Muted.Of("  says what works here"))
			d.Fact("or", kit.Text.Of("tallylock demo"), kit.Muted.Of("  needs no connection"))
		}
	}
	if len(s.Connections) > 1 {
		d.Gap()
		d.Keys(4, s.Hint(keymap.Tables, "choose another connection"))
	}
}

// Cover returns a completeness line. It is animated while one of the tasks is running.
func Cover(s *session.Session, tasks ...task.Kind) *kit.Coverage {
	c := &kit.Coverage{Part: 1, Working: -1}
	for _, k := range tasks {
		if since, busy := s.Tasks.Since(k); busy {
			c.Working = s.Phase(since)
		}
	}
	return c
}

// AsItWas returns the words of the completeness line for old rows. at is when they were read.
func AsItWas(s *session.Session, at time.Time) []kit.Span {
	return []kit.Span{
		kit.Muted.Of("as it was at "), kit.Text.Of(phrase.Clock(at)), kit.Muted.Of(", " + say.Ago(s.Now().Sub(at))),
	}
}

// Reading says that a task reads something from the open connection, and warns if the task takes long.
func Reading(s *session.Session, d *kit.Block, what string, by task.Kind) {
	d.Row(func(l *kit.Line) {
		l.Put(kit.Muted, " Reading ")
		l.Fit(kit.Text, what, l.Width/2)
		l.Put(kit.Muted, " at "+s.Connection().Where()+" (connection ")
		l.Put(kit.Text, s.Connection().Name())
		l.Put(kit.Muted, ").")
	})
	Slow(s, d, by)
}

// Slow draws a warning if a task takes long: the endpoint that it waits for, and the key that cancels
// it. An endpoint that accepts requests but never answers causes an error only after a long timeout.
func Slow(s *session.Session, d *kit.Block, e task.Kind) {
	since, busy := s.Tasks.Since(e)
	took := s.Now().Sub(since)
	if !busy || !say.Long(took) {
		return
	}
	d.Row(func(l *kit.Line) {
		l.Put(kit.Warn, " "+say.Roughly(took)+" so far: ")
		c := s.Connection()
		where := say.ShortPlace(max(l.Width-l.At-kit.Width(say.Silent)-20, 8), c.Where())
		l.Words(kit.Warn, say.Silence(where, c.Connection != nil && c.Throttled())+". ", l.Width-l.At-10)
		l.Put(kit.Key, s.Keys.Key(keymap.Back))
		l.Put(kit.Muted, " leaves.")
	})
}
