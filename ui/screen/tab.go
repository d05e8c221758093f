package screen

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Tab is one of the screens that the program shows beside each other. Each tab has its own key. The program does
// not know the types of tabs: to add a tab, add its package, its line in ui.newScreens, and its action in package
// keymap.
type Tab interface {
	Screen
	// Info returns the tab's name, its key, and the kind of data that it shows.
	Info() *session.Tab
	// WhyNot returns the reason why the tab cannot be shown now; empty if it can.
	WhyNot() string
	// Enter is called after the tab is shown. It reads the data of the tab if that is missing.
	Enter() tea.Cmd
	// Leave is called when another tab is shown. It stops the readings that only this tab needs.
	Leave()
	// Back handles esc. It undoes one step in the tab: for example, it removes the marks. used reports whether the tab has
	// handled the key.
	Back() (cmd tea.Cmd, used bool)
	// Badge returns the number behind the tab's name; 0 for none. older is true if a change was made
	// elsewhere after the count.
	Badge() (n int, older bool)
	// Receive handles a message of package message that the program sends to all tabs: Started, Opened,
	// Connected, Accepted, Queued or Changed. After Connected the program runs no command: it calls Enter
	// later.
	Receive(event any) tea.Cmd
}

// Stopper is a tab with work that ctrl+c stops.
type Stopper interface {
	// Stop stops the work. It returns nil if nothing runs.
	Stop() tea.Cmd
}

// Waiting is a tab that decides whether the program has to animate the screen.
type Waiting interface {
	// Waits reports whether the tab has no data yet and waits for it.
	Waits() bool
	// Calm reports whether the screen needs no animation for a running task. shown is true if the tab is
	// shown and no screen covers it.
	Calm(k task.Kind, shown bool) bool
}

// Online is a tab that can show an outage in place of its rows. While it does, the keys that open or reload only
// start the next try.
type Online interface{ ShowsOutage() bool }

// First is a tab that may be shown first for some tables, in place of the first tab of the list.
type First interface{ IsFirst(t *dynamo.Table) bool }

// Holder is a tab that holds tables besides the open one.
type Holder interface{ Tables() []*dynamo.Table }

// Targeted is a tab that can select a certain row.
type Targeted interface {
	// Show selects the row of a Lock or an Account. fits reports whether the tab has rows of this
	// kind, and found whether it lists the row.
	Show(target any) (fits, found bool)
}

// Started is a tab with work that a typed command starts.
type Started interface {
	// Starts returns the name of the command, its description, and the reason why it does nothing now.
	Starts() (name, words, why string)
	// Start is called after the tab is shown by the command.
	Start() tea.Cmd
}
