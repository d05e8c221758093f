package layout_test

import (
	"testing"

	"tallylock/dynamo/layout"
)

// Very many locks without accounts speak against a layout that was recognised, unless a
// word says that they are locks: accounts expire.
func TestTooManyUnclaimedLocksContradictWhatWasRecognised(t *testing.T) {
	recognised := layout.Evidence{Whole: true, Inferred: true, Accounts: 100, Values: 100, Locked: 100, Locks: 200, Claims: 100, Unclaimed: 100, UnclaimedOf: 200}
	for _, tc := range []struct {
		name   string
		change func(*layout.Evidence)
		want   layout.Standing
	}{
		{"half of them", func(*layout.Evidence) {}, layout.Contradicted},
		{"a few", func(e *layout.Evidence) { e.Unclaimed, e.UnclaimedOf = 10, 110 }, layout.Supported},
		{"described", func(e *layout.Evidence) { e.Inferred = false }, layout.Supported},
		{"a word for locks", func(e *layout.Evidence) { e.LockWord, e.Locked = true, 60 }, layout.Supported},
		{"the attribute's name", func(e *layout.Evidence) { e.AttributeWord = true }, layout.Supported},
		{"its name, and accounts without", func(e *layout.Evidence) { e.AttributeWord, e.Locked = true, 60 }, layout.Contradicted},
	} {
		e := recognised
		if tc.change(&e); e.Judge("email").Standing() != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, e.Judge("email").Standing(), tc.want)
		}
	}
}
