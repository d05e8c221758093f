package item

import (
	"context"

	"tallylock/dynamo/browse"
	"tallylock/dynamo/counter"
	"tallylock/ui/screen"
	"tallylock/ui/task"

	tea "charm.land/bubbletea/v2"
)

// Refresh implements screen.Refresher. It reads the item.
func (s *Screen) Refresh() tea.Cmd {
	seen := s.seen()
	for _, r := range seen {
		if r.Lock.Exists && r.Lock.Table == s.table && r.Lock.Key.ID() == s.key.ID() {
			s.lockOf = r
		}
	}
	s.past = screen.NewHistory(s.lockOf)
	return task.Start(s.Tasks, task.Fetching, func(ctx context.Context) (*browse.Inspection, error) {
		return browse.Inspect(ctx, s.owner, s.table, s.key, seen...)
	}, func(in *browse.Inspection, err error) tea.Cmd {
		s.err = err
		if err == nil {
			s.in = in
			s.readCounter()
			s.lay()
		}
		return s.Follow()
	})
}

// Follow implements screen.Follower. If the item is a lock, it loads the journal's records of that
// lock.
func (s *Screen) Follow() tea.Cmd { return s.past.Load(s.Session, s.owner) }

// readCounter updates the counter with the item's current number. The earlier comparison with the ids in use
// stays.
func (s *Screen) readCounter() {
	if c := s.counter; c != nil {
		now := counter.At(c.Open(), c.Layout, s.in.Key, s.in.Item)
		now.TakeIDs(c.HighestID, c.IDsChecked)
		s.counter = &now
	}
}
