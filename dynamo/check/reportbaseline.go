package check

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"tallylock/dynamo"
)

// Baseline holds the findings of an earlier check.
type Baseline struct {
	known map[string][]known // by Finding.Same
}

// known is such a finding, as far as it decides whether another is new.
type known struct {
	table, id string // the id is empty if it was not known
	confirmed bool
}

// ReadBaseline reads the output of `check --output jsonl`.
func ReadBaseline(r io.Reader) (*Baseline, error) {
	b := &Baseline{known: map[string][]known{}}
	return b, Read(r, func(f Finding) error {
		same := f.Same()
		b.known[same] = append(b.known[same], known{f.Table, f.TableID, f.Confirmed})
		return nil
	})
}

// Read calls visit with each finding in the output of `check --output jsonl`, until visit
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

// has reports whether the baseline has the finding: of the same table, not of another with
// its name, and not less confirmed. A nil Baseline has none.
func (b *Baseline) has(f Finding) bool {
	return b != nil && slices.ContainsFunc(b.known[f.Same()], func(k known) bool {
		return k.mayBeOf(f.TableID) && (k.confirmed || !f.Confirmed)
	})
}

// mayBeOf reports whether the finding may be of the table with this id.
func (k known) mayBeOf(id string) bool { return k.id == "" || id == "" || k.id == id }

// countOtherTables counts the findings of another table with this one's name.
func (b *Baseline) countOtherTables(table, id string) (n int) {
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

// Same returns a text that is equal for two findings of the same thing. A duplicate with one
// more account is another thing, unless not all accounts are listed.
func (f Finding) Same() string {
	said := []any{f.Kind, f.Table, f.Constraint, f.Value, f.LockTable, f.Lock, f.Counter, f.Number()}
	switch f.Kind.info().same {
	case sameAccounts:
		said = []any{f.Kind, f.Table, sortedTexts(f.Accounts)}
	case sameKey:
		said = []any{f.Kind, f.Table, f.Attribute, sortedTexts(f.Accounts)}
	case sameHolders:
		if f.MoreAccounts == 0 {
			said = append(said, sortedTexts(f.Accounts))
		}
	case sameItems:
		said = append(said, sortedTexts(f.Items))
	case sameSubject:
	}
	text, err := json.Marshal(said)
	if err != nil {
		return string(f.Kind) + err.Error()
	}
	return string(text)
}

// idOf returns the ID of a finding.
func idOf(f Finding) string { return shortHash(f.Same()) }

// LockID identifies a lock of a table, whether it exists or not: it stays the same when the verdict
// changes.
func LockID(t *dynamo.Table, r *dynamo.Relation) string {
	said, _ := json.Marshal([]any{t.Name, r.Constraint.Name, r.Value, r.Lock.Table, r.Lock.Key}) // no key fails
	return shortHash(string(said))
}

func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// sortedTexts returns the JSON of keys, sorted.
func sortedTexts[K any](keys []K) []string {
	var texts []string
	for _, k := range keys {
		text, _ := json.Marshal(k) // no key fails
		texts = append(texts, string(text))
	}
	slices.Sort(texts)
	return texts
}
