package embedded

import (
	"crypto/sha256"
	"time"
)

// tokenLife is how long a ClientRequestToken is good for after its
// transaction was completed.
const tokenLife = 10 * time.Minute

// tokens remembers completed transactions by their ClientRequestToken. A
// cancelled one is not remembered: sent again, it runs again.
type tokens struct {
	known map[string]*completed
	order []string // in which they were completed, for forgetting them
}

type completed struct {
	digest   [sha256.Size]byte
	replayed map[string]*consumption // what a replay is charged: a read
	expires  time.Time
}

func (t *tokens) find(token string, now time.Time) *completed {
	for len(t.order) > 0 && !now.Before(t.known[t.order[0]].expires) {
		delete(t.known, t.order[0])
		t.order = t.order[1:]
	}
	return t.known[token]
}

func (t *tokens) record(token string, digest [sha256.Size]byte, replayed map[string]*consumption, now time.Time) {
	if t.known == nil {
		t.known = map[string]*completed{}
	}
	t.known[token] = &completed{digest, replayed, now.Add(tokenLife)}
	t.order = append(t.order, token)
}
