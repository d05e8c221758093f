package session

import (
	"fmt"
	"strings"

	"tallylock/dynamo/change"
	"tallylock/ui/words"
)

// Unseen is the error of changes that ended after the screen was gone.
type Unseen struct{ Receipts []change.Receipt }

func (u *Unseen) Error() string {
	var each []string
	for _, r := range u.Receipts {
		word := string(r.Outcome)
		if words.Stopped(r) {
			word = "stopped"
		}
		if r.ID != "" {
			word = fmt.Sprintf("%s (receipt %s, in the journal)", word, r.ID)
		}
		each = append(each, word)
	}
	return "a change was under way when the screen closed: " + strings.Join(each, "; ")
}
