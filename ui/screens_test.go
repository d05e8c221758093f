package ui_test

import (
	"strings"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/sdk"
)

// shownRefresh is the time between two readings of counters in golden files.
const shownRefresh = 2 * time.Second

// settled sets the settle time of the demo, for golden files.
func settled(o *dynamo.Options) { o.Settle = time.Second }

// severalNames are the values of a list.
const severalNames = "alan, ada, hopper, turing, nobody, ACCT#d41c07, margaret.hamilton@draper.test"

// dated adds an account and its lock with times.
func dated(t *testing.T, s *setup) {
	t.Helper()
	s.put(t, "accounts",
		sdk.Item{
			"PK": sdk.S("ACCT#01ARZ3NDEKTSV4RRFFQ69G5FAV"), "SK": sdk.S("PROFILE"), "username": sdk.S("ida"),
			"updated_at": sdk.N("1730000000000"),
		},
		sdk.Item{"PK": sdk.S("UNIQ#HANDLE#ida"), "SK": sdk.S("LOCK"), "createdAt": sdk.S("2024-02-03T04:05:06Z"), "ttl": sdk.N("4102444800")})
}

// TestScreens compares each screen with its golden files. After a change, run it with -update and look at the
// differences.
func TestScreens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		w, h    int
		set     func(*setup)
		options func(*dynamo.Options)
		keys    []string
		until   []string
		sizes   bool // also draw larger terminals
	}{
		{name: "accounts", until: []string{"confirmed", "6 problems"}},
		{name: "accounts-problem", keys: []string{"n"}, until: []string{"confirmed", "▸ no account"}},
		{name: "accounts-only-problems", keys: []string{"f"}, until: []string{"confirmed", "of 7 "}},
		{name: "accounts-140x40", w: 140, h: 40, keys: []string{"n"}, until: []string{"confirmed", "YOU CAN", "5 of 72"}},
		{name: "accounts-200x60", w: 200, h: 60, keys: []string{"nnn"}, until: []string{"confirmed", "YOU CAN", "30 of 72"}},
		{name: "accounts-60x16", w: 60, h: 16, until: []string{"confirmed"}},
		{name: "accounts-ascii", set: func(s *setup) { s.options.ASCII = true }, keys: []string{"n"}, until: []string{"confirmed", "> no account"}},
		{name: "accounts-production", set: func(s *setup) {
			s.connect(t, func(o *dynamo.Options) { o.Guard = client.GuardType })
			s.options.Connections[0].Production = true
		}, until: []string{"confirmed", "WRITE · TYPED"}, sizes: true},
		{name: "accounts-with-owner", set: func(s *setup) { s.options.Table = "members" }, keys: []string{"n"}, until: []string{"whole table", "◐ stale     The"}, sizes: true},
		{name: "accounts-without-locks", options: withoutLocks, keys: []string{"n"}, until: []string{"whole table", "2 accounts hold"}},
		{name: "accounts-without-locks-140x40", w: 140, h: 40, options: withoutLocks, until: []string{"whole table", "in use", "YOU CAN"}},
		{name: "locks", keys: []string{"2"}, until: []string{"confirmed", "UNIQ#EMAIL#"}, sizes: true},
		{name: "locks-folded", keys: []string{"2", "z", "jn"}, until: []string{"confirmed", "▸ UNIQ#EMAIL#", "✗ orphaned  No"}},
		{name: "counters", keys: []string{"3"}, until: []string{"of 8", "RU/s", "▁"}},
		{name: "counters-140x40", w: 140, h: 40, keys: []string{"3", "jjj"}, until: []string{"4 of 8", "read units a second", "▁"}},
		{name: "counters-by-room", keys: []string{"3", "sss"}, until: []string{"of 8", "RU/s", "least room first"}},
		{name: "counters-by-room-140x40", w: 140, h: 40, keys: []string{"3", "sss"}, until: []string{"of 8", "read units a second", "▁", "RUNS OUT"}},
		{name: "counter-read-140x40", w: 140, h: 40, keys: []string{"3", "jjj", "<tab>"}, until: []string{"tab to the list", "YOU CAN", "▁"}},
		{name: "tables", keys: []string{":"}, until: []string{"posts", "locks, no owner", "locks with owner", "counter, next", "layout NextIdTable", "17 B", "12 B", "153 B", "980 B", "288 B"}, sizes: true},
		{name: "tables-filter", keys: []string{":", "mem"}, until: []string{"locks with owner", ": mem"}},
		{name: "tables-query", keys: []string{":", "query"}, until: []string{"such as query UNIQ#", "PK / SK"}, sizes: true},
		{name: "find-asking", keys: []string{"/"}, until: []string{"then press enter"}, sizes: true},
		{name: "find", keys: []string{"/", "alan<enter>"}, until: []string{"answered in", "LOOKS LIKE IT"}, sizes: true},
		{name: "find-free", keys: []string{"/", "nobody-has-this<enter>"}, until: []string{"answered in", "□ free"}, sizes: true},
		{name: "find-no-past", keys: []string{"/", "alan<enter>", "t"}, until: []string{"No dates", "tallylock explain alan"}, sizes: true},
		{name: "find-past", set: func(s *setup) { dated(t, s) }, keys: []string{"/", "ida<enter>", "t", "j"}, until: []string{"its past", "2 of 6", "according to its attribute createdAt"}, sizes: true},
		{name: "find-unknown", options: func(o *dynamo.Options) { o.AutoReadUnits, o.Asked = 0.5, true }, keys: []string{"/", "alan<enter>"}, until: []string{"answered in", "? unknown", "read the whole table"}, sizes: true},
		{name: "find-list", keys: []string{"/", severalNames + "<enter>", "jj"}, until: []string{"7 of 7 read", "▸ hopper"}, sizes: true},
		{name: "find-list-60x16", w: 60, h: 16, keys: []string{"/", severalNames + "<enter>"}, until: []string{"7 of 7 read"}},
		{name: "find-list-price", options: func(o *dynamo.Options) { o.AutoReadUnits, o.Asked = 0.5, true }, keys: []string{"/", severalNames + "<enter>"}, until: []string{"enter read them"}, sizes: true},
		{name: "find-list-unknown", options: func(o *dynamo.Options) { o.AutoReadUnits, o.Asked = 0.5, true }, keys: []string{"/", severalNames + "<enter><enter>"}, until: []string{"? unknown", "7 of 7 read"}},
		{name: "item", keys: []string{"<enter>"}, until: []string{"ATTRIBUTE", "● held"}, sizes: true},
		{name: "item-of-a-lock", keys: []string{"nnn", "<enter>"}, until: []string{"ATTRIBUTE", "✗ orphaned", "r release"}, sizes: true},
		{name: "item-of-a-counter", keys: []string{"3", "n", "<enter>"}, until: []string{"ATTRIBUTE", "m mend"}, sizes: true},
		{name: "help", keys: []string{"n", "?"}, until: []string{"Keys · accounts, an orphaned lock"}, sizes: true},
		{name: "release", options: settled, keys: []string{"nnn", "r"}, until: []string{"▸ No, leave it", "price"}, sizes: true},
		{name: "bump", keys: []string{"3", "jjj", "+"}, until: []string{"▸ No, leave it", "only if"}, sizes: true},
		{name: "release-with-owner", options: settled, set: func(s *setup) { s.options.Table = "members" }, keys: []string{"n", "r"}, until: []string{"▸ No, leave it", "price"}},
		{name: "release-60x16", w: 60, h: 16, options: settled, keys: []string{"nnn", "r"}, until: []string{"▸ No, leave it", "price"}},
		{name: "help-60x16", w: 60, h: 16, keys: []string{"nnn", "?<pgdown>"}, until: []string{"pgup 6 above", "LOOK"}},
		{name: "denied", options: undescribedFaults(&faults{deny: map[string]bool{"Scan": true}}), until: []string{"STILL WORKS"}, sizes: true},
		{name: "too-small", w: 40, h: 12, until: []string{"too small"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := drawn(t)
			if c.options != nil {
				s.connect(t, c.options)
			}
			s.options.Refresh = shownRefresh
			if c.w > 0 {
				s.w, s.h = c.w, c.h
			}
			if c.set != nil {
				c.set(s)
			}
			term := s.run(t)
			if c.name != "too-small" && c.name != "denied" {
				term.see("ACCOUNT", "VERDICT")
				if s.options.Table == "accounts" && (c.options == nil || strings.HasPrefix(c.name, "release")) {
					term.see("confirmed")
				}
				if s.options.Table == "members" {
					term.see("3 problems")
				}
			}
			for _, keys := range c.keys {
				if keys == "+" {
					term.see("▸ events", "▁")
				}
				term.press(keys)
				if keys == "3" {
					term.see("of 8")
				}
			}
			if c.sizes {
				term.pictures(c.until...)
			} else {
				term.picture(c.until...)
			}
		})
	}
}
