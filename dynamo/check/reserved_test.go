package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout/config"
)

func claimed(ago time.Duration) doc {
	return doc{"claimedAt": str(time.Now().Add(-ago).UTC().Format(time.RFC3339))}
}

func reserving(c *config.Constraint) {
	c.ReservedFor, c.ReservedSince = "48h", "claimedAt"
}

// A reserved lock is no finding in any mode, but the summary counts it. If a lock does not state the time of its
// reservation, it is an unconfirmed finding.
func TestReservedLocksAreNoFindings(t *testing.T) {
	t.Parallel()
	for _, change := range [][]func(*config.Constraint){{reserving}, {reserving, owned}} {
		f := start(t)
		items := []doc{mail("young", claimed(47*time.Hour), owner("nobody")), mail("old", claimed(49*time.Hour), owner("nobody")), mail("bare", owner("nobody"))}
		for n := range 40 {
			id := fmt.Sprint(n)
			items = append(items, user(id, id), mail(id, claimed(100*time.Hour), owner(id)))
			if n < 20 {
				// Without reservations, 20 unclaimed locks would make the layout suspect. Sign-ups have their values, too.
				items = append(items, mail("new"+id, claimed(time.Hour), owner("nobody")), doc{"PK": str("SIGNUP#" + id), "SK": str("TOKEN"), "email": str("new" + id)})
			}
		}
		f.create("signups", "PK:S", "SK:S", items...)
		for confirm, want := range map[setting.Confirm][]string{
			setting.ConfirmFull:  {"orphaned-lock bare?", "orphaned-lock old"},
			setting.ConfirmReads: {"orphaned-lock bare?", "orphaned-lock old?"},
			setting.ConfirmNone:  {"orphaned-lock bare?", "orphaned-lock old?"},
		} {
			if len(change) > 1 && confirm == setting.ConfirmReads {
				want[1] = "orphaned-lock old" // its owner does not exist
			}
			found, sum := f.run(f.described("signups", users(change...)), setting.Options{Confirm: confirm})
			f.want(found, want...)
			if sum.Reserved != 21 || !sum.Complete || !slices.Contains(sum.Notes, "21 locks are reserved: sign-ups may still create their accounts, so the locks are not findings") {
				t.Errorf("%s: %+v", confirm, sum)
			}
			for _, one := range found {
				if one.SuspectLayout || (one.Value == "bare") != strings.Contains(one.Detail, "the lock has no claimedAt") {
					t.Errorf("%s: %+v", confirm, one)
				}
			}
		}
	}
}

// A table with only reserved locks is in order.
func TestNothingButReservedLocks(t *testing.T) {
	t.Parallel()
	f := start(t)
	var items []doc
	for n := range 30 {
		items = append(items, mail(fmt.Sprint(n), claimed(time.Hour)))
	}
	f.create("new", "PK:S", "SK:S", items...)
	found, sum := f.run(f.described("new", users(reserving)), setting.Options{})
	f.want(found)
	if sum.Reserved != 30 || !sum.Complete {
		t.Errorf("%+v", sum)
	}
}

// A check of an export judges reservations at the time of the export. If the export does not state its time, the check
// uses the present time, and says so.
func TestReservedLocksOfAnExport(t *testing.T) {
	f := start(t)
	since := func(at string) doc { return doc{"claimedAt": str(at)} }
	items := []doc{mail("young", since("2026-11-19T10:00:00Z")), mail("old", since("2026-11-10T10:00:00Z"))}
	for n := range 40 {
		items = append(items, user(fmt.Sprint(n), fmt.Sprint(n)), mail(fmt.Sprint(n), since("2026-01-01T00:00:00Z")))
	}
	f.create("signups", "PK:S", "SK:S", items...)
	dir := t.TempDir()
	data := withoutManifests(t, f.export(dir, "signups"))
	const said = "the export does not state its time: reservations are judged by the current time"
	for from, want := range map[string][]string{dir: {"orphaned-lock old?"}, data: {"orphaned-lock old?", "orphaned-lock young?"}} {
		found, sum, err := exported(t.Context(), f.described("signups", users(reserving)), from, setting.Options{Confirm: setting.ConfirmNone})
		if err != nil {
			t.Fatal(err)
		}
		f.want(found, want...)
		if without := from == data; sum.Reserved != 2-len(found) || slices.Contains(sum.Notes, said) != without {
			t.Errorf("%s: %+v", from, sum)
		}
	}
	// If the check also reads the table, it judges reservations at the present time.
	found, _, err := exported(t.Context(), f.described("signups", users(reserving)), dir, setting.Options{Confirm: setting.ConfirmReads})
	if err != nil {
		t.Fatal(err)
	}
	f.want(found, "orphaned-lock old?", "orphaned-lock young?")
}
