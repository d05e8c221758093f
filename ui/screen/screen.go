// Package screen defines the interface of a screen: its content, its commands, and the reasons
// why commands do nothing. The program draws the frame around a screen. This package also draws
// states that any screen may have, such as an error. Each screen is a package below this one,
// and imports neither another screen nor the program. Start reading at Screen.
package screen

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/session"
)

// Screen fills the window below the header: a tab, or a screen that was opened on top of it.
type Screen interface {
	// About names the screen and its selected row, for the help: "accounts, an orphaned lock".
	About() string
	// Content returns the parts to draw.
	Content() Content
	// Commands returns all commands of the screen.
	Commands() Commands
}

// Content holds the parts of a screen. The program arranges them, so that frame, list
// and detail have the same places on every screen.
type Content struct {
	// Top is row 1 of a screen without tabs.
	Top *Heading
	// Intro draws the rows above the list.
	Intro func(d *kit.Block)
	// Heads draws the headings of the list's columns. List and Rows are the list itself.
	Heads func(l *kit.Line)
	List  *kit.List
	Rows  kit.Source
	// EmptyState draws a block in place of the list, if the list has nothing to select.
	EmptyState func(d *kit.Block)
	// AfterRows draws a block after the last row of the list, if there is room.
	AfterRows func(d *kit.Block)
	// More returns the text of the completeness line if n rows at the end of the list do not fit.
	More func(n int) []kit.Span
	// Cover is the completeness line; nil if there is none.
	Cover *kit.Coverage
	// DetailBelow draws the short detail below the list, in Depth rows.
	DetailBelow func(d *kit.Block)
	Depth       int
	// DetailSide draws the full detail beside the list in a wide window. In a narrow window, it replaces DetailBelow
	// while the detail has the focus.
	DetailSide func(d *kit.Block)
	// Read draws the detail below the list while the detail has the focus; nil: DetailSide draws it.
	Read func(d *kit.Block)
	// Split is the column of a vertical line below the completeness line; 0 if there
	// is none.
	Split int
	// Old is true if the data on the screen is out of date.
	Old bool
	// Blurred is true if a field has the focus, and not the list.
	Blurred bool
	Hints   []kit.Hint
}

// More returns the text for n further rows. It is for Content.More.
func More(n int) []kit.Span { return []kit.Span{kit.Muted.Of(phrase.Number(n) + " more")} }

// Heading is row 1 of a screen without tabs. The columns between From and To are underlined.
type Heading struct {
	Line     string
	From, To int
}

// Path returns the heading of a screen that was opened on top of another. from names the other screen,
// about the subject of this one, and more is the text at the end of the line.
func Path(s *session.Session, from, about, more string) *Heading {
	l := kit.NewLine(s.Styles, s.Size.Width, s.Ground())
	l.Put(kit.Text, " ")
	l.Middle(kit.Muted, from, s.Size.Width/3)
	l.Put(kit.Faint, " "+kit.GlyphPath+" ")
	l.Middle(kit.Heading, about, s.Size.Width-l.At-kit.Width(more)-2)
	l.Ends(kit.Muted, more, s.Size.Width-1)
	return &Heading{Line: l.Done()}
}

// TextInput is a screen with a field. While the field has the cursor, it takes all letters, and they run no
// actions.
type TextInput interface {
	Typing() bool
	Typed(msg tea.Msg) tea.Cmd
}

// Filtered is a screen with a filter for its rows. All lists all rows again, and reports whether
// the filter had a text.
type Filtered interface{ All() bool }

// Follower is a screen that reads more when its cursor moves.
type Follower interface{ Follow() tea.Cmd }

// Placed is a screen that may show a table other than the open one. TableName returns the name of its table.
type Placed interface{ TableName() string }

// Refresher is a screen that reads its data again after a change.
type Refresher interface{ Refresh() tea.Cmd }

// TablesOf is the choice of tables. ShowTablesOf lists the tables of a connection, and of other connections with the
// same name. The cursor goes to the given table; an empty name leaves it on the first line.
type TablesOf interface {
	ShowTablesOf(on int, table string) tea.Cmd
}

// Asking is a screen that may show the holder of a value. Asks reports whether the screen shows the holder of the
// given value of the constraint c.
type Asking interface {
	Refresher
	Asks(c *layout.Constraint, value string) bool
}

// Yielding is a screen that the program may close when a larger sample shows another layout. Yields reports whether
// the program may close the screen now.
type Yielding interface{ Yields() bool }

// Unsaved is a screen that may have unsaved input, such as corrections of a layout.
type Unsaved interface {
	// Leaving warns that an action would drop the input. It warns once, and returns nil afterwards, or
	// if there is no input. here is true if no screen covers this one.
	Leaving(here bool, by keymap.Action) tea.Cmd
	// Left says which input was dropped.
	Left() tea.Cmd
}

// Skeleton draws placeholders for rows that have not arrived yet.
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

// Nothing draws a block in place of an empty list. heading and more say why the list is empty, and can
// are the keys that help.
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
