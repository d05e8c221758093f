package ui_test

import (
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/sdk"
)

// If a window is too low for a dialog, the dialog says so and can be scrolled. The buttons and the field with the focus
// stay visible.
func TestALowDialogScrolls(t *testing.T) {
	s := drawn(t, func(o *dynamo.Options) { o.Guard = client.GuardType })
	s.options.Connections[0].Production = true
	s.w, s.h = 60, 16
	s.put(t, "accounts", sdk.Item{
		"PK": sdk.S("UNIQ#HANDLE#alan"), "SK": sdk.S("LOCK"), "since": sdk.N("1767225600"), "by": sdk.S("the importer of 2025"),
	})
	term := s.run(t)
	term.ask("alan")
	term.press("r")
	term.see("in PRODUCTION", "▸ No, leave it", "more ─")
	term.press("<pgdown>")
	term.see("above ─", "undo", "▸ No, leave it")
	term.press("<shift+tab><shift+tab>")
	term.see("reason", "No, leave it")
	term.press("ticket 48151")
	term.see("ticket 48151")
	term.press("<esc>")
	term.press("r")
	term.see("Frees the username", "more ─")
}
