package ui_test

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/demo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
)

// digesting describes the demo's accounts with a constraint for phones. The keys of its locks have digests of the
// phones.
func digesting(o *dynamo.Options) {
	o.Layouts = []config.Layout{{Name: "ours", Tables: []string{demo.Table}, Accounts: []config.Account{{
		PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{
			{Attribute: "phone", PK: "UNIQ#PHONE#{v}", SK: "LOCK", Normalise: []string{"sha256"}},
		},
	}}}}
}

// If locks have digests, the screen shows the account's value. The digest is only in the lock's key.
func TestADigestIsShownInTheLockOnly(t *testing.T) {
	sum := sha256.Sum256([]byte("+4930123"))
	digest := hex.EncodeToString(sum[:])
	s := drawn(t, digesting)
	s.put(t, demo.Table,
		sdk.Item{"PK": sdk.S("ACCT#phoned"), "SK": sdk.S("PROFILE"), "phone": sdk.S("+4930123")})
	s.put(t, demo.Table, sdk.Item{"PK": sdk.S("UNIQ#PHONE#" + digest), "SK": sdk.S("LOCK")})
	term := s.run(t)
	frame := term.see("ACCOUNT", "1 of 1", `ACCT#phoned holds the phone "+4930123" and its lock.`, "lock      UNIQ#PHONE#"+digest[:8])
	if line := row(frame, "▸"); !strings.Contains(line, "+4930123") {
		t.Errorf("the value is not shown: %s", line)
	}
	term.press("r")
	term.see(`ot released: ACCT#phoned holds "+4930123"`)
	term.press("F+4930123<enter>")
	term.see("1 of 1 found")
	term.press("<esc>")
	term.gone("found")
	term.press("<enter>")
	term.see("ATTRIBUTE", "● held      phone     +4930123")
	term.press("<esc>/+4930123<enter>")
	term.see("answered in", `ACCT#phoned holds the phone "+4930123" and its lock.`)
}

// The finding and the dialog of a missing lock show the account's value. The digest is only in the lock's key.
func TestADialogNamesTheValueOfADigest(t *testing.T) {
	sum := sha256.Sum256([]byte("+4930123"))
	digest := hex.EncodeToString(sum[:])
	s := drawn(t, digesting)
	s.put(t, demo.Table,
		sdk.Item{"PK": sdk.S("ACCT#phoned"), "SK": sdk.S("PROFILE"), "phone": sdk.S("+4930123")},
		sdk.Item{"PK": sdk.S("ACCT#other"), "SK": sdk.S("PROFILE"), "phone": sdk.S("+4930124")})
	other := sha256.Sum256([]byte("+4930124"))
	s.put(t, demo.Table, sdk.Item{"PK": sdk.S("UNIQ#PHONE#" + hex.EncodeToString(other[:])), "SK": sdk.S("LOCK")})
	term := s.run(t)
	term.see("ACCOUNT", "1 of 2")
	term.press("4")
	term.see("Check")
	term.press("<enter>")
	frame := term.see("○ missing", "+4930123")
	if strings.Contains(row(frame, "○ missing"), digest[:8]) {
		t.Errorf("the finding shows the digest:\n%s", frame)
	}
	term.press("jm")
	frame = term.see("Put a missing lock", `Puts the lock of the phone "+4930123"`, "price")
	if !strings.Contains(row(frame, "put   "), "UNIQ#PHONE#"+digest[:8]) {
		t.Errorf("the key is not shown:\n%s", frame)
	}
}

// With guard = "type", a person types the account's value. The journal and a saved list also have this value.
func TestADigestIsNeverTyped(t *testing.T) {
	sum := sha256.Sum256([]byte("+4930124"))
	s := drawn(t, digesting, func(o *dynamo.Options) { o.Guard = client.GuardType })
	s.put(t, demo.Table,
		sdk.Item{"PK": sdk.S("ACCT#phoned"), "SK": sdk.S("PROFILE"), "phone": sdk.S("+4930123")},
		sdk.Item{"PK": sdk.S("ACCT#other"), "SK": sdk.S("PROFILE"), "phone": sdk.S("+4930124")},
		sdk.Item{"PK": sdk.S("UNIQ#PHONE#" + hex.EncodeToString(sum[:])), "SK": sdk.S("LOCK")})
	term := s.run(t)
	term.see("ACCOUNT", "1 of 2")
	path := filepath.Join(t.TempDir(), "values.csv")
	term.press("w")
	term.see("Save the", "2 values of accounts")
	term.press("<ctrl+u>" + path + "<enter>")
	term.gone("Save the")
	if saved := read(t, path); !strings.Contains(saved, ",phone,'+4930124,") && !strings.Contains(saved, ",phone,+4930124,") {
		t.Errorf("saved:\n%s", saved)
	}
	term.press("4")
	term.see("Check")
	term.press("<enter>")
	term.see("○ missing", "+4930123")
	term.press("jm")
	term.see("Put a missing lock", "type      +4930123", "the value to enable Put")
	term.press("<tab><tab>+4930123<tab>because<tab><tab><tab>")
	term.see("▸ Put the lock")
	term.press("<enter>")
	term.see("✓ Applied", "+4930123")
	term.press("<enter>5")
	term.see(`phone "+4930123"`)
}

// The command for a change has the account's value. The command makes the digest itself.
func TestTheCommandOfAChangeNamesNoDigest(t *testing.T) {
	sum := sha256.Sum256([]byte("+4930123"))
	s := onServer(t, digesting)
	s.put(t, demo.Table,
		sdk.Item{"PK": sdk.S("ACCT#phoned"), "SK": sdk.S("PROFILE"), "phone": sdk.S("+4930123")},
		sdk.Item{"PK": sdk.S("UNIQ#PHONE#" + hex.EncodeToString(sum[:])), "SK": sdk.S("LOCK")})
	term := s.run(t)
	c := term.clipboard()
	term.see("ACCOUNT", "1 of 1", "● held")
	term.press("e<ctrl+u>+4930124<tab>")
	term.see("price")
	term.press("<ctrl+o>")
	term.see("C tallylock")
	term.press("C")
	term.until("a copied command", func(string) bool { return strings.HasSuffix(c.says(), "phone +4930124") })
	if got := c.says(); !strings.Contains(got, " --from +4930123 ") {
		t.Errorf("copied %s", got)
	}
}
