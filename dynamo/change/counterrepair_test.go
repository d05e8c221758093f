package change_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
)

// A counter is repaired by the change that its worst fault requires. If no change helps, the repair is refused. The
// counter's step is 10, and its offset is 3.
func TestACounterIsPutRight(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		holds   types.AttributeValue
		highest string // the highest id in use
		kind    plan.Kind
		after   string
		code    string
	}{
		"in order":                 {holds: num("43"), highest: "33", code: plan.InOrder},
		"behind":                   {holds: num("43"), highest: "83", kind: plan.KindRaise, after: "83"},
		"between two steps":        {holds: num("45"), kind: plan.KindRaise, after: "53"},
		"text":                     {holds: str("43"), kind: plan.KindConvert, after: "43"},
		"too large for a double":   {holds: num("9007199254740993"), code: plan.ByHand},
		"too large, and off, too":  {holds: num("9007199254740994"), kind: plan.KindRaise, after: "9007199254741003"},
		"text that says no number": {holds: str("many"), code: plan.NotANumber},
	} {
		t.Run(name, func(t *testing.T) {
			f, c := holdingCounter(t, tc.holds)
			c.TakeIDs(tc.highest, true)
			p, err := mend.RepairCounter(t.Context(), c, nil)
			if tc.code != "" {
				f.refused(tc.code, p, err)
				return
			}
			f.apply(p, err)
			if now := text(f.get("ours", item{"id": str("n")})["val"]); now != tc.after || p.Kind != tc.kind {
				t.Errorf("after a %s it holds %s; want %s by a %s", p.Kind, now, tc.after, tc.kind)
			}
		})
	}
}

// A lock is released by its key. The receipt has the proof that no account held the lock's value.
func TestALockIsReleasedByItsKey(t *testing.T) {
	t.Parallel()
	f := start(t)
	accounts := f.open("accounts")
	key := func(v string) attr.Item {
		return attr.Item{"PK": attr.String("UNIQ#HANDLE#" + v), "SK": attr.String("LOCK")}
	}
	for name, err := range map[string]error{
		"constraint": second(planner.ReleaseAt(t.Context(), accounts, "phone", key("undefined"), false)),
		"key":        second(planner.ReleaseAt(t.Context(), accounts, "username", attr.Item{"PK": attr.String("UNIQ#HANDLE#undefined")}, false)),
		"lock":       second(planner.ReleaseAt(t.Context(), accounts, "username", key("nobody-has-this"), false)),
	} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("no such %s: %v", name, err)
		}
	}
	p, err := planner.ReleaseAt(t.Context(), accounts, "username", key("turing"), false)
	r := f.apply(p, err)
	if proof := r.Proof(); !strings.HasPrefix(proof, "marked ") || f.get("accounts", handle("turing")) != nil {
		t.Errorf("it is said that %q", proof)
	}
}

func second[T any](_ T, err error) error { return err }
