package check_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"tallylock/dynamo/check"
	"tallylock/dynamo/check/candidates"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/schema"
	"tallylock/internal/proof"
)

// A lock may be missing or name another account, and accounts may share its value as well. SQL writes a row for each of
// these problems. The check then reports the same as without SQL.
func TestDuplicatesHideNothingBySQL(t *testing.T) {
	t.Parallel()
	f := start(t)
	lock := func(value, owner string) doc {
		return doc{"PK": str("MAIL#" + value), "SK": str("LOCK"), "owner": str(owner)}
	}
	f.create("hiding", "PK:S", "SK:S",
		user("1", "taken"), user("2", "taken"), user("3", ""), lock("taken", "3"),
		user("4", "bare"), user("5", "bare"),
		user("6", "whole"), lock("whole", "USER#6"), user("7", "id"), lock("id", "7"),
		user("8", "other"), user("9", "else"), lock("other", "USER#9"), lock("else", "8"), user("10", "alone"))
	table := f.described("hiding", users(func(c *config.Constraint) { c.Owner = "owner" }))
	found, _ := f.run(table, setting.Options{})
	f.want(found, "duplicate-value bare", "duplicate-value taken", "foreign-lock else?", "foreign-lock other?", "missing-lock alone")
	bySQL(t, table, f.Engine.Transport(), func(c *candidates.File) {
		var got []string
		rows, err := proof.Rows(c.File)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if row.Kind != "" {
				got = append(got, string(row.Kind)+" "+row.Value)
			}
		}
		slices.Sort(got)
		alike(t, got, []string{"duplicate-value bare", "duplicate-value taken", "foreign-lock else", "foreign-lock other", "foreign-lock taken", "missing-lock alone", "missing-lock bare"})
	})
}

// A check by SQL names leftover release marks, and a value for which no lock can be made.
func TestNotesBySQL(t *testing.T) {
	t.Parallel()
	f := start(t)
	marked := mail("a")
	marked[schema.MarkAttribute] = str("0123")
	f.create("notes", "PK:S", "SK:S",
		user("1", "a"), marked, user("2", " "), user("3", strings.Repeat("x", 2100)), user("4", strings.Repeat("é", 1100)), user("5", "b"), mail("b"))
	table := f.described("notes", users(func(c *config.Constraint) { c.Normalise = []string{"trim"} }))
	found, want := f.run(table, setting.Options{})
	f.want(found)
	says := func(sum finding.Summary) bool {
		return strings.Contains(strings.Join(sum.Notes, " "), "accounts hold 3 values that cannot be part of a lock key, such as USER#")
	}
	bySQL(t, table, f.Engine.Transport(), func(c *candidates.File) {
		_, sum, err := run(t.Context(), table, setting.Options{Candidates: c})
		if err != nil {
			t.Fatal(err)
		}
		if len(want.Marks) != 1 || len(sum.Marks) != 1 || sum.Marks[0].Value != "a" || sum.MoreMarks != 0 {
			t.Errorf("%+v, and by SQL %+v", want.Marks, sum.Marks)
		}
		if !says(want) || !says(sum) {
			t.Errorf("%q, and by SQL %q", want.Notes, sum.Notes)
		}
	})
}

// SQL compares only the keys in buckets that do not cancel out, whether locks name accounts by ids or by whole keys.
func TestSuspectsBySQL(t *testing.T) {
	t.Parallel()
	proof.Skip(t)
	f := start(t)
	items := []doc{mail("gone"), user("lost", "lost")}
	for n := range 300 {
		id := strconv.Itoa(n)
		lock := mail("v" + id)
		lock["owner"] = str([]string{id, "USER#" + id}[n%2])
		items = append(items, user(id, "v"+id), lock)
	}
	f.create("fitting", "PK:S", "SK:S", items...)
	c, err := check.SQL(t.Context(), f.described("fitting", users(func(c *config.Constraint) { c.Owner = "owner" })))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c.Tables[0].Location = f.export(dir, "fitting")
	for _, engine := range proof.Engines() {
		n, err := engine.Count(t.Context(), dir, c, "suspects")
		if err != nil || n != "2" {
			t.Errorf("%s buckets are suspicious, and two keys are: %v", n, err)
		}
	}
}

// If an account has changed its value, its old lock is stale, not orphaned. SQL shows this without further reads, even
// if the lock has a digest.
func TestStaleLocksBySQL(t *testing.T) {
	t.Parallel()
	for _, steps := range [][]string{nil, {"lower", "sha256"}} {
		f := start(t)
		of := users(func(c *config.Constraint) { c.Normalise, c.Owner = steps, "owner" })
		of.Name, of.Tables = "former", []string{"former"}
		l, err := of.Build()
		if err != nil {
			t.Fatal(err)
		}
		lock := func(value, owner string) doc {
			one := mail(l.Constraints()[0].Normalised(value))
			one["owner"] = str(owner)
			return one
		}
		f.create("former", "PK:S", "SK:S", user("1", "a"), lock("a", "1"), user("2", "b"), lock("b", "USER#2"),
			lock("former", "2"), lock("older", "USER#2"), lock("gone", "ghost"), user("3", "c"), lock("c", "1"))
		table := f.described("former", of)
		want, _, err := run(t.Context(), table, setting.Options{Confirm: setting.ConfirmNone})
		if err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(said(want), " "); strings.Count(all, "stale-lock") != 2 || strings.Count(all, "orphaned-lock") != 1 {
			t.Fatal(all)
		}
		bySQL(t, table, f.Engine.Transport(), func(c *candidates.File) {
			got, _, err := run(t.Context(), table, setting.Options{Confirm: setting.ConfirmNone, Candidates: c})
			if err != nil {
				t.Fatal(err)
			}
			alike(t, said(got), said(want))
		})
	}
}
