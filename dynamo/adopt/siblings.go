package adopt

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// LockKeys tells which locks a rule has: their table, and the texts with which the parts of their keys begin. Layouts
// may write the templates of the same keys differently, so the texts are compared, and not the templates.
type LockKeys struct {
	Table string `json:"table,omitempty"`
	PK    string `json:"pk,omitempty"`
	SK    string `json:"sk,omitempty"`
}

// lockKeys returns the LockKeys of the rule. They are empty for a rule that RecordOf made, because RecordOf does not
// know the templates.
func (r *Rule) lockKeys() LockKeys {
	return LockKeys{Table: r.LockTable, PK: r.Constraint.PK.Prefix(), SK: r.Constraint.SK.Prefix()}
}

// overlaps reports whether a lock may belong to both rules. If a table is unknown, it may be any table.
func (k LockKeys) overlaps(other LockKeys) bool {
	either := func(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }
	return k.Table == "" || other.Table == "" ||
		k.Table == other.Table && either(k.PK, other.PK) && either(k.SK, other.SK)
}

// evidence returns the events of other records that are evidence about the locks of this rule. These records belong to
// the same table, and to another constraint whose locks have the same keys.
func (r *Record) evidence() (all []Event, err error) {
	files, err := os.ReadDir(r.Folder())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, r.failed("reading", err)
	}
	for _, file := range files {
		path := filepath.Join(r.Folder(), file.Name())
		if filepath.Ext(path) != ".jsonl" || path == r.path || !r.isSibling(path) {
			continue
		}
		sibling := &Record{rule: r.rule, path: path}
		locks := map[string]LockKeys{} // by the receipt of a backfill
		events, err := sibling.events(nil)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			if b := e.Backfill; b != nil {
				if _, known := locks[b.Receipt]; !known || e.Locks.Table != "" {
					locks[b.Receipt] = e.Locks
				}
				e.Locks = locks[b.Receipt] // an undo may not know the locks of the constraint
			}
			if e.touchesOthers() && e.Locks.overlaps(r.rule.lockKeys()) {
				all = append(all, e)
			}
		}
	}
	return all, nil
}

// touchesOthers reports whether an event is evidence for every rule with the same locks. The beginning of a backfill is
// no evidence: it deletes no lock.
func (e *Event) touchesOthers() bool {
	if b := e.Backfill; b != nil {
		return b.Undoing || b.Undone
	}
	return e.Abandoned == nil && e.Disproves()
}

// isSibling reports whether a file is the record of another constraint of the same table.
func (r *Record) isSibling(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false // the file of a run may be gone
	}
	defer f.Close()
	line, err := bufio.NewReader(f).ReadBytes('\n')
	var h header
	if err != nil || json.Unmarshal(line, &h) != nil || h.Version != version {
		return false // for example, the file of a run
	}
	h.Adoption.Constraint = r.rule.Constraint.Name
	return h.Adoption == r.rule.adoption()
}

// events reads the events of the file. check, which may be nil, checks its first line.
func (r *Record) events(check func(line []byte) error) (all []Event, err error) {
	data, err := os.ReadFile(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, r.failed("reading", err)
	}
	first := true
	for line := range bytes.Lines(data) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // a crash tore this line, so its phase has no result
		}
		if first {
			if first = false; check != nil {
				if err := check(line); err != nil {
					return nil, r.failed("reading", err)
				}
			}
			continue
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var e Event
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, r.failed("reading", fmt.Errorf("a line is not an event of an adoption: %w", err))
		}
		all = append(all, e)
	}
	return all, nil
}
