package corpus_test

import (
	"path/filepath"
	"slices"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/candidates"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/internal/proof"
	"tallylock/internal/s3"
)

// crowd is the number of people in each family in a long run: all families together have a million items.
const crowd = 4000

// For every family the SQL finds candidates for all findings of a check. It may find more candidates.
func TestBySQL(t *testing.T) {
	proof.Skip(t)
	onTables(t, func(t *testing.T, e served, table *dynamo.Table) {
		found, want := lines(t, table, setting.Options{})
		dir := t.TempDir()
		c, err := check.SQL(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		for n, one := range c.Tables {
			c.Tables[n].Location = filepath.Join(dir, one.Name)
			if err := s3.Loose(t.Context(), sdk.Client(e.Transport()), c.Tables[n].Location, one.Name); err != nil {
				t.Fatal(err)
			}
		}
		if err := proof.Athena(c); err != nil {
			t.Fatal(err)
		}
		for _, engine := range proof.Engines() {
			result, err := engine.Run(t.Context(), dir, c)
			if err != nil {
				t.Fatal(err)
			}
			candidates, err := candidates.Open(result)
			if err != nil {
				t.Fatal(err)
			}
			if missed, err := proof.Missed(candidates.File, table, found); err != nil || len(missed) > 0 {
				t.Errorf("nothing that the SQL of %s has found leads to %+v, %v", engine.Dialect.Name, missed, err)
			}
			if _, got := lines(t, table, setting.Options{Candidates: candidates}); !slices.Equal(got, want) {
				t.Errorf("by the SQL of %s\n%q, want\n%q\n%s", engine.Dialect.Name, got, want, tomlOf(t, table))
			}
		}
	})
}

// lines returns the findings of a check, and a sorted short form of them.
func lines(t *testing.T, table *dynamo.Table, o setting.Options) (found []finding.Finding, all []string) {
	t.Helper()
	_, err := check.Run(t.Context(), table, o, func(f finding.Finding) {
		kind, id := f.Kind, f.ID
		if kind == finding.StaleLock && !f.Confirmed { // with a guessed layout, a check reads no owners
			kind = finding.OrphanedLock
		}
		if kind != finding.DuplicateID {
			id = ""
		}
		line := string(kind) + " " + f.Constraint + f.Counter + " " + f.Value + id
		if !f.Confirmed {
			line += "?"
		}
		found, all = append(found, f), append(all, line)
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return found, all
}
