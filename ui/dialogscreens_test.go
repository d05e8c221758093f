package ui_test

import (
	"net/http/httptest"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/sdk"
)

// TestDialogScreens draws dialogs before and after their changes.
func TestDialogScreens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		options func(*dynamo.Options)
		set     func(*testing.T, *setup)
		walk    func(*terminal, *setup, *faults) *terminal
		until   []string
	}{
		{name: "release-typed", options: func(o *dynamo.Options) {
			settled(o)
			o.Guard = client.GuardType
		}, set: func(_ *testing.T, s *setup) {
			s.options.Connections[0].Production = true
		}, walk: typing("alan", "r"), until: []string{"Release a lock in PRODUCTION", "price", "to enable Release"}},
		{name: "request", walk: func(term *terminal, _ *setup, _ *faults) *terminal {
			term.see("confirmed")
			term.press("nn")
			term.see("○ missing   ")
			term.press("m")
			term.see("Put a missing lock", "price")
			term.press("<ctrl+o>")
			return term
		}, until: []string{"TransactWriteItems"}},
		{name: "applied", walk: func(term *terminal, _ *setup, _ *faults) *terminal {
			term.asksRelease()
			term.press("ticket 48151<tab><tab><enter>")
			return term
		}, until: []string{"✓ Applied", "ticket 48151"}},
		{name: "refused", walk: func(term *terminal, s *setup, _ *faults) *terminal {
			term.asksRelease()
			s.put(term.t, "accounts", sdk.Item{"PK": sdk.S("ACCT#late"), "SK": sdk.S("PROFILE"), "username": sdk.S("alan")})
			term.press("<tab><enter>")
			return term
		}, until: []string{"✗ Refused", "ACCT#late"}},
		{name: "not-known", walk: func(term *terminal, _ *setup, f *faults) *terminal {
			term.ask("ada")
			term.press("ecountess<tab>")
			term.see("price")
			let := make(chan struct{}) // lets one request through at a time
			f.set(func(f *faults) {
				f.lose = map[string]bool{"TransactWriteItems": true}
				f.hold = map[string]chan struct{}{"TransactWriteItems": let}
			})
			term.press("<tab><tab><enter>")
			let <- struct{}{}
			let <- struct{}{}
			term.see("sent 3 times")
			term.press("<esc>")
			term.see("? Not known")
			f.set(func(f *faults) { f.lose, f.hold = nil, nil })
			return term
		}, until: []string{"? Not known", "again", "why"}},
		{name: "changed", walk: func(term *terminal, s *setup, _ *faults) *terminal {
			term.ask("ada")
			term.press("ecountess<tab>")
			term.see("price")
			account := sdk.Item{"PK": sdk.S("ACCT#a1f9c3"), "SK": sdk.S("PROFILE"), "email": sdk.S("ada@lovelace.io"), "username": sdk.S("ada_l")}
			s.put(term.t, "accounts", account)
			term.press("<tab><tab><enter>")
			return term
		}, until: []string{"✗ Refused", "✗ changed since", "✓ as you saw it", "read", "now", "ada_l"}},
		{name: "resolve", walk: func(term *terminal, s *setup, f *faults) *terminal {
			term.loses(f)
			term.end()
			term = s.run(term.t)
			term.see("confirmed", "5 journal (1)")
			term.press("5")
			term.see("? not known", "m resolve")
			term.press("m")
			return term
		}, until: []string{"▸ Leave it open", "Send it again"}},
		{name: "change-typed", walk: typing("ada", "e", "countess<tab>"), until: []string{`gets the username "countess"`, "price"}},
		{name: "plan", set: func(t *testing.T, s *setup) {
			server := httptest.NewServer(s.demo.Engine)
			t.Cleanup(server.Close)
			s.connect(t, served(server), func(o *dynamo.Options) { o.Write, o.Place = false, []string{"--connection", "support"} })
		}, walk: func(term *terminal, _ *setup, _ *faults) *terminal {
			term.asksRelease()
			term.press("<ctrl+s>")
			return term
		}, until: []string{"Save the plan"}},
		{name: "nowhere-else", options: keeping(t.TempDir()), set: func(t *testing.T, s *setup) { s.withNote(t) }, walk: func(term *terminal, _ *setup, _ *faults) *terminal {
			term.asksNowhereElse()
			return term
		}, until: []string{"So a yes would", "have no effect."}},
		{name: "save-list", walk: func(term *terminal, _ *setup, _ *faults) *terminal {
			term.see("confirmed")
			term.press("w")
			return term
		}, until: []string{"Save the"}},
		{name: "command-line", walk: func(term *terminal, _ *setup, _ *faults) *terminal {
			term.see("confirmed")
			term.press("n:re")
			return term
		}, until: []string{"order_id", "17 B", "1 counter", "release the lock"}},
		{name: "query", set: func(t *testing.T, s *setup) { s.withOrders(t) }, walk: func(term *terminal, _ *setup, _ *faults) *terminal {
			term.press(`:query "mary ann" 2026<enter>`)
			return term
		}, until: []string{"order begins with 2026", "1 of 20"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &faults{}
			s := drawn(t, withFaults(f), func(o *dynamo.Options) {
				if c.options != nil {
					c.options(o)
				}
			})
			if c.set != nil {
				c.set(t, s)
			}
			c.walk(s.run(t), s, f).pictures(c.until...)
		})
	}
}

// typing finds a value, and presses keys.
func typing(value string, keys ...string) func(*terminal, *setup, *faults) *terminal {
	return func(term *terminal, _ *setup, _ *faults) *terminal {
		term.ask(value)
		for _, k := range keys {
			term.press(k)
		}
		return term
	}
}
