package browse

import (
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/keymap"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// Known is what is known of the open table, or of the one that is being opened.
type Known struct {
	*session.Session
	Opening string // the table on its way
	Failed  error  // why the one that is looked at was not opened, or not judged
	pass    *pass  // nil while no row of a table has come
}

// Begun reports whether there is a table that is read.
func (k *Known) Begun() bool { return k.pass != nil }

// Read reports whether a page has come.
func (k *Known) Read() bool { return k.pass != nil && k.pass.read }

// Small reports whether the table is so small that it is read to its end unasked.
func (k *Known) Small() bool { return k.pass != nil && k.pass.small }

// judgedWithin is how old first rows may be that are judged.
const judgedWithin = time.Minute

// TooOld reports whether the first rows were read too long ago to judge anything by them.
func (k *Known) TooOld() bool { return k.Now().Sub(k.pass.began) > judgedWithin }

// Stopped reports whether a person has stopped the reading.
func (k *Known) Stopped() bool { return k.pass != nil && k.pass.stopped }

// Counts are those of what is read.
func (k *Known) Counts() Counts {
	if k.pass == nil {
		return Counts{}
	}
	return k.pass.counts
}

// View is what the rows were made of.
func (k *Known) View() *dynamo.View {
	if k.pass == nil {
		return &dynamo.View{}
	}
	return &k.pass.view
}

// Sure is how many problems there are whose verdict nothing that is not read yet can change;
// older: the reading before this one was sure of that many, and this one is not that far.
func (k *Known) Sure() (n int, older bool) {
	b := k.pass
	if b == nil {
		return 0, false
	}
	if n = b.counts.Sure(); b.before > n && !b.settled() {
		return b.before, true
	}
	return n, false
}

// SoFar says, behind what is saved of the table, that it is not read to its end, or of when
// its rows are; empty where they are all there is.
func (k *Known) SoFar() string {
	switch v := k.View(); {
	case k.Old():
		return ", as it was at " + words.Clock(v.ReadAt)
	case !v.Complete:
		return ", of which " + words.Percent(words.Part(v.Scanned, v.Expected)) + " is read"
	}
	return ""
}

// Unreadable is why the open table could not be read; nil where it could.
func (k *Known) Unreadable() error {
	if k.pass == nil {
		return nil
	}
	return k.pass.err
}

// Old reports whether the rows on the screen are those of before: the endpoint
// is away, or reading again did not get anywhere.
func (k *Known) Old() bool {
	b := k.pass
	return k.Offline != nil || b != nil && b.old && (b.err != nil || b.stopped)
}

// Layout is what the rows are made by; nil where there are none.
func (k *Known) Layout() *layout.Layout {
	switch {
	case k.Table != nil:
		return k.Table.Layout
	case k.pass != nil:
		return k.pass.view.Layout
	}
	return nil
}

// Raw reports whether there is nothing but items to show as they are.
func (k *Known) Raw() bool {
	l := k.Layout()
	return l != nil && len(l.Accounts) == 0
}

// Unjudged reports whether the rows on the screen are of a table that is not open yet,
// since its layout is not judged. There are only accounts then: the other tabs that need a
// table are not gone to, and commands that need one are refused there.
func (k *Known) Unjudged() bool { return k.Table == nil && k.pass != nil }

// NoTable says why there is no open table.
func (k *Known) NoTable() string {
	switch {
	case k.Unjudged() && k.Opening != "":
		return "still checking the layout; try again in a moment"
	case k.Unjudged():
		return "the layout was not judged" + because(k.Failed) + ": " + k.Keys.Key(keymap.Reload) + " goes on"
	case k.Opening != "":
		return "\"" + k.Opening + "\" is still opening"
	}
	return "open a table first (press " + k.Keys.Key(keymap.Tables) + ")"
}

// because is why the layout was not judged, where that failed.
func because(failed error) string {
	if failed == nil || client.KindOf(failed) == client.Cancelled {
		return ""
	}
	_, _, why, _ := words.Explain(failed)
	return ", since " + why
}

// Awaits is what a table that is being opened waits for.
func (k *Known) Awaits() string {
	switch {
	case k.Opening == "":
		return "not judged"
	case k.Raw():
		return "recognising the layout"
	}
	return "judging the layout"
}
