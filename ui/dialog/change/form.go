package change

import (
	"context"
	"errors"
	"path/filepath"
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
	"tallylock/ui/say"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// form shows the options, the chosen option's field, a reason, and the buttons. "No" has the focus
// first.
type form struct {
	*session.Session
	conn    session.Connection
	options []option
	at      int // the index of the chosen option
	proposal
	// refused says why the text in the option's field leads to no plan.
	refused error
	// room is the largest number of rows that a plan has taken so far: the fields below it do not
	// move.
	room int
	// moving is set if the application is using the counter now.
	moving bool

	reason reason
	typing kit.Field
	focus  stop
}

func newForm(s *session.Session, c session.Connection, of string, options []option) form {
	q := session.Question{Connection: c.Name(), Asks: options[0].id(), Of: of}
	f := form{
		Session: s,
		conn:    c,
		options: options,
		focus:   stopNo,
		reason:  newReason(&s.Reasons, q),
		typing:  kit.NewField(""),
	}
	if e := options[0].entry; e != nil && e.whole {
		f.focus, f.room = stopEntry, 13 // the usual rows for a value, its locks and its conditions
	}
	return f
}

// stop is a place for the focus.
type stop int

const (
	stopOption stop = iota
	stopEntry
	stopReason
	stopType
	stopNo
	stopYes
)

func (f *form) option() option { return f.options[f.at] }

// typed is the text in the option's field.
func (f *form) typed() string {
	if e := f.option().entry; e != nil {
		return strings.TrimSpace(e.input.Value())
	}
	return ""
}

// lacks says what is missing in the option's field. It is empty if nothing is missing, or if there
// is no field.
func (f *form) lacks() string {
	if e := f.option().entry; e != nil {
		return e.lacks(f.typed())
	}
	return ""
}

// whyClosed says why the change cannot be applied yet; empty if it can.
func (f *form) whyClosed() string {
	switch {
	case f.plan == nil:
		return "there is no plan yet"
	case f.plan.Typed != "" && f.typing.Value() != f.plan.Typed:
		return "it has to be typed first"
	case f.reasonNeeded() && strings.TrimSpace(f.reason.Value()) == "":
		return "a reason is needed here"
	}
	return f.denied()
}

func (f *form) open() bool { return f.whyClosed() == "" }

// reasonNeeded reports whether the change requires a reason.
func (f *form) reasonNeeded() bool {
	return f.plan != nil && slices.ContainsFunc(f.plan.Steps.Written(), f.conn.RequiresReason)
}

// denied says why the connection cannot write, or which permission for the plan is denied. It is
// empty if the plan can be applied.
func (f *form) denied() string {
	if why := f.conn.WhyReadOnly(); why != "" {
		return why + ", or save the plan (" + f.Keys.Key(keymap.SavePlan) + ") for somebody who may write"
	}
	for _, s := range f.plan.Steps {
		for _, w := range s.Writes {
			if why := f.WhyDenied(f.conn, w.Table, w.Verb); why != "" {
				return why
			}
		}
	}
	return ""
}

// noteDenied stores the permissions that DynamoDB denied to a change. Commands that need them are
// off until the table is read again.
func (f *form) noteDenied(r change.Receipt) {
	e, ok := errors.AsType[*client.Error](r.Err)
	if !ok || e.Kind != client.Denied {
		return
	}
	for _, s := range f.plan.Steps {
		for _, w := range s.Writes {
			if strings.Contains(e.Permission, session.Needs(w.Verb)) {
				f.Denied[session.Denial{Connection: f.conn.Name(), Table: w.Table, Permission: session.Needs(w.Verb)}] = true
			}
		}
	}
}

// stops returns the stops of the tab key, in order.
func (f *form) stops() []stop {
	var s []stop
	if len(f.options) > 1 {
		s = append(s, stopOption)
	}
	if f.option().entry != nil {
		s = append(s, stopEntry)
	}
	s = append(s, stopReason)
	if f.plan != nil && f.plan.Typed != "" {
		s = append(s, stopType)
	}
	s = append(s, stopNo)
	if f.open() {
		s = append(s, stopYes)
	}
	return s
}

// field returns the focused field; nil if the focus is elsewhere.
func (f *form) field() *kit.Field {
	switch f.focus {
	case stopEntry:
		return &f.option().entry.input
	case stopReason:
		return &f.reason.Field
	case stopType:
		return &f.typing
	}
	return nil
}

// choose selects another option, and reports whether the key does that.
func (f *form) choose(key string) bool {
	by := 1
	switch key {
	case "right", "space", "l":
	case "left", "h":
		by = -1
	default:
		return false
	}
	f.at = (f.at + by + len(f.options)) % len(f.options)
	f.typing = kit.NewField("")
	f.reason.move(f.option().id())
	return true
}

// startsReason reports whether text typed or pasted on a button starts the reason. By default, only
// keys without a letter do something on a button. A person may bind a letter to such an action;
// then the letter does not start the reason.
func (f *form) startsReason(msg tea.Msg, action keymap.Action) bool {
	if f.focus != stopNo && f.focus != stopYes {
		return false
	}
	switch m := msg.(type) {
	case tea.PasteMsg:
		return true
	case tea.KeyPressMsg:
		return !works(action) && strings.TrimSpace(m.Text) != ""
	}
	return false
}

// works reports whether an action works with any focus.
func works(action keymap.Action) bool {
	return action == keymap.ShowRequest || action == keymap.SavePlan
}

// formKey handles a key while the form is shown.
func (d *ask) formKey(msg tea.Msg, action keymap.Action, leaves bool) tea.Cmd {
	if d.form.startsReason(msg, action) {
		d.form.focus = stopReason
	}
	if asked, taken := d.form.reason.recall(msg); asked {
		if taken {
			d.form.focus = stopReason
		}
		return nil
	}
	key, _ := msg.(tea.KeyPressMsg)
	if in := d.form.field(); in != nil && !leaves && (!works(action) || key.Text != "") {
		return d.edit(in, msg)
	}
	if d.form.focus == stopOption && d.form.choose(key.String()) {
		return d.plan()
	}
	switch action {
	case keymap.Leave:
		return d.Leave()
	case keymap.NextField:
		return d.move(1)
	case keymap.PreviousField:
		return d.move(-1)
	case keymap.ShowRequest:
		view, err := d.form.request()
		if err != nil {
			return d.Complain("Showing the request: " + say.Error(err) + ".")
		}
		d.view = view
	case keymap.SavePlan:
		return savePlan(&d.form, d)
	case keymap.Press:
		switch d.form.focus {
		case stopNo:
			return d.Leave()
		case stopYes:
			return d.apply()
		default:
			return d.move(1)
		}
	}
	return nil
}

// move moves the focus. If the focused field is planned as a whole, leaving it plans the change.
func (d *ask) move(by int) tea.Cmd {
	f := &d.form
	var cmd tea.Cmd
	if e := f.option().entry; f.focus == stopEntry && e.whole && f.plan == nil && f.refused == nil {
		cmd = d.plan()
	}
	f.focus = dialog.Cycle(f.stops(), f.focus, by)
	return cmd
}

// edit handles a key or pasted text in a field.
func (d *ask) edit(in *kit.Field, msg tea.Msg) tea.Cmd {
	f := &d.form
	if !in.Update(msg) || f.focus != stopEntry {
		return nil
	}
	if !f.option().entry.whole {
		return d.plan()
	}
	f.proposal, f.refused = proposal{}, nil
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
	return reason{kit.NewField(all.Draft(at)), all, at}
}

// The keys that recall earlier reasons, as in a shell. The arrow keys move between fields here.
const olderReason, newerReason = "ctrl+p", "ctrl+n"

// move assigns the reason to another option. Edited text stays; otherwise the other option's
// draft comes back.
func (r *reason) move(asks string) {
	untouched := r.Value() == r.reasons.Draft(r.question)
	r.question.Asks = asks
	if untouched {
		r.Field = kit.NewField(r.reasons.Draft(r.question))
	}
}

// keep stores the text as the draft, and returns it trimmed.
func (r *reason) keep() string { return r.reasons.Keep(r.question, r.Value()) }

// recall puts an earlier reason into the field. asked reports whether the key does that; taken
// reports whether there was such a reason.
func (r *reason) recall(msg tea.Msg) (asked, taken bool) {
	key, _ := msg.(tea.KeyPressMsg)
	text := ""
	switch key.String() {
	case olderReason:
		text, taken = r.reasons.Given.Older(r.Value())
	case newerReason:
		text, taken = r.reasons.Given.Newer()
	default:
		return false, false
	}
	if taken {
		r.Field = kit.NewField(text)
	}
	return true, taken
}

// placeholder returns the text for the empty field: why a reason is needed, and the key for earlier
// reasons.
func (r *reason) placeholder(why string) string {
	if r.reasons.Given.Empty() {
		return why
	}
	return why + " · " + olderReason + " as before"
}

// savePlan asks for a file for the plan, so that somebody else can apply it. under is the dialog to
// return to.
func savePlan(f *form, under dialog.Dialog) tea.Cmd {
	if f.plan == nil {
		return nil
	}
	if why := say.NoPlan(f.conn.Connection); why != "" {
		return f.Say(say.Sentence(why))
	}
	plans, reason, who := f.batch.Plans, strings.TrimSpace(f.reason.Value()), ""
	if c := f.conn.Changer; c != nil {
		who = c.Who
	}
	return save.Ask(f.Session, save.File{
		Title: "Save the plan", File: filepath.Base(plans[0].Table) + "-plan.json", Under: under,
		Says: func() string {
			return "Saves a plan and changes nothing. A colleague applies it with `" + say.ConnectionCommand(f.conn.Connection, []string{"apply", "FILE", "--write"}) + "`."
		},
		Now: func() save.Content {
			return save.Content{
				What: "the plan of " + phrase.Count(len(plans), "change"),
				To: func(ctx context.Context, path string, replace bool) error {
					file := change.NewPlanFile(ctx, f.conn.Connection, who, reason)
					if err := file.Add(plans...); err != nil {
						return err
					}
					data, err := file.Bytes()
					if err != nil {
						return err
					}
					return session.WriteFile(path, data, replace)
				},
			}
		},
	})
}
