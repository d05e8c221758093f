package layout

import (
	"slices"
	"strings"

	"tallylock/ui/kit"
)

// detail draws the row in full. all is set beside the list, where there is room for everything.
func (r row) detail(d *kit.Block, all bool) {
	if len(r.title) == 0 {
		return
	}
	last := len(r.title) - 1
	d.Row(func(l *kit.Line) {
		for _, s := range r.title[:last] {
			l.Put(s.Style, s.Text)
		}
		l.Fit(r.title[last].Style, r.title[last].Text, l.Width-l.At-1)
	})
	facts := r.facts
	if r.setting.Set && (all || d.Whole) {
		facts = slices.Insert(slices.Clone(facts), 0, kit.Strong.Says("value", r.setting.Text))
	}
	d.Facts(facts...)
}

// written draws the layout as TOML below the lines, if all of it fits.
func (s *Screen) written(d *kit.Block) {
	lines := strings.Split(strings.TrimSpace(string(s.config.TOML())), "\n")
	if len(lines)+2 > d.Height {
		return
	}
	d.Gap()
	d.Head(2, "AS TOML, FOR THE CONFIG")
	for _, text := range lines {
		d.Words(4, kit.Text, text)
	}
}
