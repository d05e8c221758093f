package finding

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// Baseline holds the findings of an earlier check.
type Baseline struct {
	known map[string][]known // by Finding.Same
}

// known holds the parts of a baseline's finding that decide whether another finding is new.
type known struct {
	table, id string // the table's name and id; the id is empty if it was unknown
	confirmed bool
}

// ReadBaseline reads the findings of a check, as JSON lines.
func ReadBaseline(r io.Reader) (*Baseline, error) {
	b := &Baseline{known: map[string][]known{}}
	return b, Read(r, func(f Finding) error {
		same := f.Same()
		b.known[same] = append(b.known[same], known{f.Table, f.TableID, f.Confirmed})
		return nil
	})
}

// Read calls visit with each finding of a check, as JSON lines, until visit
// returns an error. It skips the summary.
func Read(r io.Reader, visit func(Finding) error) error {
	lines := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			var one struct {
				Finding
				Summary json.RawMessage `json:"summary"`
			}
			wrong := json.Unmarshal(line, &one)
			switch {
			case wrong != nil:
				return fmt.Errorf("line %d: it is no finding in JSON", n)
			case one.Summary != nil:
			case one.Kind == "" || one.Table == "":
				return fmt.Errorf("line %d: it is neither a finding nor a summary", n)
			default:
				if err := visit(one.Finding); err != nil {
					return fmt.Errorf("line %d: %w", n, err)
				}
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

// Has reports whether the baseline has the finding, for the same table and not for another table
// with its name. An unconfirmed finding of the baseline does not count for a confirmed one. A nil
// Baseline has no findings.
func (b *Baseline) Has(f Finding) bool {
	return b != nil && slices.ContainsFunc(b.known[f.Same()], func(k known) bool {
		return k.mayBeOf(f.TableID) && (k.confirmed || !f.Confirmed)
	})
}

// mayBeOf reports whether the finding may be of the table with this id.
func (k known) mayBeOf(id string) bool { return k.id == "" || id == "" || k.id == id }

// OtherTables counts the findings of other tables that had the name of the table with this id.
func (b *Baseline) OtherTables(table, id string) (n int) {
	if b == nil {
		return 0
	}
	for _, all := range b.known {
		for _, k := range all {
			if k.table == table && !k.mayBeOf(id) {
				n++
			}
		}
	}
	return n
}
