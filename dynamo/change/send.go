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

// A step is sent up to sendAttempts times, always with the same token. The pauses add up to about 14 s, because AWS
// recommends retrying for at least 5 s after a TransactionInProgressException. A throttled step is sent up to
// throttledAttempts times, in about a minute: a step that stays throttled would stop a series of thousands of changes.
const (
	sendAttempts      = 7
	throttledAttempts = 20
)

func sendPause(attempt int) time.Duration {
	pause := min(200*time.Millisecond<<attempt, 4*time.Second)
	return pause/2 + rand.N(pause)
}

// A step may be sent again only within these times after its first sending. A request token is valid for ten
// minutes. A program that was suspended for an hour must not send the step again when it resumes.
const (
	sendWithin = 90 * time.Second // limit for the command that sent the step
	// againWithin is the limit for a later command that resolves the change. After this time DynamoDB may have
	// forgotten the token, and a refusal proves nothing.
	againWithin = 9 * time.Minute
	// skew is the tolerance for a recorded sending time in the future. If the time is later, somebody set the clock
	// back, and the age of the token is unknown.
	skew = time.Minute
)

// request is a step of a plan that is to be sent.
type request struct {
	plan *plan.Plan
	step plan.Step
	// again has the data to send the step again; nil if the step was not sent before.
	again *resend
	// why is the reason to keep the lock, for the journal. It is set only for the removal of a mark.
	why []plan.Reason
}

// resend has the data to send a step again: the body of the request, the time of the first sending, and the deadline.
// until is zero if there is no deadline, because the step requires a mark. clock gives the current time, even if
// somebody sets the wall clock.
type resend struct {
	body         []byte
	first, until time.Time
	clock        stopwatch
}

// sendStep sends one transaction until it has a definite answer or no attempt is left. It records the step in
// the journal first. A step that cannot be recorded is not sent.
func (c *Changer) sendStep(ctx context.Context, q request, progress func(Progress)) plan.Answer {
	p, s := q.plan, q.step
	if s.Name != journal.StepUnmark { // the limit on the rate of writing does not delay the removal of a mark
		_ = c.Writes.Wait(ctx) // if the wait ends early, ctx.Err below is set
	}
	a := plan.Answer{Outcome: journal.Refused}
	if q.again != nil {
		a.Lost, a.Outcome = true, journal.Unknown
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
	if a.Outcome == journal.Applied && a.Lost && p.Recurs() {
		a.Reasons = append(a.Reasons, mayArrive(c.now(), repeats))
	}
	if a.WriteUnits == 0 && a.ConditionFailed() {
		// DynamoDB charges a failed condition as well, but the response does not say how much. So this is
		// the step's share of the price. The price of a release covers two of its three steps: the mark, and then the
		// deletion or the removal of the mark.
		a.WriteUnits = p.Price.WriteUnits / float64((len(p.Steps)+1)/2)
	}
	c.Writes.Use(a.WriteUnits)
	if err := c.appendAnswer(ctx, q, a); err != nil && a.Outcome != journal.Unknown {
		// The outcome is valid even if the journal does not have it: the error becomes one more reason.
		a.Reasons = append(a.Reasons, plan.ReasonOf(plan.NotRecorded, err))
	}
	if c.noteSent(s.Token); a.Outcome != journal.Unknown {
		c.forgetSent(s.Token)
	}
	return a
}

// sending returns the body of a request, and whether its endpoint supports request tokens. It returns an error
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

// sending is the body of a request; tokens is set if the endpoint supports request tokens.
type sending struct {
	body   []byte
	tokens bool
}

// errNoTokens is the error if a stored request must not be sent again, since the endpoint ignores tokens.
var errNoTokens = &client.Error{
	Kind: client.Unsupported, Op: "sending the request again",
	Why: "this endpoint ignores request tokens, so sending the request again may change the table twice",
	Do:  "look at the table",
}

// errTooLate is the error of a request that was not sent because its token had become too old.
var errTooLate = &client.Error{
	Kind: client.Failed, Op: "writing", Why: "the request's token became too old before the request was sent", Do: "look at the change again",
}

// notSentAgain is an additional reason for an unknown outcome: the endpoint ignores request tokens, so the step was
// sent only once.
var notSentAgain = plan.Reason{
	Code: plan.NoAnswer,
	Text: "the request was sent only once: this endpoint ignores request tokens, so sending it again may change the table twice",
}

// send sends a request until it has a definite answer or no attempt is left. It returns the given answer with the
// results of these attempts added. If the endpoint ignores request tokens, send does not repeat a request whose
// answer was lost.
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
		progress(Progress{Stage: stage, Attempt: attempt, Before: client.KindOf(a.Err)})
		sent := c.now()
		one := q.plan.Live.Conn.Transact(ctx, of.body)
		a.WriteUnits += one.Units
		a.Sent = append(a.Sent, plan.Sending{At: sent, Took: c.now().Sub(sent), Err: one.Err})
		switch one.Result {
		case client.Happened:
			a.Outcome, a.Err = journal.Applied, nil
			return a
		case client.Rejected:
			a = rejected(a, q.step, one, times.first, now())
			if a.Lost && !of.tokens { // the first sending may have been applied
				a.Outcome, a.Reasons = journal.Unknown, []plan.Reason{noAnswer, notSentAgain}
			}
			return a
		case client.Lost:
			a.Lost = true
		}
		a.Err, busy = one.Err, one.Result == client.Busy
		if kind := client.KindOf(one.Err); one.Result == client.Unsent &&
			(kind == client.NoCredentials || kind == client.Expired) {
			break // a retry does not renew credentials
		}
		if a.Lost && !of.tokens {
			break
		}
		most := sendAttempts
		if one.Throttled() {
			most = throttledAttempts
		}
		if attempt >= most || client.Pause(ctx, pause(attempt)) != nil || now().After(times.until) {
			break
		}
	}
	return unanswered(a, busy, of.tokens)
}

// unanswered returns the answer of a step without a definite result. busy is set if DynamoDB refused the last
// attempt because of other writers or throttling.
func unanswered(a plan.Answer, busy, tokens bool) plan.Answer {
	a.Outcome = journal.Refused
	switch {
	case a.Lost && tokens:
		a.Outcome, a.Reasons = journal.Unknown, []plan.Reason{noAnswer}
	case a.Lost:
		a.Outcome, a.Reasons = journal.Unknown, []plan.Reason{noAnswer, notSentAgain}
	case busy && client.KindOf(a.Err) == client.Conflict:
		a.Reasons = []plan.Reason{{Code: plan.Conflict, Text: "other programs kept writing the same items, so this change was not made"}}
	}
	return a
}

// rejected returns the answer of a step that was refused. first is the time of the step's first sending.
func rejected(a plan.Answer, s plan.Step, one client.Attempt, first, now time.Time) plan.Answer {
	a.Outcome, a.Err = journal.Refused, nil
	if a.Reasons = reasons(s, one); len(a.Reasons) == 0 || client.KindOf(one.Err) == client.Denied {
		a.Err, a.Reasons = one.Err, nil // a missing permission is no state of the items
	}
	switch {
	case !a.Lost:
	case len(a.Reasons) == 0 || now.After(first.Add(againWithin)):
		// DynamoDB did not evaluate this request, or it forgot the token: an earlier attempt may have been
		// applied.
		a.Outcome, a.Reasons = journal.Unknown, []plan.Reason{noAnswer}
	default:
		a.Reasons = append(a.Reasons, mayArrive(now, isRefusedToo))
	}
	return a
}

// reasons translates the cancellation reasons of a transaction.
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

// describeChange returns the differences between an item and the conditions of an action on it.
func describeChange(w client.Write, now attr.Item) plan.Reason {
	name := itemSubject(w.Key.String())
	switch {
	case w.Verb == client.Put:
		return plan.Reason{Text: name + " was created after you looked"}
	case w.Absent:
		return plan.Reason{Text: name + " was created again after you looked"}
	case len(now) == 0:
		return plan.Reason{Text: name + " was deleted after you looked"}
	}
	var differs []plan.Difference
	for _, t := range w.If {
		attribute, want, have := t.Attribute(), t.Value, plan.ValueAt(now, t.Path)
		switch {
		case have.Equal(want):
		case attribute == schema.MarkAttribute && !want.Exists():
			return plan.Reason{Text: "somebody has begun to release " + name}
		case attribute == schema.MarkAttribute && have.Exists():
			return plan.Reason{Text: "another release replaced the mark of " + name, ByOtherRelease: true}
		case attribute == schema.MarkAttribute:
			return plan.Reason{Text: fmt.Sprintf("somebody wrote %s again during the search", name)}
		default:
			differs = append(differs, plan.Difference{Attribute: attribute, Was: want, Now: have})
		}
	}
	text := name + " changed after you looked"
	for n, d := range differs {
		text += []string{": ", "; "}[min(n, 1)] + d.String()
	}
	return plan.Reason{Text: text, Differs: differs}
}

// itemSubject names an item by its key, as the subject of a sentence. A number alone would read as a count.
func itemSubject(key string) string {
	if strings.Trim(key, "-0123456789") == "" {
		return "the item with the key " + key
	}
	return key
}

// An unanswered request may still arrive within these times.
const (
	// arrivesWithin is the time in which an unanswered step may still arrive, from the journal's last line about the
	// step.
	arrivesWithin = sendWithin + signatureValid
	// signatureValid is the time in which a signed request may arrive. AWS refuses most requests after 5 minutes
	// (client.MostSkew). DynamoDB may take 15 ("Signature expired: … - 15 min."). In the last five of these minutes
	// DynamoDB has forgotten the token, and only the conditions protect the table: see Plan.Recurs.
	signatureValid = 15 * time.Minute
)

// noAnswer is the reason of an unknown outcome.
var noAnswer = plan.Reason{Code: plan.NoAnswer, Text: "the request was sent, but no answer came back: the change may have happened"}

// The possible effects of an earlier unanswered attempt that arrives late. After DynamoDB has refused a request, it
// accepts the same token again, so it would evaluate the late attempt, too.
const (
	isRefusedToo = "That attempt changes the items only if they are still as you saw them"
	repeats      = "That attempt makes the change again if the items are as before the change"
)

// mayArrive returns an additional reason: an earlier attempt was not answered and may still arrive. The text ends
// with the effect of that attempt.
func mayArrive(now time.Time, effect string) plan.Reason {
	return plan.Reason{Code: plan.NoAnswer, Text: fmt.Sprintf(
		"an earlier attempt got no answer and may still arrive until %s. %s", phrase.Clock(now.Add(signatureValid)), effect,
	)}
}
