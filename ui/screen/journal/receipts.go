package journal

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	record "tallylock/dynamo/change/journal"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// receipts is the journal as it was last read: what is open first, and of each
// the newest first.
type receipts struct {
	rows   []row
	open   int   // of the rows
	err    error // why the journal could not be read the last time
	read   bool
	unread int // lines that could not be
	// size and at are the file's, as it was read.
	size int64
	at   time.Time
}

// row is a change of the journal.
type row struct {
	*record.Record
	// find is what the filter looks through, in lower case.
	find string
}

func newReceipts(records []*record.Record) receipts {
	r := receipts{rows: make([]row, 0, len(records)), read: true}
	add := func(open bool) {
		for _, rec := range slices.Backward(records) {
			if rec.Open == open {
				r.rows = append(r.rows, row{rec, searched(rec)})
			}
		}
	}
	add(true)
	r.open = len(r.rows)
	add(false)
	return r
}

// searched is the text of a change that the filter looks through.
func searched(r *record.Record) string {
	return strings.ToLower(
		strings.Join([]string{r.Receipt, r.Who, words.Outcome(r).Word, r.Connection, r.Region, r.What, r.Table, r.Reason},
			"\x00"),
	)
}

// Recall reads the journal, unless it is as it was read before.
func (s *Screen) Recall() tea.Cmd {
	j, before := s.Journal(), s.receipts
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
		r := newReceipts(records)
		r.unread = unread
		if file != nil {
			r.size, r.at = file.Size(), file.ModTime()
		}
		return r, nil
	}, func(r receipts, err error) tea.Cmd {
		if err != nil {
			s.receipts.err = err // what was read before stays
			return nil
		}
		first := !s.receipts.read
		s.receipts = r
		s.regroup()
		clear(s.loaded)
		if first && r.open > 0 && s.Status.Text == "" {
			return s.Say(words.OpenChanges(r.open) + " Press " + s.Keys.Key(session.JournalTab.Action()) + ".")
		}
		if s.Tab != session.JournalTab {
			return nil
		}
		return s.Load()
	})
}
