package words

import (
	"fmt"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
)

// Evidence is a verdict in a sentence, and what it rests on: which keys were read, how,
// and when.
func Evidence(a *dynamo.Answer, r *dynamo.Relation) string {
	text := r.Sentence()
	if r.Why != "" {
		text += " " + Sentence(r.Why)
	}
	var reads []string
	for _, read := range readsOf(a, r) {
		reads = append(reads, fmt.Sprintf("%s %s: %s (%s)", Clock(read.At), read.What, read.Found, read.How))
	}
	if len(reads) > 0 {
		text += " Read: " + strings.Join(reads, "; ") + "."
	}
	return text
}

// readsOf are the reads that a relation's verdict rests on: not those of the other locks
// that the word could have meant.
func readsOf(a *dynamo.Answer, r *dynamo.Relation) []client.Read {
	others := map[string]bool{}
	for _, other := range a.Locks {
		if other != r {
			others[other.Lock.Key.String()] = true
		}
	}
	var reads []client.Read
	for _, read := range r.Reads {
		if !others[read.What] {
			reads = append(reads, read)
		}
	}
	return reads
}

// Lock is a lock's key with the owner that it names, its other attributes and its age.
func Lock(r *dynamo.Relation, now time.Time) string {
	if !r.Lock.Exists {
		return "none (" + r.Lock.Key.String() + ")"
	}
	text := r.Lock.Key.String() + ", names no owner"
	if r.Lock.Owner != "" {
		text = r.Lock.Key.String() + ", names " + r.Lock.Owner
	}
	if about := r.Lock.About(now); about != "" {
		text += "; " + about
	}
	return text
}
