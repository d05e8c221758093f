// Package screen says what a screen is: what it shows, what it does, and why it does not.
// The program draws the frame around it. States that any screen may have, such as an error,
// stand here, too. A screen is a package below this one; it imports neither another screen
// nor the program. Start reading at Screen.
package screen

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/session"
)

// Screen is one thing to look at: a tab, or what was opened on top of it.
type Screen interface {
	// About says what is selected, for the help: "accounts, an orphaned lock".
	About() string
	// Content is what to show.
	Content() Content
	// Commands are all that can be done on it.
	Commands() Commands
}

// Content is a screen's picture: the app puts frame, list and detail together,
// so that they stand alike everywhere.
type Content struct {
	// Top is row 1 of a screen without tabs.
	Top *Heading
	// Above is what stands over the list.
	Above func(d *kit.Block)
	// Heads writes the list's heads; list and rows are the list itself.
	Heads func(l *kit.Line)
	List  *kit.List
	Rows  kit.Source
	// Instead replaces the list where there is nothing to choose from.
	Instead func(d *kit.Block)
	// Below follows the list's rows where there is room.
	Below func(d *kit.Block)
	// More says on the completeness line that rows below do not fit.
	More func(n int) []kit.Span
	// Cover is the completeness line; nil for none.
	Cover *kit.Coverage
	// Beneath is the detail under the list, of depth rows. beside stands next to
	// it on wide screens, and beneath it while it is read.
	Beneath func(d *kit.Block)
	Depth   int
	Beside  func(d *kit.Block)
	// Read is the detail while it is read, where that is not Beside.
	Read func(d *kit.Block)
	// Split is the column of a line that runs on beneath the completeness line;
	// 0 for none.
	Split int
	// Old says that what is shown is no longer so.
	Old bool
	// Blurred says that the list has lost the focus to a field.
	Blurred bool
	Hints   []kit.Hint
}

// More says how many rows are below.
func More(n int) []kit.Span { return []kit.Span{kit.Muted.Of(phrase.Number(n) + " more")} }

// Heading is row 1 of a screen without tabs, and the columns that are underlined.
type Heading struct {
	Line     string
	From, To int
}

// Path is the heading of a screen that was opened on top of another: where one came from, what
// it is about, and more at the end.
func Path(s *session.Session, from, about, more string) *Heading {
	l := kit.NewLine(s.Styles, s.Size.Width, s.Ground())
	l.Put(kit.Text, " ")
	l.Middle(kit.Muted, from, s.Size.Width/3)
	l.Put(kit.Faint, " "+kit.GlyphPath+" ")
	l.Middle(kit.Heading, about, s.Size.Width-l.At-kit.Width(more)-2)
	l.Ends(kit.Muted, more, s.Size.Width-1)
	return &Heading{Line: l.Done()}
}

// TextInput is a screen with a field: while that has the cursor, letters are letters.
type TextInput interface {
	Typing() bool
	Typed(msg tea.Msg) tea.Cmd
}

// Filtered is a screen whose rows a filter may leave out. All lists them all again, and reports
// whether any may have been left out.
type Filtered interface{ All() bool }

// Follower is a screen that reads more as its cursor moves.
type Follower interface{ Follow() tea.Cmd }

// Placed is a screen that may be about another table than the open one: it names it.
type Placed interface{ TableName() string }

// Refresher is a screen that reads what it shows again after a change.
type Refresher interface{ Refresh() tea.Cmd }

// Unsaved is a screen that may hold what leaving it would drop.
type Unsaved interface {
	// Leaving says, once, what an action would drop; nil where that is nothing, or was said.
	// here: the screen is looked at, and not one on top of it.
	Leaving(here bool, by keymap.Action) tea.Cmd
	// Left says what was dropped.
	Left() tea.Cmd
}

// Skeleton are rows that have not come yet.
func Skeleton(d *kit.Block) {
	for n, w := range [6]int{15, 4, 14, 6, 18, 8} {
		d.Row(func(l *kit.Line) {
			if n%2 == 0 {
				l.To(2)
				l.Run(kit.Faint, kit.RuleDash, 10)
				l.To(14)
				l.Put(kit.Faint, kit.TreeFirst)
			} else {
				l.To(14)
				l.Put(kit.Faint, kit.TreeLast)
			}
			l.To(16)
			l.Run(kit.Faint, kit.RuleDash, 5+3*(n%2))
			l.To(25)
			l.Run(kit.Faint, kit.RuleDash, w)
		})
	}
}

// NoTable says that no table is open.
func NoTable(s *session.Session, d *kit.Block) {
	Nothing(d, "No table is open.", "", s.Hint(keymap.Tables, "choose a table"))
}

// Nothing stands in place of rows that are not there: why, in a heading and more, and what can
// be done.
func Nothing(d *kit.Block, heading, more string, can ...kit.Hint) {
	d.Gap()
	d.Gap()
	d.Para(4, kit.Heading, heading)
	d.Gap()
	if more != "" {
		d.Para(4, kit.Text, more)
		d.Gap()
	}
	d.Keys(4, can...)
}
