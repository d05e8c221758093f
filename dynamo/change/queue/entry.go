package queue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
)

// State is the state of an entry.
type State string

// The states. Only a waiting plan can be applied, refused or withdrawn.
const (
	Waiting  State = "waiting"
	Applying State = "applying" // an operator is applying the plan
	Applied  State = "applied"
	Refused  State = "refused" // by an operator, or by the conditions of the plan
	Unknown  State = "unknown" // sent, and the outcome is unknown
	Expired  State = "expired"
)

// Entry is a plan that waits, or that waited, for an operator.
type Entry struct {
	Version int    `json:"tallylock_queue"`
	ID      string `json:"id"`
	State   State  `json:"state"`
	// AskedBy is the name of the author. Until is the time at which the plan expires.
	AskedBy string    `json:"asked_by"`
	Asked   time.Time `json:"asked"`
	Until   time.Time `json:"until"`
	Shown   Shown     `json:"shown"`
	// Plan is the file of the plan. Its reason is the author's reason.
	Plan *change.PlanFile `json:"-"`
	// DecidedBy is the operator who applied or refused the plan, and Decided is the time of the decision. Why is the
	// reason of a refusal.
	DecidedBy string    `json:"decided_by,omitempty"`
	Decided   time.Time `json:"decided,omitzero"`
	Why       string    `json:"why,omitempty"`
	// Receipts are the receipts of the changes that were sent. If the plan waits, these changes were applied, and only the
	// other changes wait.
	Receipts []string `json:"receipts,omitempty"`
}

// Shown is the plan as the author saw it. It is shown to operators, and never applied.
type Shown struct {
	Title    string      `json:"title"`
	Sentence string      `json:"sentence"`
	Lines    []plan.Line `json:"lines"`
}

// ShownOf returns the words of a plan.
func ShownOf(p *plan.Plan) Shown { return Shown{p.Title, p.Sentence, p.Lines} }

// Open reports whether the plan still needs an operator, or an operator is applying it.
func (e *Entry) Open() bool { return e.State == Waiting || e.State == Applying }

// expire ends a plan that has waited too long.
func (e *Entry) expire(now time.Time) {
	if e.State == Waiting && !now.Before(e.Until) {
		e.State = Expired
	}
}

// SentAndRefused reports whether an operator applied the plan, and a condition refused it. Otherwise a refused plan was
// refused by a person, or was outdated.
func (e *Entry) SentAndRefused() bool { return e.State == Refused && len(e.Receipts) > 0 }

// The limits of an entry.
const (
	version  = 1
	lasts    = 24 * time.Hour // the time for which a plan waits, and for which a decided plan is kept
	maxEntry = 1 << 20
	maxPlan  = maxEntry - 64<<10 // leaves room for the decision
	maxWhy   = 4 << 10
)

// file is an entry as it is on the disk.
type file struct {
	Entry
	Plan json.RawMessage `json:"plan"`
}

// bytes returns the entry's file.
func (e *Entry) bytes() ([]byte, error) {
	planned, err := e.Plan.Bytes()
	if err != nil {
		return nil, err
	}
	data, err := attr.Line(file{*e, planned}, "")
	if err == nil && len(data) > maxEntry {
		err = fmt.Errorf("the entry would be larger than %d KB", maxEntry>>10)
	}
	return data, err
}

// parse reads a file of the queue. id is the entry's ID by the name of the file.
func parse(id string, data []byte) (*Entry, error) {
	var f file
	if err := attr.Strict(data, &f); err != nil {
		return nil, errors.New("the file is damaged, or not an entry of the queue")
	}
	e := &f.Entry
	switch {
	case e.Version != version:
		return nil, fmt.Errorf("this program reads only entries of version %d", version)
	case e.ID != id:
		return nil, errors.New("the name of the file is not the id of the entry")
	case e.AskedBy == "" || e.Asked.IsZero() || e.Until.Sub(e.Asked) != lasts:
		return nil, errors.New("the entry has no author, or no valid times")
	}
	switch e.State {
	case Waiting, Applying, Applied, Refused, Unknown:
	default:
		return nil, fmt.Errorf("the entry has the unknown state %q", string(e.State))
	}
	planned, err := change.ReadPlanFile(bytes.NewReader(f.Plan))
	if err != nil {
		return nil, err
	}
	if planned.Who != e.AskedBy {
		return nil, errors.New("the plan and the entry name different authors")
	}
	e.Plan = planned
	return e, nil
}

// settle derives the state of an entry from the journal. The operator's process ended before it stored the outcome. A
// plan that was sent stays unknown if the journal does not have its changes.
func (e *Entry) settle(records []*journal.Record) {
	sent := map[string]bool{} // by the ID of the change
	for _, c := range e.Plan.Changes {
		sent[c.ID] = false
	}
	before := *e
	e.State, e.Receipts = Waiting, nil
	refused := false
	for _, r := range records {
		if _, planned := sent[r.Change]; !planned {
			continue
		}
		e.Receipts = append(e.Receipts, r.Receipt)
		switch {
		case r.Open || r.Outcome == journal.Unknown:
			e.State, sent[r.Change] = Unknown, true
		case r.Outcome == journal.Applied:
			sent[r.Change] = true
			if e.State != Unknown {
				e.State = Applied
			}
		case refusedForGood(r) && !r.At.Before(e.Decided.Truncate(time.Second)): // earlier attempts do not count
			refused, sent[r.Change] = true, true
		}
	}
	rest := slices.Contains(slices.Collect(maps.Values(sent)), false)
	switch {
	case before.State == Unknown && len(e.Receipts) == 0:
		e.State, e.Receipts = Unknown, before.Receipts
	case e.State == Applied && rest: // an operator can apply the other changes
		e.State, e.DecidedBy, e.Decided, e.Receipts = Waiting, "", time.Time{}, e.applied(records)
	case e.State == Applied && refused:
		e.Why = "a change was sent and refused: the journal has the reason"
	case e.State == Applied:
		e.Why = "" // from an earlier attempt
	case e.State == Waiting && refused:
		e.State, e.Why = Refused, "the change was sent and refused: the journal has the reason"
	case e.State == Waiting: // an operator can try again
		e.DecidedBy, e.Decided, e.Receipts = "", time.Time{}, nil
	}
}

// applied returns the receipts of the changes of the plan that were applied.
func (e *Entry) applied(records []*journal.Record) (receipts []string) {
	for _, r := range records {
		if r.Outcome == journal.Applied && e.plans(r) {
			receipts = append(receipts, r.Receipt)
		}
	}
	return receipts
}

// plans reports whether a record is of a change of the plan.
func (e *Entry) plans(r *journal.Record) bool {
	return slices.ContainsFunc(e.Plan.Changes, func(c change.PlannedChange) bool { return c.ID == r.Change })
}

// unanswered returns the receipt of a change of the plan that was sent, and whose outcome is unknown; empty if there is
// none.
func (e *Entry) unanswered(records []*journal.Record) string {
	for _, r := range records {
		if (r.Open || r.Outcome == journal.Unknown) && e.plans(r) {
			return r.Receipt
		}
	}
	return ""
}

// shortened cuts a long reason between two characters.
func shortened(why string) string {
	if len(why) <= maxWhy {
		return why
	}
	end := maxWhy - len("…")
	for !utf8.RuneStart(why[end]) {
		end--
	}
	return why[:end] + "…"
}

// refusedForGood reports whether a condition refused a change. It returns false if a person stopped the change, or if
// an operator can try again: after an error, a question or a missing answer.
func refusedForGood(r *journal.Record) bool {
	return r.Outcome == journal.Refused && r.Error == "" && !slices.ContainsFunc(r.Reasons, func(why journal.Reason) bool {
		switch why.Code {
		case plan.Cancelled, plan.NoAnswer, plan.Asked, plan.Incomplete, plan.Moving:
			return true
		}
		return false
	})
}

// tables returns the tables of the plan.
func (e *Entry) tables() []string {
	var all []string
	for t := range e.Plan.Tables {
		all = append(all, t)
	}
	for _, c := range e.Plan.Changes {
		all = append(all, c.Table)
	}
	return all
}

// isID reports whether a text can be the ID of an entry.
func isID(text string) bool {
	rest, ok := strings.CutPrefix(text, "P-")
	return ok && len(rest) == idLength &&
		!strings.ContainsFunc(rest, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
}

// idLength is the number of random characters of an ID.
const idLength = 16
