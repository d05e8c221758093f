package candidates_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tallylock/dynamo/check/candidates"
)

// manyRows is the number of rows of a file that is read in many chunks.
const manyRows = 12_000

// manyLines writes a file with many rows and their number. The row bad is damaged; 0 means none.
func manyLines(bad int) []string {
	var lines []string
	for n := range manyRows {
		line := fmt.Sprintf(`{"table":"t","count":%d,"value":%q}`, n+1, strings.Repeat("x", n%200))
		if n+1 == bad {
			line = line[:20]
		}
		lines = append(lines, line)
	}
	lines[7] = strings.Replace(lines[7], `"value":"`, `"value":"`+strings.Repeat("y", 1<<20), 1) // longer than a chunk
	return append(lines, fmt.Sprintf(`{"table":"t","rows":%d}`, manyRows))
}

// opened writes and opens a file.
func opened(t *testing.T, text string) (*candidates.File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "candidates")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return candidates.Open(path)
}

// asCSV writes lines as Athena does.
func asCSV(lines []string) string {
	var b strings.Builder
	b.WriteString("\"candidate\"\n")
	w := csv.NewWriter(&b)
	for _, line := range lines {
		_ = w.Write([]string{line})
	}
	w.Flush()
	return b.String()
}

// All cores read a large file, and its rows come in their order.
func TestRowsOfManyChunks(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Join(manyLines(0), "\n"), asCSV(manyLines(0))} {
		c, err := opened(t, text)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // a check reads the file several times
			next := int64(1)
			if err := c.Each(func(row candidates.Row) error {
				if row.Count != next {
					return fmt.Errorf("row %d comes in the place of %d", row.Count, next)
				}
				next++
				return nil
			}); err != nil || next != manyRows+1 {
				t.Errorf("%d rows: %v", next-1, err)
			}
		}
	}
}

// A damaged row is named, wherever it is.
func TestADamagedRowAmongMany(t *testing.T) {
	t.Parallel()
	for _, bad := range []int{1, 4, 7_001, manyRows} {
		says := fmt.Sprintf("row %d: it is not a candidate", bad)
		for _, text := range []string{strings.Join(manyLines(bad), "\n"), asCSV(manyLines(bad))} {
			if _, err := opened(t, text); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("row %d: %v", bad, err)
			}
		}
	}
	lines := manyLines(0)
	text := asCSV(lines[:9_000]) + "\"a\",\"b\"\n"
	if _, err := opened(t, text); !errors.Is(err, csv.ErrFieldCount) || !strings.Contains(err.Error(), "row 9001: ") {
		t.Errorf("two columns: %v", err)
	}
	if _, err := opened(t, strings.Join(lines[:9_000], "\n")); err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("without its end: %v", err)
	}
}

// A visitor can stop the reading at any row, and gets no further row.
func TestStopAmongManyRows(t *testing.T) {
	t.Parallel()
	c, err := opened(t, strings.Join(manyLines(0), "\n"))
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	for _, at := range []int64{1, 9_000, manyRows} {
		seen := int64(0)
		err := c.Each(func(candidates.Row) error {
			if seen++; seen == at {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) || seen != at || !strings.Contains(err.Error(), fmt.Sprintf("row %d: ", at)) {
			t.Errorf("stopped at row %d: %d rows, %v", at, seen, err)
		}
	}
}
