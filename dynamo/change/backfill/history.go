package backfill

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"tallylock/dynamo/client"
)

// Sent is a transaction of a backfill or of its undo, as the file has it.
type Sent struct {
	// At is the time of the first sending, and Until the time of the last answer; zero if there was none. An applied
	// transaction was applied between the two.
	At, Until time.Time
	// Outcome is applied, refused or unknown.
	Outcome string
	Writes  []client.Write
}

// History returns the transactions of a file that have a wanted write, in the order of their sending. A write is wanted
// if wants returns true for it. History decodes only lines with one of the texts, so the JSON of each wanted write must
// contain one of the texts.
func History(path string, h Header, texts [][]byte, wants func(client.Write) bool) (all []*Sent, err error) {
	byToken := map[string]*Sent{}
	texts = slices.Clip(texts)
	for line, err := range rawLines(path, h) {
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(texts, func(text []byte) bool { return bytes.Contains(line, text) }) {
			continue
		}
		l := new(Line)
		if err := json.Unmarshal(line, l); err != nil {
			return nil, fmt.Errorf("a line of %s is damaged", path)
		}
		known := byToken[l.Token]
		switch {
		case known != nil && l.Event == Answered:
			known.Until, known.Outcome = l.At, l.Outcome
		case known == nil && (l.Event == Sending || l.Event == Undone) && slices.ContainsFunc(l.Writes, wants):
			s := &Sent{At: l.At, Outcome: "unknown", Writes: l.Writes}
			if l.Event == Undone {
				s.Outcome = l.Outcome
			}
			all, byToken[l.Token] = append(all, s), s
			token, err := json.Marshal(l.Token)
			if err != nil {
				return nil, err
			}
			texts = append(texts, token)
		}
	}
	return all, nil
}
