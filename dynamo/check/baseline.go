package check

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// Baseline is the findings of a check before.
type Baseline struct {
	known map[string][]known // by Finding.Same
}

// known is a finding of before, as far as it reports whether one of now is news.
type known struct {
	table, id string // the id is empty where nobody knew it
	confirmed bool
}

// ReadBaseline reads what `check --output jsonl` has written.
func ReadBaseline(r io.Reader) (*Baseline, error) {
	b := &Baseline{known: map[string][]known{}}
	return b, Read(r, func(f Finding) error {
		same := f.Same()
		b.known[same] = append(b.known[same], known{f.Table, f.TableID, f.Confirmed})
		return nil
	})
}

// Read gives each finding of what `check --output jsonl` has written to visit,
// until that answers an error. The check's summary is passed over.
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
				return fmt.Errorf("line %d: it is no finding: %w", n, wrong)
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

// has reports whether the finding is known: of the same table, and not only of another
// that had its name, and no less sure than it is now. A nil Baseline knows none.
func (b *Baseline) has(f Finding) bool {
	return b != nil && slices.ContainsFunc(b.known[f.Same()], func(k known) bool {
		return k.of(f.TableID) && (k.confirmed || !f.Confirmed)
	})
}

// of reports whether it may be of the table with this id.
func (k known) of(id string) bool { return k.id == "" || id == "" || k.id == id }

// others counts the findings of another table that had this one's name.
func (b *Baseline) others(table, id string) (n int) {
	if b == nil {
		return 0
	}
	for _, all := range b.known {
		for _, k := range all {
			if k.table == table && !k.of(id) {
				n++
			}
		}
	}
	return n
}

// Same is the same for two findings of the same thing, whenever they were made: a
// duplicate with one more account is another, unless there are more than are listed.
func (f Finding) Same() string {
	said := []any{f.Kind, f.Table, f.Constraint, f.Value, f.LockTable, f.Lock, f.Counter, f.ID}
	switch f.Kind.row().same {
	case sameAccounts:
		said = []any{f.Kind, f.Table, byText(f.Accounts)}
	case sameKey:
		said = []any{f.Kind, f.Table, f.Attribute, byText(f.Accounts)}
	case sameHolders:
		if f.MoreAccounts == 0 {
			said = append(said, byText(f.Accounts))
		}
	case sameItems:
		said = append(said, byText(f.Items))
	case sameSubject:
	}
	text, err := json.Marshal(said)
	if err != nil {
		return string(f.Kind) + err.Error()
	}
	return string(text)
}

// byText puts keys in one order.
func byText[K any](keys []K) []string {
	var texts []string
	for _, k := range keys {
		text, _ := json.Marshal(k) // a key always can be
		texts = append(texts, string(text))
	}
	slices.Sort(texts)
	return texts
}
