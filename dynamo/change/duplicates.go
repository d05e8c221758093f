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
// token whose use was refused can be used again, so that attempt would run again.
func mayCome(now time.Time) Reason {
	return Reason{Code: "NoAnswer", Text: fmt.Sprintf("an earlier attempt was not answered: until %s it may still arrive, and is refused as well unless everything is by then as you saw it", clock(now.Add(signed)))}
}

// comesAgain is what a change adds that was made, and sent more than once.
func comesAgain(now time.Time) Reason {
	return Reason{Code: "NoAnswer", Text: fmt.Sprintf("an earlier attempt was not answered: until %s it may still arrive, and makes the change once more if everything is by then as it was before it", clock(now.Add(signed)))}
}

// recurs reports whether a copy of the request that arrives late may make the change once
// more.
func (p *Plan) recurs() bool {
	return operations[p.Kind].recurs || p.Undoes != "" && len(p.Steps) == 1
}
