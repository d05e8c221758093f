package say_test

import (
	"strings"
	"testing"
	"time"

	"tallylock/dynamo/adopt"
	"tallylock/ui/say"
)

// An index shows no account outside its partition. The sentences name the partition.
func TestJudgementNamesThePartition(t *testing.T) {
	t.Parallel()
	j := &adopt.Judgement{Made: 20, Index: "by-time", Partition: "user", NotVerified: []adopt.Operation{adopt.SignUp, adopt.Change}}
	said := strings.Join(say.Judgement(j, "email"), "\n")
	for _, want := range []string{
		"Not verified: sign-ups and changes of the value. Another writer may have made or changed accounts outside the partition.",
		`Only the accounts in the partition "user" of the index by-time were read.`,
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%s\nlacks: %s", said, want)
		}
	}
	state := &adopt.State{Writers: j.Event(true)}
	if said := say.AdoptPhase(state, adopt.PhaseWriters, time.Now()); !strings.Contains(said, `in the partition "user" of the index by-time`) {
		t.Errorf("the state says: %s", said)
	}
}
