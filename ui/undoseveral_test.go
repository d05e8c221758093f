package ui_test

import (
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
)

// Several changes of the journal are undone with one question and one reason, the newest first. Each change is verified
// separately. If a change cannot be undone, the dialog names it with the reason, and its items stay unchanged.
func TestUndoSeveralChanges(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.see("whole table", "● held")
	for _, name := range []string{"turing", "alan"} {
		term.press("g")
		term.to(name)
		term.press("<space>")
	}
	term.press("r")
	term.see("Release 2 locks", "price")
	term.press("<tab><enter>")
	term.see("2 of 2 locks released")
	term.press("<enter>")
	term.ask("ada")
	term.press("ecountess<tab>")
	term.see("price")
	term.press("<tab><tab><enter>")
	term.see("✓ Applied")
	term.press("<enter>")
	term.gone("Applied")
	s.put(t, "accounts", sdk.Item{"PK": sdk.S("UNIQ#HANDLE#alan"), "SK": sdk.S("LOCK"), "by": sdk.S("a sign-up")})
	term.press("5")
	term.see("release username", `change username "ada"`, "u undo")
	term.press("g<space>")
	term.see("1 marked", "u undo 1")
	term.press("GV") // mark all rows up to the first mark
	term.see("3 marked", "u undo 3")
	term.press("u")
	term.see(
		"Undo 2 changes", "the newest first", `undoes    change username "ada" → "countess": set`,
		`undoes    release username "turing": put UNIQ#HANDLE#turing`, `not       release username "alan": somebody has taken the`,
		"▸ No, leave it",
	)
	term.press("wrong ticket<tab><tab><enter>")
	frame := term.see("Applied in part · 2 of 3 changes undone", "✓ username ada", "✓ username turing", "✗ username alan", "R-")
	if lock(t, s, "UNIQ#HANDLE#turing") == nil || lock(t, s, "UNIQ#HANDLE#ada") == nil {
		t.Errorf("the locks are not back:\n%s", frame)
	}
	if got := lock(t, s, "UNIQ#HANDLE#alan"); stringOf(got["by"]) != "a sign-up" {
		t.Error("the lock of somebody else was replaced")
	}
	term.press("<enter>")
	term.see("↑ undone", `undo: put lock of username "turing"`)
	term.press("g")
	term.see("1 of 5", "wrong ticket")
	if frame := term.shown(); row(frame, "marked") != "" {
		t.Errorf("changes are still marked:\n%s", frame)
	}
}

// The dialog for several undos says how many of them were planned without reading every account. The dialog for one
// undo says the same.
func TestUndoSeveralChangesSaysWhatIsNotKnown(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) { o.AutoReadUnits, o.Asked = 0.5, true })
	term := s.run(t)
	term.see("ACCOUNT", "VERDICT")
	for _, name := range []string{"alan", "turing"} {
		term.press("/" + name + "<enter>")
		term.see("/ "+name, "? unknown")
		term.press("r")
		term.see("Frees the username", "price")
		term.press("<tab><enter>")
		term.see("✓ Applied")
		term.press("<enter>")
		term.see("answered in")
		term.press("<esc>")
	}
	term.press("5")
	term.see("release username")
	term.press("gu")
	term.see("Put a lock back", "not known", "an account that holds")
	term.press("<esc>g<space>")
	term.see("1 marked")
	term.press("GV")
	term.see("2 marked")
	term.press("u")
	term.see("Undo 2 changes", "not known", "whether an account holds the value, for 2 of 2", "changes: the whole table was not read")
}
