package findings

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// mostMarked is how many findings are mended at once here: more than anybody looks
// through is for `tallylock mend`.
const mostMarked = 100

// whyMark says why the cursor's finding, or what is in its group, is not marked.
func whyMark(s *session.Session, r *run) string {
	if len(r.groups) == 0 {
		return r.none()
	}
	if x := r.selected(); x != nil && !r.marked[x] {
		return whyMarkOne(s, r, x)
	}
	return ""
}

// whyMarkOne says why a finding is not marked, to be mended with others.
func whyMarkOne(s *session.Session, r *run, x *row) string {
	if len(r.marked) >= mostMarked {
		return fmt.Sprintf("%d are mended together at most; `tallylock mend` takes any number from a file", mostMarked)
	}
	return whyMend(s, x)
}

// mark marks the finding at the cursor, or all of the group whose head is there; or
// takes the marks away.
func mark(s *session.Session, r *run) tea.Cmd {
	lines := r.lines()
	g, n := lines.at(r.list.Cursor)
	if n < 0 {
		return markRows(s, r, g.rows)
	}
	cmd := markRows(s, r, g.rows[n:n+1])
	if cmd == nil {
		r.list.Move(lines, 1)
	}
	return cmd
}

// markTo marks the findings between the cursor and the nearest one that is marked.
func markTo(s *session.Session, r *run) tea.Cmd {
	lines, at := r.lines(), r.list.Cursor
	for far := 1; far < lines.Len(); far++ {
		for _, n := range [2]int{at - far, at + far} {
			if n < 0 || n >= lines.Len() || !lines.Marked(n) {
				continue
			}
			var rows []*row
			for between := min(n, at); between <= max(n, at); between++ {
				if g, i := lines.at(between); i >= 0 && !r.marked[g.rows[i]] {
					rows = append(rows, g.rows[i])
				}
			}
			return markRows(s, r, rows)
		}
	}
	return s.Say("No other row is marked: move, then " + s.Keys.Key(keymap.MarkTo) + " marks all up to there.")
}

// markRows marks what can be marked of several findings; where all are marked it takes the
// marks away.
func markRows(s *session.Session, r *run, rows []*row) tea.Cmd {
	why, marked := "", 0
	for _, x := range rows {
		if r.marked[x] {
			continue
		}
		if no := whyMarkOne(s, r, x); no != "" {
			why = no
			continue
		}
		r.marked[x] = true
		marked++
	}
	switch {
	case marked == 0 && why != "":
		return s.Say(words.Sentence(why))
	case marked == 0:
		for _, x := range rows {
			delete(r.marked, x)
		}
	}
	return nil
}
