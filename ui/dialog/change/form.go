package change

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/dialog"
	"tallylock/ui/dialog/save"
	"tallylock/ui/kit"
	"tallylock/ui/safe"
	"tallylock/ui/say"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// The stops of the focus. The stop of a button is its index; other stops are below 0.
const (
	stopOption = iota - 4
	stopEntry
	stopReason
	stopType
	stopNo
	stopYes
)

func (d *ask) option() option { return d.options[d.at] }

// typed is the text in the option's field.
func (d *ask) typed() string {
	if e := d.option().entry; e != nil {
		return strings.TrimSpace(e.input.Value())
	}
	return ""
}

// lacks says what is missing in the option's field. It is empty if nothing is missing, or if there
// is no field.
func (d *ask) lacks() string {
	if e := d.option().entry; e != nil {
		return e.lacks(d.typed())
	}
	return ""
}

// open reports whether the change can be applied.
func (d *ask) open() bool {
	switch {
	case d.plan == nil,
		d.types() && !safe.Repeats(d.typing.Value(), d.plan.Typed),
		d.reasonNeeded() && strings.TrimSpace(d.reason.Value()) == "":
		return false
	}
	return d.denied() == ""
}

// types reports whether a person has to type a text before the change is applied.
func (d *ask) types() bool { return d.plan != nil && d.plan.Typed != "" && !d.onlyAsks() }

// onlyAsks reports whether the person can only ask an operator for the change.
func (d *ask) onlyAsks() bool { return d.WhyViewer() != "" }

// reasonNeeded reports whether the change requires a reason.
func (d *ask) reasonNeeded() bool {
	return d.onlyAsks() || d.plan != nil && slices.ContainsFunc(d.plan.Steps.Written(), d.conn.RequiresReason)
}

// denied says why the connection cannot write, or which permission for the plan is denied. It is
// empty if the plan can be applied.
func (d *ask) denied() string {
	guest := d.Options.Guest
	if d.onlyAsks() {
		return guest.WhyNotAsked()
	}
	if why := d.conn.WhyReadOnly(); why != "" {
		if guest != nil || d.option().run != nil {
			return why
		}
		return why + ", or save the plan (" + d.Keys.Key(keymap.SavePlan) + ") for a colleague who may write"
	}
	for _, s := range d.plan.Steps {
		for _, w := range s.Writes {
			if why := d.WhyDenied(d.conn, w.Table, w.Verb); why != "" {
				return why
			}
		}
	}
	return ""
}

// noteDenied stores the permissions that DynamoDB denied to a change. Commands that need them are
// off until the table is read again.
func (d *ask) noteDenied(r change.Receipt) {
	e, ok := errors.AsType[*client.Error](r.Err)
	if !ok || e.Kind != client.Denied {
		return
	}
	for _, s := range d.plan.Steps {
		for _, w := range s.Writes {
			if strings.Contains(e.Permission, session.Needs(w.Verb)) {
				d.Denied[session.Denial{Connection: d.conn.Name(), Table: w.Table, Permission: session.Needs(w.Verb)}] = true
			}
		}
	}
}

// stops returns the stops of the tab key, in order.
func (d *ask) stops() []int {
	var s []int
	if len(d.options) > 1 {
		s = append(s, stopOption)
	}
	if d.option().entry != nil {
		s = append(s, stopEntry)
	}
	s = append(s, stopReason)
	if d.types() {
		s = append(s, stopType)
	}
	s = append(s, stopNo)
	if d.open() {
		s = append(s, stopYes)
	}
	return s
}

// field returns the focused field; nil if the focus is elsewhere.
func (d *ask) field() *kit.Field {
	switch d.focus {
	case stopEntry:
		return &d.option().entry.input
	case stopReason:
		return &d.reason.Field
	case stopType:
		return &d.typing
	}
	return nil
}

// choose selects another option if key is a key for that, and reports whether it is.
func (d *ask) choose(key string) bool {
	by := 1
	switch key {
	case "right", "space", "l":
	case "left", "h":
		by = -1
	default:
		return false
	}
	d.at = (d.at + by + len(d.options)) % len(d.options)
	d.typing = kit.NewField("")
	d.reason.move(d.option().id())
	return true
}

// startsReason reports whether text typed or pasted on a button starts the reason. By default, only
// keys without a letter do something on a button. A person may bind a letter to such an action;
// then the letter does not start the reason.
func (d *ask) startsReason(msg tea.Msg, action keymap.Action) bool {
	if d.focus != stopNo && d.focus != stopYes {
		return false
	}
	switch m := msg.(type) {
	case tea.PasteMsg:
		return true
	case tea.KeyPressMsg:
		return !works(action) && !moves(action) && strings.TrimSpace(m.Text) != ""
	}
	return false
}

// works reports whether an action works with any focus.
func works(action keymap.Action) bool {
	return action == keymap.ShowRequest || action == keymap.SavePlan
}

// moves reports whether an action moves the focus, presses the button or leaves the dialog.
func moves(action keymap.Action) bool {
	switch action {
	case keymap.NextField, keymap.PreviousField, keymap.NextButton, keymap.PreviousButton, keymap.Press, keymap.Leave:
		return true
	}
	return false
}

// formKey handles a key while the form is shown.
func (d *ask) formKey(msg tea.Msg, action keymap.Action, leaves bool) tea.Cmd {
	if d.startsReason(msg, action) {
		d.focus = stopReason
	}
	if action == "" { // a person may have given another action the keys that recall a reason
		if asked, taken := d.reason.recall(msg); asked {
			if taken {
				d.focus = stopReason
			}
			return nil
		}
	}
	key, _ := msg.(tea.KeyPressMsg)
	if in := d.field(); in != nil && !leaves && (!works(action) || key.Text != "") {
		return d.edit(in, msg)
	}
	if d.focus == stopOption && d.choose(key.String()) {
		return d.replan()
	}
	switch action {
	case keymap.Leave:
		return d.Leave()
	case keymap.NextField:
		return d.move(1)
	case keymap.PreviousField:
		return d.move(-1)
	case keymap.NextButton:
		d.focus = dialog.NextButton(d.stops(), d.focus, 1)
	case keymap.PreviousButton:
		d.focus = dialog.NextButton(d.stops(), d.focus, -1)
	case keymap.ShowRequest:
		view, err := d.request()
		if err != nil {
			return d.Complain("Showing the request: " + say.Error(err) + ".")
		}
		d.view = view
	case keymap.SavePlan:
		return d.savePlan()
	case keymap.Press:
		return d.Press(d.focus)
	}
	return nil
}

// move moves the focus. If entry.whole is set, move plans the change when the focus leaves the entry's field.
func (d *ask) move(by int) tea.Cmd {
	var cmd tea.Cmd
	if e := d.option().entry; d.focus == stopEntry && e.whole && d.plan == nil && d.refused == nil {
		cmd = d.replan()
	}
	d.focus = dialog.Cycle(d.stops(), d.focus, by)
	return cmd
}

// edit handles a key or pasted text in a field.
func (d *ask) edit(in *kit.Field, msg tea.Msg) tea.Cmd {
	if !in.Update(msg) || d.focus != stopEntry {
		return nil
	}
	if !d.option().entry.whole {
		return d.replan()
	}
	d.proposal, d.refused = proposal{}, nil
	d.Tasks.Drop(task.Planning)
	return nil
}

// reason is the field for the reason of a change.
type reason struct {
	kit.Field
	reasons  *session.Reasons
	question session.Question // the question that the text belongs to
}

// newReason returns a field with the draft of the last time that this question was asked.
func newReason(all *session.Reasons, at session.Question) reason {
	all.Given.Rest()
	r := reason{kit.NewField(""), all, at}
	r.Put(all.Draft(at))
	return r
}

// The keys that recall earlier reasons, as in a shell. The arrow keys move between fields here.
const olderReason, newerReason = "ctrl+p", "ctrl+n"

// move assigns the reason to another option. Edited text stays; otherwise the other option's
// draft comes back.
func (r *reason) move(asks string) {
	untouched := r.Value() == r.reasons.Draft(r.question)
	r.question.Asks = asks
	if untouched {
		r.Put(r.reasons.Draft(r.question))
	}
}

// keep stores the text as the draft, and returns it trimmed.
func (r *reason) keep() string { return r.reasons.Keep(r.question, r.Value()) }

// recall puts an earlier reason into the field. asked reports whether the key asks for one; taken reports whether there
// was one.
func (r *reason) recall(msg tea.Msg) (asked, taken bool) {
	key, _ := msg.(tea.KeyPressMsg)
	switch key.String() {
	case olderReason:
		return true, r.reasons.Given.Older(&r.Field)
	case newerReason:
		return true, r.reasons.Given.Newer(&r.Field)
	}
	return false, false
}

// recalls reports whether olderReason recalls an earlier reason. A person may have bound this key to another action.
func (d *ask) recalls() bool {
	_, other := d.Keys.Action(keymap.Dialog, olderReason)
	return !other && !d.Reasons.Given.Empty()
}

// savePlan asks for a file for the plan, so that somebody else can apply it.
func (d *ask) savePlan() tea.Cmd {
	if d.plan == nil || d.option().run != nil { // the transactions of a run do not exist yet
		return nil
	}
	switch {
	case d.option().queued != nil:
		return d.Say("This plan is in the queue already.")
	case d.Options.Guest != nil:
		return d.askOperator()
	}
	if why := say.NoPlan(d.conn.Connection); why != "" {
		return d.Say(say.Sentence(why))
	}
	plans, reason, who := d.batch.Plans, strings.TrimSpace(d.reason.Value()), ""
	if len(plans) > 1 && plans[0].Undoes != "" {
		return d.Say("A plan holds one undo. To save a plan, undo a single change.")
	}
	if c := d.conn.Changer; c != nil {
		who = c.Who
	}
	command := func(path string) string {
		return say.ConnectionCommand(d.conn.Connection, []string{"apply", path, "--write"})
	}
	file := save.File{
		Title: "Save the plan", Under: d,
		Says: func() string {
			return "Saves a plan and changes nothing. A colleague applies it with `" + command("FILE") + "`."
		},
		Command: command,
		Now: func() save.Content {
			return save.Content{
				What: "the plan of " + phrase.Count(len(plans), "change"),
				Encode: func(ctx context.Context, _ string) ([]byte, error) {
					file := change.NewPlanFile(ctx, d.conn.Connection, who, reason)
					if err := file.Add(plans...); err != nil {
						return nil, err
					}
					return file.Bytes()
				},
			}
		},
	}
	return task.Start(d.Tasks, task.Saving, func(context.Context) (string, error) {
		return session.FreeName(session.PlanName(plans[0].Table)), nil
	}, func(free string, _ error) tea.Cmd {
		file.File = free
		return save.Ask(d.Session, file)
	})
}
