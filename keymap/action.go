package keymap

import (
	"cmp"
	"slices"
)

// Action is something that a key does. Its text is its name in the config's [keys] section.
type Action string

// The actions. The same key may mean one action in the context Screen and another in Dialog.
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

	Accounts    Action = "accounts"
	Locks       Action = "locks"
	Counters    Action = "counters"
	Findings    Action = "findings"
	Journal     Action = "journal"
	Queue       Action = "queue"
	NextTab     Action = "next-tab"
	PreviousTab Action = "previous-tab"
	Tables      Action = "tables"
	Find        Action = "find"
	Layout      Action = "layout"

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
	Examples      Action = "examples"
	Timeline      Action = "timeline"
	ItsLock       Action = "its-lock"
	ItsNumber     Action = "its-number"
	Adopt         Action = "adopt"

	SearchRows    Action = "search-rows"
	CheckIDs      Action = "check-ids"
	AllSettings   Action = "all-settings"
	TakeOut       Action = "take-out"
	TakeBack      Action = "take-back"
	Answer        Action = "answer"
	IsAccount     Action = "is-account"
	IsCounter     Action = "is-counter"
	Apply         Action = "apply"
	Refuse        Action = "refuse"
	Withdraw      Action = "withdraw"
	VerifyWriters Action = "verify-writers"
	UndoBackfill  Action = "undo-backfill"
	Abandon       Action = "abandon"

	Copy     Action = "copy"
	CopyItem Action = "copy-item"
	CopyKey  Action = "copy-key"
	CopyLine Action = "copy-line"
	Save     Action = "save"

	Help Action = "help"
	Quit Action = "quit"

	NextField      Action = "next-field"
	PreviousField  Action = "previous-field"
	NextButton     Action = "next-button"
	PreviousButton Action = "previous-button"
	Press          Action = "press"
	Leave          Action = "leave"
	UndoThis       Action = "undo-this"
	WatchValue     Action = "watch-value"
	ShowRequest    Action = "show-request"
	CopyCommand    Action = "copy-command"
	CopyRequest    Action = "copy-request"
	CopyOwnCommand Action = "copy-own-command"
	SavePlan       Action = "save-plan"
)

// Context is where a key is pressed.
type Context int

// The contexts. A text field takes all letters; only actions of Dialog work there.
const (
	Screen Context = iota
	Dialog
)

// Group is the section of the help that lists an action.
type Group int

// The groups.
const (
	Move Group = iota
	Look
	Change
	Take
)

// Use says how a person may ask for an action. OfRow prevents a mistake: if the selected row disappears, the action
// must not act on its neighbour.
type Use int

// The uses.
const (
	Anywhere Use = iota // with its key, or with its name on the command line
	ByKey               // only with its key: it moves the cursor, or opens the command line itself
	OfRow               // the action is about the selected row, and does nothing if no row is selected
)

// Info describes an action: its context, its default keys and its use.
type Info struct {
	Action  Action
	Context Context
	Group   Group
	Keys    []string
	Use     Use
	// Instead is an action of other screens, which this action replaces on its own screen. So both may have the same
	// keys. Empty: the action replaces none. Others may replace it.
	Instead Action
}

// shares reports whether two actions may have the same key.
func (i Info) shares(o Info) bool {
	return i.Action != o.Action && cmp.Or(i.Instead, i.Action) == cmp.Or(o.Instead, o.Action)
}

// Actions lists all actions with their defaults, in the order of the help.
func Actions() []Info {
	return slices.Concat(moveActions(), lookActions(), changeActions(), takeActions(), dialogActions())
}

func moveActions() []Info {
	return []Info{
		{Down, Screen, Move, []string{"j", "down"}, ByKey, ""},
		{Up, Screen, Move, []string{"k", "up"}, ByKey, ""},
		{First, Screen, Move, []string{"g", "home"}, ByKey, ""},
		{Last, Screen, Move, []string{"G", "end"}, ByKey, ""},
		{HalfPageDown, Screen, Move, []string{"ctrl+d"}, ByKey, ""},
		{HalfPageUp, Screen, Move, []string{"ctrl+u"}, ByKey, ""},
		{PageDown, Screen, Move, []string{"pgdown", "ctrl+f"}, ByKey, ""},
		{PageUp, Screen, Move, []string{"pgup", "ctrl+b"}, ByKey, ""},
		{NextProblem, Screen, Move, []string{"n"}, Anywhere, ""},
		{PreviousProblem, Screen, Move, []string{"N"}, Anywhere, ""},
		{Accounts, Screen, Move, []string{"1"}, Anywhere, ""},
		{Locks, Screen, Move, []string{"2"}, Anywhere, ""},
		{Counters, Screen, Move, []string{"3"}, Anywhere, ""},
		{Findings, Screen, Move, []string{"4"}, Anywhere, ""},
		{Journal, Screen, Move, []string{"5"}, Anywhere, ""},
		{Queue, Screen, Move, []string{"6"}, Anywhere, ""},
		{PreviousTab, Screen, Move, []string{"["}, ByKey, ""},
		{NextTab, Screen, Move, []string{"]"}, ByKey, ""},
		{Back, Screen, Move, []string{"esc"}, ByKey, ""},
		{Quit, Screen, Move, []string{"q"}, Anywhere, ""},
	}
}

func lookActions() []Info {
	return []Info{
		{Find, Screen, Look, []string{"/"}, Anywhere, ""},
		{SearchRows, Screen, Look, []string{"/"}, ByKey, Find},
		{Layout, Screen, Look, []string{"L"}, Anywhere, ""},
		{Open, Screen, Look, []string{"enter"}, OfRow, ""},
		{OtherSide, Screen, Look, []string{"o"}, OfRow, ""},
		{CheckIDs, Screen, Look, []string{"o"}, OfRow, OtherSide},
		{TakeBack, Screen, Look, []string{"o"}, OfRow, OtherSide},
		{OnlyProblems, Screen, Look, []string{"f"}, Anywhere, ""},
		{Filter, Screen, Look, []string{"F"}, Anywhere, ""},
		{Sort, Screen, Look, []string{"s"}, Anywhere, ""},
		{Timeline, Screen, Look, []string{"t"}, OfRow, ""},
		{Fold, Screen, Look, []string{"z"}, OfRow, ""},
		{AllSettings, Screen, Look, []string{"z"}, Anywhere, Fold},
		{Everywhere, Screen, Look, []string{"A"}, Anywhere, ""},
		{Detail, Screen, Look, []string{"tab"}, Anywhere, ""},
		{Pause, Screen, Look, []string{"p"}, Anywhere, ""},
		{Stop, Screen, Look, []string{"x"}, Anywhere, ""},
		{Withdraw, Screen, Look, []string{"x"}, OfRow, Stop},
		{Reload, Screen, Look, []string{"ctrl+r"}, Anywhere, ""},
		{Tables, Screen, Look, []string{":"}, ByKey, ""},
		{Help, Screen, Look, []string{"?"}, Anywhere, ""},
	}
}

func changeActions() []Info {
	return []Info{
		{Release, Screen, Change, []string{"r"}, OfRow, ""},
		{Mend, Screen, Change, []string{"m"}, OfRow, ""},
		{Answer, Screen, Change, []string{"m"}, OfRow, Mend},
		{ChangeValue, Screen, Change, []string{"e"}, OfRow, ""},
		{DeleteAccount, Screen, Change, []string{"D"}, OfRow, ""},
		{TakeOut, Screen, Change, []string{"D"}, OfRow, DeleteAccount},
		{Refuse, Screen, Change, []string{"D"}, OfRow, DeleteAccount},
		{Abandon, Screen, Change, []string{"D"}, Anywhere, DeleteAccount},
		{Mark, Screen, Change, []string{"space"}, OfRow, ""},
		{MarkTo, Screen, Change, []string{"V"}, OfRow, ""},
		{Bump, Screen, Change, []string{"+"}, OfRow, ""},
		{IsCounter, Screen, Change, []string{"+"}, OfRow, Bump},
		{Undo, Screen, Change, []string{"u"}, Anywhere, ""},
		{UndoBackfill, Screen, Change, []string{"u"}, Anywhere, Undo},
		{Accept, Screen, Change, []string{"a"}, Anywhere, ""},
		{IsAccount, Screen, Change, []string{"a"}, OfRow, Accept},
		{Apply, Screen, Change, []string{"a"}, OfRow, Accept},
		{VerifyWriters, Screen, Change, []string{"a"}, Anywhere, Accept},
		{Examples, Screen, Change, []string{"T"}, Anywhere, ""},
		{ItsLock, Screen, Change, []string{"l"}, OfRow, ""},
		{ItsNumber, Screen, Change, []string{"i"}, OfRow, ""},
		{Adopt, Screen, Change, []string{"U"}, OfRow, ""},
	}
}

func takeActions() []Info {
	return []Info{
		{Copy, Screen, Take, []string{"y"}, OfRow, ""},
		{CopyItem, Screen, Take, []string{"Y"}, OfRow, ""},
		{CopyKey, Screen, Take, []string{"c"}, OfRow, ""},
		{CopyLine, Screen, Take, []string{"C"}, OfRow, ""},
		{Save, Screen, Take, []string{"w"}, Anywhere, ""},
	}
}

// dialogActions returns the actions of dialogs. While a dialog asks for the reason of a change, letters go into that
// field. So the default keys that work there are not letters.
func dialogActions() []Info {
	return []Info{
		{NextField, Dialog, Move, []string{"tab"}, ByKey, ""},
		{PreviousField, Dialog, Move, []string{"shift+tab"}, ByKey, ""},
		{NextButton, Dialog, Move, []string{"right"}, ByKey, ""},
		{PreviousButton, Dialog, Move, []string{"left"}, ByKey, ""},
		{Press, Dialog, Change, []string{"enter"}, ByKey, ""},
		{Leave, Dialog, Move, []string{"esc"}, ByKey, ""},
		{UndoThis, Dialog, Change, []string{"u"}, ByKey, ""},
		{WatchValue, Dialog, Look, []string{"w"}, ByKey, ""},
		{ShowRequest, Dialog, Look, []string{"ctrl+o"}, ByKey, ""},
		{CopyCommand, Dialog, Take, []string{"y"}, ByKey, ""},
		{CopyRequest, Dialog, Take, []string{"Y"}, ByKey, ""},
		{CopyOwnCommand, Dialog, Take, []string{"C"}, ByKey, ""},
		{SavePlan, Dialog, Take, []string{"ctrl+s"}, ByKey, ""},
	}
}
