package check

import (
	"tallylock/dynamo/check/candidates"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/report"
	"tallylock/dynamo/check/setting"
)

// The names of the packages below, for packages above that still use them by this one.
type (
	Finding      = finding.Finding
	Kind         = finding.Kind
	Rests        = finding.Rests
	Question     = finding.Question
	Place        = finding.Place
	Baseline     = finding.Baseline
	Summary      = finding.Summary
	Mark         = finding.Mark
	CounterState = finding.CounterState
	Checked      = finding.Checked
	NotChecked   = finding.NotChecked
	Outcome      = finding.Outcome

	State   = progress.State
	Stage   = progress.Stage
	Suspect = progress.Suspect
	Cost    = progress.Cost

	Candidates = candidates.File

	Options     = setting.Options
	Confirm     = setting.Confirm
	Look        = setting.Look
	Config      = setting.Config
	ConfirmName = setting.ConfirmName
	LookName    = setting.LookName
	Parts       = setting.Parts
	Size        = setting.Size
)

// The constants of the same packages.
const (
	OrphanedLock     = finding.OrphanedLock
	StaleLock        = finding.StaleLock
	MissingLock      = finding.MissingLock
	ForeignLock      = finding.ForeignLock
	DuplicateValue   = finding.DuplicateValue
	UnnormalisedLock = finding.UnnormalisedLock
	MalformedLock    = finding.MalformedLock
	ExpiringAccount  = finding.ExpiringAccount
	CounterBehind    = finding.CounterBehind
	CounterMissing   = finding.CounterMissing
	CounterNotNumber = finding.CounterNotNumber
	CounterUnsafe    = finding.CounterUnsafe
	CounterOffStep   = finding.CounterOffStep
	DuplicateID      = finding.DuplicateID
	DriftedKey       = finding.DriftedKey

	OnItem     = finding.OnItem
	OnCounters = finding.OnCounters
	OnPairs    = finding.OnPairs
	OnAbsence  = finding.OnAbsence

	UncheckedConstraints = finding.UncheckedConstraints
	UncheckedCounters    = finding.UncheckedCounters
	UncheckedTables      = finding.UncheckedTables
	UncheckedItems       = finding.UncheckedItems
	UncheckedFindings    = finding.UncheckedFindings

	Incomplete = finding.Incomplete
	Found      = finding.Found
	Guess      = finding.Guess
	Partly     = finding.Partly
	Nothing    = finding.Nothing

	Beginning       = progress.Beginning
	Preparing       = progress.Preparing
	Reading         = progress.Reading
	ReadingMore     = progress.ReadingMore
	FindingKeys     = progress.FindingKeys
	Waiting         = progress.Waiting
	LookingAgain    = progress.LookingAgain
	RePolling       = progress.RePolling
	Confirming      = progress.Confirming
	ReadingCounters = progress.ReadingCounters

	ConfirmNone   = setting.ConfirmNone
	ConfirmReads  = setting.ConfirmReads
	ConfirmFull   = setting.ConfirmFull
	Strong        = setting.Strong
	Eventual      = setting.Eventual
	DefaultMemory = setting.DefaultMemory

	notExcludedWords = finding.NotExcluded
)

// The functions of the same packages.
var (
	Kinds        = finding.Kinds
	KindOf       = finding.KindOf
	LockID       = finding.LockID
	Read         = finding.Read
	ReadBaseline = finding.ReadBaseline

	OpenCandidates = candidates.Open

	Estimate    = setting.Estimate
	Assumptions = report.Assumptions
	Origin      = report.Origin
)
