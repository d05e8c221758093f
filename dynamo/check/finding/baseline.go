package finding

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// Baseline has the findings of an earlier check.
type Baseline struct {
	known map[string][]known // keyed by Finding.Same
}

// known is a finding of the baseline. Its text by Finding.Same is its key in Baseline.known.
type known struct {
	table, id string // the table's name and id; the id is empty if unknown
	confirmed bool
}

// ReadBaseline reads the findings of an earlier check from JSON lines.
func ReadBaseline(r io.Reader) (*Baseline, error) {
	b := &Baseline{known: map[string][]known{}}
	return b, Read(r, func(f Finding) error {
		same := f.Same()
		b.known[same] = append(b.known[same], known{f.Table, f.TableID, f.Confirmed})
		return nil
	})
}

// Read reads the findings of a check from JSON lines, and skips the summary. It calls visit with each finding, and
// stops if visit returns an error.
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
				return fmt.Errorf("line %d: it is not a finding in JSON", n)
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

// Has reports whether the baseline has this finding of the same table. A table that was deleted and created again is
// another table. If f is confirmed, the finding in the baseline must be confirmed, too. A nil Baseline is empty.
func (b *Baseline) Has(f Finding) bool {
	return b != nil && slices.ContainsFunc(b.known[f.Same()], func(k known) bool {
		return k.mayBeOf(f.TableID) && (k.confirmed || !f.Confirmed)
	})
}

// mayBeOf reports whether the finding may belong to the table with this id. An empty id is unknown.
func (k known) mayBeOf(id string) bool { return k.id == "" || id == "" || k.id == id }

// OtherTables counts the baseline's findings of an earlier table, which had this name but another id.
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
