package finding

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"sync"
	"time"

	"tallylock/dynamo/phrase"
)

// Baseline has the findings of an earlier check. A check calls Observe with each finding, so that Update can tell
// which findings are gone. It is safe for concurrent use. A nil Baseline is empty, but cannot be updated.
//
// A finding leaves a baseline by one rule: a complete check would have found it, and did not. Such a check reads the
// same table, with the same layout, at a later time. It looks for findings of this kind, and for this constraint,
// counter or key. And the items of the finding do not change while the check reads them.
type Baseline struct {
	mu       sync.Mutex
	known    map[[sha256.Size]byte][]known // keyed by the hash of Finding.Same
	sources  []*source
	repeated map[uint64]bool // the hashes of all duplicate values and ids, by seed
	seed     maphash.Seed
	text     [sha256.Size]byte // the hash of the text that was read
	asOf     time.Time         // the time of the newest items behind the findings; zero if unknown

	unsettled map[[2]string]bool   // the constraint and Finding.Subject of everything that the check could not judge
	unlisted  map[Kind]bool        // the kinds that have too many findings to list
	moving    []func(Finding) bool // by Moving
}

// known is a finding of the baseline.
type known struct {
	of        *source
	confirmed bool
	found     bool // the present check has found it
	newer     bool // the present check has confirmed it, and the baseline has it only unconfirmed
}

// source is the origin of findings in the baseline: their table, and the layout by which they were judged.
type source struct {
	table, id, layout, constraint string // id and layout are empty if unknown
	of                            string // the constraint, counter or attribute of the first finding
	line                          int    // the line of the first finding
	findings                      int
}

// ReadBaseline reads the findings of an earlier check from JSON lines.
func ReadBaseline(r io.Reader) (*Baseline, error) {
	b := &Baseline{
		known: map[[sha256.Size]byte][]known{}, repeated: map[uint64]bool{}, seed: maphash.MakeSeed(),
		unsettled: map[[2]string]bool{}, unlisted: map[Kind]bool{},
	}
	hash := sha256.New()
	err := eachLine(io.TeeReader(r, hash), func(n int, _ []byte, f Finding) error {
		same := sha256.Sum256([]byte(f.Same()))
		b.known[same] = append(b.known[same], known{of: b.source(n, f), confirmed: f.Confirmed})
		if f.Kind == DuplicateValue || f.Kind == DuplicateID {
			b.repeated[maphash.String(b.seed, f.Subject())] = true
		}
		return nil
	}, func(s Summary) {
		if s.AsOf.After(b.asOf) {
			b.asOf = s.AsOf
		}
	})
	b.text = [sha256.Size]byte(hash.Sum(nil))
	return b, err
}

func (b *Baseline) source(line int, f Finding) *source {
	at := slices.IndexFunc(b.sources, func(s *source) bool {
		return s.table == f.Table && s.id == f.TableID && s.layout == f.Layout && s.constraint == f.Constraint
	})
	if at < 0 {
		at = len(b.sources)
		of := cmp.Or(f.Constraint, f.Counter, f.Attribute)
		b.sources = append(b.sources, &source{f.Table, f.TableID, f.Layout, f.Constraint, of, line, 0})
	}
	b.sources[at].findings++
	return b.sources[at]
}

// Read reads the findings of a check from JSON lines, and skips the summary. It calls visit with each finding, and
// stops if visit returns an error.
func Read(r io.Reader, visit func(Finding) error) error {
	return ReadAll(r, visit, func(Summary) {})
}

// ReadAll is like Read, and calls ended with each summary. If a check did not end, its file has no summary.
func ReadAll(r io.Reader, visit func(Finding) error, ended func(Summary)) error {
	return eachLine(r, func(_ int, _ []byte, f Finding) error { return visit(f) }, ended)
}

// eachLine calls visit with each finding, the number of its line, and the line without its end. It calls ended with
// each summary.
func eachLine(r io.Reader, visit func(n int, line []byte, f Finding) error, ended func(Summary)) error {
	lines := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			var one struct {
				Finding
				Summary *Summary `json:"summary"`
			}
			wrong := json.Unmarshal(line, &one)
			switch {
			case wrong != nil:
				return fmt.Errorf("line %d is not a finding in JSON", n)
			case one.Summary != nil:
				ended(*one.Summary)
			case one.Kind == "" || one.Table == "":
				return fmt.Errorf("line %d is neither a finding nor a summary", n)
			default:
				if err := visit(n, line, one.Finding); err != nil {
					return fmt.Errorf("line %d: %w", n, err)
				}
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

// Observe records a finding of the present check, and reports whether the baseline has it. A table that was deleted
// and created again is another table. If f is confirmed, the finding in the baseline must be confirmed, too.
func (b *Baseline) Observe(f Finding) (has bool) {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if f.Constraint == "" && f.Subject() == "" && len(f.Accounts)+len(f.Items) == 0 {
		b.unlisted[f.Kind] = true
	}
	all := b.known[sha256.Sum256([]byte(f.Same()))]
	for n := range all {
		if k := &all[n]; k.of.mayBeOf(f.TableID) {
			k.found, k.newer = true, f.Confirmed && !k.confirmed
			has = has || !k.newer
		}
	}
	return has
}

// Unsettled records a value that changed during the present check and could not be judged. For an id or a counter, the
// constraint is empty, and value is Finding.Subject.
func (b *Baseline) Unsettled(constraint, value string) {
	if b != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.unsettled[[2]string{constraint, value}] = true
	}
}

// Moving adds a function that reports whether the items of a finding changed while the check read them. Such a finding
// stays in the baseline.
func (b *Baseline) Moving(is func(Finding) bool) {
	if b != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.moving = append(b.moving, is)
	}
}

// Repeats reports whether the baseline may have a duplicate value or id with this text. Rarely, it reports true for
// another text.
func (b *Baseline) Repeats(text string) bool {
	return b.HasRepeated() && b.repeated[maphash.String(b.seed, text)]
}

// HasRepeated reports whether the baseline has any duplicate value or id.
func (b *Baseline) HasRepeated() bool { return b != nil && len(b.repeated) > 0 }

// mayBeOf reports whether the findings may belong to the table with this id. An empty id is unknown.
func (s *source) mayBeOf(id string) bool { return s.id == "" || id == "" || s.id == id }

// OtherTables counts the baseline's findings of an earlier table, which had this name but another id.
func (b *Baseline) OtherTables(table, id string) (n int) {
	if b == nil {
		return 0
	}
	for _, s := range b.sources {
		if s.table == table && !s.mayBeOf(id) {
			n += s.findings
		}
	}
	return n
}

// Foreign explains why a check of this table must not update the baseline: a finding is of another table, or was
// judged by another layout. layouts has the hashes of all constraints, counters and derived keys of the present layout.
// Foreign returns "" if the check may update the baseline.
func (b *Baseline) Foreign(table, id string, layouts []string) string {
	for _, s := range b.sources {
		switch {
		case s.table != table:
			return fmt.Sprintf("line %d has a finding of the table %s, but this is a check of %s",
				s.line, phrase.Quote(s.table), table)
		case !s.mayBeOf(id):
			return fmt.Sprintf("line %d has a finding of an earlier table that was also called %s (id %s; the present id is %s)",
				s.line, table, phrase.Quote(s.id), id)
		case s.layout != "" && !slices.Contains(layouts, s.layout):
			return fmt.Sprintf("line %d has a finding of %s by a layout (%s) that the table no longer has",
				s.line, phrase.Quote(s.of), phrase.Quote(s.layout))
		}
	}
	return ""
}

// Newer explains why a check of items of this time must not update the baseline: the baseline has findings of newer
// items. It returns "" if the check may update the baseline, or if one of the times is unknown.
func (b *Baseline) Newer(asOf time.Time) string {
	if b == nil || asOf.IsZero() || !b.asOf.After(asOf) {
		return ""
	}
	return fmt.Sprintf("the check reads the items as of %s, but the baseline has later findings, as of %s",
		phrase.UTC(asOf), phrase.UTC(b.asOf))
}

// Updated counts the findings of a baseline after an update.
type Updated struct {
	Removed int // they are gone
	Added   int // they are new, or confirmed now
	Kept    int // they are still there
	// Unchecked counts the findings in Kept that the check could not find: it did not look for them, or their items
	// changed during the check.
	Unchecked int
}

// Update writes the baseline after a complete check. old is the text of the baseline, which must not have changed
// since ReadBaseline. Update leaves out each finding that is gone, by the rule of Baseline. added has new findings as
// JSON lines; nil if there are none. s is the check's summary, and wants reports which kinds the check looked for.
func (b *Baseline) Update(
	w io.Writer, old io.Reader, added io.Reader, s Summary, wants func(Kind) bool,
) (u Updated, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	out, hash := bufio.NewWriter(w), sha256.New()
	err = eachLine(io.TeeReader(old, hash), func(_ int, line []byte, f Finding) error {
		switch k := b.knownAs(f); {
		case k.newer && added != nil:
			return nil // added has the finding
		case k.found:
		case b.wouldFind(f, s, wants):
			u.Removed++
			return nil
		default:
			u.Unchecked++
		}
		u.Kept++
		return writeLine(out, line)
	}, func(Summary) {})
	if err != nil {
		return u, err
	}
	if [sha256.Size]byte(hash.Sum(nil)) != b.text {
		return u, ErrBaselineChanged
	}
	if added != nil {
		err := eachLine(added, func(_ int, line []byte, _ Finding) error {
			u.Added++
			return writeLine(out, line)
		}, func(Summary) {})
		if err != nil {
			return u, err
		}
	}
	if err := b.writeTime(out, s); err != nil {
		return u, err
	}
	return u, out.Flush()
}

// ErrBaselineChanged is the error of a baseline that changed between ReadBaseline and Update.
var ErrBaselineChanged = errors.New("another program changed it during the check")

// wouldFind reports whether the check would have found a finding of the baseline, if the finding still existed.
func (b *Baseline) wouldFind(f Finding, s Summary, wants func(Kind) bool) bool {
	switch {
	case s.AsOf.IsZero(), b.asOf.After(s.AsOf): // the items may be older than the finding
		return false
	case f.Table != s.Table, f.TableID != "" && f.TableID != s.TableID:
		return false
	case !wants(f.Kind), b.unlisted[f.Kind], !s.covers(f), b.unsettled[[2]string{f.Constraint, f.Subject()}]:
		return false
	}
	return !slices.ContainsFunc(b.moving, func(is func(Finding) bool) bool { return is(f) })
}

// writeTime writes the last line of a baseline, with the time of the items behind its findings.
func (b *Baseline) writeTime(out *bufio.Writer, s Summary) error {
	asOf := s.AsOf
	if b.asOf.After(asOf) {
		asOf = b.asOf
	}
	if asOf.IsZero() {
		return nil
	}
	line, err := json.Marshal(map[string]any{"summary": map[string]any{"table": s.Table, "as_of": asOf}})
	if err != nil {
		return err
	}
	return writeLine(out, line)
}

// knownAs returns the record of a finding that the baseline has.
func (b *Baseline) knownAs(f Finding) known {
	for _, k := range b.known[sha256.Sum256([]byte(f.Same()))] {
		if k.of.id == f.TableID && k.confirmed == f.Confirmed {
			return k
		}
	}
	return known{found: true} // the text has changed, which Update reports
}

func writeLine(w *bufio.Writer, line []byte) error {
	_, err := w.Write(line)
	if err == nil {
		err = w.WriteByte('\n')
	}
	return err
}

// covers reports whether the check looked at the constraint, the counters or the derived key of a finding. An earlier
// check may have found it by a part of the layout that this check left out.
func (s Summary) covers(f Finding) bool {
	if slices.ContainsFunc(s.NotChecked, func(n NotChecked) bool {
		return n.What == UncheckedFindings && slices.Contains(n.Names, string(f.Kind))
	}) {
		return false
	}
	return slices.ContainsFunc(s.Checked, func(c Checked) bool {
		switch {
		case f.Constraint != "":
			return c.Constraint == f.Constraint
		case f.Counter != "":
			// A counter of a family does not have the family's name. But either all counters of the layout were compared, or
			// none.
			return c.Counter != "" && (f.Layout != "" || c.Counter == f.Counter)
		case f.Kind == DriftedKey:
			return c.Key == f.Attribute
		}
		return true
	})
}
