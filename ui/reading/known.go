package reading

import (
	"tallylock/dynamo/browse"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// Known is the state of the open table, or of the table being opened. Screens that get a Known read it, and cannot
// change it.
type Known struct {
	*session.Session
	opening   string     // the name of the table being opened
	failed    error      // why the table could not be opened or judged
	tableRead *tableRead // nil until the first row of a table arrives
}

// Begun reports whether the reading of a table has begun.
func (k *Known) Begun() bool { return k.tableRead != nil }

// Read reports whether at least one page has arrived.
func (k *Known) Read() bool { return k.tableRead != nil && k.tableRead.read }

// Small reports whether the table is small enough to be read to its end automatically.
func (k *Known) Small() bool { return k.tableRead != nil && k.tableRead.small }

// Counts returns the counts of the rows so far.
func (k *Known) Counts() Counts {
	if k.tableRead == nil {
		return Counts{}
	}
	return k.tableRead.counts
}

// View returns the view that the rows were made from.
func (k *Known) View() *browse.View {
	if k.tableRead == nil {
		return &browse.View{}
	}
	return &k.tableRead.view
}

// Sure counts the problems that no further reading can change. If older is true, the number is from
// the previous reading, because the current one has found fewer so far.
func (k *Known) Sure() (n int, older bool) {
	b := k.tableRead
	if b == nil {
		return 0, false
	}
	if n = b.counts.Sure(); b.before > n && !b.settled() {
		return b.before, true
	}
	return n, false
}

// SoFar returns text for the name of a saved list: the age of old rows, or how much of the table is
// read. It is empty if the list is complete.
func (k *Known) SoFar() string {
	switch v := k.View(); {
	case k.Old():
		return ", as at " + phrase.Clock(v.ReadAt)
	case !v.Complete:
		return ", with " + say.Percent(say.Part(v.Scanned, v.Expected)) + " of the table read"
	}
	return ""
}

// Unreadable says why the open table could not be read; nil if it could.
func (k *Known) Unreadable() error {
	if k.tableRead == nil {
		return nil
	}
	return k.tableRead.err
}

// Old reports whether the rows on the screen are out of date, because the endpoint is unreachable,
// or because reading again failed or was stopped.
func (k *Known) Old() bool {
	b := k.tableRead
	return k.Offline != nil || b != nil && b.old && (b.err != nil || b.stopped)
}

// Layout returns the layout that the rows follow; nil if there is none.
func (k *Known) Layout() *layout.Layout {
	switch {
	case k.Table != nil:
		return k.Table.Layout
	case k.tableRead != nil:
		return k.tableRead.view.Layout
	}
	return nil
}

// Raw reports whether the layout has no accounts, so the screen lists plain items.
func (k *Known) Raw() bool {
	l := k.Layout()
	return l != nil && len(l.Accounts) == 0
}

// Unjudged reports whether the rows belong to a table that is not open yet, because its layout is
// not judged. Then only the accounts tab has rows: other tabs that need a table cannot be reached,
// and commands that need one are refused.
func (k *Known) Unjudged() bool { return k.Table == nil && k.tableRead != nil }

// NoTable says why no table is open.
func (k *Known) NoTable() string {
	switch {
	case k.Unjudged() && k.opening != "":
		return "still checking the layout; try again in a moment"
	case k.Unjudged():
		return "the layout was not checked" + because(k.failed) + ": " + k.Keys.Key(keymap.Reload) + " continues the check"
	case k.opening != "":
		return "\"" + k.opening + "\" is still opening"
	}
	return "open a table first (press " + k.Keys.Key(keymap.Tables) + ")"
}

// Awaits says what the opening of a table waits for.
func (k *Known) Awaits() string {
	switch {
	case k.opening == "":
		return "not judged"
	case k.Raw():
		return "recognising the layout"
	}
	return "checking the layout"
}

// because says why judging the layout failed; empty if it did not.
func because(failed error) string {
	if failed == nil || client.KindOf(failed) == client.Cancelled {
		return ""
	}
	return ", since " + say.Explain(failed).Why
}
