package journal

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	record "tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/ui/say"
	"tallylock/ui/task"
)

// receipts is the journal as read last: the open changes first, then the others,
// both with the newest first.
type receipts struct {
	rows   []row
	open   int   // counts the open changes; they are the first rows
	err    error // the error of the last reading; nil if it succeeded
	read   bool
	unread int // counts the lines that could not be read
	// size and at are the size of the file and the time of its last write, when it was read.
	size int64
	at   time.Time
}

func newReceipts(records []*record.Record) receipts {
	r := receipts{rows: make([]row, 0, len(records)), read: true}
	add := func(open bool) {
		for _, rec := range slices.Backward(records) {
			if rec.Open == open {
				find := []string{
					rec.Receipt, rec.Who, rec.AppliedBy, rec.AskedBy, say.Outcome(rec).Word, rec.Connection, rec.Region, rec.What,
					rec.Table, rec.Reason,
				}
				r.rows = append(r.rows, row{Record: rec, find: strings.ToLower(strings.Join(find, "\x00"))})
			}
		}
	}
	add(true)
	r.open = len(r.rows)
	add(false)
	return r
}

// has reports whether the journal has a change.
func (r receipts) has(receipt string) bool {
	return slices.ContainsFunc(r.rows, func(x row) bool { return x.Receipt == receipt })
}

// Enter implements screen.Tab. It reads the journal, unless the file is unchanged.
func (s *Screen) Enter() tea.Cmd {
	j, before, shows := s.Journal(), s.receipts, s.Shows()
	if j == nil {
		return nil
	}
	return task.Start(s.Tasks, task.Recalling, func(context.Context) (receipts, error) {
		file, err := os.Stat(j.Path())
		if err == nil && before.read && before.err == nil && before.size == file.Size() && before.at.Equal(file.ModTime()) {
			return before, nil
		}
		records, unread, err := j.Read()
		if err != nil {
			return receipts{}, err
		}
		records = slices.DeleteFunc(records, func(r *record.Record) bool { return !shows(r) })
		r := newReceipts(records)
		r.unread = unread
		if file != nil {
			r.size, r.at = file.Size(), file.ModTime()
		}
		return r, nil
	}, func(r receipts, err error) tea.Cmd {
		if err != nil {
			s.receipts.err = err // the earlier changes stay on the screen
			return nil
		}
		first := !s.receipts.read
		s.receipts = r
		maps.DeleteFunc(s.marked, func(receipt string, _ bool) bool { return !r.has(receipt) }) // pruned changes
		s.regroup()
		clear(s.loaded)
		if first && r.open > 0 && s.Status.Text == "" {
			return s.Say(say.OpenChanges(r.open) + " Press " + s.Keys.Key(Tab.Action) + ".")
		}
		if s.Tab != Tab {
			return nil
		}
		return s.Follow()
	})
}

// Follow implements screen.Follower. It reads the plan of the selected change from the journal. The list does
// not need the plans of other changes.
func (s *Screen) Follow() tea.Cmd {
	rec := s.selected().Record
	if rec == nil || s.loaded[rec.Receipt] != nil {
		return nil
	}
	return task.Start(s.Tasks, task.Loading, func(context.Context) (*plan.Entry, error) { return plan.Load(rec) },
		func(e *plan.Entry, err error) tea.Cmd {
			if err == nil {
				s.loaded[rec.Receipt] = e
			}
			return nil
		})
}
