package ui_test

import (
	"strings"
	"testing"

	"tallylock/keymap"
)

// Letters typed on a button become the reason, and no letter is lost. The reason comes back when the dialog is opened
// again, and the other keys on a button still work.
func TestAReasonTypedOnAButtonIsKept(t *testing.T) {
	s := drawn(t)
	term := s.run(t)
	term.asksRelease()
	term.press("user asked")
	term.see("reason    user asked", "  No, leave it")
	term.press("<esc>")
	term.see("Nothing was changed.")
	term.press("r")
	term.see("▸ No, leave it", "reason    user asked", "price")
	term.press("<ctrl+o>")
	term.see("TransactWriteItems")
	term.press("<esc>")
	term.see("▸ No, leave it")
	term.press("!<tab><tab><enter>")
	term.see("✓ Applied", "user asked!")
}

// No letter of a reason runs an action, such as opening the request or saving a plan.
func TestAReasonMayBeginWithAnyLetter(t *testing.T) {
	t.Parallel()
	for _, reason := range []string{"very yes ticket 48", "Phone call 12", "yes, 48", "Yes, 48", "user 48", "wrong 48"} {
		t.Run(reason, func(t *testing.T) {
			term := onServer(t).run(t)
			term.see("confirmed")
			term.press("nr")
			term.see("▸ No, leave it", "ctrl+o request", "ctrl+s plan", "price")
			term.press(reason)
			term.see("reason    "+reason, "  No, leave it", "ctrl+o request")
			term.press("<ctrl+o>")
			term.see("TransactWriteItems")
			term.press("<esc>")
			term.see("reason    " + reason)
		})
	}
}

// A reason belongs to the change for which it was typed. The dialog of another change does not contain it until a key
// inserts it. Without this key, the journal has no reason for the other change.
func TestAReasonIsNotCarriedToAnotherChange(t *testing.T) {
	s := drawn(t)
	term := s.run(t)
	term.see("confirmed")
	term.press("3")
	term.see("order_id", "HEALTH")
	for !strings.Contains(row(term.screen(), "▸"), "order_id") {
		term.press("j")
	}
	term.press("+")
	term.see("Bump a counter", "price")
	if frame := term.screen(); strings.Contains(frame, "ctrl+p") {
		t.Errorf("it offers reasons before there is one:\n%s", frame)
	}
	term.press("ticket 48151<esc>")
	term.see("Nothing was changed.")
	term.press("1nr")
	term.see("Frees the username", "price", "ctrl+p as before")
	if frame := term.screen(); strings.Contains(frame, "48151") {
		t.Errorf("the counter's reason stands at the lock:\n%s", frame)
	}
	term.press("<tab><enter>")
	term.see("✓ Applied")
	if frame := term.screen(); strings.Contains(frame, "48151") {
		t.Errorf("the counter's reason was written down for the lock:\n%s", frame)
	}
	term.press("<enter>3+")
	term.see("Bump a counter", "reason    ticket 48151", "price") // the same change again
	term.press("<esc>1")
	term.see("confirmed")
	term.press("nm")
	term.see("Put a missing lock", "price", "ctrl+p as before")
	term.press("<ctrl+p>")
	term.see("reason    ticket 48151", "ctrl+p earlier")
	term.press("<ctrl+n>")
	term.see("the reason, for the journal")
}

// In a dialog with several options, a reason comes back only for the option for which it was typed.
func TestAReasonBelongsToItsOption(t *testing.T) {
	term := drawn(t).run(t)
	term.see("confirmed")
	term.press("3")
	term.see("order_id")
	term.press("+")
	term.see("lower to", "price")
	term.press("<shift+tab><shift+tab><shift+tab>")
	term.press("<left>")
	term.see("▸ lower to", "Type a number")
	term.press("<tab><tab>ticket 48151<esc>")
	term.see("Nothing was changed.")
	term.press("+")
	if frame := term.see("lower to", "price"); strings.Contains(frame, "ticket 48151") {
		t.Errorf("it was no reason to bump:\n%s", frame)
	}
	term.press("<shift+tab><shift+tab><shift+tab>")
	term.press("<left>")
	term.see("▸ lower to", "ticket 48151")
}

// Keys of the config work where the hints name them: a key without a letter leaves a field, and a letter works on a
// button.
func TestConfiguredDialogKeysWorkWithAnyFocus(t *testing.T) {
	s := drawn(t)
	keys, err := keymap.FromConfig(map[string][]string{
		"leave": {"ctrl+g", "Q"}, "next-field": {"ctrl+n"}, "previous-field": {"ctrl+p"}, "press": {"ctrl+t"},
		"next-button": {"l"},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.options.Keys = keys
	term := s.run(t)
	term.asksRelease()
	term.press("l")
	term.see("▸ Release the lock", "reason    the reason")
	term.press("Q")
	term.see("Nothing was changed.")
	term.press("r")
	term.see("▸ No, leave it", "price")
	term.press("all Q<ctrl+n>")
	term.see("▸ No, leave it", "reason    all Q")
	term.press("<shift+tab><ctrl+g>")
	term.see("Nothing was changed.")
	term.press("r")
	term.see("▸ No, leave it", "price")
	term.press("<ctrl+n>l<ctrl+t>")
	term.see("✓ Applied")
	term.press("<ctrl+t>1nm")
	term.see("Put a missing lock", "price", "the reason, for the journal")
	if frame := term.screen(); strings.Contains(frame, "as before") {
		t.Errorf("it offers a key that moves the focus for an earlier reason:\n%s", frame)
	}
}
