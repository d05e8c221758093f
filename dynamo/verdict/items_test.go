package verdict_test

import (
	"testing"

	"tallylock/dynamo/verdict"
)

// A finding without a lock is certain only if three conditions are true: the items were read in the way that the
// finding needs, a person has confirmed the layout and few items contradict it, and no other Region writes the table.
func TestJudgeItems(t *testing.T) {
	limits := map[bool][]verdict.Regions{
		true:  {{}, {Here: "a"}, {Here: "a", Others: []string{"b"}, WrittenIn: "a"}},
		false: {{Here: "a", Others: []string{"b"}}, {Here: "a", Others: []string{"b"}, WrittenIn: "b"}, {Here: "a", Strong: "users"}},
	}
	type reading struct {
		read    verdict.ItemsRead
		several bool
	}
	sure := map[reading]bool{
		{verdict.ReadAgain, false}: true, {verdict.ReadTogether, false}: true, {verdict.ReadTogether, true}: true,
	}
	for read := verdict.ReadOnce; read <= verdict.ReadTogether; read++ {
		for bits := range 1 << 3 {
			e := verdict.ItemFacts{Read: read, Several: bits&1 > 0, Guessed: bits&2 > 0, Suspect: bits&4 > 0}
			for proven, all := range limits {
				for _, e.Regions = range all {
					want := proven && sure[reading{e.Read, e.Several}] && !e.Guessed && !e.Suspect
					if verdict.JudgeItems(e) != want {
						t.Errorf("%+v: %v", e, !want)
					}
				}
			}
		}
	}
}
