package change

import (
	"fmt"
	"time"
)

// How long what was sent, and not answered, may still arrive.
const (
	// underWay is how long after the journal's last word a step may still arrive
	// that was sent and not answered.
	underWay = sendWithin + signed
	// signed is how long after it was signed a request may arrive: most services of
	// AWS refuse it after 5 minutes, and DynamoDB after 15, as its own refusals say
	// ("Signature expired: … - 15 min."). In the last five of them its token is
	// forgotten, and its conditions alone decide: see recurs.
	signed = 15 * time.Minute
)

// noAnswer is the reason of an unknown outcome.
var noAnswer = Reason{Code: "NoAnswer", Text: "it was sent and no answer came back: it may have happened or not"}

// mayCome is what a refusal adds where an attempt before it was not answered. A
// token whose use was refused can be used again, so that attempt would run anew.
func mayCome(now time.Time) Reason {
	return Reason{Code: "NoAnswer", Text: fmt.Sprintf("an earlier attempt was not answered: until %s it may still arrive, and is refused as well unless everything is by then as you saw it", clock(now.Add(signed)))}
}

// comesAgain is what a change adds that was made, and sent more than once.
func comesAgain(now time.Time) Reason {
	return Reason{Code: "NoAnswer", Text: fmt.Sprintf("an earlier attempt was not answered: until %s it may still arrive, and makes the change once more if everything is by then as it was before it", clock(now.Add(signed)))}
}

// recurs reports whether what a plan changes can rightly come to be again as it was
// before: then a copy that arrives after its token was forgotten is not shut out by
// its conditions. Of the others it is: a counter that was bumped only rises; a lock
// that was released, put or given, or a counter that was mended, is mended rightly
// whenever it is as wrong as it was; and what rests on a mark rests on one that
// nothing sets again.
func (p *Plan) recurs() bool {
	switch p.Kind {
	case KindValue, KindDeleteAccount, KindRestore, KindLower, KindCreate, KindRemove:
		return true
	}
	return p.Undoes != "" && len(p.Steps) == 1
}
