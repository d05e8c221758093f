package browse

import (
	"fmt"

	"tallylock/dynamo"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// empty says what was found where accounts or locks were looked for.
func empty(r *Reading, d *kit.Block) {
	b, t := r.pass, r.Table
	if b.view.Scanned == 0 {
		screen.Nothing(d, "This table is empty.", "It was read to its end, and there is no item in it.",
			r.Hint(keymap.Reload, "read it again"), r.Hint(keymap.Tables, "choose another table"))
		return
	}
	sofar := "items read so far"
	if b.view.Complete {
		sofar = "items"
	}
	screen.Nothing(d, "No "+r.Tab.String()+" found here.", whyEmpty(r, sofar))
	for _, p := range b.view.Prefixes[:min(len(b.view.Prefixes), 5)] {
		d.Row(func(l *kit.Line) {
			l.To(6)
			l.Fit(kit.Strong, p.Text, 24)
			l.Ends(kit.Text, words.Units(float64(p.Items)), 38)
			l.To(40)
			l.Run(kit.Fill, "▆", max(1, p.Items*(l.Width-44)/max(int(b.view.Scanned), 1)))
		})
	}
	d.Gap()
	var next []kit.Hint
	if len(t.Layout.Counters) > 0 {
		next = append(next, r.Hint(keymap.Counters, "look at the counters"))
	}
	next = append(next, r.Hint(keymap.Tables, "choose another table"))
	if !b.view.Complete {
		rest := words.Units(max(dynamo.AccountsCost(t).Units-b.view.Units, 1))
		next = append(next, r.Hint(keymap.Pause, "read on: the rest of the table is about "+rest+" read units"))
	}
	d.Keys(4, next...)
}

// whyEmpty says what the layout looks for, and what was read instead.
func whyEmpty(r *Reading, sofar string) string {
	l, n := r.Table.Layout, r.pass.view.Scanned
	switch {
	case len(l.Accounts) == 0 && l.Empty():
		return fmt.Sprintf("No layout that we know fits this table. The keys of its %d %s begin with:", n, sofar)
	case len(l.Accounts) == 0:
		return fmt.Sprintf("The layout %s keeps counters here. The keys of its %d %s begin with:", l.Name, n, sofar)
	case r.Tab == session.LocksTab && len(l.Constraints()) == 0:
		says := "The layout %s has no locks: it says by unique = true which values no two accounts may hold."
		return fmt.Sprintf(says+" The keys of its %d %s begin with:", l.Name, n, sofar)
	case r.Tab == session.LocksTab:
		says := "The layout %s looks for locks, and none of the %d %s is one. Their keys begin with:"
		return fmt.Sprintf(says, l.Name, n, sofar)
	}
	says := "The layout %s looks for keys that begin with %s. None of the %d %s has one. Their keys begin with:"
	return fmt.Sprintf(says, l.Name, l.Accounts[0].PK.Prefix(), n, sofar)
}
