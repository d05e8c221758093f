package adopt

import (
	"slices"
	"time"
)

// Phase is a phase of an adoption.
type Phase string

// The phases in order.
const (
	PhaseSurvey   Phase = "survey"
	PhaseWriters  Phase = "writers"
	PhaseBackfill Phase = "backfill"
	PhaseVerify   Phase = "verify"
)

// Phases lists the phases in order.
func Phases() []Phase { return []Phase{PhaseSurvey, PhaseWriters, PhaseBackfill, PhaseVerify} }

// Event is one line of a record: a result of a phase. Exactly one of the pointers is set.
type Event struct {
	At time.Time `json:"at"`
	// Layout is the Rule.Hash of the layout when the phase ran.
	Layout string `json:"layout"`
	// Locks tells which locks the phase is about.
	Locks     LockKeys   `json:"locks,omitzero"`
	Who       string     `json:"who,omitempty"`
	Survey    *Surveyed  `json:"survey,omitempty"`
	Writers   *Writers   `json:"writers,omitempty"`
	Backfill  *Backfill  `json:"backfill,omitempty"`
	Verify    *Verified  `json:"verify,omitempty"`
	Abandoned *Abandoned `json:"abandoned,omitempty"`
}

// Surveyed has the figures of a survey.
type Surveyed struct {
	// Items, Accounts and Locks count the items that were read. Locks are the locks of the rule. Values counts the
	// accounts' values, each account's value once.
	Items    int64 `json:"items"`
	Accounts int64 `json:"accounts"`
	Locks    int64 `json:"locks"`
	Values   int64 `json:"values"`
	// Duplicates counts the values that several accounts hold. ForeignLocks counts the locks that name another account
	// than the holder of the value, or no account. Unfit counts the values that cannot have a lock.
	Duplicates   int64 `json:"duplicates"`
	ForeignLocks int64 `json:"foreign_locks"`
	Unfit        int64 `json:"unfit"`
	// Expiring counts the accounts that expire, but whose new locks stay.
	Expiring int64 `json:"expiring"`
	// ToWrite counts the locks that a backfill has to put. WriteUnits estimates its price, with the checks of the
	// accounts.
	ToWrite    int64   `json:"locks_to_write"`
	WriteUnits float64 `json:"write_units"`
	ReadUnits  float64 `json:"read_units"`
	Seconds    float64 `json:"seconds"`
	// Begun is the earliest time at which the survey has read an item: its beginning, or the time of the export.
	Begun time.Time `json:"begun,omitzero"`
	// Export is the time of the export that was read in place of the tables; zero if the tables were read.
	Export *time.Time `json:"export,omitempty"`
	// Why is the reason why the survey is incomplete; empty if it is complete.
	Why string `json:"why,omitempty"`
}

// Complete reports whether the survey has read everything.
func (s *Surveyed) Complete() bool { return s != nil && s.Why == "" }

// Problems counts everything that people have to repair before the rule can hold.
func (s *Surveyed) Problems() int64 { return s.Duplicates + s.ForeignLocks + s.Unfit }

// Operation is one of the three operations of an application that write locks.
type Operation string

// The operations.
const (
	SignUp Operation = "sign-up"
	Change Operation = "change"
	Delete Operation = "delete"
)

// EnoughAccounts is the least number of new or changed accounts that verify the application's writers.
const EnoughAccounts = 20

// Writers has the result of verifying the application's writers.
type Writers struct {
	// Since is the beginning of the judged time: only accounts that were made or changed after it were judged. Judged
	// counts these accounts. Without counts the accounts among them that were made or changed without their lock.
	Since   time.Time `json:"since"`
	Judged  int64     `json:"judged"`
	Without int64     `json:"without"`
	// Begun is the beginning of the reading.
	Begun time.Time `json:"begun,omitzero"`
	// Made and Changed count the judged accounts of each operation.
	Made    int64 `json:"made"`
	Changed int64 `json:"changed"`
	// By is the attribute whose time tells that an account is new or changed; "id" is the account's id.
	By string `json:"by,omitempty"`
	// Times are the times that a person chose. Verify judges the age of accounts by them.
	Times Times `json:"times,omitzero"`
	// Index and Partition are the part of an index that was read; empty if the whole table was read.
	Index     string `json:"index,omitempty"`
	Partition string `json:"partition,omitempty"`
	// NotVerified lists the operations that the times cannot show. Confirmed is set if a person has confirmed these
	// operations by typing the constraint's name.
	NotVerified []Operation `json:"not_verified,omitempty"`
	Confirmed   bool        `json:"confirmed,omitempty"`
}

// TooFew reports whether too few accounts of each operation were judged, and none came without its lock.
func (w *Writers) TooFew() bool { return w.Without == 0 && max(w.Made, w.Changed) < EnoughAccounts }

// Backfill is the state of one run of the backfill.
type Backfill struct {
	// Receipt is the run's receipt in the journal. File is the file of the run, with its keys and its mark.
	Receipt string `json:"receipt"`
	File    string `json:"file,omitempty"`
	// Done is set when the run has reached its end. Undone is set when its locks were removed again.
	Done   bool `json:"done,omitempty"`
	Undone bool `json:"undone,omitempty"`
	// Undoing is set when an undo has begun, and has not reached its end.
	Undoing bool `json:"undoing,omitempty"`
	// Put counts the locks that the run has put. Existed counts the accounts that had their lock already. Skipped counts
	// the values of accounts that changed during the run, or that other programs kept writing. Duplicates counts the
	// values that several accounts hold. Invalid counts the values that cannot have a lock. Total is the expected number
	// of locks.
	Put        int64 `json:"put"`
	Existed    int64 `json:"existed"`
	Skipped    int64 `json:"skipped"`
	Duplicates int64 `json:"duplicates"`
	Invalid    int64 `json:"invalid"`
	Total      int64 `json:"total"`
}

// Verified is the result of the last phase.
type Verified struct {
	// Since is the end of the check: the rule holds from this time on. It is nil if the check did not prove the rule.
	// Receipt is the check's receipt in the journal.
	Since   *time.Time `json:"since,omitempty"`
	Receipt string     `json:"receipt,omitempty"`
	// Missing, Duplicates and Foreign count the check's findings about the rule. Unfit counts the values that cannot
	// have a lock. Unsettled counts the values that changed during the check.
	Missing    int64 `json:"missing"`
	Duplicates int64 `json:"duplicates"`
	Foreign    int64 `json:"foreign"`
	Unfit      int64 `json:"unfit"`
	Unsettled  int64 `json:"unsettled"`
	// Newer counts the accounts that came without their lock after Writers.Since, by the times in Writers.Times.
	// MaybeNewer counts the accounts without such a time that another date shows to be newer than Writers.Since.
	// UnfitValues has the unfit values of at most MostUnfit accounts.
	Newer       int64     `json:"newer,omitempty"`
	MaybeNewer  int64     `json:"maybe_newer,omitempty"`
	UnfitValues []Problem `json:"-"`
	// Repeat is the phase to repeat if the rule does not hold. Why is the reason why the check is incomplete.
	Repeat    Phase   `json:"repeat,omitempty"`
	Why       string  `json:"why,omitempty"`
	ReadUnits float64 `json:"read_units"`
	Seconds   float64 `json:"seconds"`
	// Begun is the beginning of the check.
	Begun time.Time `json:"begun,omitzero"`
}

// Problems counts everything that disproves the rule.
func (v *Verified) Problems() int64 { return v.Missing + v.Duplicates + v.Foreign + v.Unfit }

// Abandoned ends an adoption. Locks counts the locks that stay.
type Abandoned struct {
	Locks int64 `json:"locks"`
}

// State is the state of an adoption: the latest result of each phase. A result of another layout does not count. An
// incomplete survey does not replace a complete one.
type State struct {
	Survey   *Surveyed `json:"survey"`
	Writers  *Writers  `json:"writers"`
	Verified *Verified `json:"verify"`
	// Backfills are the runs of the backfill in order, also those of earlier layouts and of abandoned adoptions.
	Backfills []*Backfill `json:"backfills"`
	// SurveyAt, WritersAt, BackfillAt and VerifiedAt are the times of the results; zero if there is none.
	SurveyAt   time.Time `json:"survey_at,omitzero"`
	WritersAt  time.Time `json:"writers_at,omitzero"`
	BackfillAt time.Time `json:"backfill_at,omitzero"`
	VerifiedAt time.Time `json:"verify_at,omitzero"`
	// AbandonedAt is the time of the end, if nothing came after it. LayoutChanged is set if results were dropped because
	// the layout has changed.
	AbandonedAt   time.Time `json:"abandoned_at,omitzero"`
	LayoutChanged bool      `json:"layout_changed,omitempty"`

	rule *Rule
	// filled is set if the last backfill has reached its end, and since then none has begun and none was undone. dented is
	// the receipt of the last backfill that began, or whose undo began or ended. dentedAt is the time of that event.
	filled   bool
	stopped  *Backfill // the last run, if it has not reached its end
	dented   string
	dentedAt time.Time
	// oldWriterAt is the time of the last evidence of an old writer, and disprovedAt the time of the last evidence against
	// the rule. A result does not count if it began before the evidence against it.
	oldWriterAt, disprovedAt time.Time
}

// addEvidence adds an event of another constraint with the same locks. Such an event only ends proofs.
func (s *State) addEvidence(e Event) {
	s.disprove(e.At)
	if b := e.Backfill; b != nil {
		s.filled, s.dented, s.dentedAt = false, b.Receipt, e.At
	}
}

// disprove records that there was evidence against the rule at this time. If the last check proved the rule, its
// result no longer counts.
func (s *State) disprove(at time.Time) {
	s.disprovedAt = at
	if s.proven() {
		s.Verified, s.VerifiedAt = nil, time.Time{}
	}
}

// add adds an event.
func (s *State) add(e Event) {
	if e.Disproves() {
		s.disprove(e.At)
	}
	current := s.rule == nil || e.Layout == s.rule.Hash
	if !current && e.Abandoned == nil && e.Backfill == nil {
		s.LayoutChanged = true
		return
	}
	if e.began().Before(s.AbandonedAt) {
		return // this result belongs to the abandoned adoption
	}
	if e.Abandoned == nil {
		s.AbandonedAt = time.Time{}
	}
	switch {
	case e.Survey != nil:
		s.LayoutChanged = false
		if s.Survey.Complete() && !e.Survey.Complete() {
			return // the earlier survey was complete, so it still counts
		}
		s.Survey, s.SurveyAt = e.Survey, e.At
	case e.Writers != nil:
		s.addWriters(e.Writers, e.At)
	case e.Verify != nil:
		s.Verified, s.VerifiedAt = e.Verify, e.At
		if e.Verify.Newer > 0 {
			s.oldWriterAt = e.At
		}
		if s.proven() && e.Verify.Begun.Before(s.disprovedAt) {
			s.Verified, s.VerifiedAt = nil, time.Time{}
		}
	case e.Backfill != nil:
		s.addBackfill(e.Backfill, e.At, current)
	case e.Abandoned != nil:
		*s = State{
			Backfills: s.Backfills, AbandonedAt: e.At, rule: s.rule, dented: s.dented, dentedAt: s.dentedAt,
			disprovedAt: s.disprovedAt,
		}
	}
}

// began returns the beginning of a check, or of a judgement that found no account without its lock. For other events it
// returns the time of the event.
func (e *Event) began() time.Time {
	switch {
	case e.Verify != nil:
		return e.Verify.Begun
	case e.Writers != nil && e.Writers.Without == 0:
		return e.Writers.Begun
	}
	return e.At
}

// addWriters adds a judgement of the writers. A person may have confirmed the judgement long after its beginning.
func (s *State) addWriters(w *Writers, at time.Time) {
	switch {
	case w.Without > 0:
		s.oldWriterAt = at
	case w.Begun.Before(s.oldWriterAt):
		return
	}
	s.Writers, s.WritersAt = w, at
}

// addBackfill adds the state of a run. current is set if the run has the present layout.
func (s *State) addBackfill(b *Backfill, at time.Time, current bool) {
	s.BackfillAt = at
	if !b.Undoing && !b.Undone || s.stopped != nil && s.stopped.Receipt == b.Receipt {
		s.stopped = nil
	}
	if current && !b.Done && !b.Undone && !b.Undoing {
		s.stopped = b
	}
	if b.Done && !b.Undone {
		// The undo of another backfill may have run at the same time.
		s.filled = current && (s.dented == "" || s.dented == b.Receipt)
	} else {
		s.filled, s.dented, s.dentedAt = false, b.Receipt, at
	}
	n := slices.IndexFunc(s.Backfills, func(one *Backfill) bool { return one.Receipt == b.Receipt })
	if n < 0 {
		s.Backfills = append(s.Backfills, b)
	} else {
		s.Backfills[n] = b
	}
}

// Disproves reports whether the event is evidence that the rule does not hold. A survey or a check that was stopped is
// evidence, too, if it has found a problem.
func (e *Event) Disproves() bool {
	switch {
	case e.Survey != nil:
		return e.Survey.Problems() > 0
	case e.Writers != nil:
		return e.Writers.Without > 0
	case e.Verify != nil:
		return e.Verify.Problems() > 0
	case e.Backfill != nil:
		return e.Backfill.Undone || !e.Backfill.Done
	}
	return e.Abandoned != nil
}

// Next returns the next phase; "" if the rule is verified. If the last check did not prove the rule, Next returns the
// phase in Verified.Repeat.
func (s *State) Next() Phase {
	for _, phase := range Phases() {
		if !s.done(phase) || s.repeats(phase) {
			return phase
		}
	}
	return ""
}

// Step returns the phase to run next. It may differ from Next only if Next is Verify. If the last backfill skipped
// values, Step returns the backfill again. If the last backfill found duplicates or invalid values, Step returns the
// survey: people have to repair these values first.
func (s *State) Step() Phase {
	next := s.Next()
	if next != PhaseVerify || len(s.Backfills) == 0 || s.VerifiedAt.After(s.BackfillAt) {
		return next
	}
	last := s.Backfills[len(s.Backfills)-1]
	repaired := s.SurveyAt.After(s.BackfillAt)
	switch {
	case last.Undone:
		return next
	case last.Skipped > 0 && !repaired, repaired && s.Survey.ToWrite > 0:
		return PhaseBackfill
	case last.Duplicates+last.Invalid > 0 && !repaired:
		return PhaseSurvey
	}
	return next
}

// repeats reports whether the last check said to repeat a phase, and nobody has repeated it since.
func (s *State) repeats(phase Phase) bool {
	if s.Verified == nil || s.Verified.Repeat != phase {
		return false
	}
	at := map[Phase]time.Time{PhaseSurvey: s.SurveyAt, PhaseWriters: s.WritersAt, PhaseBackfill: s.BackfillAt}[phase]
	return at.Before(s.VerifiedAt)
}

func (s *State) done(phase Phase) bool {
	switch phase {
	case PhaseSurvey:
		return s.Survey.Complete()
	case PhaseWriters:
		return s.writers() == ""
	case PhaseBackfill:
		return s.Backfilled()
	}
	return s.proven()
}

// proven reports whether the last check proved the rule, and nothing has disproved it since.
func (s *State) proven() bool { return s.Verified != nil && s.Verified.Since != nil }

// OldWriter reports whether an old writer is in use: accounts came without their lock, or the last check found an
// account that is newer than the verified writers.
func (s *State) OldWriter() bool {
	return s.Writers != nil && (s.Writers.Without > 0 || s.WritersAt.Before(s.oldWriterAt))
}

// writers returns the reason why the writers are not verified; "" if they are.
func (s *State) writers() Code {
	switch w := s.Writers; {
	case w == nil || w.TooFew():
		return Unverified
	case s.OldWriter():
		return WithoutLock
	case len(w.NotVerified) > 0 && !w.Confirmed:
		return Unconfirmed
	}
	return ""
}

// Backfilled reports whether every lock exists, as far as is known: a backfill has reached its end, a survey found no
// lock to put, or a check proved the rule, and nobody has begun or undone a backfill since. A backfill of an abandoned
// adoption, or of another layout, does not count.
func (s *State) Backfilled() bool {
	if s.filled || s.proven() {
		return true
	}
	return s.Survey.Complete() && s.Survey.ToWrite == 0 && !s.Survey.Begun.Before(s.dentedAt)
}

// Unfinished returns the last run of the backfill, if it can be continued; nil if not. A run of an abandoned adoption,
// or of another layout, is not continued.
func (s *State) Unfinished() *Backfill { return s.stopped }

// IsUndone reports whether a run was undone.
func (s *State) IsUndone(receipt string) bool {
	return slices.ContainsFunc(s.Backfills, func(b *Backfill) bool { return b.Receipt == receipt && b.Undone })
}

// StoppedUndo returns the last run whose undo has begun, and has not reached its end; nil if there is none.
func (s *State) StoppedUndo() *Backfill {
	for _, b := range slices.Backward(s.Backfills) {
		if b.Undoing {
			return b
		}
	}
	return nil
}

// Begun reports whether any phase of the adoption has a result.
func (s *State) Begun() bool {
	return s.Survey != nil || s.Writers != nil || s.Verified != nil || s.AbandonedAt.IsZero() && len(s.Backfills) > 0
}

// Allows returns a *Refusal if a phase cannot begin yet, because an earlier phase is not satisfied.
func (s *State) Allows(phase Phase) error {
	code := Code("")
	switch {
	case phase == PhaseSurvey:
	case !s.Survey.Complete():
		code = Unsurveyed
		if s.LayoutChanged {
			code = LayoutChanged
		}
	case phase == PhaseWriters:
	case s.writers() != "":
		code = s.writers()
	case phase == PhaseVerify && !s.Backfilled():
		code = NoBackfill
	}
	if code == "" {
		return nil
	}
	refusal := s.rule.refuse(code, s.rule.Constraint)
	refusal.Phase = phase
	if s.Writers != nil {
		refusal.Count, refusal.Of, refusal.Writers = int(s.Writers.Without), int(s.Writers.Judged), s.Writers
	}
	return refusal
}
