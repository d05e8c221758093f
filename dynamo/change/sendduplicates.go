package change

import (
	"fmt"
	"time"

	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/phrase"
)

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
