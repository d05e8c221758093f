package change

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
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

// request is a step of a plan to be sent.
type request struct {
	plan *plan.Plan
	step plan.Step
	// again is set for a step that was sent before.
	again *resend
	// why is why a lock is kept, for the journal; of the removal of a mark only.
	why []plan.Reason
}

// resend is what is needed to send a step again: the body that was sent, when it was first sent, and until
// when it may be sent again, by clock; until is zero if the step rests on a mark.
type resend struct {
	body         []byte
	first, until time.Time
	clock        stopwatch
}

// sendStep sends one transaction until there is a definite answer. It records the step in the journal first:
// what cannot be recorded is not sent.
func (c *Changer) sendStep(ctx context.Context, q request, progress func(Progress)) plan.Answer {
	p, s := q.plan, q.step
	if s.Name != journal.StepUnmark { // a mark that is to go does not wait for others
		_ = c.Writes.Wait(ctx) // if it ends early, ctx.Err below says so
	}
	a := plan.Answer{Outcome: Refused}
	if q.again != nil {
		a.Lost, a.Outcome = true, Unknown
	}
	if err := ctx.Err(); err != nil {
		a.Err = &client.Error{Kind: client.Cancelled, Op: "writing", Why: "stopped before anything was sent", Err: err}
		return a
	}
	to, err := q.sending(ctx)
	if err != nil {
		a.Err = err
		return a
	}
	e, err := c.sendEntry(ctx, p, s)
	if err != nil {
		a.Err = err
		return a
	}
	e.NoTokens = !to.tokens
	if err := c.Journal.Append(ctx, e); err != nil {
		a.Err = err
		return a
	}
	c.noteSent(s.Token)
	a.ID, a.Who, a.NoSTS = p.ID, e.Who, e.NoSTS
	a = c.send(ctx, q, to, a, progress)
	if a.Outcome == Applied && a.Lost && p.Recurs() {
		a.Reasons = append(a.Reasons, mayArrive(c.now(), repeats))
	}
	if a.WriteUnits == 0 && a.ConditionFailed() {
		// A failed condition is charged as well, and the response does not say how much. Of a
		// release's three steps two are sent.
		a.WriteUnits = p.Price.WriteUnits / float64((len(p.Steps)+1)/2)
	}
	c.Writes.Use(a.WriteUnits)
	if err := c.appendAnswer(ctx, q, a); err != nil && a.Outcome != Unknown {
		// The outcome stands; that the journal does not have it is one more reason.
		a.Reasons = append(a.Reasons, plan.ReasonOf(plan.NotRecorded, err))
	}
	if c.noteSent(s.Token); a.Outcome != Unknown {
		c.forgetSent(s.Token)
	}
	return a
}

// sending returns the body of a request, and whether its endpoint knows request tokens. It returns an error
// if the request must not be sent again.
func (q request) sending(ctx context.Context) (sending, error) {
	tokens, err := q.plan.Live.Conn.KnowsTokens(ctx, q.step.Writes[0].Table)
	if err != nil {
		return sending{}, err
	}
	if q.again == nil {
		body, err := q.step.Body()
		return sending{body, tokens}, err
	}
	if !tokens && !q.plan.RestsOnMark(q.step) {
		return sending{}, errNoTokens
	}
	return sending{q.again.body, tokens}, nil
}

// sending is the body of a request to an endpoint that knows request tokens, or does not.
type sending struct {
	body   []byte
	tokens bool
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
var notSentAgain = plan.Reason{
	Code: plan.NoAnswer,
	Text: "it was sent once only: this endpoint ignores request tokens, so a second sending may change the table twice",
}

// send sends a request until there is a definite answer or no attempt is left, and adds the result to the
// answer. If the endpoint ignores request tokens, a request whose answer was lost is not sent again.
func (c *Changer) send(ctx context.Context, q request, of sending, a plan.Answer, progress func(Progress)) plan.Answer {
	pause, busy, times := c.Pause, false, resend{}
	if pause == nil {
		pause = sendPause
	}
	if q.again != nil {
		times = *q.again
	} else {
		times.clock = c.startStopwatch()
	}
	now := times.clock.latest
	if times.first.IsZero() {
		times.first = now()
	}
	if times.until.IsZero() {
		times.until = now().Add(sendWithin)
	}
	for attempt := 1; ; attempt++ {
		if attempt == 1 && now().After(times.until) {
			a.Err = errTooLate
			break
		}
		stage := Stage(q.step.Name)
		if attempt > 1 {
			stage = StageAskAgain
		}
		progress(Progress{Stage: stage, Attempt: attempt})
		sent := c.now()
		one := q.plan.Live.Conn.Transact(ctx, of.body)
		a.WriteUnits += one.Units
		a.Sent = append(a.Sent, plan.Sending{At: sent, Took: c.now().Sub(sent), Err: one.Err})
		switch one.Result {
		case client.Happened:
			a.Outcome, a.Err = Applied, nil
			return a
		case client.Rejected:
			a = rejected(a, q.step, one, times.first, now())
			if a.Lost && !of.tokens { // the first sending may have had its effect
				a.Outcome, a.Reasons = Unknown, []plan.Reason{noAnswer, notSentAgain}
			}
			return a
		case client.Lost:
			a.Lost = true
		}
		a.Err, busy = one.Err, one.Result == client.Busy
		if kind := client.KindOf(one.Err); one.Result == client.Unsent &&
			(kind == client.NoCredentials || kind == client.Expired) {
			break // sending again does not log anybody in
		}
		if a.Lost && !of.tokens {
			break
		}
		most := sendAttempts
		if one.Throttled() {
			most = throttledAttempts
		}
		if attempt >= most || !sleep(ctx, pause(attempt)) || now().After(times.until) {
			break
		}
	}
	return unanswered(a, busy, of.tokens)
}

// unanswered returns the answer of a step that had no definite one. busy is set if the last attempt was
// refused since others were writing, or the capacity was used up.
func unanswered(a plan.Answer, busy, tokens bool) plan.Answer {
	a.Outcome = Refused
	switch {
	case a.Lost && tokens:
		a.Outcome, a.Reasons = Unknown, []plan.Reason{noAnswer}
	case a.Lost:
		a.Outcome, a.Reasons = Unknown, []plan.Reason{noAnswer, notSentAgain}
	case busy && client.KindOf(a.Err) == client.Conflict:
		a.Reasons = []plan.Reason{{Code: plan.Conflict, Text: "others kept writing the same items; nothing was written"}}
	}
	return a
}

// rejected returns the answer of a step that was refused. first is when it was sent first.
func rejected(a plan.Answer, s plan.Step, one client.Attempt, first, now time.Time) plan.Answer {
	a.Outcome, a.Err = Refused, nil
	if a.Reasons = reasons(s, one); len(a.Reasons) == 0 {
		a.Err = one.Err
	}
	switch {
	case !a.Lost:
	case len(a.Reasons) == 0 || now.After(first.Add(againWithin)):
		// The request was not evaluated this time, or its token is forgotten: an earlier
		// attempt may have been applied.
		a.Outcome, a.Reasons = Unknown, []plan.Reason{noAnswer}
	default:
		a.Reasons = append(a.Reasons, mayArrive(now, isRefusedToo))
	}
	return a
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
func reasons(s plan.Step, a client.Attempt) []plan.Reason {
	var out []plan.Reason
	for n, slot := range a.Slots {
		if slot.Code == "None" || slot.Code == "" || n >= len(s.Writes) {
			continue
		}
		r := plan.Reason{Text: slot.Message}
		if slot.Code == plan.ConditionFailed {
			r = describeChange(s.Writes[n], slot.Item)
		}
		r.Slot, r.Code = n, slot.Code
		out = append(out, r)
	}
	return out
}

// describeChange says how an item differs from what the action rests on.
func describeChange(w client.Write, now attr.Item) plan.Reason {
	name := itemSubject(w.Key.String())
	switch {
	case w.Verb == client.Put:
		return plan.Reason{Text: name + " exists since you looked"}
	case w.Absent:
		return plan.Reason{Text: name + " exists again since you looked"}
	case len(now) == 0:
		return plan.Reason{Text: name + " is gone since you looked"}
	}
	var differs []plan.Difference
	for _, t := range w.If {
		attribute, want, have := t.Attribute(), t.Value, plan.ValueAt(now, t.Path)
		switch {
		case have.Equal(want):
		case attribute == schema.MarkAttribute && !want.Exists():
			return plan.Reason{Text: "somebody has begun to release " + name}
		case attribute == schema.MarkAttribute && have.Exists():
			return plan.Reason{Text: "another release took over the marker of " + name, ByOtherRelease: true}
		case attribute == schema.MarkAttribute:
			return plan.Reason{Text: fmt.Sprintf("somebody took %s again while we looked", name)}
		default:
			differs = append(differs, plan.Difference{Attribute: attribute, Was: want, Now: have})
		}
	}
	text := name + " changed since you looked"
	for n, d := range differs {
		text += []string{": ", "; "}[min(n, 1)] + d.String()
	}
	return plan.Reason{Text: text, Differs: differs}
}

// itemSubject names an item by its key, as the subject of a sentence: a number needs a noun.
func itemSubject(key string) string {
	if strings.Trim(key, "-0123456789") == "" {
		return "the item " + key
	}
	return key
}

// How long a request that was not answered may still arrive.
const (
	// arrivesWithin is how long after the journal's last line about a step it may still
	// arrive, if it was sent and not answered.
	arrivesWithin = sendWithin + signatureValid
	// signatureValid is how long after it was signed a request may arrive: most AWS services
	// refuse it after 5 minutes, DynamoDB after 15, as its error says ("Signature expired: …
	// - 15 min."). In the last five of them its token is forgotten, and only its conditions
	// decide: see recurs.
	signatureValid = 15 * time.Minute
)

// noAnswer is the reason of an unknown outcome.
var noAnswer = plan.Reason{Code: plan.NoAnswer, Text: "it was sent and no answer came back: it may have happened or not"}

// What an earlier attempt that was not answered may still do. A token whose use was refused can
// be used again, so the attempt would be evaluated again.
const (
	isRefusedToo = "is refused as well unless everything is by then as you saw it"
	repeats      = "makes the change once more if everything is by then as it was before it"
)

// mayArrive is the reason that an outcome adds if an earlier attempt was not answered.
func mayArrive(now time.Time, and string) plan.Reason {
	return plan.Reason{Code: plan.NoAnswer, Text: fmt.Sprintf(
		"an earlier attempt was not answered: until %s it may still arrive, and %s", phrase.Clock(now.Add(signatureValid)), and,
	)}
}
