package adopt

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/idtime"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/scan"
	"tallylock/keymap"
	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// times asks when the application began to use the transactions, and which attributes or ids of the accounts have
// times.
type times struct {
	*session.Session
	rule   *adopt.Rule
	fields [6]kit.Field
	on     int // the button with the focus, or a field: see stop
	lacks  string
	found  []adopt.Candidate
	then   func(adopt.SinceOptions) tea.Cmd
}

// The fields.
const (
	since = iota
	created
	updated
	idKind
	index     // only if the table has an index that sorts accounts by a chosen time
	partition // only with index
)

// The buttons.
const (
	no = iota
	yes
)

// asks has the labels and the placeholders of the fields.
var asks = [6][2]string{
	since:     {"since", "from when all writers use the transactions"},
	created:   {"sign-up", "the attribute with the time of the sign-up"},
	updated:   {"change", "the attribute with the time of the last change"},
	idKind:    {"ids", "the kind of ids with a time, such as ulid"},
	index:     {"index", "the whole table"},
	partition: {"partition", "the partition key value of the accounts"},
}

// AskTimes asks how to verify the writers of a rule, and calls then with the answer. was is the earlier verification;
// nil if there is none.
func AskTimes(
	s *session.Session, r *adopt.Rule, was *adopt.Writers, then func(adopt.SinceOptions) tea.Cmd,
) tea.Cmd {
	d := &times{Session: s, rule: r, then: then, found: adopt.Candidates(r)}
	var texts [6]string
	if was != nil {
		texts = [6]string{
			was.Since.UTC().Format(time.RFC3339), was.Times.Created, was.Times.Updated, string(was.Times.ID),
			was.Index, was.Partition,
		}
	}
	for n, text := range texts {
		d.fields[n] = kit.NewField(text)
	}
	d.on = stop(since)
	return s.Send(message.Ask{Dialog: d})
}

// stop returns the number of a field among the stops of the focus. It is below 0, because the buttons begin at 0.
func stop(field int) int { return field - len(asks) }

// shown lists the fields that the dialog shows.
func (d *times) shown() []int {
	all := []int{since, created, updated, idKind}
	if len(d.indexes()) == 0 {
		return all
	}
	if all = append(all, index); d.text(index) != "" {
		all = append(all, partition)
	}
	return all
}

// indexes lists the names of the indexes that sort accounts by a chosen time.
func (d *times) indexes() (names []string) {
	for _, x := range d.rule.TimeIndexes(adopt.Times{Created: d.text(created), Updated: d.text(updated)}) {
		names = append(names, x.Name)
	}
	return names
}

func (d *times) text(field int) string { return strings.TrimSpace(d.fields[field].Value()) }

// stops lists the stops of the focus.
func (d *times) stops() (all []int) {
	for _, field := range d.shown() {
		all = append(all, stop(field))
	}
	return append(all, no, yes)
}

// Draw implements dialog.Dialog.
func (d *times) Draw() *kit.Box {
	b := kit.NewBox(d.Styles, d.Size.Width, kit.Accent, kit.Heading.Of("Verify the writers of the "+d.rule.Constraint.Name))
	b.Width = min(max(kit.BoxWidth, d.Size.Width/2), d.Size.Width-2)
	b.Gap()
	b.Para(kit.Must, kit.Text, "Judges the accounts that are new or changed since a time: each must have its lock. Name the attributes with the times of sign-ups and changes: only you know their meaning.")
	b.Gap()
	for n, c := range d.found {
		if n == 4 {
			b.Fact(kit.Note, "", kit.Muted, fmt.Sprintf("%d more", len(d.found)-n))
			break
		}
		label := map[bool]string{true: "times"}[n == 0]
		b.Fact(kit.Note, label, kit.Muted, candidateName(c)+": "+say.TimeCandidates(c))
	}
	if len(d.found) == 0 {
		b.Fact(kit.Must, "times", kit.Warn, "No sampled account has a time that tallylock can read.")
	}
	b.Gap()
	for _, n := range d.shown() {
		placeholder := asks[n][1]
		if n == index {
			placeholder += ", or one of: " + strings.Join(d.indexes(), ", ")
		}
		b.InputRow(asks[n][0], &d.fields[n], placeholder, d.on == stop(n), b.Inner()-14, "")
	}
	if d.lacks != "" {
		b.Para(kit.Must, kit.Warn, "! "+d.lacks)
	}
	b.Gap()
	price := "about " + say.ReadUnits(scan.Units(d.rule.Table.Description, 0, false)) + ", and one more for each lock"
	if slices.Contains(d.shown(), partition) {
		price = "reads the partition from that time on, and the locks of its accounts"
	}
	b.Fact(kit.Must, "price", kit.Text, price+"; writes nothing")
	b.Gap()
	b.Buttons([]string{"Not now", "Read the accounts"}, d.on, nil)
	b.Gap()
	b.Hints(d.Hint(keymap.NextField, "next"), d.Hint(keymap.Press, "press"), d.Hint(keymap.Leave, "not now"))
	return b
}

// candidateName names the attribute or the kind of ids that has times.
func candidateName(c adopt.Candidate) string {
	if c.ID != "" {
		return "ids, " + string(c.ID)
	}
	return phrase.Quote(c.Attribute)
}

// Key implements dialog.Dialog.
func (d *times) Key(msg tea.Msg) tea.Cmd {
	action, leaves := d.DialogAction(msg)
	if d.on < 0 && !leaves {
		if d.fields[d.on+len(asks)].Update(msg) {
			d.lacks = ""
		}
		return nil
	}
	return dialog.Act(d, action, &d.on, d.stops())
}

// Press implements dialog.Dialog. In a field, it goes to the next field.
func (d *times) Press(n int) tea.Cmd {
	switch {
	case n < 0:
		if d.on = dialog.Cycle(d.stops(), n, 1); d.on == no {
			d.on = yes
		}
		return nil
	case n == no:
		return d.Leave()
	}
	o, lacks := d.options()
	if d.lacks = lacks; lacks != "" {
		return nil
	}
	return tea.Batch(d.Send(message.Close{}), d.then(o))
}

// options reads the fields. lacks says what is wrong with them.
func (d *times) options() (o adopt.SinceOptions, lacks string) {
	at, ok := adopt.TimeOf(d.text(since))
	o = adopt.SinceOptions{
		Since: at, Times: adopt.Times{Created: d.text(created), Updated: d.text(updated), ID: idtime.Kind(d.text(idKind))},
		MaxReadUnits: d.Session.Options.Check.MaxReadUnits, Progress: new(scan.Progress),
	}
	if slices.Contains(d.shown(), partition) {
		o.Index, o.Partition = d.text(index), d.text(partition)
	}
	switch {
	case !ok:
		lacks = "Write the time with its zone, such as 2026-11-27T08:00:00Z."
	case at.After(d.Now()):
		lacks = "The time is in the future."
	case o.By() == "":
		lacks = "Name the attribute with the time of the sign-up or of the last change, or the kind of ids."
	case o.ID != "" && !slices.Contains(idtime.Kinds(), o.ID):
		var kinds []string
		for _, kind := range idtime.Kinds() {
			kinds = append(kinds, string(kind))
		}
		lacks = "The kind of ids is one of: " + strings.Join(kinds, ", ") + "."
	case o.ID == idtime.Snowflake:
		lacks = "Snowflake ids need the time at which they begin: use the command line (--id-epoch)."
	case o.Index != "" && !slices.Contains(d.indexes(), o.Index):
		lacks = "The index is one of: " + strings.Join(d.indexes(), ", ") + ". Leave it empty to read the whole table."
	case o.Index != "" && o.Partition == "":
		lacks = "Give the partition key value of the accounts in the index."
	}
	return o, lacks
}

// Leave implements dialog.Dialog.
func (d *times) Leave() tea.Cmd { return d.Send(message.Close{}) }
