package trace_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tallylock/internal/model"
	"tallylock/internal/model/trace"
)

const wait = time.Second

// names has accounts with the keys A, B and C, and locks with the keys v and w.
var names = trace.Names{
	Table: "t", Attribute: "holds",
	Account: func(key map[string]trace.Attribute) (int, bool) { return among("ABC", key["pk"].S) },
	Value:   func(key map[string]trace.Attribute) (int, bool) { return among("vw", key["pk"].S) },
	Holds:   func(item map[string]trace.Attribute) (int, bool) { return among("vw", item["holds"].S) },
	Number:  func(value string) (int, bool) { return among("vw", value) },
}

func among(all, one string) (int, bool) {
	n := strings.Index(all, one)
	return n, len(one) == 1 && n >= 0
}

// player makes a trace by hand. A holds w, and nobody holds v.
type player struct {
	*trace.Checker
	at   time.Duration
	err  error // the first error
	body []byte
	// The fate of the next requests: refused by DynamoDB, refused because it is busy, or without an answer.
	refused, busy, lost bool
}

func play() *player {
	start := model.Start{Holds: map[int]int{0: 1}, Locks: map[int]model.Lock{0: {}, 1: {}}}
	return &player{Checker: trace.New(names, 3, 2, wait, start)}
}

func (p *player) note(err error) {
	if p.err == nil {
		p.err = err
	}
}

// send sends a transaction of one action.
func (p *player) send(token, verb, rest string, more ...string) {
	body := fmt.Sprintf(`{"ClientRequestToken":%q,"TransactItems":[{%q:{"TableName":"t",%s}}`, token, verb, rest)
	for _, m := range more {
		body += "," + m
	}
	p.body = []byte(body + "]}")
	p.note(p.Tool(trace.Event{
		At: p.at, Who: "me", Arrived: true, Answered: !p.lost, Applied: !p.refused, Busy: p.busy, Body: p.body,
	}))
}

func expression(condition, update, values string) string {
	return fmt.Sprintf(`"Key":{"pk":{"S":"v"}},"ConditionExpression":%q,"UpdateExpression":%q,`+
		`"ExpressionAttributeNames":{"#m":"tallylock_release"},"ExpressionAttributeValues":{%s}`, condition, update, values)
}

func (p *player) mark(token, mark string) {
	p.send(token, "Update", expression("attribute_exists(pk) AND attribute_not_exists(#m)", "SET #m = :t", fmt.Sprintf(`":t":{"S":%q}`, mark)))
}

func (p *player) unmark(mark string) {
	p.send("off", "Update", expression("attribute_exists(pk) AND #m = :t", "REMOVE #m", fmt.Sprintf(`":t":{"S":%q}`, mark)))
}

func (p *player) delete(mark string) {
	p.send("gone", "Delete", expression("attribute_exists(pk) AND #m = :t", "", fmt.Sprintf(`":t":{"S":%q}`, mark)))
}

// page sends a page of the look with account A. If last is set, it is the last page, so the other accounts do not
// exist.
func (p *player) page(strong, last bool) {
	items := []map[string]trace.Attribute{{"pk": {S: "A"}, "holds": {S: "w"}}}
	p.note(p.Page(p.at, "me", strong, items, last))
}

func (p *player) application(actions string) {
	p.note(p.Application([]byte(`{"TransactItems":[` + actions + `]}`)))
}

const (
	putB  = `{"Put":{"TableName":"t","Item":{"pk":{"S":"B"},"holds":{"S":"v"}}}}`
	putV  = `{"Put":{"TableName":"t","Item":{"pk":{"S":"v"}}}}`
	dropV = `{"Delete":{"TableName":"t","Key":{"pk":{"S":"v"}}}}`
)

// TestChecker checks traces that were made by hand: some that the model allows, and others that break one rule each.
func TestChecker(t *testing.T) {
	t.Parallel()
	put := func(p *player, condition string, more ...string) {
		p.send("put", "Put", fmt.Sprintf(`"Item":{"pk":{"S":"v"}},"ConditionExpression":%q`, condition), more...)
	}
	unlocked := func(p *player) { // B takes v, which has no lock
		p.application(dropV)
		p.application(putB + "," + putV)
		p.application(dropV)
	}
	fill := func(p *player, token, run string, more ...string) {
		p.send(token, "Put", fmt.Sprintf(`"Item":{"pk":{"S":"v"},"tallylock_adopt":{"S":%q}},`+
			`"ConditionExpression":"attribute_not_exists(pk)"`, run), more...)
	}
	undo := func(p *player, token, run string) {
		p.send(token, "Delete", fmt.Sprintf(`"Key":{"pk":{"S":"v"}},"ConditionExpression":"attribute_exists(pk) AND `+
			`tallylock_adopt = :x","ExpressionAttributeValues":{":x":{"S":%q}}`, run))
	}
	holdsV := `{"ConditionCheck":{"TableName":"t","Key":{"pk":{"S":"B"}},"ConditionExpression":"holds = :v","ExpressionAttributeValues":{":v":{"S":"v"}}}}`
	holdsW := strings.NewReplacer(`{"S":"B"}`, `{"S":"A"}`, `{"S":"v"}`, `{"S":"w"}`).Replace(holdsV)
	for name, tc := range map[string]struct {
		play func(*player)
		want string
	}{
		"a release": {func(p *player) {
			p.mark("1", "x")
			p.at = wait
			p.page(true, true)
			p.delete("x")
		}, ""},
		"deleted without a mark": {func(p *player) { p.delete("x") }, string(model.MarkIsAnswered)},
		"deleted with no condition on the mark": {func(p *player) {
			p.mark("1", "x")
			p.at = wait
			p.page(true, true)
			p.send("gone", "Delete", expression("attribute_exists(pk)", "", ""))
		}, string(model.MarkIsAnswered)},
		"deleted before the wait": {func(p *player) { p.mark("1", "x"); p.delete("x") }, string(model.DeleteAfterLook)},
		"deleted before the end of the look": {func(p *player) {
			p.mark("1", "x")
			p.at = wait
			p.page(true, false)
			p.delete("x")
		}, string(model.DeleteAfterLook)},
		"a page before the mark and the wait": {func(p *player) {
			p.mark("1", "x")
			p.at = wait - 1
			p.page(true, true)
		}, string(model.LookAfterWait)},
		"an eventual page": {func(p *player) {
			p.mark("1", "x")
			p.at = wait
			p.page(false, true)
		}, string(model.LookIsStrong)},
		"one mark twice": {func(p *player) {
			p.mark("1", "x")
			p.unmark("x")
			p.mark("2", "x")
		}, string(model.MarkIsNew)},
		"an account written": {func(p *player) { p.send("1", "Delete", `"Key":{"pk":{"S":"A"}}`) }, string(trace.LocksOnly)},
		"a mark that makes a lock": {func(p *player) {
			p.send("1", "Update", expression("attribute_not_exists(#m)", "SET #m = :t", `":t":{"S":"x"}`))
		}, string(trace.MarkExists)},
		"the mark of nobody removed": {func(p *player) { p.unmark("x") }, string(trace.MarkIsKnown)},
		"deleted without its mark":   {func(p *player) { p.mark("1", "x"); p.unmark("x"); p.delete("x") }, string(model.MarkIsOff)},
		"a wrong answer": {func(p *player) {
			p.mark("1", "x")
			p.at = wait
			p.page(true, true)
			p.application(putB + "," + putV)
			p.delete("x") // the answer says that the deletion was applied
		}, "the answer differs from the model"},
		"a holder that the look shows": {func(p *player) {
			p.application(dropV)
			p.application(putB + "," + putV)
			p.mark("1", "x")
			p.at = wait
			p.note(p.Page(p.at, "me", true, []map[string]trace.Attribute{{"pk": {S: "A"}, "holds": {S: "w"}}, {"pk": {S: "B"}, "holds": {S: "v"}}}, true))
			p.delete("x")
		}, string(model.HeldStays)},
		"a holder that the look does not show": {func(p *player) {
			p.application(dropV)
			p.application(putB + "," + putV)
			p.mark("1", "x")
			p.at = wait
			p.page(true, true)
		}, "no strong read can show"},
		"a put": {func(p *player) {
			p.application(dropV)
			p.application(putB + "," + putV)
			p.application(dropV)
			put(p, "attribute_not_exists(pk)", holdsV)
		}, ""},
		"a put without a check of the claimant": {func(p *player) {
			p.application(dropV)
			put(p, "attribute_not_exists(pk)")
		}, string(model.ChecksClaimant)},
		"a backfill and its undo": {func(p *player) {
			p.application(dropV)
			p.application(putB + "," + putV)
			p.application(dropV)
			p.send("fill", "Put", `"Item":{"pk":{"S":"v"},"tallylock_adopt":{"S":"x"}},"ConditionExpression":"attribute_not_exists(pk)"`, holdsV)
			p.send("undo", "Delete", `"Key":{"pk":{"S":"v"}},"ConditionExpression":"attribute_exists(pk) AND tallylock_adopt = :x","ExpressionAttributeValues":{":x":{"S":"x"}}`)
		}, ""},
		"an undo of the application's lock": {func(p *player) {
			p.send("undo", "Delete", `"Key":{"pk":{"S":"v"}},"ConditionExpression":"attribute_exists(pk) AND tallylock_adopt = :x","ExpressionAttributeValues":{":x":{"S":"x"}}`)
		}, string(model.UndoIsOwn)},
		"a backfill over a lock": {func(p *player) {
			p.application(dropV)
			p.application(putB + "," + putV)
			fill(p, "1", "x", holdsV)
		}, "the answer differs from the model"},
		"a backfill for an account that has left": {func(p *player) {
			unlocked(p)
			p.application(`{"Delete":{"TableName":"t","Key":{"pk":{"S":"B"}}}}`)
			fill(p, "1", "x", holdsV)
		}, "the answer differs from the model"},
		"a backfill without a check of the claimant": {func(p *player) { unlocked(p); fill(p, "1", "x") }, string(model.ChecksClaimant)},
		"a backfill that is refused without a reason": {func(p *player) {
			unlocked(p)
			p.refused = true
			fill(p, "1", "x", holdsV)
		}, "the answer differs from the model"},
		"a backfill that is throttled": {func(p *player) {
			unlocked(p)
			p.refused, p.busy = true, true
			fill(p, "1", "x", holdsV)
		}, ""},
		"a backfill with two marks": {func(p *player) {
			unlocked(p)
			fill(p, "1", "x", holdsV, `{"Put":{"TableName":"t","Item":{"pk":{"S":"w"},"tallylock_adopt":{"S":"y"}},"ConditionExpression":"attribute_not_exists(pk)"}}`, holdsW)
		}, string(trace.OneRun)},
		"a backfill that is sent again": {func(p *player) {
			unlocked(p)
			p.lost = true
			fill(p, "1", "x", holdsV)
			p.lost = false
			fill(p, "1", "x", holdsV)
		}, ""},
		"a backfill that is sent again after a refusal, and applied twice": {func(p *player) {
			unlocked(p)
			fill(p, "1", "x", holdsV)
			fill(p, "2", "x", holdsV)
		}, "the answer differs from the model"},
		"an undo of a lock that the application has replaced": {func(p *player) {
			unlocked(p)
			fill(p, "1", "x", holdsV)
			p.application(putV)
			undo(p, "2", "x")
		}, "the answer differs from the model"},
		"an undo of another run": {func(p *player) {
			unlocked(p)
			fill(p, "1", "x", holdsV)
			undo(p, "2", "y")
		}, string(model.UndoIsOwn)},
		"a late copy of a request that was answered": {func(p *player) {
			unlocked(p)
			fill(p, "1", "x", holdsV)
			p.application(dropV)
			p.note(p.Late(p.body, true))
		}, "arrived again after its answer"},
		"a lock that is put with a mark": {func(p *player) {
			unlocked(p)
			p.send("1", "Put", `"Item":{"pk":{"S":"v"},"tallylock_release":{"S":"x"}},"ConditionExpression":"attribute_not_exists(pk)"`, holdsV)
		}, string(trace.PutHasNoMark)},
		"a mark that is removed from a new lock": {func(p *player) {
			p.mark("1", "x")
			p.application(dropV)
			p.application(putB + "," + putV)
			p.unmark("x") // the answer says that the mark was removed
		}, "the answer differs from the model"},
		"a put without a condition":            {func(p *player) { put(p, "", holdsV) }, string(trace.PutIsConditional)},
		"an application that forgets the lock": {func(p *player) { p.application(putB) }, string(model.GainRule)},
	} {
		t.Run(name, func(t *testing.T) {
			p := play()
			tc.play(p)
			if tc.want == "" && p.err != nil || tc.want != "" && (p.err == nil || !strings.Contains(p.err.Error(), tc.want)) {
				t.Errorf("%v; want %q", p.err, tc.want)
			}
			if p.err != nil {
				t.Log(p.err)
			}
		})
	}
}
