package change

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
)

// A step is sent up to sendAttempts times, always with the same token, with
// pauses that add up to about 12 s: TransactionInProgress asks for at least 5 s.
// A throttled step is sent throttledAttempts times, in about a minute: it may be one of
// thousands.
const (
	sendAttempts      = 7
	throttledAttempts = 20
)

func sendPause(attempt int) time.Duration {
	pause := min(200*time.Millisecond<<attempt, 4*time.Second)
	return pause/2 + rand.N(pause)
}

// How long after its first sending a step may be sent again. A request token is
// good for ten minutes; a program that was stopped and goes on an hour later must
// not take up where it was.
const (
	sendWithin  = 90 * time.Second // by the command that sent it
	againWithin = 9 * time.Minute  // by somebody who was asked; as long, a refusal is an answer
	// skew is how far in the future a sending may be recorded: beyond it the clock was set
	// back, and the age of the token is unknown.
	skew = time.Minute
)

// step sends one transaction until there is a definite answer, writes the result to the
// receipt, and reports whether it was applied. It records the step in the journal first: what
// cannot be recorded is not sent.
func (c *Changer) step(ctx context.Context, p *Plan, s Step, r *Receipt, progress func(Progress)) bool {
	if s.Name != journal.StepUnmark { // a mark that is to go does not wait for others
		_ = c.Writes.Wait(ctx) // if it ends early, ctx.Err below says so
	}
	why := r.Reasons
	r.Outcome, r.Reasons, r.Err, r.lost, r.Sent = Refused, nil, nil, s.body != nil, nil
	if r.lost {
		r.Outcome = Unknown
	}
	if err := ctx.Err(); err != nil {
		r.Err = &client.Error{Kind: client.Cancelled, Op: "writing", Why: "stopped before anything was sent", Err: err}
		return false
	}
	request, err := s.Body()
	if err != nil {
		r.Err = err
		return false
	}
	tokens, err := p.live.conn.KnowsTokens(ctx, s.Writes[0].Table)
	if err != nil {
		r.Err = err
		return false
	}
	if !tokens && s.body != nil && !p.restsOnMark(s) {
		r.Err = errNoTokens
		return false
	}
	e, err := c.sendEntry(ctx, p, s)
	if err != nil {
		r.Err = err
		return false
	}
	e.NoTokens = !tokens
	if err := c.Journal.Append(ctx, e); err != nil {
		r.Err = err
		return false
	}
	c.noteSent(s.Token)
	r.ID, r.Who, r.NoSTS = p.ID, e.Who, e.NoSTS
	paid := r.WriteUnits
	c.send(ctx, p.live.conn, s, sending{request, tokens}, r, progress)
	if r.Outcome == Applied && r.lost && p.recurs() {
		r.Reasons = append(r.Reasons, mayArrive(c.now(), repeats))
	}
	if r.WriteUnits == paid && conditionFailed(r.Reasons) {
		// A failed condition is charged as well, and the response does not say how much. Of a
		// release's three steps two are sent.
		r.WriteUnits += p.Price.WriteUnits / float64((len(p.Steps)+1)/2)
	}
	c.Writes.Use(r.WriteUnits - paid)
	said := *r
	if s.Name == journal.StepUnmark && r.Outcome == Applied {
		said.Reasons = why // nothing else records why the lock was kept
	}
	if err := c.appendAnswer(ctx, p, s, said); err != nil && r.Outcome != Unknown {
		// The outcome stands; that the journal does not have it is one more reason.
		r.Reasons = append(r.Reasons, Reason{Code: NotRecorded, Text: err.Error()})
	}
	if c.noteSent(s.Token); r.Outcome != Unknown {
		c.forgetSent(s.Token)
	}
	return r.Outcome == Applied
}

// sending is a request to an endpoint that knows request tokens, or does not.
type sending struct {
	request []byte
	tokens  bool
}

// restsOnMark reports whether a step has its effect once, however often it is sent: no mark is written
// twice.
func (p *Plan) restsOnMark(s Step) bool {
	return s.Name == journal.StepUnmark || s.Name == journal.StepDelete &&
		slices.ContainsFunc(p.Steps, func(other Step) bool { return other.Name == journal.StepMark })
}

// errNoTokens says why a stored request is not sent again.
var errNoTokens = &client.Error{
	Kind: client.Unsupported, Op: "sending the request again",
	Why: "this endpoint ignores request tokens, so a second sending may change the table twice",
	Do:  "look at the table",
}

// errTooLate says why a request is not sent at all.
var errTooLate = &client.Error{
	Kind: client.Failed, Op: "writing", Why: "its token was too old before it could be sent", Do: "look at it again",
}

// notSentAgain is the reason that an unknown outcome adds if the endpoint ignores request tokens.
var notSentAgain = Reason{
	Code: NoAnswer,
	Text: "it was sent once only: this endpoint ignores request tokens, so a second sending may change the table twice",
}

// send sends a request until there is a definite answer or no attempt is left, and writes the
// result to the receipt. If the endpoint ignores request tokens, a request whose answer was
// lost is not sent again.
func (c *Changer) send(
	ctx context.Context, conn *dynamo.Connection, s Step, of sending, r *Receipt, progress func(Progress),
) {
	pause, busy, first, until := c.Pause, false, s.first, s.until
	if pause == nil {
		pause = sendPause
	}
	clock := s.clock
	if clock.now == nil {
		clock = c.startStopwatch()
	}
	now := clock.latest
	if first.IsZero() {
		first = now()
	}
	if until.IsZero() {
		until = now().Add(sendWithin)
	}
	for attempt := 1; ; attempt++ {
		if attempt == 1 && now().After(until) {
			r.Err = errTooLate
			break
		}
		stage := Stage(s.Name)
		if attempt > 1 {
			stage = StageAskAgain
		}
		progress(Progress{Stage: stage, Attempt: attempt})
		sent := c.now()
		a := conn.Transact(ctx, of.request)
		r.WriteUnits += a.Units
		r.Sent = append(r.Sent, Sending{At: sent, Took: c.now().Sub(sent), Err: a.Err})
		switch a.Result {
		case client.Happened:
			r.Outcome, r.Err = Applied, nil
			return
		case client.Rejected:
			if r.rejected(s, a, first, now()); r.lost && !of.tokens { // the first sending may have had its effect
				r.Outcome, r.Reasons = Unknown, []Reason{noAnswer, notSentAgain}
			}
			return
		case client.Lost:
			r.lost = true
		}
		r.Err, busy = a.Err, a.Result == client.Busy
		if kind := client.KindOf(a.Err); a.Result == client.Unsent &&
			(kind == client.NoCredentials || kind == client.Expired) {
			break // sending again does not log anybody in
		}
		if r.lost && !of.tokens {
			break
		}
		most := sendAttempts
		if a.Throttled() {
			most = throttledAttempts
		}
		if attempt >= most || !sleep(ctx, pause(attempt)) || now().After(until) {
			break
		}
	}
	r.unanswered(busy, of.tokens)
}

// unanswered records that a step had no definite answer. busy is set if the last attempt was refused
// since others were writing, or the capacity was used up.
func (r *Receipt) unanswered(busy, tokens bool) {
	r.Outcome = Refused
	switch {
	case r.lost && tokens:
		r.Outcome, r.Reasons = Unknown, []Reason{noAnswer}
	case r.lost:
		r.Outcome, r.Reasons = Unknown, []Reason{noAnswer, notSentAgain}
	case busy && client.KindOf(r.Err) == client.Conflict:
		r.Reasons = []Reason{{Code: Conflict, Text: "others kept writing the same items; nothing was written"}}
	}
}

// rejected records that a step was refused. first is when it was sent first.
func (r *Receipt) rejected(s Step, a client.Attempt, first, now time.Time) {
	r.Outcome, r.Err = Refused, nil
	if r.Reasons = reasons(s, a); len(r.Reasons) == 0 {
		r.Err = a.Err
	}
	switch {
	case !r.lost:
	case len(r.Reasons) == 0 || now.After(first.Add(againWithin)):
		// The request was not evaluated this time, or its token is forgotten: an earlier
		// attempt may have been applied.
		r.Outcome, r.Reasons = Unknown, []Reason{noAnswer}
	default:
		r.Reasons = append(r.Reasons, mayArrive(now, isRefusedToo))
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// reasons explains the cancellation reasons of a transaction.
func reasons(s Step, a client.Attempt) []Reason {
	var out []Reason
	for n, slot := range a.Slots {
		if slot.Code == "None" || slot.Code == "" || n >= len(s.Writes) {
			continue
		}
		r := Reason{Text: slot.Message}
		if slot.Code == ConditionFailed {
			r = describeChange(s.Writes[n], slot.Item)
		}
		r.Slot, r.Code = n, slot.Code
		out = append(out, r)
	}
	return out
}

// describeChange says how an item differs from what the action rests on.
func describeChange(w client.Write, now attr.Item) Reason {
	name := itemSubject(w.Key.String())
	switch {
	case w.Verb == client.Put:
		return Reason{Text: name + " exists since you looked"}
	case w.Absent:
		return Reason{Text: name + " exists again since you looked"}
	case len(now) == 0:
		return Reason{Text: name + " is gone since you looked"}
	}
	var differs []Difference
	for _, t := range w.If {
		attribute, want, have := t.Attribute(), t.Value, valueAt(now, t.Path)
		switch {
		case have.Equal(want):
		case attribute == dynamo.MarkAttribute && !want.Exists():
			return Reason{Text: "somebody has begun to release " + name}
		case attribute == dynamo.MarkAttribute && have.Exists():
			return Reason{Text: "another release took over the marker of " + name, takenOver: true}
		case attribute == dynamo.MarkAttribute:
			return Reason{Text: fmt.Sprintf("somebody took %s again while we looked", name)}
		default:
			differs = append(differs, Difference{attribute, want, have})
		}
	}
	text := name + " changed since you looked"
	for n, d := range differs {
		text += []string{": ", "; "}[min(n, 1)] + d.String()
	}
	return Reason{Text: text, Differs: differs}
}

// itemSubject names an item by its key, as the subject of a sentence: a number needs a noun.
func itemSubject(key string) string {
	if strings.Trim(key, "-0123456789") == "" {
		return "the item " + key
	}
	return key
}
