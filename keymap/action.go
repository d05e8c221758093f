package keymap

// Action is something a key does, by the name it has in the config's [keys]
// section.
type Action string

// The actions. Those of Screen are told apart from those of Dialog by their
// context: the same key may mean one thing in each.
const (
	Down            Action = "down"
	Up              Action = "up"
	First           Action = "first"
	Last            Action = "last"
	HalfPageDown    Action = "half-page-down"
	HalfPageUp      Action = "half-page-up"
	PageDown        Action = "page-down"
	PageUp          Action = "page-up"
	NextProblem     Action = "next-problem"
	PreviousProblem Action = "previous-problem"
	Back            Action = "back"

	Accounts Action = "accounts"
	Locks    Action = "locks"
	Counters Action = "counters"
	Findings Action = "findings"
	Journal  Action = "journal"
	Tables   Action = "tables"
	Find     Action = "find"
	Layout   Action = "layout"

	Open         Action = "open"
	OnlyProblems Action = "only-problems"
	Filter       Action = "filter"
	Sort         Action = "sort"
	OtherSide    Action = "other-side"
	Fold         Action = "fold"
	Everywhere   Action = "all-connections"
	Detail       Action = "detail"
	Pause        Action = "pause"
	Stop         Action = "stop"
	Reload       Action = "reload"

	Mark          Action = "mark"
	MarkTo        Action = "mark-to"
	Release       Action = "release"
	Mend          Action = "mend"
	ChangeValue   Action = "change-value"
	DeleteAccount Action = "delete-account"
	Bump          Action = "bump"
	Undo          Action = "undo"
	Accept        Action = "accept"

	Copy     Action = "copy"
	CopyItem Action = "copy-item"
	CopyKey  Action = "copy-key"
	CopyLine Action = "copy-line"
	Save     Action = "save"

	Help Action = "help"
	Quit Action = "quit"

	NextField     Action = "next-field"
	PreviousField Action = "previous-field"
	Press         Action = "press"
	Leave         Action = "leave"
	UndoThis      Action = "undo-this"
	WatchValue    Action = "watch-value"
	ShowRequest   Action = "show-request"
	CopyCommand   Action = "copy-command"
	CopyRequest   Action = "copy-request"
	SavePlan      Action = "save-plan"
)

// Context is where a key is pressed.
type Context int

// The contexts. While a text field has the cursor there is none but Dialog:
// letters are letters.
const (
	Screen Context = iota
	Dialog
)

// Group is the heading under which the help lists an action.
type Group string

// The groups, in the order of the help.
const (
	Move   Group = "MOVE"
	Look   Group = "LOOK"
	Change Group = "CHANGE"
	Take   Group = "COPY, SAVE"
)

// Info describes an action: its default keys and what it does in a few words.
type Info struct {
	Action  Action
	Context Context
	Group   Group
	Keys    []string
	Help    string
}

// Actions lists all actions with their defaults, in the order of the help.
func Actions() []Info { return append(screenActions(), dialogActions()...) }

func screenActions() []Info {
	return []Info{
		{Down, Screen, Move, []string{"j", "down"}, "down"},
		{Up, Screen, Move, []string{"k", "up"}, "up"},
		{First, Screen, Move, []string{"g", "home"}, "first"},
		{Last, Screen, Move, []string{"G", "end"}, "last"},
		{HalfPageDown, Screen, Move, []string{"ctrl+d"}, "half a page down"},
		{HalfPageUp, Screen, Move, []string{"ctrl+u"}, "half a page up"},
		{PageDown, Screen, Move, []string{"pgdown", "ctrl+f"}, "a page down"},
		{PageUp, Screen, Move, []string{"pgup", "ctrl+b"}, "a page up"},
		{NextProblem, Screen, Move, []string{"n"}, "next problem"},
		{PreviousProblem, Screen, Move, []string{"N"}, "previous problem"},
		{Accounts, Screen, Move, []string{"1"}, "accounts"},
		{Locks, Screen, Move, []string{"2"}, "locks"},
		{Counters, Screen, Move, []string{"3"}, "counters"},
		{Findings, Screen, Move, []string{"4"}, "findings"},
		{Journal, Screen, Move, []string{"5"}, "journal"},
		{Back, Screen, Move, []string{"esc"}, "back, cancel"},
		{Quit, Screen, Move, []string{"q"}, "quit"},

		{Find, Screen, Look, []string{"/"}, "find a value or account"},
		{Layout, Screen, Look, []string{"L"}, "the table's layout"},
		{Open, Screen, Look, []string{"enter"}, "open the item"},
		{OtherSide, Screen, Look, []string{"o"}, "the other side"},
		{OnlyProblems, Screen, Look, []string{"f"}, "only problems"},
		{Filter, Screen, Look, []string{"F"}, "only rows with letters"},
		{Sort, Screen, Look, []string{"s"}, "another order"},
		{Fold, Screen, Look, []string{"z"}, "fold a group"},
		{Everywhere, Screen, Look, []string{"A"}, "all connections"},
		{Detail, Screen, Look, []string{"tab"}, "the whole detail"},
		{Pause, Screen, Look, []string{"p"}, "pause, read on"},
		{Stop, Screen, Look, []string{"x"}, "stop, keep what was read"},
		{Reload, Screen, Look, []string{"ctrl+r"}, "read again"},
		{Tables, Screen, Look, []string{":"}, "tables, commands"},
		{Help, Screen, Look, []string{"?"}, "these keys"},

		{Release, Screen, Change, []string{"r"}, "release this lock"},
		{Mend, Screen, Change, []string{"m"}, "mend, resolve this"},
		{ChangeValue, Screen, Change, []string{"e"}, "change a value"},
		{DeleteAccount, Screen, Change, []string{"D"}, "delete this account"},
		{Mark, Screen, Change, []string{"space"}, "mark, for several"},
		{MarkTo, Screen, Change, []string{"V"}, "mark all up to here"},
		{Bump, Screen, Change, []string{"+"}, "bump, reserve, raise"},
		{Undo, Screen, Change, []string{"u"}, "undo a change"},
		{Accept, Screen, Change, []string{"a"}, "accept the layout"},

		{Copy, Screen, Take, []string{"y"}, "copy the value, key"},
		{CopyItem, Screen, Take, []string{"Y"}, "copy the item as JSON"},
		{CopyKey, Screen, Take, []string{"c"}, "copy the key as JSON"},
		{CopyLine, Screen, Take, []string{"C"}, "copy it as a command"},
		{Save, Screen, Take, []string{"w"}, "save the list, a file"},
	}
}

func dialogActions() []Info {
	return []Info{
		{NextField, Dialog, Move, []string{"tab", "right"}, "next"},
		{PreviousField, Dialog, Move, []string{"shift+tab", "left"}, "previous"},
		{Press, Dialog, Change, []string{"enter"}, "press"},
		{Leave, Dialog, Move, []string{"esc"}, "leave it"},
		{UndoThis, Dialog, Change, []string{"u"}, "undo it"},
		{WatchValue, Dialog, Look, []string{"w"}, "watch the value"},
		{ShowRequest, Dialog, Look, []string{"v"}, "show the request"},
		{CopyCommand, Dialog, Take, []string{"y"}, "copy as a command"},
		{CopyRequest, Dialog, Take, []string{"Y"}, "copy as DynamoDB JSON"},
		{SavePlan, Dialog, Take, []string{"P"}, "save as a plan"},
	}
}
